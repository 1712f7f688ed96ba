/* SPDX-License-Identifier: MIT */
#include "cli/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/colour.h"
#include "util/csv.h"
#include "util/units.h"

#define CONTEXT_MOST 48u  /* characters of a value in a heading */
#define CONTEXT_LEAST 16u /* fewer are not worth it: on the next line */
#define COLUMNS_MOST 28

struct cell {
	uint64_t number;
	int64_t signed_number;
	double real;
	const char *string;
};

static struct cell cell_read(const struct table_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;
	struct cell cell = {.string = ""};

	switch (column->kind) {
	case TABLE_STRING:
		memcpy(&cell.string, at, sizeof(cell.string));
		if (!cell.string)
			cell.string = "";
		break;
	case TABLE_SIGNED:
		memcpy(&cell.signed_number, at, sizeof(cell.signed_number));
		break;
	case TABLE_NS_FLOAT:
	case TABLE_PERCENT:
	case TABLE_RATE:
	case TABLE_PPM:
	case TABLE_REAL:
	case TABLE_AMOUNT:
	case TABLE_NS_CHANGE:
	case TABLE_CHANGE:
	case TABLE_P:
		memcpy(&cell.real, at, sizeof(cell.real));
		break;
	case TABLE_BOOL:
		cell.number = *(const bool *)(const void *)at;
		break;
	case TABLE_COUNT:
	case TABLE_NUMBER:
	case TABLE_NS:
	case TABLE_BOUND:
	case TABLE_BYTES:
		memcpy(&cell.number, at, sizeof(cell.number));
		break;
	}
	return cell;
}

static bool cell_empty(const struct cell *cell)
{
	return !cell->number && !cell->signed_number &&
	       (isnan(cell->real) || fabs(cell->real) <= 0) && !*cell->string;
}

/* Bytes of the first `count` characters. */
static size_t characters_bytes(const char *string, size_t length, size_t count)
{
	size_t at = 0;

	while (count-- && at < length) {
		size_t run = utf8_length(string + at, length - at);

		at += run ? run : 1;
	}
	return at;
}

void table_add_cut(struct text *out, const char *string, size_t width)
{
	struct text whole = TEXT_INIT; /* as it is shown: a newline takes two characters */
	size_t characters, begin, end;

	text_escape(&whole, string, strlen(string));
	if (whole.failed || !whole.length) {
		out->failed |= whole.failed;
		return;
	}
	characters = utf8_count(whole.data, whole.length);
	begin = end = whole.length;
	if (width && characters > width) {
		begin = characters_bytes(whole.data, whole.length, width / 2);
		end = characters_bytes(whole.data, whole.length,
				       characters - (width - 1 - width / 2));
	}
	text_add(out, whole.data, begin);
	if (begin < end)
		text_add_string(out, "\xe2\x80\xa6");
	text_add(out, whole.data + end, whole.length - end);
	text_free(&whole);
}

/* "1,234", or "1,234.5" where it is no whole number. */
static void add_amount(struct text *out, double amount)
{
	char buffer[UNITS_BYTES];
	double tenths = round(amount * 10);

	text_add_string(out, units_count(buffer, (uint64_t)(tenths / 10)));
	if (fmod(tenths, 10) >= 1)
		text_format(out, ".%.0f", fmod(tenths, 10));
}

static void add_change(struct text *out, enum table_kind kind, double value)
{
	char buffer[UNITS_BYTES];

	if (!isfinite(value))
		text_add_char(out, '-');
	else if (kind == TABLE_NS_CHANGE)
		text_format(out, "%s%s",
			    value > 0	? "+"
			    : value < 0 ? "-"
					: "",
			    units_ns(buffer, fabs(value)));
	else if (kind == TABLE_CHANGE)
		text_format(out, "%+.1f %%", value);
	else if (value < 0.0001)
		text_add_string(out, "<0.0001");
	else
		text_format(out, "%.2g", value);
}

