/* SPDX-License-Identifier: MIT */
#include "analysis/sched/engines_consume.h"

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"

int engines_consume(struct engines *engines, struct tracepoints *tracepoints,
		    const struct trace_event *event)
{
	const struct tandem_kernel_collecting *collecting = (const void *)event->record;
	const struct tracepoint *kind;
	struct tracepoint_data data;
	uint32_t tid;

	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_format:
		return tracepoints_learn(tracepoints, event);
	case TANDEM_KERNEL_EVENT_tracepoint:
		kind = tracepoints_of(tracepoints, event, &data, &tid);
		return kind ? engines_event(engines, event->ns, tid, kind, &data) : 0;
	case TANDEM_EVENT_lost:
		engines_lost(engines, event->ns);
		return 0;
	case TANDEM_KERNEL_EVENT_collecting:
		if (collecting->anew)
			engines_lost(engines, event->ns);
		return 0;
	default:
		return 0;
	}
}
