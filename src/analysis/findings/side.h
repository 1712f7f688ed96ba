/* SPDX-License-Identifier: MIT */
/* The kinds of findings that one thread feeds, each with what it takes. */
#ifndef TANDEM_ANALYSIS_FINDINGS_SIDE_H
#define TANDEM_ANALYSIS_FINDINGS_SIDE_H

#include "analysis/findings/finding.h"

#define SIDE_KINDS_MOST 24u

/* Lists end with one without a function. */
struct side_events {
	finding_event *take;
	void *state;
};

struct side_items {
	finding_item *take;
	void *state;
	bool whole; /* also what is outside the range */
};

struct side_intervals {
	finding_interval *take;
	void *state;
};

struct side_systems {
	finding_system *take;
	void *state;
	uint64_t records;
};

struct side {
	struct findings *findings; /* borrowed: as these kinds see them until they end */
	struct side_events events[SEQUENCE_KINDS][SIDE_KINDS_MOST + 1];
	struct side_items items[ITEM_KINDS][SIDE_KINDS_MOST + 1];
	struct side_intervals intervals[SIDE_KINDS_MOST + 1];
	struct side_systems systems[SIDE_KINDS_MOST + 1];
	uint64_t records; /* of all of these */
};

/* Behind the kinds before it; of SIDE_KINDS_MOST at the most. */
void side_add(struct side *side, const struct finding_ops *ops, void *state);

/* Return 0 or what a kind returned. `inside`: it is in the range that is examined. */
static inline int side_item(const struct side *side, const struct event_item *item, bool inside)
{
	int status = 0;

	for (const struct side_items *taker = side->items[item->kind]; !status && taker->take;
	     taker++) {
		if (inside || taker->whole)
			status = taker->take(side->findings, taker->state, item);
	}
	return status;
}

static inline int side_event(const struct side *side, const struct sequence_event *event)
{
	int status = 0;

	for (const struct side_events *taker = side->events[event->kind]; !status && taker->take;
	     taker++)
		status = taker->take(side->findings, taker->state, event);
	return status;
}

int side_interval(const struct side *side, const struct wait_thread *thread,
		  const struct states_interval *interval);
int side_system(const struct side *side, const struct trace_event *event, bool inside);

/* Whether a kind takes that record of the kernel's. */
static inline bool side_wants(const struct side *side, const struct trace_event *event)
{
	unsigned number = event->record->id - TANDEM_KERNEL_EVENT_none;

	return number < 64 && side->records >> number & 1;
}

#endif
