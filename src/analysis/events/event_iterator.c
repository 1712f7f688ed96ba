#include "analysis/events/event_iterator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/engines_consume.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* All devices have their rows before the first name is asked for, as a name
 * depends on the others. */
static int name_devices(struct event_iterator *iterator)
{
	const struct trace_objects *objects = &iterator->devices.objects;
	int status = 0;

	for (size_t i = 0; !status && i < objects->device_count; i++) {
		const struct trace_device *device = &objects->devices[i];
		uint32_t row;

		status = devices_of_known(&iterator->devices, device->process, device->number,
					  device->domain, &row);
	}
	devices_name(&iterator->devices, &iterator->arena);
	return status;
}

static void engine_changed(void *user, uint32_t engine, int64_t ns)
{
	struct event_iterator *iterator = user;

	(void)ns;
	if (array_reserve(&iterator->changed, &iterator->change_capacity,
			  iterator->change_count + 1, sizeof(*iterator->changed))) {
		iterator->engines.failed = -ENOMEM;
		return;
	}
	iterator->changed[iterator->change_count++] = engine;
}

int event_iterator_open(struct event_iterator *iterator, struct trace_session *session,
			const struct progress *progress)
{
	int status;

	memset(iterator, 0, sizeof(*iterator));
	iterator->session = session;
	iterator->progress = progress;
	devices_init(&iterator->devices, session);
	memory_init(&iterator->memory, &iterator->devices);
	engines_init(&iterator->engines, session->start_ns, NULL, engine_changed, iterator);
	status = clock_sync_make(&iterator->clock_sync, &iterator->devices, session, progress);
	if (!status)
		status = name_devices(iterator);
	if (!status)
		status = operations_init(&iterator->operations, &iterator->devices, session);
	if (!status) {
		iterator->last_calls =
			calloc(session->stream_count + 1, sizeof(*iterator->last_calls));
		status = iterator->last_calls ? trace_merge_open(&iterator->merge, session, 0)
					      : -ENOMEM;
	}
	if (status)
		event_iterator_close(iterator);
	return status;
}

static int take_call(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;

	item->kind = ITEM_CALL;
	item->call = ++iterator->calls;
	item->end_ns = event->end_ticks
			       ? trace_clock_ns(&iterator->session->clock, event->end_ticks)
			       : INT64_MIN;
	iterator->last_calls[event->stream->index] = item->call;
	return event->layout->op_offset ? operations_call(&iterator->operations, event, item->call)
					: 0;
}

static int take_memory(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;
	int status = memory_add(&iterator->memory, event);

	item->kind = ITEM_MEMORY;
	item->memory_row = iterator->memory.latest;
	item->memory_live_bytes =
		item->memory_row == TRACE_NONE ? 0 : iterator->memory.rows[item->memory_row].live;
	return status;
}

static int take_linux(struct event_iterator *iterator, const struct trace_event *event)
{
	struct trace_objects *objects = &iterator->devices.objects;
	struct event_item *item = &iterator->item;
	int status;

	item->call = 0;
	item->kind = event->record->id == TANDEM_EVENT_lost ? ITEM_LOST : ITEM_OTHER;
	if (event->record->id == TANDEM_KERNEL_EVENT_format)
		return trace_objects_learn(objects, event);
	if (!iterator->engines.count && event->record->id != TANDEM_KERNEL_EVENT_tracepoint)
		return 0;
	iterator->change_count = 0;
	status = engines_consume(&iterator->engines, objects->tracepoints, event);
	item->engines = iterator->changed;
	item->engine_count = iterator->change_count;
	if (iterator->change_count && item->kind == ITEM_OTHER)
		item->kind = ITEM_ENGINES;
	return status;
}

static int take_record(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;
	int status;

	item->call = iterator->last_calls[event->stream->index];
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		item->kind = ITEM_OPERATION;
		status = operations_end(&iterator->operations, event, &item->operation);
		if (!status)
			clock_sync_place(&iterator->clock_sync, &item->operation);
		return status;
	case TANDEM_EVENT_memory:
	case TANDEM_EVENT_memory_free:
		return take_memory(iterator, event);
	case TANDEM_EVENT_build:
		item->kind = ITEM_BUILD;
		return 0;
	case TANDEM_EVENT_lost:
		item->kind = ITEM_LOST;
		return 0;
	case TANDEM_EVENT_device:
	case TANDEM_EVENT_context:
	case TANDEM_EVENT_queue:
	case TANDEM_EVENT_program:
	case TANDEM_EVENT_kernel:
		item->kind = ITEM_OBJECT;
		return trace_objects_learn(&iterator->devices.objects, event);
	default:
		item->kind = ITEM_OTHER;
		return 0;
	}
}

int event_iterator_next(struct event_iterator *iterator, const struct event_item **item)
{
	const struct trace_event *event = NULL;
	int status = 0;

	if (!iterator->merged) {
		status = trace_merge_next(&iterator->merge, &event);
		iterator->merged = status == 0;
	}
	*item = &iterator->item;
	iterator->item.event = event;
	if (iterator->merged) {
		iterator->item.kind = ITEM_UNFINISHED;
		iterator->item.call = 0;
		return operations_unfinished(&iterator->operations, &iterator->unfinished_at,
					     &iterator->item.operation);
	}
	if (status < 0)
		return status;
	if (++iterator->events % PROGRESS_EVENTS == 0)
		progress_tell(iterator->progress,
			      iterator->session->content_bytes +
				      trace_merge_read_bytes(&iterator->merge),
			      2 * iterator->session->content_bytes);
	if (event->stream->process->kernel)
		status = take_linux(iterator, event);
	else if (trace_event_is_call(event))
		status = take_call(iterator, event);
	else
		status = take_record(iterator, event);
	return status ? status : 1;
}

const char *event_iterator_device_name(struct event_iterator *iterator, uint32_t device)
{
	const char *shown = iterator->devices.rows[device].shown;

	return shown ? shown : "unknown device";
}

void event_iterator_close(struct event_iterator *iterator)
{
	if (iterator->merge.session)
		trace_merge_close(&iterator->merge);
	operations_free(&iterator->operations);
	memory_free(&iterator->memory);
	engines_free(&iterator->engines);
	free(iterator->changed);
	clock_sync_free(&iterator->clock_sync);
	devices_free(&iterator->devices);
	arena_free(&iterator->arena);
	free(iterator->last_calls);
	memset(iterator, 0, sizeof(*iterator));
}
