/* SPDX-License-Identifier: MIT */
#include "analysis/events/event_sequence.h"

#include "analysis/events/item_range.h"
#include "analysis/operations/queue_order.h"
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
	queue = trace_field_role(event->layout, TANDEM_ROLE_queue);
	if (queue)
		kept->queue = (uint32_t)trace_field_unsigned(event, queue);
	if (kept->blocking)
		fill_wait(kept, event);
	kept->ns = event->ns;
	kept->other_ns = item->end_ns;
}

static void fill_command(struct sequence_event *kept, const struct event_iterator *iterator,
			 const struct operation *operation)
{
	const struct trace_queue *queue;

	kept->process = operation->process;
	kept->stream = operation->stream;
	kept->call = operation->call;
	kept->op = operation->op;
	kept->device = operation->device;
	kept->queue = operation->queue_number;
	kept->order = QUEUE_APART;
	if (operation->queue != TRACE_NONE) {
		queue = &iterator->devices.objects.queues[operation->queue];
		kept->context = queue->context;
		kept->order = (uint8_t)queue_order(queue);
	}
	kept->other_ns = operation->times.queued_ns;
	kept->operation_kind = operation->kind;
	kept->name = operation->name;
	kept->bytes = operation->record->bytes;
	kept->duration_ns = operation->record->end - operation->record->start;
	kept->bound_ns = operation->times.bound_ns;
}

/* Whether another record has a turn: 1, 0 or -errno. */
static int keep_record(struct event_sequence *sequence, struct sequence_event *kept,
		       const struct event_item *item)
{
	kept->process = item->event->stream->process->index;
	kept->stream = item->event->stream->index;
	return sequence->wants && item->kind == ITEM_OTHER && !item->system
		       ? sequence->wants(sequence->context, item, &kept->tag)
		       : 0;
}

#define CALL_TURNS (1u << ORDERED_BEGIN | 1u << ORDERED_END)
#define COMMAND_TURNS \
	(1u << ORDERED_QUEUED | 1u << ORDERED_SUBMITTED | 1u << ORDERED_START | 1u << ORDERED_STOP)

static int keep_once(void *user, const struct event_item *item, struct ordered_kept *kept)
{
	struct event_sequence *sequence = user;
	bool command = item->kind == ITEM_OPERATION && item->operation.placed;
	unsigned turns = command		   ? COMMAND_TURNS
			 : item->kind == ITEM_CALL ? CALL_TURNS
						   : 1u << ORDERED_RECORD;
	int status;

	turns &= ~sequence->unwanted;
	kept->bytes = &sequence->kept;
	kept->length = sizeof(sequence->kept);
	if (turns == 1u << ORDERED_RECORD) {
		sequence->kept = (struct sequence_event){0};
		status = keep_record(sequence, &sequence->kept, item);
		kept->turns = status > 0 ? turns : 0;
		return status < 0 ? status : 0;
	}
	if (!turns || !item_in_range(item, &sequence->range))
		return 0;
	sequence->kept = (struct sequence_event){0};
	if (command)
		fill_command(&sequence->kept, sequence->ordered_events.iterator, &item->operation);
	else
		fill_call(&sequence->kept, item);
	kept->turns = turns;
	return 0;
}

static int take_event(void *user, const struct reorder_event *event)
{
	struct event_sequence *sequence = user;
	struct sequence_event taken = *(const struct sequence_event *)event->payload;

	if (event->kind == ORDERED_END) {
		taken.other_ns = taken.ns;
		taken.wait = 0;
		taken.waited_op = 0;
	}
	taken.kind = (uint8_t)event->kind;
	/* Never back in time, even of what came too late for its place. */
	taken.ns = event->time_ns + event->moved_ns;
	return sequence->take(sequence->context, &taken);
}

int event_sequence_open(struct event_sequence *sequence, struct event_iterator *iterator,
			event_sequence_consume *take, void *context)
{
	static const struct ordered_events_ops ops = {.keep_once = keep_once, .take = take_event};

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
