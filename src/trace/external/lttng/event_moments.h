/* SPDX-License-Identifier: MIT */
/* What in a record's bytes is of the host that recorded it: moments of its clock, and numbers of
 * its threads. In a session of several hosts they become the session's, as the record's own time
 * and thread do. One thread.
 *
 *	count = event_plan_fill(plan, payload, bytes, sizeof(bytes));
 *	event_moments_move(plan, bytes, &hosts, host);
 */
#ifndef TANDEM_TRACE_LTTNG_EVENT_MOMENTS_H
#define TANDEM_TRACE_LTTNG_EVENT_MOMENTS_H

#include <stdint.h>

#include "trace/external/hosts/hosts.h"
#include "trace/external/lttng/event_plan.h"

/* `bytes`: as event_plan_fill() made them. The first host's stay. */
void event_moments_move(const struct event_plan *plan, uint8_t *bytes, struct hosts *hosts,
			size_t host);

#endif
