#include "analysis/events/event_iterator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/engines_consume.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* All devices have their rows before the first name is asked for, as a name
 * depends on the others. */
static int name_devices(struct walk *walk)
{
	const struct trace_objects *objects = &walk->devices.objects;
	int status = 0;

	for (size_t i = 0; !status && i < objects->device_count; i++) {
		const struct trace_device *device = &objects->devices[i];
		uint32_t row;

		status = devices_of_known(&walk->devices, device->process, device->number,
					  device->domain, &row);
	}
	devices_name(&walk->devices, &walk->arena);
	return status;
}

static void engine_changed(void *user, uint32_t engine, int64_t ns)
{
	struct walk *walk = user;

	(void)ns;
	if (array_reserve(&walk->changed, &walk->change_capacity, walk->change_count + 1,
			  sizeof(*walk->changed))) {
		walk->engines.failed = -ENOMEM;
		return;
	}
	walk->changed[walk->change_count++] = engine;
}

int walk_open(struct walk *walk, struct trace_session *session, const struct progress *progress)
{
	int status;

	memset(walk, 0, sizeof(*walk));
	walk->session = session;
	walk->progress = progress;
	devices_init(&walk->devices, session);
	memory_init(&walk->memory, &walk->devices);
	engines_init(&walk->engines, session->start_ns, NULL, engine_changed, walk);
	status = align_make(&walk->align, &walk->devices, session, progress);
	if (!status)
		status = name_devices(walk);
	if (!status)
		status = commands_init(&walk->commands, &walk->devices, session);
	if (!status) {
		walk->last_calls = calloc(session->stream_count + 1, sizeof(*walk->last_calls));
		status = walk->last_calls ? trace_merge_open(&walk->merge, session, 0) : -ENOMEM;
	}
	if (status)
		walk_close(walk);
	return status;
}

static int walk_call(struct walk *walk, const struct trace_event *event)
{
	struct walk_item *item = &walk->item;

	item->kind = WALK_CALL;
	item->call = ++walk->calls;
	item->end_ns = event->end_ticks ? trace_clock_ns(&walk->session->clock, event->end_ticks)
					: INT64_MIN;
	walk->last_calls[event->stream->index] = item->call;
	return event->layout->op_offset ? commands_call(&walk->commands, event, item->call) : 0;
}

static int walk_memory(struct walk *walk, const struct trace_event *event)
{
	struct walk_item *item = &walk->item;
	int status = memory_add(&walk->memory, event);

	item->kind = WALK_MEMORY;
	item->memory_row = walk->memory.latest;
	item->memory_live_bytes = item->memory_row == TRACE_NONE
					  ? 0
					  : walk->memory.rows[item->memory_row].live;
	return status;
}

static int walk_kernel(struct walk *walk, const struct trace_event *event)
{
	struct trace_objects *objects = &walk->devices.objects;
	struct walk_item *item = &walk->item;
	int status;

	item->call = 0;
	item->kind = event->record->id == TANDEM_EVENT_lost ? WALK_LOST : WALK_OTHER;
	if (event->record->id == TANDEM_KERNEL_EVENT_format)
		return trace_objects_learn(objects, event);
	if (!walk->engines.count && event->record->id != TANDEM_KERNEL_EVENT_tracepoint)
		return 0;
	walk->change_count = 0;
	status = engines_feed(&walk->engines, objects->tracepoints, event);
	item->engines = walk->changed;
	item->engine_count = walk->change_count;
	if (walk->change_count && item->kind == WALK_OTHER)
		item->kind = WALK_ENGINES;
	return status;
}

static int walk_record(struct walk *walk, const struct trace_event *event)
{
	struct walk_item *item = &walk->item;
	int status;

	item->call = walk->last_calls[event->stream->index];
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		item->kind = WALK_COMMAND;
		status = commands_ended(&walk->commands, event, &item->command);
		if (!status)
			align_place(&walk->align, &item->command);
		return status;
	case TANDEM_EVENT_memory:
	case TANDEM_EVENT_memory_free:
		return walk_memory(walk, event);
	case TANDEM_EVENT_build:
		item->kind = WALK_BUILD;
		return 0;
	case TANDEM_EVENT_lost:
		item->kind = WALK_LOST;
		return 0;
	case TANDEM_EVENT_device:
	case TANDEM_EVENT_context:
	case TANDEM_EVENT_queue:
	case TANDEM_EVENT_program:
	case TANDEM_EVENT_kernel:
		item->kind = WALK_OBJECT;
		return trace_objects_learn(&walk->devices.objects, event);
	default:
		item->kind = WALK_OTHER;
		return 0;
	}
}

int walk_next(struct walk *walk, const struct walk_item **item)
{
	const struct trace_event *event = NULL;
	int status = 0;

	if (!walk->merged) {
		status = trace_merge_next(&walk->merge, &event);
		walk->merged = status == 0;
	}
	*item = &walk->item;
	walk->item.event = event;
	if (walk->merged) {
		walk->item.kind = WALK_UNFINISHED;
		walk->item.call = 0;
		return commands_unfinished(&walk->commands, &walk->unfinished_at,
					   &walk->item.command);
	}
	if (status < 0)
		return status;
	if (++walk->events % PROGRESS_EVENTS == 0)
		progress_tell(walk->progress,
			      walk->session->content_bytes + trace_merge_read_bytes(&walk->merge),
			      2 * walk->session->content_bytes);
	if (event->stream->process->kernel)
		status = walk_kernel(walk, event);
	else if (trace_event_is_call(event))
		status = walk_call(walk, event);
	else
		status = walk_record(walk, event);
	return status ? status : 1;
}

const char *walk_device_name(struct walk *walk, uint32_t device)
{
	const char *shown = walk->devices.rows[device].shown;

	return shown ? shown : "unknown device";
}

void walk_close(struct walk *walk)
{
	if (walk->merge.session)
		trace_merge_close(&walk->merge);
	commands_free(&walk->commands);
	memory_free(&walk->memory);
	engines_free(&walk->engines);
	free(walk->changed);
	align_free(&walk->align);
	devices_free(&walk->devices);
	arena_free(&walk->arena);
	free(walk->last_calls);
	memset(walk, 0, sizeof(*walk));
}
