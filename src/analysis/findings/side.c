/* SPDX-License-Identifier: MIT */
#include "analysis/findings/side.h"

void side_add(struct side *side, const struct finding_ops *ops, void *state)
{
	struct side_intervals *interval = side->intervals;
	struct side_systems *system = side->systems;

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
	while (system->take)
		system++;
	*system = (struct side_systems){ops->system, state, ops->systems};
	side->records |= ops->systems;
}

int side_interval(const struct side *side, const struct wait_thread *thread,
		  const struct states_interval *interval)
{
	int status = 0;

	for (const struct side_intervals *taker = side->intervals; !status && taker->take; taker++)
		status = taker->take(side->findings, taker->state, thread, interval);
	return status;
}

int side_system(const struct side *side, const struct trace_event *event, bool inside)
{
	uint64_t record = UINT64_C(1) << (event->record->id - TANDEM_KERNEL_EVENT_none);
	int status = 0;

	for (const struct side_systems *taker = side->systems; !status && taker->take; taker++) {
		if (taker->records & record)
			status = taker->take(side->findings, taker->state, event, inside);
	}
	return status;
}
