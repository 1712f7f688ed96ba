/* SPDX-License-Identifier: MIT */
/* Feeds the states with the kernel's records as they stand in a session. */
#ifndef TANDEM_ANALYSIS_SCHED_STATES_CONSUME_H
#define TANDEM_ANALYSIS_SCHED_STATES_CONSUME_H

#include "analysis/sched/states.h"
#include "schema/gen/kernel_records.h"
#include "trace/event.h"
#include "trace/session/session.h"

/* Tells the states how far the kernel's records of this session reach. */
void states_reach(struct states *states, struct trace_session *session);

/* Takes any event of a CPU's stream; returns 0 or -ENOMEM. */
int states_consume(struct states *states, const struct trace_event *event);

/* Whether a record says on which CPU a thread runs or waits, and nothing else: most are such. */
static inline bool states_only(const struct trace_event *event)
{
	_Static_assert(TANDEM_KERNEL_EVENT_sched_migrate_task - TANDEM_KERNEL_EVENT_sched_switch ==
			       6,
		       "one after another");
	return event->record->id >= TANDEM_KERNEL_EVENT_sched_switch &&
	       event->record->id <= TANDEM_KERNEL_EVENT_sched_migrate_task;
}

#endif
