/* SPDX-License-Identifier: MIT */
/* Tables for programs: CSV and JSON (cli/table.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/table_cell.h"
#include "util/encode/csv.h"

static void csv_cell(struct text *out, const struct table_column *column, const void *row)
{
	struct cell cell = cell_read(column, row);

	switch (column->kind) {
	case TABLE_STRING:
		if (*cell.string)
			csv_add_text(out, cell.string, strlen(cell.string));
		break;
	case TABLE_SIGNED:
		text_format(out, "%" PRId64, cell.signed_number);
		break;
	case TABLE_NS_FLOAT:
		text_format(out, "%.1f", cell.real);
		break;
	case TABLE_PERCENT:
	case TABLE_RATE:
	case TABLE_PPM:
		text_format(out, "%.6f", cell.real);
		break;
	case TABLE_REAL:
	case TABLE_AMOUNT:
		text_format(out, "%.9g", cell.real);
		break;
	case TABLE_NS_CHANGE:
		text_format(out, "%.1f", cell.real);
		break;
	case TABLE_CHANGE:
	case TABLE_P:
		/* Nothing where it is not known. */
		if (isfinite(cell.real))
			text_format(out, "%.9g", cell.real);
		break;
	case TABLE_BOUND:
		if (cell.number != UINT64_MAX)
			text_add_unsigned(out, cell.number);
		break;
	case TABLE_COUNT:
	case TABLE_NUMBER:
	case TABLE_NS:
	case TABLE_BYTES:
	case TABLE_BOOL:
		text_add_unsigned(out, cell.number);
		break;
	}
}

/* Programs find what a row is about first, then the numbers: strings before all
 * else. `at` counts from 0; the column, or NULL behind the last. */
static const struct table_column *column_next(const struct table *table, size_t *at)
{
	while (*at < 2 * table->column_count) {
		size_t i = (*at)++;
		const struct table_column *column = &table->columns[i % table->column_count];

		if ((column->kind == TABLE_STRING) == (i < table->column_count))
			return column;
	}
	return NULL;
}

void table_csv(struct text *out, const struct table *table, const void *rows, size_t count)
{
	const struct table_column *column;
	size_t at = 0;

	text_add_string(out, "table");
	while ((column = column_next(table, &at)))
		text_format(out, ",%s", column->key);
	text_add_char(out, '\n');
	for (size_t row = 0; row < count; row++) {
		text_add_string(out, table->name);
		for (at = 0; (column = column_next(table, &at));) {
			text_add_char(out, ',');
			csv_cell(out, column, (const char *)rows + row * table->row_bytes);
		}
		text_add_char(out, '\n');
	}
}

static void json_cell(struct json *json, const struct table_column *column, const void *row)
{
	struct cell cell = cell_read(column, row);

	switch (column->kind) {
	case TABLE_STRING:
		json_string(json, column->key, cell.string);
		break;
	case TABLE_SIGNED:
		json_signed(json, column->key, cell.signed_number);
		break;
	case TABLE_NS_FLOAT:
	case TABLE_NS_CHANGE:
		json_float(json, column->key, cell.real, 1);
		break;
	case TABLE_PERCENT:
	case TABLE_RATE:
	case TABLE_PPM:
		json_float(json, column->key, cell.real, 6);
		break;
	case TABLE_REAL:
	case TABLE_P:
		json_float(json, column->key, cell.real, 9);
		break;
	case TABLE_CHANGE:
		json_float(json, column->key, cell.real, 3);
		break;
	case TABLE_AMOUNT:
		if (cell.real == floor(cell.real))
			json_signed(json, column->key, (int64_t)cell.real);
		else
			json_float(json, column->key, cell.real, 3);
		break;
	case TABLE_BOOL:
		json_bool(json, column->key, cell.number);
		break;
	case TABLE_BOUND:
		if (cell.number == UINT64_MAX)
			json_null(json, column->key);
		else
			json_unsigned(json, column->key, cell.number);
		break;
	case TABLE_COUNT:
	case TABLE_NUMBER:
	case TABLE_NS:
	case TABLE_BYTES:
		json_unsigned(json, column->key, cell.number);
		break;
	}
}

void table_json(struct json *json, const struct table *table, const void *rows, size_t count)
{
	const struct table_column *column;

	json_begin_array(json, table->name);
	for (size_t row = 0; row < count; row++) {
		json_begin_object(json, NULL);
		for (size_t at = 0; (column = column_next(table, &at));)
			json_cell(json, column, (const char *)rows + row * table->row_bytes);
		json_end_object(json);
	}
	json_end_array(json);
}
