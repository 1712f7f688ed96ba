/* SPDX-License-Identifier: MIT */
/* The SQLite database of a session, for queries: kept in the user's cache
 * (trace/session/cache.h) and made again when the trace changed; where there is none, a
 * temporary one, as for a part of the run. One thread.
 *
 *	sqlite3 *db;
 *
 *	struct database_part part = {.range = RANGE_WHOLE};
 *
 *	if (database_open(&db, &reading, &part))
 *		return CLI_FAILED;
 *	...
 *	sqlite3_close(db);
 */
#ifndef TANDEM_CLI_SQL_DATABASE_H
#define TANDEM_CLI_SQL_DATABASE_H

#include <sqlite3.h>

#include "cli/reading.h"

struct database_part {
	struct range range;	/* on CLOCK_MONOTONIC */
	const char *range_name; /* that chose it, or NULL */
};

/* Opens it for reading only. Returns CLI_DONE, or CLI_FAILED (told). */
int database_open(sqlite3 **db, struct reading *reading, const struct database_part *part);

#endif
