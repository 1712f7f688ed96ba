/* SPDX-License-Identifier: MIT */
/* The critical path of a session (graph.h), made in a pass of its own.
 *
 *	struct critical_path path;
 *
 *	if (critical_path_make(&path, session, NULL, &error))
 *		return cli_fail(&error);
 *	for (size_t i = 0; i < path.count; i++)
 *		puts(path.rows[i].name);
 *	critical_path_free(&path);
 *
 * Names live as long as the path. One thread.
 */
#ifndef TANDEM_ANALYSIS_MODEL_CRITICAL_PATH_H
#define TANDEM_ANALYSIS_MODEL_CRITICAL_PATH_H

#include "analysis/events/progress.h"
#include "trace/session/session.h"
#include "util/arena.h"
#include "util/error.h"

struct critical_row {
	const char *kind;  /* "execution" */
	const char *words; /* "command executing" */
	const char *name;  /* of the call, kernel or transfer; "": of none */
	uint64_t ns, count;
	double percent; /* of the run */
};

struct critical_path {
	struct critical_row *rows; /* the longest first */
	size_t count;
	uint64_t duration_ns; /* of the run */
	uint64_t length_ns;   /* of the path: all rows */
	bool any_command;     /* device times of a command at least are known */
	struct arena arena;
};

/* `progress` may be NULL. Returns 0 or -errno, told; on error there is nothing to free. */
int critical_path_make(struct critical_path *path, struct trace_session *session,
		       const struct progress *progress, struct error *error);

void critical_path_free(struct critical_path *path);

#endif
