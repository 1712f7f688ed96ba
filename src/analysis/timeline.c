#include "analysis/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/field.h"

struct timeline {
	struct order *order;
	timeline_take *take;
	void *context;
};

static int hand_out(void *context, const struct order_event *event)
{
	struct timeline *timeline = context;
	struct timeline_event given;

	memcpy(&given, event->payload, sizeof(given));
	given.ns = event->time_ns + event->moved_ns;
	return timeline->take(timeline->context, &given);
}

int timeline_create(struct timeline **timeline, timeline_take *take, void *context)
{
	const char *folder = getenv("TMPDIR");
	struct order_options options = ORDER_DEFAULTS;
	int status;

	*timeline = malloc(sizeof(**timeline));
	if (!*timeline)
		return -ENOMEM;
	**timeline = (struct timeline){.take = take, .context = context};
	if (folder && *folder)
		options.directory = folder;
	status = order_create(&(*timeline)->order, &options, hand_out, *timeline);
	if (status)
		free(*timeline);
	return status;
}

/* Calls that come back only when the device has done something. */
static bool call_blocks(const struct trace_event *event)
{
	const struct tandem_field *blocking;

	if (event->layout->event->class == TANDEM_CLASS_WAIT)
		return true;
	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE)
		return false;
	blocking = trace_field_find(event->layout, "blocking");
	return blocking && trace_field_unsigned(event, blocking);
}

static int add(struct timeline *timeline, const struct timeline_event *given)
{
	struct order_event event = {
		.time_ns = given->ns,
		.op = given->op,
		.payload = given,
		.bytes = sizeof(*given),
		.kind = given->kind,
	};

	return order_add(timeline->order, &event);
}

static int add_call(struct timeline *timeline, const struct walk_item *item)
{
	const struct trace_event *event = item->event;
	struct timeline_event given = {
		.kind = TIMELINE_CALL_BEGIN,
		.ns = event->ns,
		.process = event->stream->process->index,
		.stream = event->stream->index,
		.call = item->call,
		.op = trace_event_op(event),
		.api = event->layout->event,
		.blocking = call_blocks(event),
		.other_ns = item->end_ns,
	};
	int status = add(timeline, &given);

	if (!status && item->end_ns != INT64_MIN) {
		given.kind = TIMELINE_CALL_END;
		given.ns = item->end_ns;
		given.other_ns = event->ns;
		status = add(timeline, &given);
	}
	if (!status && given.op && !trace_event_failed(event))
		status = order_enqueue(timeline->order, given.process, given.op, event->ns);
	return status;
}

static int add_command(struct timeline *timeline, const struct walk *walk,
		       const struct walk_item *item)
{
	const struct command *command = &item->command;
	const struct command_times *times = &command->times;
	const int64_t at[] = {times->queued_ns, times->submitted_ns, times->start_ns,
			      times->end_ns};
	struct timeline_event given = {
		.process = command->process,
		.stream = command->stream,
		.call = command->call,
		.op = command->op,
		.device = command->device,
		.queue = command->queue_number,
		.context = command->queue == TRACE_NONE
				   ? 0
				   : walk->devices.objects.queues[command->queue].context,
		.command_kind = command->kind,
		.name = command->name,
		.bytes = command->record->bytes,
	};
	struct timeline_event all[4];
	struct order_event events[4];

	if (!command->placed)
		return order_operation(timeline->order, command->process, command->op, NULL, 0);
	given.duration_ns = command->record->end - command->record->start;
	given.bound_ns = times->bound_ns;
	for (unsigned i = 0; i < 4; i++) {
		all[i] = given;
		all[i].kind = TIMELINE_QUEUED + i;
		all[i].ns = at[i];
		events[i] = (struct order_event){
			.time_ns = at[i],
			.op = command->op,
			.payload = &all[i],
			.bytes = sizeof(all[i]),
			.kind = all[i].kind,
		};
	}
	return order_operation(timeline->order, command->process, command->op, events, 4);
}

int timeline_item(struct timeline *timeline, const struct walk *walk,
		  const struct walk_item *item)
{
	int status;

	if (item->kind == WALK_UNFINISHED)
		return order_abandon(timeline->order, item->command.process, item->command.op);
	status = order_reach(timeline->order, item->event->ns);
	if (status)
		return status;
	switch (item->kind) {
	case WALK_CALL:
		return add_call(timeline, item);
	case WALK_COMMAND:
		return add_command(timeline, walk, item);
	default:
		return 0;
	}
}

int timeline_finish(struct timeline *timeline)
{
	return order_finish(timeline->order);
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline)
		return;
	order_destroy(timeline->order);
	free(timeline);
}
