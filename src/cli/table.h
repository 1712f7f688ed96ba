/* SPDX-License-Identifier: MIT */
/* A table whose columns are described once, and printed as text, CSV or JSON.
 * Rows are an array of any struct; a column says where in it its value lies.
 *
 *	static const struct table_column columns[] = {
 *		{"calls", "calls", TABLE_COUNT, offsetof(struct report_api, calls)},
 *		{"name", "function", TABLE_STRING, offsetof(struct report_api, name)},
 *	};
 *	static const struct table table = TABLE("api", columns, struct report_api);
 *
 *	table_text(&out, &table, rows, count, &style);
 *
 * One thread.
 */
#ifndef TANDEM_CLI_TABLE_H
#define TANDEM_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/json.h"
#include "util/text.h"

enum table_kind {		   /* type in the row */
		  TABLE_STRING,	   /* const char * */
		  TABLE_COUNT,	   /* uint64_t: "1,234" */
		  TABLE_NUMBER,	   /* uint64_t: an id, "1234"; 0: none */
		  TABLE_SIGNED,	   /* int64_t */
		  TABLE_NS,	   /* uint64_t */
		  TABLE_NS_FLOAT,  /* double */
		  TABLE_BOUND,	   /* uint64_t, ns; UINT64_MAX: not known */
		  TABLE_BYTES,	   /* uint64_t */
		  TABLE_PERCENT,   /* double */
		  TABLE_RATE,	   /* double, GB/s */
		  TABLE_PPM,	   /* double, parts of a million */
		  TABLE_REAL,	   /* double of any size: "1.25", "3.2e+09" */
		  TABLE_AMOUNT,	   /* double, a mean of counts: "1,234", "1,234.5" */
		  TABLE_NS_CHANGE, /* double: "+1.25 ms" */
		  TABLE_CHANGE,	   /* double, per cent: "+12.5 %"; not finite: "-" */
		  TABLE_P,	   /* double, a probability; NAN: "-" */
		  TABLE_BOOL,	   /* bool */
};

struct table_column {
	const char *key;     /* in JSON and CSV */
	const char *heading; /* in text; NULL: not shown there */
	enum table_kind kind;
	size_t offset;
};

struct table {
	const char *name; /* in JSON and CSV */
	const struct table_column *columns;
	size_t column_count;
	size_t row_bytes;
};

#define TABLE(table_name, table_columns, row_type)                                \
	{                                                                         \
		.name = table_name, .columns = table_columns,                     \
		.column_count = sizeof(table_columns) / sizeof(*(table_columns)), \
		.row_bytes = sizeof(row_type)                                     \
	}

struct table_style {
	bool colour;
	const char *indent; /* before each line */
	size_t most_rows;   /* further ones are only counted; 0: all */
	size_t most_width;  /* of one string; longer ones are cut in the middle; 0: never */
	/* Of a line: names are cut further, then columns left out, which is said. 0: any. */
	size_t width;
	uint32_t hidden; /* columns that are not shown: of table_context() */
};

/* Columns that say one thing in all rows (the device, where there is one): adds
 * ", HEADING VALUE" for each to a table's heading, which is the last line of `out`: cut, and
 * on a line of its own where there is no room in `width` characters (0: any). Returns the
 * columns, for style->hidden. */
uint32_t table_context(struct text *out, const struct table *table, const void *rows, size_t count,
		       size_t width);

/* At most `width` characters of it, the middle an ellipsis where it was cut; 0: all. */
void table_add_cut(struct text *out, const char *string, size_t width);

/* A column whose rows are all empty or 0 is left out of text, as is an empty
 * table. */
void table_text(struct text *out, const struct table *table, const void *rows, size_t count,
		const struct table_style *style);

/* As RFC 4180 has it, but with plain line ends; the first column is the table's
 * name. */
void table_csv(struct text *out, const struct table *table, const void *rows, size_t count);

/* A member of the table's name: an array of objects. */
void table_json(struct json *json, const struct table *table, const void *rows, size_t count);

#endif
