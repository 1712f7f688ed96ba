/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/wait_counter.h"

#include "trace/field.h"

/* A result of the host's: larger ones are reported as transfers. */
#define RESULT_BYTES 4096u

/* Value of the role `direction`. */
#define TO_HOST 2u

/* What a transfer leaves that the device has yet to do. One that waits for itself leaves nothing;
 * one to the device may come back when its bytes are taken (CUDA Runtime API, "API synchronization
 * behavior"). */
static uint64_t left_by(const struct wait_counter *counter, const struct trace_event *event)
{
	const struct tandem_field *direction;

	if (!trace_event_blocks(event))
		return counter->operations + 1;
	direction = trace_field_role(event->layout, TANDEM_ROLE_direction);
	return event->layout->event->traits.synchronous == TANDEM_WHEN_always &&
	       (!direction || trace_field_unsigned(event, direction) != TO_HOST);
}

static bool is_result(const struct trace_event *event)
{
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);

	return bytes && trace_field_unsigned(event, bytes) <= RESULT_BYTES;
}

/* Whether the wait is for other commands than the latest: the device has that one to do
 * meanwhile. */
static bool is_for_earlier(const struct wait_counter *counter, const struct trace_event *event)
{
	const struct tandem_field *one, *list;
	const uint8_t *elements;
	size_t count;

	if (event->layout->event->traits.wait != TANDEM_WAIT_event)
		return false;
	one = trace_field_role(event->layout, TANDEM_ROLE_event);
	if (one && one->kind == TANDEM_FIELD_OP)
		return trace_field_unsigned(event, one) != counter->latest;
	list = trace_field_role(event->layout, TANDEM_ROLE_events);
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return false;
	elements = trace_field_elements(event, list, &count);
	for (size_t i = 0; i < count; i++) {
		if (trace_element_unsigned(list, elements + i * list->bytes) == counter->latest)
			return false;
	}
	return count > 0;
}

struct wait_counted wait_counter_call(struct wait_counter *counter, const struct trace_event *event)
{
	struct wait_counted call = {.operations = counter->operations};

	switch (event->layout->event->class) {
	case TANDEM_CLASS_WAIT:
		call.waits = !is_for_earlier(counter, event);
		if (call.waits)
			counter->operations = 0;
		break;
	case TANDEM_CLASS_ENQUEUE:
		counter->latest = trace_event_op(event);
		counter->operations = left_by(counter, event);
		call.transfers = trace_event_blocks(event);
		call.waits = call.transfers && !counter->operations;
		call.is_result = call.transfers && is_result(event);
		break;
	default:
		break;
	}
	return call;
}
