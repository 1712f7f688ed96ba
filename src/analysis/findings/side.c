/* SPDX-License-Identifier: MIT */
#include "analysis/findings/side.h"

void side_add(struct side *side, const struct finding_ops *ops, void *state)
{
	struct side_intervals *interval = side->intervals;
	struct side_faults *fault = side->faults;

	for (unsigned i = 0; i < SEQUENCE_KINDS; i++) {
		struct side_events *event = side->events[i];

		while (event->take)
			event++;
		if (ops->events >> i & 1)
			*event = (struct side_events){ops->event, state};
	}
	for (unsigned i = 0; i < ITEM_KINDS; i++) {
		struct side_items *item = side->items[i];

		while (item->take)
			item++;
		if (!ops->items || ops->items >> i & 1)
			*item = (struct side_items){ops->item, state, ops->whole};
	}
	while (interval->take)
		interval++;
	*interval = (struct side_intervals){ops->interval, state};
	while (fault->take)
		fault++;
	*fault = (struct side_faults){ops->faults, state};
}

int side_interval(const struct side *side, const struct wait_thread *thread,
		  const struct states_interval *interval)
{
	int status = 0;

	for (const struct side_intervals *taker = side->intervals; !status && taker->take; taker++)
		status = taker->take(side->findings, taker->state, thread, interval);
	return status;
}

int side_fault(const struct side *side, const struct trace_event *event)
{
	int status = 0;

	for (const struct side_faults *taker = side->faults; !status && taker->take; taker++)
		status = taker->take(side->findings, taker->state, event);
	return status;
}
