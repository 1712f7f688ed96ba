/* tandem sql: a session's tables, asked in SQL. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/database.h"
#include "cli/sql_rows.h"

static const char help[] =
	"Usage: tandem sql [options] DIR ['SELECT ...']\n"
	"\n"
	"Answers a query over a recorded session, as SQLite understands it. The database\n"
	"is made the first time, kept in the session's directory, and made anew when the\n"
	"trace has changed. Without a query it says which tables there are.\n"
	"\n"
	"  -f, --format=FORMAT  text (default), json or csv\n"
	"  -h, --help           this text\n"
	"\n"
	"  tandem sql DIR 'SELECT name, calls, total_ns FROM api_summary'\n"
	"  tandem sql DIR \"SELECT max(duration_ns) FROM device_ops WHERE kind = 'kernel'\"\n";

static const char *const formats[] = {"text", "json", "csv", NULL};

static const char schema_query[] =
	"SELECT sql || ';' AS sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid";

struct arguments {
	int format;
	const char *path, *query;
};

static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "f:h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			arguments->format = cli_parse_word(optarg, formats);
			if (arguments->format < 0) {
				cli_error("--format %s: it is text, json or csv", optarg);
				return cli_usage("sql");
			}
			break;
		case 'h':
			cli_help(help);
			return -ECANCELED;
		default:
			return cli_usage("sql");
		}
	}
	if (argc - optind < 1 || argc - optind > 2) {
		cli_error(argc == optind ? "which session? give its directory"
					 : "one session and one query, please; put the query in "
					   "quotes");
		return cli_usage("sql");
	}
	arguments->path = argv[optind];
	arguments->query = argc - optind == 2 ? argv[optind + 1] : NULL;
	return 0;
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
	struct arguments arguments = {.format = 0};
	int status = read_arguments(&arguments, argc, argv);
	struct reading reading;
	sqlite3 *db;

	if (status)
		return status == -ECANCELED ? CLI_DONE : status;
	if (reading_open(&reading, arguments.path))
		return CLI_FAILED;
	status = database_open(&db, &reading);
	if (!status)
		status = arguments.query ? answer(db, &arguments) : print_schema(db);
	sqlite3_close(db);
	reading_close(&reading);
	return status;
}
