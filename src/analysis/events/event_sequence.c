/* SPDX-License-Identifier: MIT */
#include "analysis/events/event_sequence.h"

#include <errno.h>
#include <string.h>

#include "analysis/events/item_range.h"
#include "trace/field.h"

static void fill_wait(struct sequence_event *kept, const struct trace_event *event)
{
	const struct tandem_field *one = trace_field_role(event->layout, TANDEM_ROLE_event);
	const struct tandem_field *list = trace_field_role(event->layout, TANDEM_ROLE_events);
	const uint8_t *elements;
	size_t count;

	if (kept->op) {
		kept->wait = TANDEM_WAIT_event;
		kept->waited_op = kept->op;
		return;
	}
	kept->wait = event->layout->event->traits.wait;
	if (one && one->kind == TANDEM_FIELD_OP && !one->variable) {
		kept->waited_op = trace_field_unsigned(event, one);
	} else if (list && list->kind == TANDEM_FIELD_OP && list->variable) {
		elements = trace_field_elements(event, list, &count);
		if (count == 1)
			kept->waited_op = trace_element_unsigned(list, elements);
	}
}

static void fill_call(struct sequence_event *kept, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *queue;

	kept->process = event->stream->process->index;
	kept->stream = event->stream->index;
	kept->call = item->call;
	kept->op = trace_event_op(event);
	kept->api = event->layout->event;
	kept->blocking = trace_event_blocks(event);
	kept->other_ns = kept->kind == SEQUENCE_CALL_BEGIN ? item->end_ns : event->ns;
	queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
	if (queue)
		kept->queue = (uint32_t)trace_field_unsigned(event, queue);
	if (kept->blocking && kept->kind == SEQUENCE_CALL_BEGIN)
		fill_wait(kept, event);
}

static void fill_command(struct sequence_event *kept, const struct event_iterator *iterator,
			 const struct operation *operation)
{
	kept->process = operation->process;
	kept->stream = operation->stream;
	kept->call = operation->call;
	kept->op = operation->op;
	kept->device = operation->device;
	kept->queue = operation->queue_number;
	if (operation->queue != TRACE_NONE)
		kept->context = iterator->devices.objects.queues[operation->queue].context;
	kept->other_ns = operation->times.queued_ns;
	kept->operation_kind = operation->kind;
	kept->name = operation->name;
	kept->bytes = operation->record->bytes;
	kept->duration_ns = operation->record->end - operation->record->start;
	kept->bound_ns = operation->times.bound_ns;
}

static int keep_record(struct event_sequence *sequence, struct sequence_event *event,
		       const struct event_item *item, struct text *kept)
{
	int status = sequence->wants && item->kind == ITEM_OTHER && !item->system
			     ? sequence->wants(sequence->context, item, &event->tag)
			     : 0;

	if (status <= 0)
		return status;
	event->kind = SEQUENCE_RECORD;
	event->process = item->event->stream->process->index;
	event->stream = item->event->stream->index;
	text_add(kept, (const char *)event, sizeof(*event));
	return 0;
}

static int keep_event(void *user, enum ordered_event_kind kind, int64_t time_ns,
		      const struct event_item *item, struct text *kept)
{
	static const enum sequence_event_kind kinds[] = {
		[ORDERED_BEGIN] = SEQUENCE_CALL_BEGIN, [ORDERED_END] = SEQUENCE_CALL_END,
		[ORDERED_QUEUED] = SEQUENCE_QUEUED,    [ORDERED_SUBMITTED] = SEQUENCE_SUBMITTED,
		[ORDERED_START] = SEQUENCE_START,      [ORDERED_STOP] = SEQUENCE_END,
	};
	struct event_sequence *sequence = user;
	struct sequence_event event = {.ns = time_ns};

	if (kind == ORDERED_RECORD)
		return keep_record(sequence, &event, item, kept);
	event.kind = kinds[kind];
	if (sequence->unwanted >> event.kind & 1 || !item_in_range(item, &sequence->range))
		return 0;
	if (kind == ORDERED_BEGIN || kind == ORDERED_END)
		fill_call(&event, item);
	else
		fill_command(&event, sequence->ordered_events.iterator, &item->operation);
	text_add(kept, (const char *)&event, sizeof(event));
	return 0;
}

static int take_event(void *user, const struct reorder_event *event)
{
	struct event_sequence *sequence = user;
	struct sequence_event late;

	if (!event->moved_ns)
		return sequence->take(sequence->context, event->payload);
	/* Never back in time, even of what came too late for its place. */
	memcpy(&late, event->payload, sizeof(late));
	late.ns = event->time_ns + event->moved_ns;
	return sequence->take(sequence->context, &late);
}

int event_sequence_open(struct event_sequence *sequence, struct event_iterator *iterator,
			event_sequence_consume *take, void *context)
{
	static const struct ordered_events_ops ops = {.keep = keep_event, .take = take_event};

	sequence->take = take;
	sequence->context = context;
	sequence->range = RANGE_WHOLE;
	sequence->wants = NULL;
	sequence->unwanted = 0;
	return ordered_events_open(&sequence->ordered_events, iterator, &ops, sequence);
}

int event_sequence_item(struct event_sequence *sequence, const struct event_item *item)
{
	return ordered_events_add(&sequence->ordered_events, item);
}

int event_sequence_finish(struct event_sequence *sequence)
{
	return ordered_events_finish(&sequence->ordered_events);
}

void event_sequence_close(struct event_sequence *sequence)
{
	ordered_events_close(&sequence->ordered_events);
}
