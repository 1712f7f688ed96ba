#include "analysis/events/event_sequence.h"

#include <errno.h>
#include <string.h>

#include "trace/field.h"

bool timeline_call_blocks(const struct trace_event *event)
{
	const struct tandem_field *blocking;

	if (event->layout->event->class == TANDEM_CLASS_WAIT)
		return true;
	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE)
		return false;
	blocking = trace_field_find(event->layout, "blocking");
	return blocking && trace_field_unsigned(event, blocking);
}

static void fill_call(struct timeline_event *kept, const struct walk_item *item)
{
	const struct trace_event *event = item->event;

	kept->process = event->stream->process->index;
	kept->stream = event->stream->index;
	kept->call = item->call;
	kept->op = trace_event_op(event);
	kept->api = event->layout->event;
	kept->blocking = timeline_call_blocks(event);
	kept->other_ns = kept->kind == TIMELINE_CALL_BEGIN ? item->end_ns : event->ns;
}

static void fill_command(struct timeline_event *kept, const struct walk *walk,
			 const struct command *command)
{
	kept->process = command->process;
	kept->stream = command->stream;
	kept->call = command->call;
	kept->op = command->op;
	kept->device = command->device;
	kept->queue = command->queue_number;
	if (command->queue != TRACE_NONE)
		kept->context = walk->devices.objects.queues[command->queue].context;
	kept->command_kind = command->kind;
	kept->name = command->name;
	kept->bytes = command->record->bytes;
	kept->duration_ns = command->record->end - command->record->start;
	kept->bound_ns = command->times.bound_ns;
}

static int keep_event(void *user, enum chronicle_kind kind, int64_t time_ns,
		      const struct walk_item *item, struct text *kept)
{
	static const enum timeline_kind kinds[] = {
		[CHRONICLE_BEGIN] = TIMELINE_CALL_BEGIN,
		[CHRONICLE_END] = TIMELINE_CALL_END,
		[CHRONICLE_QUEUED] = TIMELINE_QUEUED,
		[CHRONICLE_SUBMITTED] = TIMELINE_SUBMITTED,
		[CHRONICLE_START] = TIMELINE_START,
		[CHRONICLE_STOP] = TIMELINE_END,
	};
	struct timeline *timeline = user;
	struct timeline_event event = {.ns = time_ns};

	if (kind == CHRONICLE_RECORD)
		return 0;
	event.kind = kinds[kind];
	if (kind == CHRONICLE_BEGIN || kind == CHRONICLE_END)
		fill_call(&event, item);
	else
		fill_command(&event, timeline->chronicle.walk, &item->command);
	text_add(kept, (const char *)&event, sizeof(event));
	return 0;
}

static int take_event(void *user, const struct order_event *event)
{
	struct timeline *timeline = user;
	struct timeline_event given;

	memcpy(&given, event->payload, sizeof(given));
	/* Never back in time, even of what came too late for its place. */
	given.ns = event->time_ns + event->moved_ns;
	return timeline->take(timeline->context, &given);
}

int timeline_open(struct timeline *timeline, struct walk *walk, timeline_take *take,
		  void *context)
{
	static const struct chronicle_ops ops = {.keep = keep_event, .take = take_event};

	timeline->take = take;
	timeline->context = context;
	return chronicle_open(&timeline->chronicle, walk, &ops, timeline);
}

int timeline_item(struct timeline *timeline, const struct walk_item *item)
{
	return chronicle_add(&timeline->chronicle, item);
}

int timeline_finish(struct timeline *timeline)
{
	return chronicle_finish(&timeline->chronicle);
}

void timeline_close(struct timeline *timeline)
{
	chronicle_close(&timeline->chronicle);
}
