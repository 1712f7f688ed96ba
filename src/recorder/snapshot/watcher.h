/* SPDX-License-Identifier: MIT */
/* The process that looks at a flight recorder's rings while they are filled, and saves a snapshot
 * where a condition is true (cli/snapshot_when.c): a child of the recorder's, so that neither the
 * program nor the recorder waits for it. It learns of the end by a pipe, over which one byte comes;
 * where it closes without one, the recorder was killed, and it goes on as long as processes record.
 *
 *	status = watcher_start(&watcher, &request, &error);
 *	...
 *	if (!watcher_finish(&watcher))
 *		... it did not come to its end
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_WATCHER_H
#define TANDEM_RECORDER_SNAPSHOT_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

/* What its arguments are: itself, this word, whether it is to say nothing, the session, and the
 * conditions. The pipe is its file WATCHER_FD. */
#define WATCHER_WORD "snapshot-when"
#define WATCHER_QUIET "quiet"
#define WATCHER_SAYING "saying"
#define WATCHER_FD 3

struct watcher_request {
	const char *reader;	 /* path of the program */
	const char *directory;	 /* of the session, as its user knows it */
	const char **conditions; /* as they were given, and checked */
	size_t count;		 /* 0: there is nothing to watch */
	bool quiet;
};

struct watcher {
	pid_t pid; /* 0: there is none */
	int end;
};

/* 0 or -errno. */
int watcher_start(struct watcher *watcher, const struct watcher_request *request,
		  struct error *error);

/* Has it look for the last time, and waits for that. False: it had ended before, or failed. */
bool watcher_finish(struct watcher *watcher);

/* There will be nothing to see. */
void watcher_cancel(struct watcher *watcher);

#endif
