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

#include "trace/external/lttng_import.h"

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

#endif
