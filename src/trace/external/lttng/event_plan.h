/* SPDX-License-Identifier: MIT */
/* How an event class of LTTng's providers `tandem_DOMAIN` becomes a record: found once for
 * each class, by the names of its fields, so that traces of other versions are read as far
 * as they mean the same. One thread.
 *
 *	const struct event_plan *plan = event_plans_get(&plans, class);
 *
 *	if (plan->event)
 *		count = event_plan_fill(plan, payload, bytes, sizeof(bytes));
 */
#ifndef TANDEM_TRACE_LTTNG_EVENT_PLAN_H
#define TANDEM_TRACE_LTTNG_EVENT_PLAN_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control.h"
#include "schema/schema.h"
#include "util/map.h"

enum event_half { EVENT_RECORD, EVENT_ENTRY, EVENT_EXIT };

struct event_plan {
	const struct tandem_event *event; /* NULL: it is not ours, or of a later version */
	const bt_event_class *class;	  /* a reference */
	enum event_half half;
	enum tandem_args_level level;
	unsigned
		levels; /* bits: those of which a call's entry has the fields, `level` one of them */
	uint64_t *members; /* by field of the layout: its place in the payload; ~0: not there */
	uint64_t result, returned; /* places of an exit's; ~0: not there */
};

struct event_plans {
	struct map of_class; /* address of a bt_event_class -> place in plans */
	struct event_plan *plans;
	size_t count;
};

/* NULL when memory runs out. */
const struct event_plan *event_plans_get(struct event_plans *plans, const bt_event_class *class);
void event_plans_free(struct event_plans *plans);

/* The record's bytes behind its header (of a call: behind result and end). How many there
 * are; 0 with SIZE_MAX: they do not fit. */
size_t event_plan_fill(const struct event_plan *plan, const bt_field *payload, uint8_t *bytes,
		       size_t most);

/* What a call returned, 4 or 8 bytes; 0: nothing but the result, which is always given. */
size_t event_plan_end(const struct event_plan *plan, const bt_field *payload, int32_t *result,
		      uint8_t returned[8]);

#endif
