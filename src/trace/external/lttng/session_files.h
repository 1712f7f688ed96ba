/* SPDX-License-Identifier: MIT */
/* The small files of a session that was made of another tracer's trace: its control page and
 * session.json. One thread. */
#ifndef TANDEM_TRACE_LTTNG_SESSION_FILES_H
#define TANDEM_TRACE_LTTNG_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "trace/external/hosts/hosts.h"

struct session_files {
	const char *path; /* of the session */
	const struct hosts *hosts;
	uint64_t first_ns, last_ns, lost;
	size_t processes, threads;
	const char **names; /* of the processes */
	enum tandem_args_level level;
	bool ended;
};

/* Both; what was there is replaced. 0 or -errno. */
int session_files_write(const struct session_files *files);

/* Into a session that has them: its page counts what the processes would have counted
 * themselves. 0 or -errno. */
int session_files_add(const struct session_files *files);

/* When a session that there is begins (CLOCK_MONOTONIC), a snapshot's where its rings are complete; 0: its
 * page can't be read. */
uint64_t session_files_begin(const char *session);

/* Puts PATH/NAME.new in the place of NAME: there is one or the other at any moment. */
int session_file_replace(const char *path, const char *name);

#endif
