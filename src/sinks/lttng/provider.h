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

#include "schema/control.h"
#include "sinks/lttng/event.h"

/* Makes and registers the providers of every domain, calls at that level of arguments. 0,
 * or -ENOMEM: LTTng has none or some of them, and the rest is never enabled. Once. */
int lttng_provider_create(enum tandem_args_level level);

/* By a record's id: its LTTNG_ENTRY, behind which a call's LTTNG_EXIT is; NULL: there is no such
 * event. */
extern struct lttng_event *lttng_events[UINT16_MAX + 1];

/* NULL: there is no such event. A record has an LTTNG_ENTRY only. */
static inline struct lttng_event *lttng_event_get(uint16_t id, enum lttng_half half)
{
	struct lttng_event *event = lttng_events[id];

	return event && event[half].of ? &event[half] : NULL;
}

#endif
