/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/wait_counter.h"

#include "analysis/operations/transfer_directions.h"
#include "trace/field.h"

/* A result of the host's: larger ones are reported as transfers. */
#define RESULT_BYTES 4096u

/* A graph's launch is no single command, however many it has. */
#define MANY 2u

/* What a transfer leaves that the device has yet to do. One that waits for itself leaves nothing;
 * one to the device may come back when its bytes are taken (CUDA Runtime API, "API synchronization
 * behavior"). */
static uint64_t left_by(const struct trace_event *event)
{
	return event->layout->event->traits.synchronous == TANDEM_WHEN_always &&
	       event->direction != TRANSFER_TO_HOST;
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

static bool has_queue(const struct trace_event *event, uint64_t *queue)
{
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_queue);

	*queue = field ? trace_field_unsigned(event, field) : 0;
	return field;
}

/* NULL: nothing was enqueued there, or it was forgotten. */
static struct wait_queue *queue_known(struct wait_counter *counter, uint64_t queue)
{
	for (unsigned i = 0; i < counter->queue_count; i++) {
		if (counter->queues[i].queue == queue)
			return &counter->queues[i];
	}
	return NULL;
}

static struct wait_queue *queue_of(struct wait_counter *counter, uint64_t queue)
{
	struct wait_queue *known = queue_known(counter, queue);

	for (unsigned i = 0; !known && i < counter->queue_count; i++) {
		if (!counter->queues[i].operations)
			known = &counter->queues[i];
	}
	if (!known && counter->queue_count < WAIT_QUEUES)
		known = &counter->queues[counter->queue_count++];
	if (!known) {
		counter->forgot = true;
		known = &counter->queues[0];
	}
	if (known->queue != queue)
		*known = (struct wait_queue){.queue = queue};
	return known;
}

static bool any_left(const struct wait_counter *counter)
{
	for (unsigned i = 0; i < counter->queue_count; i++) {
		if (counter->queues[i].operations)
			return true;
	}
	return counter->forgot;
}

/* What a wait for a queue, or for the latest command, was for; of one for more nothing is left. Two
 * waits with nothing enqueued in between are one: for all that was enqueued before the first. */
static uint64_t take_waited(struct wait_counter *counter, const struct trace_event *event)
{
	struct wait_queue *known;
	uint64_t queue;
	bool left;

	if (event->layout->event->traits.wait == TANDEM_WAIT_event)
		queue = counter->latest_queue;
	else if (!has_queue(event, &queue)) {
		left = any_left(counter);
		counter->queue_count = 0;
		counter->forgot = false;
		return left ? counter->operations : 0;
	}
	known = queue_known(counter, queue);
	left = known ? known->operations : counter->forgot;
	if (known)
		known->operations = 0;
	return left ? counter->operations : 0;
}

struct wait_counted wait_counter_call(struct wait_counter *counter, const struct trace_event *event)
{
	struct wait_counted call = {.waits = false};
	struct wait_queue *queue;
	uint64_t number;

	switch (event->layout->event->class) {
	case TANDEM_CLASS_WAIT:
		call.waits = !is_for_earlier(counter, event);
		if (!call.waits)
			break;
		call.operations = take_waited(counter, event);
		counter->waited = true;
		break;
	case TANDEM_CLASS_ENQUEUE:
		has_queue(event, &number);
		queue = queue_of(counter, number);
		counter->latest = trace_event_op(event);
		counter->latest_queue = number;
		call.operations = queue->operations ? counter->operations : 0;
		call.transfers = trace_event_blocks(event);
		if (counter->waited)
			counter->operations = 0;
		counter->waited = false;
		if (!call.transfers) {
			call.is_small = event->direction != TRANSFER_TO_DEVICE &&
					is_result(event) &&
					!trace_field_role(event->layout, TANDEM_ROLE_memory_to);
			counter->operations += event->layout->event->traits.graph ? MANY : 1;
			queue->operations++;
			break;
		}
		queue->operations = left_by(event);
		counter->operations = queue->operations;
		counter->waited = !queue->operations;
		call.waits = !queue->operations;
		call.is_result = is_result(event);
		break;
	default:
		break;
	}
	return call;
}
