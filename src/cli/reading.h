/* SPDX-License-Identifier: MIT */
/* What the commands that read a session share: opening it, warnings about damage,
 * the progress line, the end of the output. One thread.
 *
 *	struct reading reading;
 *	if (reading_open(&reading, path))
 *		return CLI_FAILED;
 *	...
 *	return reading_close(&reading, status);
 */
#ifndef TANDEM_CLI_READING_H
#define TANDEM_CLI_READING_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "analysis/findings/finding.h"
#include "analysis/report/report_make.h"
#include "trace/external/ctf_import.h"
#include "trace/external/lttng/lttng_import.h"
#include "trace/session/session_open.h"
#include "util/error.h"
#include "util/text.h"

/* What reads the traces of LTTng: a part of the command (setup/library.h). */
#define READING_LTTNG_MODULE "tandem-lttng-read.so"

struct reading {
	struct trace_session session;
	struct trace_problems problems;
	struct ctf_import import;  /* --with: the kernel's side, from elsewhere */
	struct lttng_import lttng; /* what was made of LTTng's trace */
	bool progress_shown;
	struct timespec progress_at; /* when it was last drawn */
};

/* Opens the session at `path`, or what LTTng recorded there; says on stderr what is wrong, and returns
 * CLI_FAILED, or CLI_DONE. `reading` must stay where it is. */
int reading_open(struct reading *reading, const char *path);

/* Takes the kernel's side from another tool's trace; NULL: does nothing. Says on
 * stderr what is wrong, closes and returns CLI_FAILED, or CLI_DONE. */
int reading_with(struct reading *reading, const char *trace);

/* Closes, and makes of the library's status the command's: 0 is CLI_DONE. */
void reading_close(struct reading *reading);

/* Whether a process of it recorded any event: a program without an API call has none, and
 * findings are about calls and commands. */
bool reading_has_events(const struct reading *reading);

/* Makes the report and, where `findings` is not NULL, the findings, by reading the
 * session once. Says on stderr what is wrong and returns CLI_FAILED, with nothing to free,
 * or CLI_DONE. */
int reading_report(struct reading *reading, const struct report_options *options,
		   struct report *report, struct findings *findings);

/* Draws "reading 45 %" on stderr when that is a terminal and the work has been
 * going on for a while. Fits struct report_options. */
void reading_progress(void *reading, uint64_t done, uint64_t total);

/* Takes the progress line away, before anything else is printed. */
void reading_progress_end(struct reading *reading);

/* Writes the text to stdout and empties it. Returns CLI_DONE; CLI_FAILED (told)
 * when it cannot be written; a reader of a pipe who has seen enough is no
 * failure, but the caller should stop: -EPIPE. */
int reading_write(struct text *out);

#endif
