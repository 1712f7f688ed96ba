/* SPDX-License-Identifier: MIT */
/* Feeds the states with the kernel's records as they stand in a session. */
#ifndef TANDEM_ANALYSIS_SCHED_STATES_CONSUME_H
#define TANDEM_ANALYSIS_SCHED_STATES_CONSUME_H

#include "analysis/sched/states.h"
#include "trace/event.h"

/* Takes any event of a CPU's stream; returns 0 or -ENOMEM. */
int states_consume(struct states *states, const struct trace_event *event);

#endif
