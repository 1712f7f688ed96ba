/* SPDX-License-Identifier: MIT */
/* A trace of LTTng's user-space tracer that holds events of our providers, as a session's
 * processes. A module of its own, as the reader of kernel traces (external_ctf.c), and run
 * in a process of its own: libbabeltrace2 ends the one in which its checks fail.
 *
 * `from` is a folder with traces at any depth (chunks of a rotation, a snapshot, several
 * hosts' processes), or the address of a live session: net://HOST/host/NAME/SESSION as
 * babeltrace2-source.ctf.lttng-live(7) has it. */
#ifndef TANDEM_TRACE_LTTNG_READ_H
#define TANDEM_TRACE_LTTNG_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/external/hosts/hosts.h"

/* Into the folder `to`; with `whole` it becomes a session, of a live one twice a second as far as
 * that is known. `hosts`: of the folder's traces, as far as is known; others are added. 0, or
 * -errno with `why` in words: -ENODATA there is nothing of ours in it. */
typedef int lttng_read_fn(const char *from, const char *to, bool whole, struct hosts *hosts,
			  char *why, uint64_t why_bytes);
#define LTTNG_READ_SYMBOL "tandem_lttng_read"

#endif
