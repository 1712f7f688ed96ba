/* SPDX-License-Identifier: MIT */
/* Opens a process of a session: its metadata and the names of its streams. One thread. */
#ifndef TANDEM_TRACE_PROCESS_OPEN_H
#define TANDEM_TRACE_PROCESS_OPEN_H

#include "trace/session/process.h"
#include "trace/stream/problems.h"
#include "util/error.h"

/* Reads the folder at `path` (copied), which is among `files`: metadata, names of the streams. What is
 * damaged or missing is told to `problems`; the session's args_level stands in
 * for a missing one. What the metadata says of events goes to the session's schema.
 * Returns 0 or -errno; on error there is nothing to release. */
int trace_process_open(struct trace_process *process, struct trace_session *session,
		       struct trace_files *files, const char *path, struct trace_problems *problems,
		       struct error *error);

void trace_process_close(struct trace_process *process);

#endif