static void cell_text(struct text *out, const struct table_column *column, const void *row,
		      size_t most_width)
{
	struct cell cell = cell_read(column, row);
	char buffer[UNITS_BYTES];

	switch (column->kind) {
	case TABLE_STRING:
		table_add_cut(out, cell.string, most_width);
		break;
	case TABLE_COUNT:
		text_add_string(out, units_count(buffer, cell.number));
		break;
	case TABLE_NUMBER:
		if (cell.number)
			text_add_unsigned(out, cell.number);
		else
			text_add_char(out, '-');
		break;
	case TABLE_SIGNED:
		text_format(out, "%" PRId64, cell.signed_number);
		break;
	case TABLE_NS:
		text_add_string(out, units_ns(buffer, (double)cell.number));
		break;
	case TABLE_BOUND:
		text_add_string(out, cell.number == UINT64_MAX
					     ? "unknown"
					     : units_ns(buffer, (double)cell.number));
		break;
	case TABLE_NS_FLOAT:
		text_add_string(out, units_ns(buffer, cell.real));
		break;
	case TABLE_BYTES:
		text_add_string(out, cell.number ? units_bytes(buffer, (double)cell.number) : "-");
		break;
	case TABLE_PERCENT:
		text_format(out, "%.1f %%", cell.real);
		break;
	case TABLE_RATE:
		text_format(out, cell.real > 0 ? "%.3g" : "-", cell.real);
		break;
	case TABLE_PPM:
		text_format(out, "%.3f ppm", cell.real);
		break;
	case TABLE_REAL:
		text_format(out, "%.5g", cell.real);
		break;
	case TABLE_AMOUNT:
		add_amount(out, cell.real);
		break;
	case TABLE_NS_CHANGE:
	case TABLE_CHANGE:
	case TABLE_P:
		add_change(out, column->kind, cell.real);
		break;
	case TABLE_BOOL:
		text_add_string(out, cell.number ? "yes" : "no");
		break;
	}
}

/* Bit i: column i has something to show. */
static uint32_t columns_used(const struct table *table, const void *rows, size_t count)
{
	uint32_t used = 0;

	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
		for (size_t row = 0; table->columns[i].heading && row < count; row++) {
			struct cell cell = cell_read(&table->columns[i],
						     (const char *)rows + row * table->row_bytes);

			if (!cell_empty(&cell)) {
				used |= 1u << i;
				break;
			}
		}
	}
	return used;
}

static void add_aligned(struct text *out, const struct text *cell, bool left, size_t width,
			bool last)
{
	size_t length = cell->length ? utf8_count(cell->data, cell->length) : 0;

	for (size_t i = length; !left && i < width; i++)
		text_add_char(out, ' ');
	if (cell->length)
		text_add(out, cell->data, cell->length);
	for (size_t i = length; left && !last && i < width; i++)
		text_add_char(out, ' ');
}

/* How a table is laid out. */
struct shape {
	uint32_t used; /* bit i: column i is shown */
	size_t widths[COLUMNS_MOST];
	size_t most[COLUMNS_MOST]; /* of a string; 0: any */
};

static void table_line(struct text *out, const struct table *table, const void *row,
		       const struct shape *shape, const struct table_style *style)
{
	struct text cell = TEXT_INIT;
	bool first = true;

	text_add_string(out, style->indent);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];

		if (!(shape->used >> i & 1))
			continue;
		text_clear(&cell);
		if (row)
			cell_text(&cell, column, row, shape->most[i]);
		else
			text_add_string(&cell, column->heading);
		if (!first)
			text_add_string(out, "  ");
		first = false;
		add_aligned(out, &cell, column->kind == TABLE_STRING, shape->widths[i],
			    !(shape->used >> (i + 1)));
	}
	text_add_char(out, '\n');
	text_free(&cell);
}

/* What a column is about, where it may be one thing in all rows. */
static bool is_context(const struct table_column *column)
{
	static const char *const keys[] = {"device", "platform", "process", "pid",
					   "domain", "driver",	 "type",    "timing"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(column->key, keys[i]))
			return column->heading != NULL;
	return false;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->number == b->number && !strcmp(a->string, b->string);
}

