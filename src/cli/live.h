/* SPDX-License-Identifier: MIT */
/* A session that is looked at while it is recorded: one of ours by its directory, or LTTng's by
 * its relay's address, which is read on into a session of ours. It is opened anew, as of another
 * moment, as often as somebody looks. One thread.
 *
 *	struct live live;
 *
 *	if (live_open(&live, path))
 *		return CLI_FAILED;
 *	do {
 *		running = live_runs(&live);
 *		... reading_open(&reading, live.session) ...
 *	} while (running && live_wait());
 *	live_close(&live);
 */
#ifndef TANDEM_CLI_LIVE_H
#define TANDEM_CLI_LIVE_H

#include <stdbool.h>

#include "trace/external/lttng/lttng_import.h"
#include "util/text.h"

struct live {
	const char *session; /* a directory */
	struct lttng_import lttng;
};

/* Says on stderr what is wrong, and returns CLI_FAILED, or CLI_DONE. */
int live_open(struct live *live, const char *path);

/* Whether more may come. */
bool live_runs(const struct live *live);

/* Until it is worth while to look again: a second. */
void live_wait(void);

void live_close(struct live *live);

/* All of that: `show` looks, again and again, until it fails or nothing goes on. Returns what it
 * returned, or CLI_FAILED. */
int live_show(const char *path, int (*show)(void *user, const struct live *live, bool goes_on),
	      void *user);

/* Around what is shown on a terminal: in the place of what was there before, and no more lines
 * than it has. Elsewhere nothing changes. */
void live_text_begin(struct text *text);
void live_text_cut(struct text *text);

#endif
