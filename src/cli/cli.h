/* What every verb of the command shares: its entry point, how it complains and
 * how it reads options.
 *
 * A verb is `int cmd_VERB(int argc, char **argv)` in src/cli/VERB.c: argv[0] is
 * the verb, getopt_long() starts afresh, the return value is the exit status:
 * CLI_DONE, CLI_FAILED (after one line that says what and how to mend it) or
 * CLI_USAGE. Results go to stdout, everything else to stderr. One thread.
 *
 *	int cmd_status(int argc, char **argv)
 *	{
 *		...
 *		case 'h':
 *			return cli_help(help_text);
 *		default:
 *			return cli_usage("status");
 *	}
 */
#ifndef TANDEM_CLI_H
#define TANDEM_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* X(verb, what it does): the verbs, in the order of --help. Those of the recorder
 * are in the command itself, the others in tandem-reader, to which the command hands
 * on: what reads, serves and stores brings a dozen libraries along, and loading them
 * would take longer than everything else that `record` does to a short program. */
#define CLI_RECORDER_VERBS(X)                                                  \
	X(record, "run a program and record it")                               \
	X(pause, "stop recording for now")                                     \
	X(resume, "go on recording")                                           \
	X(stop, "stop recording for good, without stopping the program")       \
	X(status, "what a running session has recorded so far")
#define CLI_READER_VERBS(X)                                                    \
	X(report, "where the time went: tables of a recorded session")         \
	X(print, "the events of a session, in the order of time")              \
	X(findings, "what is wrong in a session, what it cost and what to do")  \
	X(diff, "what changed between runs, and whether that is more than chance") \
	X(export, "a session in another tool's format: Perfetto, Chrome, SQLite...")       \
	X(sql, "ask a session's tables in SQL")                                \
	X(view, "the timeline of sessions, in the browser")                    \
	X(doctor, "what this machine can record, and how to mend what it cannot")

#define X(verb, words) int cmd_##verb(int argc, char **argv);
CLI_RECORDER_VERBS(X)
CLI_READER_VERBS(X)
#undef X

/* Prints `tandem: ...` and a newline on stderr. Returns CLI_FAILED. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Same words, but nothing failed: `tandem: ...` without a status. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error and what mends it. Returns CLI_FAILED. */
int cli_fail(const struct error *error);

/* Prints a help text on stdout. Returns CLI_DONE. */
int cli_help(const char *text);

/* After getopt has complained, or after a cli_error() about the arguments:
 * points to `tandem VERB --help`. Returns CLI_USAGE. */
int cli_usage(const char *verb);

/* Whether stream 1 or 2 takes colours: a terminal, no NO_COLOR, TERM not dumb. */
bool cli_colour(int fd);

/* Reads "12", "64K", "1.5M", "2G" (powers of 1024; also KiB, MB...).
 * Returns 0, -EINVAL (no number, unknown unit) or -ERANGE. */
int cli_parse_bytes(const char *text, uint64_t *bytes);

/* Reads a number without sign. Returns 0, -EINVAL or -ERANGE. */
int cli_parse_number(const char *text, uint64_t max, uint64_t *number);

/* Index of `text` in a NULL-terminated list of words, or -EINVAL. */
int cli_parse_word(const char *text, const char *const *words);

#endif
