/* SPDX-License-Identifier: MIT */
#include "analysis/events/event_iterator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/engines_consume.h"
#include "schema/gen/kernel_records.h"
#include "trace/field.h"
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
	return status ? status : devices_settled(&iterator->devices);
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

/* What an event of a traced process tells of the devices' clocks. */
static int take_clock(struct event_iterator *iterator, struct operation_matcher *matcher,
		      const struct trace_event *event)
{
	struct operation operation;
	int status;

	if (event->layout->op_offset)
		return operation_matcher_call(matcher, event, 1, 0);
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		status = operation_matcher_end(matcher, event, &operation);
		return status ? status
			      : clock_sync_operation(&iterator->clock_sync, &iterator->devices,
						     &operation);
	case TANDEM_EVENT_clock_pair:
		return clock_sync_pair(&iterator->clock_sync, &iterator->devices, event);
	default:
		return trace_objects_learn(&iterator->devices.objects, event);
	}
}

static int read_clocks(struct event_iterator *iterator, struct operation_matcher *matcher)
{
	const struct trace_event *event;
	struct trace_ahead ahead;
	uint64_t events = 0;
	int status = trace_ahead_open(&ahead, iterator->session, AHEAD_TRACED);

	if (status)
		return status;
	while ((status = trace_ahead_next(&ahead, &event)) > 0) {
		/* No device's clock: but these come by once only. */
		if (event->layout->class == TANDEM_CLASS_WAIT)
			status = clock_sync_wait(&iterator->clock_sync, &iterator->devices, event);
		if (status >= 0)
			status = take_clock(iterator, matcher, event);
		if (status < 0)
			break;
		if (++events % PROGRESS_EVENTS == 0)
			progress_tell(iterator->progress, trace_ahead_read_bytes(&ahead),
				      2 * iterator->session->content_bytes);
	}
	trace_ahead_close(&ahead);
	return status;
}

/* The clocks of the devices, as all of the session tells of them. */
static int fit_clocks(struct event_iterator *iterator)
{
	struct operation_matcher matcher;
	int status = operation_matcher_init(&matcher, &iterator->devices, iterator->session);

	if (status)
		return status;
	status = read_clocks(iterator, &matcher);
	operation_matcher_free(&matcher);
	if (!status)
		status = clock_sync_finish(&iterator->clock_sync);
	return status ? status : name_devices(iterator);
}

int event_iterator_open_with(struct event_iterator *iterator, struct trace_session *session,
			     unsigned flags, const struct progress *progress)
{
	int status;

	memset(iterator, 0, sizeof(*iterator));
	iterator->session = session;
	iterator->flags = flags;
	iterator->progress = progress;
	iterator->item.device = TRACE_NONE;
	devices_init(&iterator->devices, session);
	memory_init(&iterator->memory, &iterator->devices);
	engines_init(&iterator->engines, session->start_ns, NULL, engine_changed, iterator);
	clock_sync_init(&iterator->clock_sync, session);
	iterator->clock_sync.host_bounds = flags & EVENT_HOST_BOUNDS;
	status = operation_matcher_init(&iterator->matcher, &iterator->devices, session);
	iterator->matcher.launch_sizes = flags & EVENT_LAUNCH_SIZES;
	if (!status)
		status = tasks_init(&iterator->tasks, session);
	if (!status && flags & EVENT_PLACED)
		status = fit_clocks(iterator);
	if (!status) {
		iterator->last_calls =
			calloc(session->stream_count + 1, sizeof(*iterator->last_calls));
		status = iterator->last_calls ? trace_ahead_open(&iterator->ahead, session, 0)
					      : -ENOMEM;
	}
	if (status)
		event_iterator_close(iterator);
	return status;
}

int event_iterator_open(struct event_iterator *iterator, struct trace_session *session,
			const struct progress *progress)
{
	return event_iterator_open_with(iterator, session, EVENT_ALL, progress);
}

static int __attribute__((noinline))
take_call(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;

	item->kind = ITEM_CALL;
	item->call = ++iterator->calls;
	item->end_ns = event_item_end_ns(event);
	iterator->last_calls[event->stream->index] = item->call;
	if (event->layout->op_offset && event->layout->class == TANDEM_CLASS_ENQUEUE)
		transfer_directions_call(&iterator->directions, (struct trace_event *)event);
	if (event->layout->op_offset)
		return operation_matcher_call(
			&iterator->matcher, event, item->call,
			tasks_open_node(&iterator->tasks, event->stream->index, event->ns));
	if (event->layout->class == TANDEM_CLASS_TASK)
		return tasks_add(&iterator->tasks, event);
	if (event->layout->class == TANDEM_CLASS_WAIT && !(iterator->flags & EVENT_PLACED))
		return clock_sync_wait(&iterator->clock_sync, &iterator->devices, event);
	return 0;
}

static int take_operation(struct event_iterator *iterator, const struct trace_event *event)
{
	struct operation *operation = &iterator->item.operation;
	int status = operation_matcher_end(&iterator->matcher, event, operation);

	iterator->item.kind = ITEM_OPERATION;
	if (status)
		return status;
	if (!(iterator->flags & EVENT_PLACED))
		return clock_sync_operation(&iterator->clock_sync, &iterator->devices, operation);
	clock_sync_place(&iterator->clock_sync, operation);
	return 0;
}

