/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/fallback.h"

#include "analysis/events/event_iterator.h"
#include "trace/field.h"

/* Before it has worked for so long, it can have done nothing of it. */
#define AT_ONCE_NS 50000u

static void work(struct fallback *thread, const struct event_item *item)
{
	if (item->event->ns > thread->ended_ns)
		thread->worked_ns += (uint64_t)(item->event->ns - thread->ended_ns);
	if (item->end_ns > thread->ended_ns)
		thread->ended_ns = item->end_ns;
}

void fallback_failed(struct fallback *thread, const struct event_item *item, size_t of)
{
	const struct trace_event *event = item->event;

	if (thread->failed) {
		work(thread, item);
		return;
	}
	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE ||
	    !trace_field_role(event->layout, TANDEM_ROLE_kernel) || item->end_ns == INT64_MIN)
		return;
	*thread = (struct fallback){.failed = true, .of = of, .ended_ns = item->end_ns};
}

bool fallback_ended(struct fallback *thread, const struct event_item *item)
{
	if (!thread->failed)
		return false;
	work(thread, item);
	if (!trace_event_op(item->event))
		return false;
	/* It waits for what it is to work on. */
	if (!thread->fetched && thread->worked_ns < AT_ONCE_NS && trace_event_blocks(item->event)) {
		thread->fetched = true;
		return false;
	}
	thread->failed = false;
	return true;
}
