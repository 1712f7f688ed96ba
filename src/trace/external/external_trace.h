/* SPDX-License-Identifier: MIT */
/* Kernel traces that another tool has recorded: LTTng's (CTF, read by libbabeltrace2)
 * and trace-cmd's (trace.dat, its events described to libtraceevent). Their events
 * are handed out one after another, each CPU's in the order of time; import.h
 * makes a part of a session of them. One thread.
 *
 *	const struct external_sink sink = { begin, event, user };
 *	status = external_read("trace.dat", &options, &sink, &error);
 */
#ifndef TANDEM_TRACE_EXTERNAL_TRACE_H
#define TANDEM_TRACE_EXTERNAL_TRACE_H

#include <stdint.h>

#include "trace/external/external_event.h"
#include "util/error.h"

/* Reads the trace at `path`: a file of trace-cmd, or a folder in which LTTng's
 * kernel traces lie at any depth. `module` is the file that holds the reader of
 * CTF (NULL: there is none); it is used in a child, which libbabeltrace2 may end, and
 * which ends itself when that comes no further. Returns 0, -ENOTSUP (not built in),
 * another -errno of its own, or what the sink returned. */
int external_read(const char *path, const char *module, const struct external_sink *sink,
		  struct error *error);

/* What kernels older than the bits of their `print fmt` say: enum tandem_task_state
 * of the number that sched_switch has as prev_state. */
uint8_t external_task_state(int64_t prev_state);

/* The reader of trace-cmd's files; `text` holds the whole file. */
int external_dat_read(const char *path, const struct external_sink *sink, struct error *error);

/* What a module that reads CTF exports under this name. `why` gets words on error. */
#define EXTERNAL_CTF_SYMBOL "tandem_external_ctf_read"
typedef int external_ctf_fn(const char *path, const struct external_sink *sink, char *why,
			    uint64_t why_bytes);

#endif
