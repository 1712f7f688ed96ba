/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/series.h"

#include "trace/field.h"

/* What a thread does for longer between two launches, or in a call, is work of its own. */
#define OWN_WORK_NS 5000

static bool is_kernel(const struct trace_event *event)
{
	return event->layout->event->class == TANDEM_CLASS_ENQUEUE && trace_event_op(event) &&
	       !trace_event_failed(event) && !trace_event_blocks(event) &&
	       trace_field_role(event->layout, TANDEM_ROLE_kernel);
}

/* A call by which the next launch is prepared. */
static bool prepares(const struct event_item *item)
{
	return item->event->layout->event->class == TANDEM_CLASS_CALL &&
	       !trace_event_blocks(item->event) && item->end_ns - item->event->ns < OWN_WORK_NS;
}

int series_call(struct series *series, struct graph *graph, const struct event_item *item)
{
	bool was_in = series->in, kernel = is_kernel(item->event);
	int64_t since_ns = item->event->ns - series->ended_ns;

	series->ended_ns = item->end_ns;
	series->in = kernel || (was_in && prepares(item));
	if (!was_in || !series->in)
		return 0;
	return since_ns < OWN_WORK_NS ? graph_remove_since(graph, item->call, GRAPH_LAUNCH)
				      : graph_remove(graph, item->call, GRAPH_LAUNCH);
}
