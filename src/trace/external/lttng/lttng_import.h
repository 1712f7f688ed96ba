/* SPDX-License-Identifier: MIT */
/* A trace that LTTng has recorded with the sink TANDEM_SINK=lttng, as a session that every
 * command reads. What was made of it is kept in the user's cache (trace/session/cache.h) while the
 * trace stays as it is; without a cache, and of a live session, in a temporary folder.
 *
 *	struct lttng_import import;
 *
 *	status = lttng_import_make(&import, "lttng-traces/app", &modules, &error);
 *	if (!status)
 *		status = trace_session_open(&session, import.session, ...);
 *	...
 *	lttng_import_close(&import);
 */
#ifndef TANDEM_TRACE_LTTNG_IMPORT_H
#define TANDEM_TRACE_LTTNG_IMPORT_H

#include <stdbool.h>

#include "trace/external/lttng/lttng_convert.h"
#include "util/error.h"
#include "util/folder/temporary_folder.h"

struct lttng_import {
	char *session; /* path of the folder; NULL: nothing was made */
	int held;      /* the folder, which nobody removes meanwhile; -1: a temporary one */
	struct temporary_folder temporary;
	pid_t child;	    /* that follows a live session; 0: none */
	int answer;	    /* ... from it */
	char problem[1024]; /* what could not be made of it; "": nothing */
};

/* Whether it is the address of a live session, or a folder without a session of ours and
 * with a CTF trace in it, at any depth. */
bool lttng_import_is_trace(const char *path);

/* `modules`: tandem-lttng-read.so and tandem-ctf.so. Returns 0 or -errno; nothing is to be
 * closed then. One thread, no other thread while it runs: it forks. */
int lttng_import_make(struct lttng_import *import, const char *path,
		      const struct lttng_modules *modules, struct error *error);

/* Whether `path` is the address of a live session. */
bool lttng_import_is_live(const char *path);

/* The same of a live session that is read on while it goes on: returns when there is something
 * of it, and the folder grows until lttng_import_runs() says no more. */
int lttng_import_follow(struct lttng_import *import, const char *path, const char *module,
			struct error *error);
bool lttng_import_runs(const struct lttng_import *import);

/* The trace's processes into the folder of a session that has its own description. */
int lttng_import_into(const char *session, const char *path, const char *module,
		      struct error *error);

void lttng_import_close(struct lttng_import *import);

#endif
