/* SPDX-License-Identifier: MIT */
/* One traced process: a folder process-PID[.N] with its metadata and a stream
 * for each thread. Owned by the session; read-only once that is open. */
#ifndef TANDEM_TRACE_PROCESS_H
#define TANDEM_TRACE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/schema/layout.h"
#include "trace/stream/stream.h"

struct trace_files;
struct trace_session;

struct trace_process {
	struct trace_session *session; /* borrowed */
	struct trace_files *files;     /* that its own are among; borrowed */
	char *path;
	bool elsewhere; /* on another machine, or in another boot */
	bool untraced;	/* it recorded nothing itself, and has no folder */
	bool kernel;	/* no process: the kernel's side, a stream a CPU, pid 0 */
	uint64_t pid;
	uint64_t ppid;	   /* 0: not known */
	uint64_t instance; /* N: the pid's second program, after exec or reuse; 0 the first */
	char *name;
	char *command;	/* may be empty */
	unsigned index; /* in the session */
	enum tandem_args_level level;
	const struct trace_layouts *layouts; /* borrowed; set once all processes are open */
	struct trace_layouts *own_layouts;   /* where these are no others' */
	uint64_t left_out; /* domains whose events it describes otherwise than the session */
	uint8_t uuid[16];
	bool has_uuid;
	uint64_t ticks_hz;	      /* of the metadata's clock; 0: not known */
	struct trace_stream *streams; /* by number */
	size_t stream_count, stream_capacity;
};

#endif
