/* SPDX-License-Identifier: MIT */
/* Joins the clocks of hosts by their messages: a segment was sent before it was received,
 * as the kernels' traces show both. What two hosts' segments in both directions say
 * together gives the line between their clocks, and how wrong it can be (clockfit.h). One
 * thread.
 *
 *	status = host_messages_join(&hosts, "lttng-traces/app", module, &error);
 */
#ifndef TANDEM_TRACE_HOST_MESSAGES_H
#define TANDEM_TRACE_HOST_MESSAGES_H

#include "trace/external/hosts/hosts.h"
#include "util/error.h"

/* Reads the kernels' traces below `path`, and tells how many CPUs each host has. Hosts
 * without messages in both directions stay as they are. Returns 0 or -errno: nothing has
 * changed then, but the numbers of CPUs. */
int host_messages_join(struct hosts *hosts, const char *path, const char *module,
		       struct error *error);

#endif
