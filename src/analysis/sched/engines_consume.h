/* SPDX-License-Identifier: MIT */
/* Gives the kernel's records to the GPU engines. */
#ifndef TANDEM_ANALYSIS_SCHED_ENGINES_CONSUME_H
#define TANDEM_ANALYSIS_SCHED_ENGINES_CONSUME_H

#include "analysis/sched/engines.h"
#include "trace/event.h"

/* Any event of a CPU's stream; descriptions go to `tracepoints`. Returns 0 or
 * -ENOMEM. */
int engines_consume(struct engines *engines, struct tracepoints *tracepoints,
		    const struct trace_event *event);

#endif
