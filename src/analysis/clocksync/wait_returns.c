/* SPDX-License-Identifier: MIT */
#include "analysis/clocksync/wait_returns.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/keyed_row.h"

/* The key of waits for a whole device: no queue has the number 0. */
static uint64_t key_of(uint32_t process, uint64_t queue)
{
	return (uint64_t)process << 32 | (uint32_t)queue;
}

static struct wait_returns_queue *queue_get(struct wait_returns *wait_returns, uint64_t key)
{
	static const struct wait_returns_queue fresh;

	return keyed_row(&wait_returns->queue_of, key, &wait_returns->queues,
			 &wait_returns->queue_capacity, &wait_returns->queue_count, &fresh,
			 sizeof(fresh));
}

/* As large as it needs to be, up to WAIT_RETURNS_LATEST. */
static int queue_reserve(struct wait_returns_queue *queue)
{
	size_t want = queue->capacity ? 2 * queue->capacity : 8;
	struct wait_returns_span *spans;

	if (queue->count < queue->capacity || queue->capacity == WAIT_RETURNS_LATEST)
		return 0;
	spans = realloc(queue->spans, want * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	queue->spans = spans;
	queue->capacity = want;
	return 0;
}

/* The queue whose operations had ended when the call returned; 0: those of all queues
 * of its device. False where it waits for less, or nobody can tell. */
static bool queue_of(const struct trace_event *event, bool one_device, uint64_t *queue)
{
	const struct tandem_field *field;

	*queue = 0;
	switch (event->layout->event->traits.wait) {
	case TANDEM_WAIT_all:
		return true;
	case TANDEM_WAIT_device:
		return one_device;
	case TANDEM_WAIT_queue:
		field = trace_field_role(event->layout, TANDEM_ROLE_queue);
		*queue = field ? trace_field_unsigned(event, field) : 0;
		return *queue != 0;
	default:
		return false;
	}
}

int wait_returns_call(struct wait_returns *wait_returns, const struct trace_event *event,
		      bool one_device)
{
	struct wait_returns_queue *queue;
	uint64_t number;

	if (!event->end_ticks || trace_event_failed(event) || !queue_of(event, one_device, &number))
		return 0;
	queue = queue_get(wait_returns, key_of(event->stream->process->index, number));
	if (!queue || queue_reserve(queue))
		return -ENOMEM;
	queue->spans[queue->count++ % WAIT_RETURNS_LATEST] =
		(struct wait_returns_span){event->ns, event->end_ns};
	return 0;
}

static bool queue_find(const struct wait_returns_queue *queue, int64_t from_ns, int64_t *end_ns)
{
	uint32_t low = queue->count > WAIT_RETURNS_LATEST ? queue->count - WAIT_RETURNS_LATEST : 0;
	uint32_t high = queue->count;

	/* One that fell out of the ring may have been the first. */
	if (low && queue->spans[low % WAIT_RETURNS_LATEST].begin_ns >= from_ns)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (queue->spans[middle % WAIT_RETURNS_LATEST].begin_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == queue->count)
		return false;
	*end_ns = queue->spans[low % WAIT_RETURNS_LATEST].end_ns;
	return true;
}

bool wait_returns_find(const struct wait_returns *wait_returns, uint32_t process, uint32_t queue,
		       int64_t from_ns, int64_t *end_ns)
{
	const uint32_t numbers[] = {queue, 0};
	bool found = false;

	for (size_t i = queue ? 0 : 1; i < 2; i++) {
		uint64_t known = map_get(&wait_returns->queue_of, key_of(process, numbers[i]));
		int64_t at_ns;

		if (known == MAP_NONE || !queue_find(&wait_returns->queues[known], from_ns, &at_ns))
			continue;
		if (!found || at_ns < *end_ns)
			*end_ns = at_ns;
		found = true;
	}
	return found;
}

void wait_returns_free(struct wait_returns *wait_returns)
{
	for (size_t i = 0; i < wait_returns->queue_count; i++)
		free(wait_returns->queues[i].spans);
	free(wait_returns->queues);
	map_free(&wait_returns->queue_of);
}
