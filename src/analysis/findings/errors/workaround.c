/* SPDX-License-Identifier: MIT */
#include "analysis/findings/errors/workaround.h"

#include "analysis/events/event_iterator.h"
#include "trace/field.h"

/* Of each: fewer may have been so by chance. */
#define COUNT_LEAST 8u

/* A launch that failed is told of by fallback.h; a question and a wait are no way to a kernel. */
static bool is_on_way(const struct tandem_event *api)
{
	return api->class != TANDEM_CLASS_QUERY && api->class != TANDEM_CLASS_WAIT &&
	       api->class != TANDEM_CLASS_ENQUEUE;
}

void workaround_begin(struct workaround *thread, const struct event_item *item, size_t of,
		      bool failed)
{
	if (is_on_way(item->event->layout->event) && item->end_ns != INT64_MIN)
		*thread = (struct workaround){
			.begun = true, .failed = failed, .of = of, .from_ns = item->end_ns};
}

bool workaround_ended(struct workaround *thread, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	if (!thread->begun || event->layout->event->class != TANDEM_CLASS_ENQUEUE ||
	    !trace_field_role(event->layout, TANDEM_ROLE_kernel))
		return false;
	thread->begun = false;
	thread->ns = event->ns > thread->from_ns ? (uint64_t)(event->ns - thread->from_ns) : 0;
	thread->ns -= thread->kernels_ns < thread->ns ? thread->kernels_ns : thread->ns;
	return true;
}

void workaround_command(struct workaround *thread, const struct operation *operation)
{
	const struct operation_times *times = &operation->times;
	int64_t from_ns = times->start_ns > thread->from_ns ? times->start_ns : thread->from_ns;

	if (thread->begun && operation->kind == TANDEM_OPERATION_KIND_kernel && operation->placed &&
	    times->end_ns > from_ns)
		thread->kernels_ns += (uint64_t)(times->end_ns - from_ns);
}

uint64_t workaround_extra_ns(const struct workaround_sum *failed,
			     const struct workaround_sum *succeeded)
{
	uint64_t usual_ns;

	if (failed->count < COUNT_LEAST || succeeded->count < COUNT_LEAST)
		return 0;
	usual_ns = succeeded->ns / succeeded->count * failed->count;
	return failed->ns > usual_ns ? failed->ns - usual_ns : 0;
}