/* Characters of the last line, colours apart. */
static size_t last_line(const struct text *out)
{
	size_t at = out->length, count = 0;

	while (at && out->data[at - 1] != '\n')
		at--;
	while (at < out->length) {
		if (out->data[at] == '\033') {
			while (at < out->length && out->data[at] != 'm')
				at++;
		} else {
			count += ((unsigned char)out->data[at] & 0xc0) != 0x80;
		}
		at++;
	}
	return count;
}

/* ", HEADING VALUE", in the line or on the next one. */
static void add_context(struct text *out, const struct table_column *column, const void *row,
			size_t width)
{
	bool named = column->kind != TABLE_STRING;
	size_t used = last_line(out), prefix = 2 + (named ? strlen(column->heading) + 1 : 0);
	size_t most = CONTEXT_MOST;
	struct text value = TEXT_INIT;

	cell_text(&value, column, row, most);
	if (width &&
	    used + prefix + utf8_count(value.data ? value.data : "", value.length) > width) {
		text_clear(&value);
		if (used + prefix + CONTEXT_LEAST > width) {
			text_add_string(out, "\n ");
			used = 0;
		} else {
			text_add_char(out, ',');
		}
		most = width > used + prefix + CONTEXT_LEAST ? width - used - prefix
							     : CONTEXT_LEAST;
		cell_text(&value, column, row, most < CONTEXT_MOST ? most : CONTEXT_MOST);
	} else {
		text_add_char(out, ',');
	}
	text_format(out, " %s%s%s", named ? column->heading : "", named ? " " : "",
		    value.data ? value.data : "");
	text_free(&value);
}

uint32_t table_context(struct text *out, const struct table *table, const void *rows, size_t count,
		       size_t width)
{
	uint32_t hidden = 0;

	for (size_t i = 0; count && i < table->column_count && i < COLUMNS_MOST; i++) {
		const struct table_column *column = &table->columns[i];
		struct cell first, next;
		bool same = is_context(column);

		if (!same)
			continue;
		first = cell_read(column, rows);
		for (size_t row = 1; same && row < count; row++) {
			next = cell_read(column, (const char *)rows + row * table->row_bytes);
			same = same_cell(&first, &next);
		}
		if (!same || cell_empty(&first))
			continue;
		hidden |= 1u << i;
		add_context(out, column, rows, width);
	}
	return hidden;
}

static void measure(const struct table *table, const void *rows, size_t shown, struct shape *shape)
{
	struct text cell = TEXT_INIT;

	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
		if (!(shape->used >> i & 1))
			continue;
		shape->widths[i] =
			utf8_count(table->columns[i].heading, strlen(table->columns[i].heading));
		for (size_t row = 0; row < shown; row++) {
			size_t width;

			text_clear(&cell);
			cell_text(&cell, &table->columns[i],
				  (const char *)rows + row * table->row_bytes, shape->most[i]);
			width = cell.length ? utf8_count(cell.data, cell.length) : 0;
			if (width > shape->widths[i])
				shape->widths[i] = width;
		}
	}
	text_free(&cell);
}

static size_t line_width(const struct shape *shape, const struct table_style *style)
{
	size_t width = strlen(style->indent);
	bool first = true;

	for (size_t i = 0; i < COLUMNS_MOST; i++) {
		if (!(shape->used >> i & 1))
			continue;
		width += shape->widths[i] + (first ? 0 : 2);
		first = false;
	}
	return width;
}

/* Cuts the longest names, one column after another, down to `least` characters. */
static void cut_names(const struct table *table, struct shape *shape,
		      const struct table_style *style, size_t least)
{
	size_t width;

	while ((width = line_width(shape, style)) > style->width) {
		size_t longest = COLUMNS_MOST, over = width - style->width;

		for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++)
			if (shape->used >> i & 1 && table->columns[i].kind == TABLE_STRING &&
			    (longest == COLUMNS_MOST || shape->widths[i] > shape->widths[longest]))
				longest = i;
		if (longest == COLUMNS_MOST || shape->widths[longest] <= least)
			return;
		shape->widths[longest] = shape->widths[longest] > least + over
						 ? shape->widths[longest] - over
						 : least;
		shape->most[longest] = shape->widths[longest];
	}
}

