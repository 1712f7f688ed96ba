/* SPDX-License-Identifier: MIT */
/* A cell of a table (cli/table.h): a row's value, and how it is shown to people. Any thread. */
#ifndef TANDEM_CLI_TABLE_CELL_H
#define TANDEM_CLI_TABLE_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/table.h"

/* What the column's kind says of these. */
struct cell {
	uint64_t number;
	int64_t signed_number;
	double real;
	const char *string;
};

struct cell cell_read(const struct table_column *column, const void *row);

/* Nothing, or zero. */
bool cell_empty(const struct cell *cell);

/* Adds it as text; a string cut to `most` characters, 0: any. */
void cell_text(struct text *out, const struct table_column *column, const void *row,
	       size_t most_width);

#endif
