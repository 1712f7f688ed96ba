/* SPDX-License-Identifier: MIT */
/* An event into the buffers of LTTng-UST's sessions. */
#ifndef TANDEM_SINKS_LTTNG_WRITE_H
#define TANDEM_SINKS_LTTNG_WRITE_H

#include <stddef.h>

#include <lttng/tracepoint.h>

#include "sinks/lttng/event.h"

/* What LTTng keeps as the probe of every event: `session_event` is its own. */
void lttng_write(void *session_event, const struct lttng_event *event, const void *bytes,
		 size_t count);

typedef void lttng_probe_fn(void *session_event, const struct lttng_event *event, const void *bytes,
			    size_t count);

/* To every session that has it enabled: `count` bytes, laid out as its fields. Any thread;
 * in a signal handler. What a full buffer refuses, LTTng counts. */
static inline void lttng_event_write(const struct lttng_event *event, const void *bytes,
				     size_t count)
{
	struct lttng_ust_tracepoint_probe *probe;

	lttng_ust_tp_rcu_read_lock();
	probe = __atomic_load_n(&event->tracepoint.probes, __ATOMIC_CONSUME);
	for (; probe && probe->func; probe++)
		((lttng_probe_fn *)probe->func)(probe->data, event, bytes, count);
	lttng_ust_tp_rcu_read_unlock();
}

#endif
