/* SPDX-License-Identifier: MIT */
#include "cli/sql/sql_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/reading.h"
#include "util/encode/csv.h"
#include "util/json.h"
#include "util/text.h"

/* Rows that decide how wide the columns are: they wait for each other. */
#define MEASURED_ROWS 1000u

#define WRITE_BYTES 65536u

struct rows {
	sqlite3_stmt *statement;
	int columns;
	struct text out;
};

static int write_some(struct rows *rows)
{
	return rows->out.length < WRITE_BYTES ? CLI_DONE : reading_write(&rows->out);
}

static bool is_number(sqlite3_stmt *statement, int column)
{
	int type = sqlite3_column_type(statement, column);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* A cell as text: what a terminal must not see is escaped; NULL is a dash. */
static void add_cell(struct text *text, sqlite3_stmt *statement, int column)
{
	const char *value = (const char *)sqlite3_column_text(statement, column);

	if (value)
		text_escape(text, value, (size_t)sqlite3_column_bytes(statement, column));
	else
		text_add_char(text, '-');
}

struct measured {
	struct text cells; /* one after another, each with a NUL */
	size_t rows;
	size_t *widths; /* by column */
	bool *numbers;	/* by column: to the right */
};

static void pad(struct text *out, size_t count)
{
	while (count--)
		text_add_char(out, ' ');
}

static void text_cell(struct rows *rows, const struct measured *measured, int column,
		      const char *cell, size_t length)
{
	size_t used = utf8_count(cell, length), width = measured->widths[column];
	size_t blanks = used < width ? width - used : 0;

	if (column)
		text_add_string(&rows->out, "  ");
	if (measured->numbers[column])
		pad(&rows->out, blanks);
	text_add(&rows->out, cell, length);
	if (!measured->numbers[column] && column + 1 < rows->columns)
		pad(&rows->out, blanks);
}

static void widen(struct measured *measured, int column, const char *cell, size_t length)
{
	size_t used = utf8_count(cell, length);

	if (used > measured->widths[column])
		measured->widths[column] = used;
}

static void measure_row(struct rows *rows, struct measured *measured)
{
	for (int i = 0; i < rows->columns; i++) {
		size_t from = measured->cells.length;

		add_cell(&measured->cells, rows->statement, i);
		if (measured->cells.failed)
			return;
		widen(measured, i, measured->cells.data + from, measured->cells.length - from);
		text_add_char(&measured->cells, '\0');
		if (sqlite3_column_type(rows->statement, i) != SQLITE_NULL)
			measured->numbers[i] = is_number(rows->statement, i);
	}
	measured->rows++;
}

static int print_measured(struct rows *rows, struct measured *measured)
{
	const char *cell = measured->cells.data;
	int status = CLI_DONE;

	if (measured->cells.failed)
		return cli_error("out of memory");
	for (int i = 0; i < rows->columns; i++) {
		const char *name = sqlite3_column_name(rows->statement, i);

		widen(measured, i, name, strlen(name));
		text_cell(rows, measured, i, name, strlen(name));
	}
	text_add_char(&rows->out, '\n');
	for (size_t row = 0; !status && row < measured->rows; row++) {
		for (int i = 0; i < rows->columns; i++) {
			text_cell(rows, measured, i, cell, strlen(cell));
			cell += strlen(cell) + 1;
		}
		text_add_char(&rows->out, '\n');
		status = write_some(rows);
	}
	return status;
}

static int print_text_rows(struct rows *rows, struct measured *measured)
{
	struct text cell = TEXT_INIT;
	int status = CLI_DONE, step;

	while (measured->rows < MEASURED_ROWS &&
	       (step = sqlite3_step(rows->statement)) == SQLITE_ROW)
		measure_row(rows, measured);
	status = print_measured(rows, measured);
	if (measured->rows < MEASURED_ROWS)
		return status;
	while (!status && sqlite3_step(rows->statement) == SQLITE_ROW) {
		for (int i = 0; i < rows->columns; i++) {
			text_clear(&cell);
			add_cell(&cell, rows->statement, i);
			text_cell(rows, measured, i, cell.data ? cell.data : "", cell.length);
		}
		text_add_char(&rows->out, '\n');
		status = write_some(rows);
	}
	text_free(&cell);
	return status;
}

static int print_text(struct rows *rows)
{
	struct measured measured = {
		.widths = calloc((size_t)rows->columns, sizeof(*measured.widths)),
		.numbers = calloc((size_t)rows->columns, sizeof(*measured.numbers)),
	};
	int status = measured.widths && measured.numbers ? print_text_rows(rows, &measured)
							 : cli_error("out of memory");

	text_free(&measured.cells);
	free(measured.widths);
	free(measured.numbers);
	return status;
}

static void json_cell(struct json *json, sqlite3_stmt *statement, int column)
{
	const char *name = sqlite3_column_name(statement, column);

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		json_signed(json, name, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		json_float(json, name, sqlite3_column_double(statement, column), 6);
		break;
	case SQLITE_NULL:
		json_null(json, name);
		break;
	default:
		json_bytes(json, name, (const char *)sqlite3_column_text(statement, column),
			   (size_t)sqlite3_column_bytes(statement, column));
		break;
	}
}

static int print_json(struct rows *rows)
{
	int status = CLI_DONE;
	struct json json;

	json_init(&json, &rows->out, true);
	json_begin_array(&json, NULL);
	while (!status && sqlite3_step(rows->statement) == SQLITE_ROW) {
		json_begin_object(&json, NULL);
		/* A row is a line. */
		json.indented = false;
		for (int i = 0; i < rows->columns; i++)
			json_cell(&json, rows->statement, i);
		json_end_object(&json);
		json.indented = true;
		status = write_some(rows);
	}
	json_end_array(&json);
	text_add_char(&rows->out, '\n');
	return status;
}

static int print_csv(struct rows *rows)
{
	int status = CLI_DONE;

	for (int i = 0; i < rows->columns; i++) {
		const char *name = sqlite3_column_name(rows->statement, i);

		if (i)
			text_add_char(&rows->out, ',');
		csv_add_text(&rows->out, name, strlen(name));
	}
	text_add_string(&rows->out, "\r\n");
	while (!status && sqlite3_step(rows->statement) == SQLITE_ROW) {
		for (int i = 0; i < rows->columns; i++) {
			const char *cell = (const char *)sqlite3_column_text(rows->statement, i);
			size_t bytes = (size_t)sqlite3_column_bytes(rows->statement, i);

			if (i)
				text_add_char(&rows->out, ',');
			if (cell && is_number(rows->statement, i))
				text_add(&rows->out, cell, bytes);
			else if (cell)
				csv_add_text(&rows->out, cell, bytes);
		}
		text_add_string(&rows->out, "\r\n");
		status = write_some(rows);
	}
	return status;
}

int sql_rows_print(sqlite3_stmt *statement, enum sql_format format)
{
	struct rows rows = {.statement = statement, .columns = sqlite3_column_count(statement)};
	int status;

	switch (format) {
	case SQL_JSON:
		status = print_json(&rows);
		break;
	case SQL_CSV:
		status = print_csv(&rows);
		break;
	default:
		status = print_text(&rows);
		break;
	}
	if (!status)
		status = reading_write(&rows.out);
	text_free(&rows.out);
	return status;
}
