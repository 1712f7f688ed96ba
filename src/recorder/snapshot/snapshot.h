/* SPDX-License-Identifier: MIT */
/* Saves what a flight recorder's session holds now as a session of its own, which every command
 * reads. The program runs on, and need not live: a session whose program and recorder were killed
 * is saved the same way. What was lost, and what is too old to be complete on every stream, is
 * left out; what the rest refers to is there.
 *
 *	struct snapshot_request request = {.directory = "run", .output = "moment"};
 *
 *	if (snapshot_save(&request, &result, &error))
 *		return cli_fail(&error);
 */
#ifndef TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_H
#define TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct snapshot_request {
	const char *directory;
	const char *output;	  /* NULL: DIRECTORY-snapshot-N */
	const char *reason;	  /* why it is saved, or "" */
	uint64_t at_monotonic_ns; /* when that was; 0: nothing is said of it */

	/* Where LTTng saves it, below FOLDER/lttng: makes what every command reads of that, before the
	 * snapshot has its name. 0; -ENODATA: it holds nothing, and there is no snapshot; else it has
	 * said why, and what LTTng saved is kept. */
	int (*import)(const char *folder);
};

struct snapshot_result {
	char output[PATH_MAX];
	uint64_t records, bytes;
	uint64_t begin_monotonic_ns; /* from where everything is complete */
	uint64_t window_ns;	     /* from there to now */
	bool lttng;  /* it is what LTTng's rings held, of which the rest is not known */
	bool unread; /* and could not be read in */
};

/* What has happened since an earlier look, and a little more. */
struct snapshot_look {
	const char *directory;
	const char *output; /* which is replaced */
	uint64_t since;	    /* `at_ticks` of the earlier one; 0: all that there is */
	/* Filled in: when it was, and whether something since then was overwritten by then, or
	 * may have been. */
	uint64_t at_ticks, at_monotonic_ns;
	bool overwritten;
};

/* 0 or -errno, and there is no such directory: -EEXIST, it is there already; -ENOTSUP, the
 * session is no flight recorder's. */
int snapshot_save(const struct snapshot_request *request, struct snapshot_result *result,
		  struct error *error);

/* Copies what the traced processes recorded since then, and the calls that were not over, as a
 * session. 0 or -errno. */
int snapshot_look(struct snapshot_look *look, struct error *error);

/* Puts such a copy in the session's own place, when nobody records into it any more. 0 or -errno:
 * it is as it was. */
int snapshot_finish(const char *directory, struct error *error);

#endif
