/* SPDX-License-Identifier: MIT */
/* The tables of a diff, with how to print them; and the diff for programs. */
#ifndef TANDEM_CLI_DIFF_DIFF_TABLES_H
#define TANDEM_CLI_DIFF_DIFF_TABLES_H

#include "analysis/diff/diff.h"
#include "cli/table.h"

/* Its columns, by table. */
extern const struct table diff_tables[DIFF_TABLE_COUNT];

/* `table` as enum diff_kind, or -1 for all. */
void diff_json(struct text *out, const struct diff *diff, int table);
void diff_csv(struct text *out, const struct diff *diff, int table);

#endif
