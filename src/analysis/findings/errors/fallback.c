/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/fallback.h"

#include "analysis/events/event_iterator.h"
#include "trace/field.h"

/* Before it has worked for so long, it can have done nothing of it. */
#define AT_ONCE_NS 50000u

/* A copy is moved there and back; as a part of something else, more often. */
#define MOVES_MOST 2u

static uint64_t bytes_of(const struct trace_event *event)
{
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);

	return bytes ? trace_field_unsigned(event, bytes) : 0;
}

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
	bool kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);

	/* Once more, and in vain. */
	if (thread->failed && !thread->bytes) {
		work(thread, item);
		return;
	}
	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE || item->end_ns == INT64_MIN ||
	    (!kernel && !bytes_of(event)))
		return;
	*thread = (struct fallback){.failed = true,
				    .of = of,
				    .bytes = kernel ? 0 : bytes_of(event),
				    .ended_ns = item->end_ns};
}

/* Whether it moves what was not copied. */
static bool moves(struct fallback *thread, const struct event_item *item)
{
	if (thread->moves == MOVES_MOST || bytes_of(item->event) != thread->bytes ||
	    !trace_event_blocks(item->event))
		return false;
	thread->moves++;
	thread->worked_ns += (uint64_t)(item->end_ns - item->event->ns);
	return true;
}

bool fallback_ended(struct fallback *thread, const struct event_item *item)
{
	if (!thread->failed)
		return false;
	/* Between its moves, recording looks at what they brought. */
	if (!thread->bytes)
		work(thread, item);
	if (!trace_event_op(item->event))
		return false;
	if (thread->bytes && moves(thread, item))
		return false;
	/* It waits for what it is to work on. */
	if (!thread->bytes && !thread->fetched && thread->worked_ns < AT_ONCE_NS &&
	    trace_event_blocks(item->event)) {
		thread->fetched = true;
		return false;
	}
	thread->failed = false;
	return !thread->bytes || thread->moves;
}
