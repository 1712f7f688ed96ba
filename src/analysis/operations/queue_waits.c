/* SPDX-License-Identifier: MIT */
#include "analysis/operations/queue_waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event.h"
#include "trace/field.h"
#include "util/keyed_row.h"

struct queue_waits_row {
	struct queue_mark latest;
	struct queue_waits_taken awaited;
};

static struct queue_waits_row *queue_find(struct queue_waits *waits, uint32_t process,
					  uint32_t queue)
{
	const struct queue_waits_row fresh = {.latest.queue = queue};

	return keyed_row(&waits->queue_of, (uint64_t)process << 32 | queue, &waits->queues,
			 &waits->queue_capacity, &waits->queue_count, &fresh, sizeof(fresh));
}

static struct queue_mark *mark_find(struct queue_waits *waits, uint32_t process, uint32_t number)
{
	const struct queue_mark fresh = {.op = 0};

	return keyed_row(&waits->mark_of, (uint64_t)process << 32 | number, &waits->marks,
			 &waits->mark_capacity, &waits->mark_count, &fresh, sizeof(fresh));
}

/* The queue's own commands come one after another anyway. */
static void add_awaited(struct queue_waits_row *queue, const struct queue_mark *mark,
			const struct tandem_event *api)
{
	struct queue_waits_taken *awaited = &queue->awaited;

	if (!mark->op || mark->queue == queue->latest.queue)
		return;
	if (awaited->count == QUEUE_WAITS_MOST) {
		awaited->more = true;
		memmove(&awaited->marks[0], &awaited->marks[1],
			(QUEUE_WAITS_MOST - 1) * sizeof(awaited->marks[0]));
		awaited->count--;
	}
	awaited->marks[awaited->count++] = *mark;
	awaited->api = api->id;
}

int queue_waits_call(struct queue_waits *waits, const struct trace_event *event,
		     struct queue_waits_taken *taken)
{
	const struct tandem_field *queue_field = trace_field_role(event->layout, TANDEM_ROLE_queue);
	const struct tandem_field *event_field = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_event *api = event->layout->event;
	uint32_t process = event->stream->process->index;
	bool enqueues = api->class == TANDEM_CLASS_ENQUEUE;
	struct queue_waits_row *queue;
	struct queue_mark *mark;

	*taken = (struct queue_waits_taken){.count = 0};
	if (!queue_field || (!enqueues && (api->class != TANDEM_CLASS_CALL || !event_field ||
					   event_field->kind != TANDEM_FIELD_OBJECT)))
		return 0;
	queue = queue_find(waits, process, (uint32_t)trace_field_unsigned(event, queue_field));
	if (!queue)
		return -ENOMEM;
	if (enqueues) {
		*taken = queue->awaited;
		queue->awaited = (struct queue_waits_taken){.count = 0};
		queue->latest.op = trace_event_op(event);
		return 0;
	}
	mark = mark_find(waits, process, (uint32_t)trace_field_unsigned(event, event_field));
	if (!mark)
		return -ENOMEM;
	if (api->traits.wait == TANDEM_WAIT_in_queue)
		add_awaited(queue, mark, api);
	else
		*mark = queue->latest;
	return 0;
}

int queue_waits_tag(struct queue_waits *waits, uint32_t process, uint32_t queue, uint64_t tag)
{
	struct queue_waits_row *row = queue_find(waits, process, queue);

	if (!row)
		return -ENOMEM;
	row->latest.tag = tag;
	return 0;
}

uint64_t queue_waits_tag_of(const struct queue_waits *waits, uint32_t process, uint32_t queue)
{
	uint64_t at = map_get(&waits->queue_of, (uint64_t)process << 32 | queue);

	return at == MAP_NONE ? 0 : waits->queues[at].latest.tag;
}

void queue_waits_free(struct queue_waits *waits)
{
	free(waits->queues);
	free(waits->marks);
	map_free(&waits->queue_of);
	map_free(&waits->mark_of);
	memset(waits, 0, sizeof(*waits));
}
