#include "analysis/clocksync/wait_returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "trace/field.h"
#include "util/array.h"

enum kind { NOT_ASKED, NO_WAIT, OF_QUEUE, OF_DEVICE };

static enum kind kind_of(const struct trace_event *event)
{
	static const char *const device_waits[] = {"cudaDeviceSynchronize", "cuCtxSynchronize",
						   "cudaThreadSynchronize"};
	const struct tandem_event *call = event->layout->event;

	if (call->class != TANDEM_CLASS_WAIT)
		return NO_WAIT;
	for (size_t i = 0; i < sizeof(device_waits) / sizeof(*device_waits); i++)
		if (!strcmp(call->name, device_waits[i]))
			return OF_DEVICE;
	return strstr(call->name, "StreamSynchronize") ? OF_QUEUE : NO_WAIT;
}

/* The key of waits for a whole device: no queue has the number 0. */
static uint64_t key_of(uint32_t process, uint64_t queue)
{
	return (uint64_t)process << 32 | (uint32_t)queue;
}

static struct wait_returns_queue *queue_take(struct wait_returns *wait_returns, uint64_t key)
{
	uint64_t known = map_get(&wait_returns->queue_of, key);
	struct wait_returns_queue *queue;

	if (known != MAP_NONE)
		return wait_returns->queues[known];
	queue = calloc(1, sizeof(*queue));
	if (!queue ||
	    array_reserve(&wait_returns->queues, &wait_returns->queue_capacity,
			  wait_returns->queue_count + 1, sizeof(*wait_returns->queues)) ||
	    map_set(&wait_returns->queue_of, key, wait_returns->queue_count)) {
		free(queue);
		return NULL;
	}
	wait_returns->queues[wait_returns->queue_count++] = queue;
	return queue;
}

int wait_returns_call(struct wait_returns *wait_returns, const struct trace_event *event,
		      int64_t end_ns, bool one_device)
{
	uint8_t *kind = &wait_returns->kinds[event->record->id];
	const struct tandem_field *field;
	struct wait_returns_queue *queue;
	uint64_t number = 0;

	if (!*kind)
		*kind = (uint8_t)kind_of(event);
	if (*kind == NO_WAIT || (*kind == OF_DEVICE && !one_device) || !event->end_ticks ||
	    trace_event_failed(event))
		return 0;
	if (*kind == OF_QUEUE) {
		field = trace_field_find(event->layout, "queue");
		number = field ? trace_field_unsigned(event, field) : 0;
		if (!number)
			return 0;
	}
	queue = queue_take(wait_returns, key_of(event->stream->process->index, number));
	if (!queue)
		return -ENOMEM;
	queue->waits[queue->count % WAIT_RETURNS_LATEST].begin_ns = event->ns;
	queue->waits[queue->count++ % WAIT_RETURNS_LATEST].end_ns = end_ns;
	return 0;
}

static bool queue_find(const struct wait_returns_queue *queue, int64_t from_ns, int64_t *end_ns)
{
	uint32_t low = queue->count > WAIT_RETURNS_LATEST ? queue->count - WAIT_RETURNS_LATEST : 0;
	uint32_t high = queue->count;

	/* One that fell out of the ring may have been the first. */
	if (low && queue->waits[low % WAIT_RETURNS_LATEST].begin_ns >= from_ns)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (queue->waits[middle % WAIT_RETURNS_LATEST].begin_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == queue->count)
		return false;
	*end_ns = queue->waits[low % WAIT_RETURNS_LATEST].end_ns;
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

		if (known == MAP_NONE || !queue_find(wait_returns->queues[known], from_ns, &at_ns))
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
		free(wait_returns->queues[i]);
	free(wait_returns->queues);
	map_free(&wait_returns->queue_of);
}
