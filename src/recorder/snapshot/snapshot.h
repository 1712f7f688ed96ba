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
	const char *output; /* NULL: DIRECTORY-snapshot-N */
	const char *reason; /* why it is saved, or "" */
};

struct snapshot_result {
	char output[PATH_MAX];
	uint64_t records, bytes;
	uint64_t window_ns; /* from where everything is complete, to now */
};

/* 0 or -errno, and there is no such directory: -EEXIST, it is there already; -ENOTSUP, the
 * session is no flight recorder's. */
int snapshot_save(const struct snapshot_request *request, struct snapshot_result *result,
		  struct error *error);

/* Puts such a copy in the session's own place, when nobody records into it any more. 0 or -errno:
 * it is as it was. */
int snapshot_finish(const char *directory, struct error *error);

#endif
