/* SPDX-License-Identifier: MIT */
/* Which items of an event iterator belong to a part of a run: those that begin in it,
 * whole (range.h). A call begins with its call, an operation when the device starts it
 * (or, without device times, when its call returned), a build, a fault or an overhead
 * where its record says. Any thread.
 *
 *	if (!item_is_description(item) && !item_in_range(item, &range))
 *		return 0;
 */
#ifndef TANDEM_ANALYSIS_EVENTS_ITEM_RANGE_H
#define TANDEM_ANALYSIS_EVENTS_ITEM_RANGE_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/range.h"

/* Whether it describes what others need (a kernel's name, a launch's shape), or says what was
 * lost: nothing that happened at its time. */
bool item_is_description(const struct event_item *item);

/* CLOCK_MONOTONIC, ns. */
int64_t item_begin_ns(const struct event_item *item);

static inline bool item_in_range(const struct event_item *item, const struct range *range)
{
	return range_is_whole(range) || range_holds(range, item_begin_ns(item));
}

#endif
