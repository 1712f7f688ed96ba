/* SPDX-License-Identifier: MIT */
/* A tracepoint of LTTng-UST's: one half of a call, or a record (provider.h makes them). */
#ifndef TANDEM_SINKS_LTTNG_EVENT_H
#define TANDEM_SINKS_LTTNG_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <lttng/tracepoint-types.h>
#include <lttng/ust-events.h>

#include "schema/schema.h"

enum lttng_half { LTTNG_ENTRY, LTTNG_EXIT, LTTNG_HALVES };

struct lttng_event {
	struct lttng_ust_tracepoint tracepoint;
	const struct tandem_event *of;
	const struct lttng_ust_event_field *const *fields;
	uint32_t field_count;
	uint32_t head_bytes;	 /* of an entry: of the record, before what is written */
	uint32_t returned_bytes; /* of an exit: what the call returned besides its result */
};

/* Whether a session has it now. LTTng's thread changes that at any time. */
static inline bool lttng_event_is_enabled(const struct lttng_event *event)
{
	return __atomic_load_n(&event->tracepoint.state, __ATOMIC_RELAXED);
}

/* Whether a call's first field is known only when it has returned. */
static inline bool lttng_returned(const struct tandem_layout *layout)
{
	return layout->field_count && layout->fields[0].role == TANDEM_ROLE_returned &&
	       !layout->fields[0].variable;
}

#endif
