/* SPDX-License-Identifier: MIT */
#include "cli/sql/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "export/export.h"
#include "export/tables/sqlite_schema.h"
#include "trace/session/cache.h"
#include "trace/session/fingerprint.h"
#include "util/folder/temporary_folder.h"

#define CACHE_FILE "session.sqlite"

static int query_number(sqlite3 *db, const char *sql, const char *text)
{
	sqlite3_stmt *statement;
	int number = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		return -1;
	if (text)
		sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

static sqlite3 *open_file(const char *path)
{
	sqlite3 *db;

	if (!sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL))
		return db;
	sqlite3_close(db);
	return NULL;
}

/* The database at `path`, if it was made of the session as it is. */
static sqlite3 *open_cached(const char *path, const struct trace_session *session)
{
	char fingerprint[TRACE_FINGERPRINT_BYTES];
	sqlite3 *db;

	/* While it is being recorded, calls return that were already there. */
	if (!session->run.has_end)
		return NULL;
	db = open_file(path);
	if (!db)
		return NULL;
	trace_fingerprint(session, fingerprint);
	if (query_number(db, "PRAGMA user_version", NULL) == SQLITE_SCHEMA_VERSION &&
	    query_number(db, "SELECT count(*) FROM sessions WHERE fingerprint = ?1", fingerprint) ==
		    1)
		return db;
	sqlite3_close(db);
	return NULL;
}

static int make(struct reading *reading, const char *path, const struct database_part *part,
		struct error *error)
{
	struct trace_session *session = &reading->session;
	struct progress progress = {.tell = reading_progress, .user = reading};
	struct export_request request = {
		.ops = export_find("sqlite"),
		.out = path,
		.sessions = &session,
		.session_count = 1,
		.ranges = &part->range,
		.range_name = part->range_name,
		.progress = &progress,
	};
	struct export_result result;
	int status = export_make(&request, &result, error);

	reading_progress_end(reading);
	return status;
}

/* Makes it where only this process needs it: it is gone when that is. */
static int make_temporary(struct reading *reading, const struct database_part *part, sqlite3 **db)
{
	struct error error = ERROR_INIT;
	struct temporary_folder folder;
	char *path = NULL;
	int status;

	if (temporary_folder_make(&folder, "tandem-sql", &error))
		return cli_fail(&error);
	if (asprintf(&path, "%s/" CACHE_FILE, folder.path) < 0)
		path = NULL;
	status = !path				     ? cli_error("out of memory")
		 : make(reading, path, part, &error) ? cli_fail(&error)
						     : CLI_DONE;
	*db = status ? NULL : open_file(path);
	/* The name is needed until its first page was read. */
	if (*db)
		query_number(*db, "SELECT count(*) FROM sqlite_schema", NULL);
	else if (!status)
		status = cli_error("%s: the database that was made cannot be opened", path);
	temporary_folder_remove(&folder);
	free(path);
	return status;
}

int database_open(sqlite3 **db, struct reading *reading, const struct database_part *part)
{
	/* Of a part no other query asks again. */
	char *folder =
		range_is_whole(&part->range) ? trace_cache_folder(reading->session.path) : NULL;
	char *path = NULL;
	struct error error = ERROR_INIT;
	int status = CLI_DONE;

	*db = NULL;
	if (folder && asprintf(&path, "%s/" CACHE_FILE, folder) < 0) {
		free(folder);
		return cli_error("out of memory");
	}
	if (path)
		*db = open_cached(path, &reading->session);
	if (path && !*db && !make(reading, path, part, &error))
		*db = open_file(path);
	/* No cache, or its disk is full: why it can't be made is said there. */
	if (!*db)
		status = make_temporary(reading, part, db);
	free(path);
	free(folder);
	return status;
}
