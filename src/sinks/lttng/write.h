/* SPDX-License-Identifier: MIT */
/* An event into the buffers of LTTng-UST's sessions. */
#ifndef TANDEM_SINKS_LTTNG_WRITE_H
#define TANDEM_SINKS_LTTNG_WRITE_H

#include <stddef.h>

#include "sinks/lttng/event.h"

/* To every session that has it enabled: `count` bytes, laid out as its fields. Any thread;
 * in a signal handler. What a full buffer refuses, LTTng counts. */
void lttng_event_write(const struct lttng_event *event, const void *bytes, size_t count);

/* What LTTng keeps as the probe of every event: `session_event` is its own. */
void lttng_write(void *session_event, const struct lttng_event *event, const void *bytes,
		 size_t count);

#endif
