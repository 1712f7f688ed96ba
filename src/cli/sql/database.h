/* SPDX-License-Identifier: MIT */
/* The SQLite database of a session, for queries: kept in the user's cache
 * (trace/session/cache.h) and made again when the trace changed; where there is none, a
 * temporary one, as for a part of the run. One thread.
 *
 *	sqlite3 *db;
 *
 *	if (database_open(&db, &reading, &range))
 *		return CLI_FAILED;
 *	...
 *	sqlite3_close(db);
 */
#ifndef TANDEM_CLI_SQL_DATABASE_H
#define TANDEM_CLI_SQL_DATABASE_H

#include <sqlite3.h>

#include "cli/reading.h"

/* Opens it for reading only; `range` as in struct export_request. Returns CLI_DONE, or CLI_FAILED (told). */
int database_open(sqlite3 **db, struct reading *reading, const struct range *range);

#endif