static int take_memory(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;
	int status = memory_add(&iterator->memory, event);

	if (!status)
		status = transfer_directions_memory(&iterator->directions, event);
	item->kind = ITEM_MEMORY;
	item->memory_row = iterator->memory.latest;
	item->memory_live_bytes =
		item->memory_row == TRACE_NONE ? 0 : iterator->memory.rows[item->memory_row].live;
	return status;
}

static int __attribute__((noinline))
take_engines(struct event_iterator *iterator, const struct trace_event *event)
{
	struct trace_objects *objects = &iterator->devices.objects;
	struct event_item *item = &iterator->item;
	int status;

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

static inline int take_linux(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;

	item->call = 0;
	item->kind = event->record->id == TANDEM_EVENT_lost ? ITEM_LOST : ITEM_OTHER;
	return iterator->flags & EVENT_ENGINES ? take_engines(iterator, event) : 0;
}

/* A record of a task graph. */
static int take_task(struct event_iterator *iterator, const struct trace_event *event)
{
	const struct tandem_field *node, *op;

	if (event->layout->event->traits.record != TANDEM_RECORD_task_signal)
		return tasks_add(&iterator->tasks, event);
	node = trace_field_find(event->layout, "node");
	op = trace_field_find(event->layout, "op");
	if (node && op)
		operation_matcher_task(&iterator->matcher, event->stream->process->index,
				       trace_field_unsigned(event, op),
				       (uint32_t)trace_field_unsigned(event, node));
	return 0;
}

/* Looked for here, so that who takes the item changes nothing. */
static int take_device(struct event_iterator *iterator, const struct trace_event *event)
{
	uint32_t number = (uint32_t)trace_field_number(event, "device");

	iterator->item.device = TRACE_NONE;
	return number ? devices_of_number(&iterator->devices, event, number,
					  event->record->id == TANDEM_EVENT_build
						  ? (uint8_t)trace_field_number(event, "domain")
						  : (uint8_t)trace_session_domain_of(
							    iterator->session, event->record->id),
					  &iterator->item.device)
		      : 0;
}

static bool is_about_device(const struct trace_event *event)
{
	enum tandem_record_role role = event->layout->event->traits.record;

	return role == TANDEM_RECORD_fault || role == TANDEM_RECORD_device_link;
}

static int __attribute__((noinline))
take_record(struct event_iterator *iterator, const struct trace_event *event)
{
	struct event_item *item = &iterator->item;

	item->call = iterator->last_calls[event->stream->index];
	switch (event->record->id) {
	case TANDEM_EVENT_operation:
		return take_operation(iterator, event);
	case TANDEM_EVENT_clock_pair:
		item->kind = ITEM_OTHER;
		return iterator->flags & EVENT_PLACED
			       ? 0
			       : clock_sync_pair(&iterator->clock_sync, &iterator->devices, event);
	case TANDEM_EVENT_memory:
	case TANDEM_EVENT_memory_free:
		return take_memory(iterator, event);
	case TANDEM_EVENT_build:
		item->kind = ITEM_BUILD;
		return take_device(iterator, event);
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
		if (is_about_device(event))
			return take_device(iterator, event);
		return tasks_concerns(event) ? take_task(iterator, event) : 0;
	}
}

int event_iterator_unfinished(struct event_iterator *iterator)
{
	iterator->item.event = NULL;
	iterator->item.kind = ITEM_UNFINISHED;
	iterator->item.system = false;
	iterator->item.call = 0;
	return operation_matcher_unfinished(&iterator->matcher, &iterator->item.operation);
}

void event_iterator_progress(struct event_iterator *iterator)
{
	uint64_t before = iterator->flags & EVENT_PLACED ? iterator->session->content_bytes : 0;

	progress_tell(iterator->progress, before + trace_ahead_read_bytes(&iterator->ahead),
		      before + iterator->session->content_bytes);
}

/* It saves no registers: who needs some is a function of its own. */
int event_iterator_take(struct event_iterator *iterator, const struct trace_event *event)
{
	if (trace_event_is_call(event)) {
		iterator->item.system = false;
		return take_call(iterator, event);
	}
	iterator->item.system = event->stream->process->kernel;
	return iterator->item.system ? take_linux(iterator, event) : take_record(iterator, event);
}

bool event_iterator_edge(const struct event_iterator *iterator, const struct trace_event *event,
			 struct task_edge *edge)
{
	uint32_t node;

	if (!tasks_edge(event, edge))
		return false;
	/* From what stands for an event to whose event it is. */
	node = edge->op ? operation_matcher_node(&iterator->matcher, edge->process, edge->op) : 0;
	if (node) {
		edge->through = edge->from;
		edge->from = node;
	}
	return true;
}

const char *event_iterator_device_name(struct event_iterator *iterator, uint32_t device)
{
	const char *shown = iterator->devices.rows[device].shown;

	return shown ? shown : "unknown device";
}

void event_iterator_close(struct event_iterator *iterator)
{
	if (iterator->ahead.session)
		trace_ahead_close(&iterator->ahead);
	operation_matcher_free(&iterator->matcher);
	memory_free(&iterator->memory);
	transfer_directions_free(&iterator->directions);
	tasks_free(&iterator->tasks);
	engines_free(&iterator->engines);
	free(iterator->changed);
	clock_sync_free(&iterator->clock_sync);
	devices_free(&iterator->devices);
	arena_free(&iterator->arena);
	free(iterator->last_calls);
	memset(iterator, 0, sizeof(*iterator));
}