/* What a narrow terminal has no room for, the least missed first: columns by their keys,
 * and in between (NULL) names are cut, further each time. */
static const char *const narrow_keys[] = {
	"percent",
	"self_percent",
	"total_percent",
	"min_ns",
	"p50_ns",
	"untimed",
	NULL,
	"p99_ns",
	"unknown_ns",
	"migrations",
	"switches",
	"gb_per_s",
	"lmem_bytes",
	"stmem_bytes",
	"dymem_bytes",
	"blk_sm_bytes",
	"fgp_max",
	"fgp_act",
	"thr_reg",
	"a_errors",
	"b_errors",
	"system_ns",
	"device_queue_depth",
	"host_queue_depth",
	"gpu_idle_ns",
	NULL,
	"max_ns",
	"submit_max_ns",
	"a_each_ns",
	"b_each_ns",
	"a_count",
	"b_count",
	"by_pid",
	"by_kind",
	"mean_ns",
	"submit_mean_ns",
	"on_cpu_ns",
	"wait_cpu_ns",
	"wait_blocked_ns",
	"kind",
	"domain",
	"process",
	"pid",
	"file",
	"operations",
	"platform",
	NULL,
	"device",
};
static const size_t name_leasts[] = {40, 24, 12};

/* Leaves columns out until lines fit. Returns those. */
static uint32_t narrow(const struct table *table, struct shape *shape,
		       const struct table_style *style)
{
	const size_t *least = name_leasts;
	uint32_t left_out = 0;

	for (size_t k = 0; k < sizeof(narrow_keys) / sizeof(*narrow_keys); k++) {
		if (line_width(shape, style) <= style->width)
			break;
		if (!narrow_keys[k]) {
			cut_names(table, shape, style, *least++);
			continue;
		}
		for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++) {
			uint32_t bit = 1u << i;

			if (!(shape->used & bit) || strcmp(table->columns[i].key, narrow_keys[k]))
				continue;
			shape->used &= ~bit;
			left_out |= bit;
		}
	}
	return left_out;
}

static void add_left_out(struct text *out, const struct table *table, uint32_t left_out,
			 const struct table_style *style)
{
	struct text names = TEXT_INIT;

	for (size_t i = 0; i < table->column_count && i < COLUMNS_MOST; i++)
		if (left_out >> i & 1)
			text_format(&names, "%s%s", names.length ? ", " : "",
				    table->columns[i].heading);
	text_format(out, "%s%snot shown at this width: ", style->indent,
		    colour_begin(style->colour, COLOUR_DIM));
	table_add_cut(out, names.data ? names.data : "",
		      style->width > 40 ? style->width - 30 - strlen(style->indent) : 10);
	text_format(out, "%s\n", colour_end(style->colour));
	text_free(&names);
}

void table_text(struct text *out, const struct table *table, const void *rows, size_t count,
		const struct table_style *style)
{
	size_t shown = style->most_rows && count > style->most_rows ? style->most_rows : count;
	struct shape shape = {.used = columns_used(table, rows, shown) & ~style->hidden};
	uint32_t left_out = 0;

	for (size_t i = 0; i < COLUMNS_MOST; i++)
		shape.most[i] = style->most_width;
	if (!shape.used)
		return;
	measure(table, rows, shown, &shape);
	if (style->width && line_width(&shape, style) > style->width)
		left_out = narrow(table, &shape, style);
	text_add_string(out, colour_begin(style->colour, COLOUR_DIM));
	table_line(out, table, NULL, &shape, style);
	text_add_string(out, colour_end(style->colour));
	for (size_t row = 0; row < shown; row++)
		table_line(out, table, (const char *)rows + row * table->row_bytes, &shape, style);
	if (left_out)
		add_left_out(out, table, left_out, style);
	if (count > shown)
		text_format(out, "%s%s... and %zu more; --top 0 shows all%s\n", style->indent,
			    colour_begin(style->colour, COLOUR_DIM), count - shown,
			    colour_end(style->colour));
}

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
