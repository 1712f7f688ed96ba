/* SPDX-License-Identifier: MIT */
/* LTTng-UST's providers `tandem_DOMAIN`, one for each domain, made of the event
 * descriptors (schema/schema.h) when the library is loaded: a call is two tracepoints,
 * NAME_entry with its arguments and NAME_exit with its result, a record is one. Their
 * fields are those of the records, in the same order and as wide, so that a tracepoint
 * writes a record's bytes as they are.
 *
 * LTTng-UST 2.13 (lttng/ust-events.h, lttng/tracepoint.h) describes what is built here.
 *
 *	struct lttng_event *event = lttng_event_get(record->id, LTTNG_ENTRY);
 *
 *	if (event && lttng_event_is_enabled(event))
 *		lttng_event_write(event, bytes, count);
 *
 * Made once, and never given back: LTTng's threads may look at it until the process ends.
 */
#ifndef TANDEM_SINKS_LTTNG_PROVIDER_H
#define TANDEM_SINKS_LTTNG_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include <lttng/tracepoint-types.h>
#include <lttng/ust-events.h>

#include "schema/control.h"
#include "schema/schema.h"

enum lttng_half { LTTNG_ENTRY, LTTNG_EXIT, LTTNG_HALVES };

struct lttng_event {
	struct lttng_ust_tracepoint tracepoint;
	const struct tandem_event *of;
	const struct lttng_ust_event_field *const *fields;
	uint32_t field_count;
};

/* Makes and registers the providers of every domain, calls at that level of arguments. 0,
 * or -ENOMEM: LTTng has none or some of them, and the rest is never enabled. Once. */
int lttng_provider_create(enum tandem_args_level level);

/* NULL: there is no such event. A record has an LTTNG_ENTRY only. */
struct lttng_event *lttng_event_get(unsigned id, enum lttng_half half);

/* Whether a session has it now. LTTng's thread changes that at any time. */
static inline bool lttng_event_is_enabled(const struct lttng_event *event)
{
	return __atomic_load_n(&event->tracepoint.state, __ATOMIC_RELAXED);
}

#endif
