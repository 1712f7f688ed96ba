/* SPDX-License-Identifier: MIT */
/* A SQLite database with the tables of tables.h. It gets its name when it is
 * whole. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/tables/sqlite_schema.h"

struct sqlite {
	struct tables tables;
	sqlite3 *db;
	sqlite3_stmt *inserts[TABLE_COUNT];
	char *part;
	struct text sane; /* text that was no UTF-8 */
};

static int fail(struct export *export)
{
	struct sqlite *state = export->state;
	int code = sqlite3_errcode(state->db);
	int status = code == SQLITE_FULL ? -ENOSPC : code == SQLITE_NOMEM ? -ENOMEM : -EIO;

	return error_add(export->error, status, "%s: %s", export->out, sqlite3_errmsg(state->db));
}

static int execute(struct export *export, const char *sql)
{
	struct sqlite *state = export->state;

	return sqlite3_exec(state->db, sql, NULL, NULL, NULL) ? fail(export) : 0;
}

static int bind_text(struct export *export, sqlite3_stmt *insert, int place,
		     const struct table_value *value)
{
	struct sqlite *state = export->state;

	if (utf8_valid(value->text, value->length))
		return sqlite3_bind_text64(insert, place, value->text, value->length, SQLITE_STATIC,
					   SQLITE_UTF8);
	text_clear(&state->sane);
	text_add_utf8(&state->sane, value->text, value->length);
	return sqlite3_bind_text64(insert, place, state->sane.data, state->sane.length,
				   SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int bind_value(struct export *export, sqlite3_stmt *insert, int place,
		      const struct table_value *value)
{
	switch (value->type) {
	case TABLE_INTEGER:
		return sqlite3_bind_int64(insert, place, value->integer);
	case TABLE_REAL:
		return sqlite3_bind_double(insert, place, value->real);
	case TABLE_TEXT:
		return bind_text(export, insert, place, value);
	default:
		return sqlite3_bind_null(insert, place);
	}
}

static int sqlite_row(struct export *export, enum table_id id, const struct table_value *values)
{
	struct sqlite *state = export->state;
	sqlite3_stmt *insert = state->inserts[id];
	int code = SQLITE_OK;

	for (unsigned i = 0; !code && i < tables_all[id].count; i++)
		code = bind_value(export, insert, (int)i + 1, &values[i]);
	if (!code)
		code = sqlite3_step(insert);
	sqlite3_reset(insert);
	return code == SQLITE_DONE ? 0 : fail(export);
}

static int make_table(struct export *export, const struct table *table, sqlite3_stmt **insert)
{
	struct sqlite *state = export->state;
	struct text sql = TEXT_INIT;
	int status;

	sqlite_schema_table(&sql, table);
	status = sql.failed ? -ENOMEM : execute(export, sql.data);
	text_clear(&sql);
	sqlite_schema_insert(&sql, table);
	if (!status)
		status = sql.failed ? -ENOMEM : 0;
	if (!status && sqlite3_prepare_v2(state->db, sql.data, -1, insert, NULL))
		status = fail(export);
	text_free(&sql);
	return status;
}

static int sqlite_begin(struct export *export)
{
	struct sqlite *state = export->state;
	char version[64];
	int status, fd;

	state->tables.row = sqlite_row;
	state->part = output_part(export->out);
	if (!state->part)
		return -ENOMEM;
	/* SQLite would follow a link that somebody planted there. */
	fd = output_make(state->part);
	if (fd < 0)
		return fd;
	close(fd);
	if (sqlite3_open_v2(state->part, &state->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    NULL))
		return fail(export);
	snprintf(version, sizeof(version), "PRAGMA user_version = %d", SQLITE_SCHEMA_VERSION);
	/* It is thrown away if anything goes wrong: no journal, no waiting. */
	status = execute(export, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				 "PRAGMA locking_mode = EXCLUSIVE; BEGIN");
	if (!status)
		status = execute(export, version);
	for (unsigned i = 0; !status && i < TABLE_COUNT; i++)
		status = make_table(export, &tables_all[i], &state->inserts[i]);
	return status;
}

static void finalize(struct sqlite *state)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		sqlite3_finalize(state->inserts[i]);
		state->inserts[i] = NULL;
	}
}

static int sqlite_end(struct export *export)
{
	struct sqlite *state = export->state;
	int status;

	finalize(state);
	status = execute(export, sqlite_schema_indices);
	if (!status)
		status = execute(export, sqlite_schema_views);
	if (!status)
		status = execute(export, "COMMIT");
	if (status)
		return status;
	if (sqlite3_close(state->db))
		return fail(export);
	state->db = NULL;
	if (rename(state->part, export->out))
		return -errno;
	free(state->part);
	state->part = NULL;
	return 0;
}

static void sqlite_release(struct export *export)
{
	struct sqlite *state = export->state;

	finalize(state);
	sqlite3_close(state->db);
	if (state->part)
		unlink(state->part);
	free(state->part);
	text_free(&state->sane);
	tables_release(&state->tables);
}

const struct export_ops export_sqlite = {
	.name = "sqlite",
	.words = "a database with tables of calls, commands and all they belong to",
	.suffix = ".sqlite",
	.own_output = true,
	.state_bytes = sizeof(struct sqlite),
	.begin = sqlite_begin,
	TABLES_OPS,
	.end = sqlite_end,
	.release = sqlite_release,
};
