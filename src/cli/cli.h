/* SPDX-License-Identifier: MIT */
/* What all commands share: their entry points, how they report errors and how they
 * read values.
 *
 * A command is `int cmd_NAME(int argc, char **argv)` in src/cli/NAME.c, and its
 * options `command_NAME` (options.h). argv[0] is its name, the return value is the
 * exit status: CLI_DONE, CLI_FAILED (after one line that says what and how to fix
 * it) or CLI_USAGE. Results go to stdout, everything else to stderr. One thread.
 */
#ifndef TANDEM_CLI_H
#define TANDEM_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* X(name, what it does): the commands, in the order of --help. Those of the recorder
 * are in `tandem` itself, the others in tandem-reader, to which it hands on: what
 * reads, serves and stores needs a dozen libraries, and loading them would take longer
 * than everything else that `record` does to a short program. */
#define CLI_RECORDER_COMMANDS(X)                                         \
	X(record, "run a program and record it")                         \
	X(pause, "stop recording for now")                               \
	X(resume, "go on recording")                                     \
	X(stop, "stop recording for good, without stopping the program") \
	X(snapshot, "save what a flight recorder holds, without stopping it")
#define CLI_READER_COMMANDS(X)                                                       \
	X(status, "what a running session has recorded so far")                      \
	X(report, "where the time went: tables of a recorded session")               \
	X(print, "the events of a session, chronologically")                         \
	X(findings, "what is wrong in a session, what it cost and what to do")       \
	X(diff, "what changed between runs, and whether that is significant")        \
	X(export, "a session in another tool's format: Perfetto, Chrome, SQLite...") \
	X(sql, "ask a session's tables in SQL")                                      \
	X(view, "the timeline of sessions, in the browser")                          \
	X(system, "have every new process wait, and record them all at once")        \
	X(doctor, "what this machine can record, and how to fix what it cannot")

/* X(name, word): parts of other commands, which those run themselves. */
#define CLI_HELPERS(X)                    \
	X(snapshot_when, "snapshot-when") \
	X(import, CLI_IMPORT)
#define CLI_IMPORT "lttng-import"

/* The program with both the latter, next to this one. */
#define CLI_READER "tandem-reader"

/* Each has its options (options.h) and its function. */
struct command;

#define X(name, about)                              \
	extern const struct command command_##name; \
	int cmd_##name(int argc, char **argv);
CLI_RECORDER_COMMANDS(X)
CLI_READER_COMMANDS(X)
#undef X
#define X(name, word) int cmd_##name(int argc, char **argv);
CLI_HELPERS(X)
#undef X

/* Prints `tandem: ...` and a newline on stderr. Returns CLI_FAILED. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Same words, but nothing failed: `tandem: ...` without a status. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error and what fixes it. Returns CLI_FAILED. */
int cli_fail(const struct error *error);

/* After a cli_error() about the arguments: points to `tandem NAME --help`. Returns
 * CLI_USAGE. */
int cli_usage(const char *command);

/* Whether stream 1 or 2 takes colours: a terminal, no NO_COLOR, TERM not dumb. */
bool cli_colour(int fd);

/* Columns that lines of a stream may have: COLUMNS in the environment, else those of the terminal that
 * it is; 0: neither, and lines may have any length. At least 40. */
unsigned cli_width(int fd);

/* Lines of the terminal that it is; 0: it is none. */
unsigned cli_height(int fd);

/* Reads "12", "64K", "1.5M", "2G" (powers of 1024; also KiB, MB...).
 * Returns 0, -EINVAL (no number, unknown unit) or -ERANGE. */
int cli_parse_bytes(const char *text, uint64_t *bytes);

/* Reads a number without sign. Returns 0, -EINVAL or -ERANGE. */
int cli_parse_number(const char *text, uint64_t max, uint64_t *number);

#endif
