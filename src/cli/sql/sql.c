/* SPDX-License-Identifier: MIT */
/* tandem sql: a session's tables, asked in SQL. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/newest.h"
#include "cli/options/options.h"
#include "cli/options/part.h"
#include "cli/sql/database.h"
#include "cli/sql/sql_rows.h"

#define SQL_OPTIONS(X)                                                        \
	X(format, 'f', "FORMAT", WORD("text json csv"), "%s (default: text)") \
	PART_OPTIONS(X)

OPTIONS(SQL_OPTIONS)

const struct command command_sql = {
	.name = "sql",
	.usage = "[options] [DIR] ['SELECT ...']",
	.about = "Answers a query over a recorded session, as SQLite understands it. The database\n"
		 "is made the first time, kept in your cache, and made again when the\n"
		 "trace has changed. Without a query it says which tables there are.\n",
	.examples = "  tandem sql DIR 'SELECT name, calls, total_ns FROM api_summary'\n"
		    "  tandem sql DIR \"SELECT max(duration_ns) FROM device_ops WHERE kind = "
		    "'kernel'\"\n",
	.column = 23,
	COMMAND_OPTIONS,
	.operands = OPERAND_SESSION,
};

static const char schema_query[] =
	"SELECT sql || ';' AS sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid";

struct arguments {
	int format;
	struct part part;
	const char *path, *query;
};

static int handle_option(void *user, unsigned option, const char *value, int word)
{
	struct arguments *arguments = user;

	if (option != OPTION_format)
		return part_option(&arguments->part, option_rows[option].name, value);
	arguments->format = word;
	return 0;
}

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int first = options_parse(&command_sql, argc, argv, handle_option, arguments);

	if (first < 0)
		return first;
	if (argc - first > 2) {
		cli_error("one session and one query, please; put the query in quotes");
		return options_wrong(&command_sql);
	}
	/* A query has a space, and most directories have none. */
	if (argc > first &&
	    (argc - first == 2 || !strchr(argv[first], ' ') || !access(argv[first], F_OK)))
		arguments->path = argv[first++];
	else
		arguments->path = newest_session();
	if (!arguments->path)
		return options_wrong(&command_sql);
	arguments->query = argc > first ? argv[first] : NULL;
	return part_check(&arguments->part, &command_sql);
}

/* Returns CLI_DONE and the statement, or CLI_FAILED (told). */
static int prepare(sqlite3 *db, const char *query, sqlite3_stmt **statement)
{
	const char *rest;

	if (sqlite3_prepare_v2(db, query, -1, statement, &rest)) {
		int at = sqlite3_error_offset(db);

		return at < 0 ? cli_error("%s", sqlite3_errmsg(db))
			      : cli_error("%s, at `%.40s`", sqlite3_errmsg(db), query + at);
	}
	if (!*statement)
		return cli_error("there is no query in `%s`", query);
	if (rest[strspn(rest, " \t\r\n;")] || !sqlite3_stmt_readonly(*statement)) {
		int status = cli_error(sqlite3_stmt_readonly(*statement)
					       ? "one query at a time, please"
					       : "only queries that read, please");

		sqlite3_finalize(*statement);
		return status;
	}
	return CLI_DONE;
}

/* The schema is text already: as it was written, comments and all. */
static int print_schema(sqlite3 *db)
{
	sqlite3_stmt *statement;
	struct text out = TEXT_INIT;
	int status = prepare(db, schema_query, &statement);

	if (status)
		return status;
	while (sqlite3_step(statement) == SQLITE_ROW)
		text_format(&out, "%s\n", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	status = reading_write(&out);
	text_free(&out);
	return status == -EPIPE ? CLI_DONE : status;
}

static int answer(sqlite3 *db, const struct arguments *arguments)
{
	sqlite3_stmt *statement;
	int status = prepare(db, arguments->query, &statement);

	if (status)
		return status;
	status = sql_rows_print(statement, (enum sql_format)arguments->format);
	if (sqlite3_finalize(statement) && !status)
		status = cli_error("%s", sqlite3_errmsg(db));
	return status == -EPIPE ? CLI_DONE : status;
}

int cmd_sql(int argc, char **argv)
{
	struct arguments arguments = {.format = 0, .part = PART_WHOLE};
	int status = read_arguments(&arguments, argc, argv);
	struct reading reading;
	struct database_part part = {.range_name = arguments.part.name};
	sqlite3 *db = NULL;

	if (status)
		return options_status(status);
	if (reading_open(&reading, arguments.path))
		return CLI_FAILED;
	status = part_find_monotonic(&arguments.part, &reading, &part.range);
	if (!status)
		status = database_open(&db, &reading, &part);
	if (!status)
		status = arguments.query ? answer(db, &arguments) : print_schema(db);
	sqlite3_close(db);
	reading_close(&reading);
	return status;
}
