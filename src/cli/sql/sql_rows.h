/* SPDX-License-Identifier: MIT */
/* The rows of a query, as they come: as text in columns (as wide as the first
 * ones need), JSON or CSV. One thread. */
#ifndef TANDEM_CLI_SQL_SQL_ROWS_H
#define TANDEM_CLI_SQL_SQL_ROWS_H

#include <sqlite3.h>

enum sql_format { SQL_TEXT, SQL_JSON, SQL_CSV };

/* Runs the statement to its end, or to where the output's reader had enough.
 * Returns CLI_DONE, CLI_FAILED (told; not of an error of the query, which
 * sqlite3_finalize() tells) or -EPIPE. */
int sql_rows_print(sqlite3_stmt *statement, enum sql_format format);

#endif
