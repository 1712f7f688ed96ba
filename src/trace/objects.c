/* SPDX-License-Identifier: MIT */
#include "trace/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "trace/field.h"
#include "trace/session/session.h"
#include "trace/stream/records.h"
#include "util/array.h"
#include "util/demangle.h"

#define LOOK_BLOCK_BYTES 16384u

/* Numbers are unique among a process's objects of one type. */
static uint64_t object_key(uint32_t process, uint32_t number, enum tandem_object type)
{
	return (uint64_t)process << 36 | (uint64_t)type << 32 | number;
}

static uint32_t object_find(const struct trace_objects *objects, uint32_t process, uint32_t number,
			    enum tandem_object type)
{
	uint64_t value = map_get(&objects->known, object_key(process, number, type));

	return value != MAP_NONE ? (uint32_t)value : TRACE_NONE;
}

uint32_t trace_objects_device(const struct trace_objects *objects, uint32_t process,
			      uint32_t number)
{
	return object_find(objects, process, number, TANDEM_OBJECT_device);
}

uint32_t trace_objects_queue(const struct trace_objects *objects, uint32_t process, uint32_t number)
{
	return object_find(objects, process, number, TANDEM_OBJECT_queue);
}

uint32_t trace_objects_context(const struct trace_objects *objects, uint32_t process,
			       uint32_t number)
{
	return object_find(objects, process, number, TANDEM_OBJECT_context);
}

uint32_t trace_objects_kernel(const struct trace_objects *objects, uint32_t process,
			      uint32_t number)
{
	return object_find(objects, process, number, TANDEM_OBJECT_kernel);
}

static int object_set(struct trace_objects *objects, uint32_t process, uint32_t number,
		      enum tandem_object type, uint32_t value)
{
	return map_set(&objects->known, object_key(process, number, type), value);
}

/* Index of the object in its table, new or known. */
static int object_place(struct trace_objects *objects, uint32_t process, uint32_t number,
			enum tandem_object type, void *items, size_t *count, size_t *capacity,
			size_t item_bytes, uint32_t *index)
{
	*index = object_find(objects, process, number, type);
	if (*index != TRACE_NONE)
		return 0;
	*index = (uint32_t)*count;
	if (array_reserve(items, capacity, *count + 1, item_bytes) ||
	    object_set(objects, process, number, type, *index))
		return -ENOMEM;
	++*count;
	return 0;
}

static int intern_name(struct trace_objects *objects, const struct trace_event *event,
		       const char *field, uint32_t *name)
{
	const struct tandem_field *found = trace_field_find(event->layout, field);
	size_t count = 0;
	const uint8_t *text =
		found ? trace_field_elements(event, found, &count) : (const uint8_t *)"";

	return intern_add(&objects->names, (const char *)text, count, name);
}

static int add_device(struct trace_objects *objects, const struct trace_event *event)
{
	const struct tandem_rec_device *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	uint32_t name, platform_name, index;

	if (intern_name(objects, event, "name", &name) ||
	    intern_name(objects, event, "platform_name", &platform_name) ||
	    object_place(objects, process, record->device, TANDEM_OBJECT_device, &objects->devices,
			 &objects->device_count, &objects->device_capacity,
			 sizeof(*objects->devices), &index))
		return -ENOMEM;
	objects->devices[index] = (struct trace_device){
		.process = process,
		.number = record->device,
		.domain = record->domain,
		.type = record->type,
		.name = name,
		.platform_name = platform_name,
		.parent = record->parent,
		.platform = record->platform,
		.ordinal = record->ordinal,
		.compute_units = record->compute_units,
		.timer_ns = record->timer_ns,
	};
	return 0;
}

static int add_context(struct trace_objects *objects, const struct trace_event *event)
{
	const struct tandem_rec_context *record = (const void *)event->record;
	const struct tandem_field *devices = trace_field_find(event->layout, "devices");
	uint32_t process = event->stream->process->index;
	const uint8_t *elements;
	uint32_t index;
	size_t count = 0;

	if (object_place(objects, process, record->context, TANDEM_OBJECT_context,
			 &objects->contexts, &objects->context_count, &objects->context_capacity,
			 sizeof(*objects->contexts), &index))
		return -ENOMEM;
	elements = trace_field_elements(event, devices, &count);
	objects->contexts[index] = (struct trace_context){
		.process = process,
		.number = record->context,
		.domain = record->domain,
		.device_count = (uint32_t)count,
		.first_device = count ? (uint32_t)trace_element_unsigned(devices, elements) : 0,
	};
	return 0;
}

static int add_queue(struct trace_objects *objects, const struct trace_event *event)
{
	const struct tandem_rec_queue *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	uint32_t index;

	if (object_place(objects, process, record->queue, TANDEM_OBJECT_queue, &objects->queues,
			 &objects->queue_count, &objects->queue_capacity, sizeof(*objects->queues),
			 &index))
		return -ENOMEM;
	objects->queues[index] = (struct trace_queue){
		.process = process,
		.number = record->queue,
		.domain = record->domain,
		.timing = record->timing,
		.in_order = record->in_order,
		.properties = record->properties,
		.context = record->context,
		.device = record->device,
	};
	return 0;
}

/* Some runtimes name kernels as the linker knows them. */
static int name_demangle(struct trace_objects *objects, uint32_t *name)
{
	char *words = demangle(intern_text(&objects->names, *name));
	int status = words ? intern_add(&objects->names, words, strlen(words), name) : 0;

	free(words);
	return status;
}

static int add_kernel(struct trace_objects *objects, const struct trace_event *event)
{
	const struct tandem_rec_kernel *record = (const void *)event->record;
	const struct trace_session *session = event->stream->process->session;
	uint32_t name;

	if (intern_name(objects, event, "name", &name) ||
	    (trace_session_domain(session, record->domain)->mangled &&
	     name_demangle(objects, &name)))
		return -ENOMEM;
	return object_set(objects, event->stream->process->index, record->kernel,
			  TANDEM_OBJECT_kernel, name);
}

static int add_tracepoint(struct trace_objects *objects, const struct trace_event *event)
{
	if (!objects->tracepoints)
		objects->tracepoints = tracepoints_create();
	return tracepoints_learn(objects->tracepoints, event);
}

int trace_objects_learn(struct trace_objects *objects, const struct trace_event *event)
{
	switch (event->record->id) {
	case TANDEM_EVENT_device:
		return add_device(objects, event);
	case TANDEM_EVENT_context:
		return add_context(objects, event);
	case TANDEM_EVENT_queue:
		return add_queue(objects, event);
	case TANDEM_EVENT_kernel:
		return add_kernel(objects, event);
	case TANDEM_KERNEL_EVENT_format:
		return add_tracepoint(objects, event);
	default:
		return 0;
	}
}

/* Learns on in one stream until the object is known. */
static int look_in_stream(struct trace_objects *objects, const struct trace_stream *stream,
			  uint64_t from_ticks, enum tandem_object type, uint32_t number)
{
	uint32_t process = stream->process->index;
	struct trace_records records;
	int status = trace_records_open(&records, stream, LOOK_BLOCK_BYTES, from_ticks,
					stream->process->session->problems);

	if (status)
		return status;
	while (object_find(objects, process, number, type) == TRACE_NONE) {
		status = trace_records_next(&records);
		if (status <= 0)
			break;
		status = trace_objects_learn(objects, &records.event);
		if (status)
			break;
	}
	trace_records_close(&records);
	return status < 0 ? status : 0;
}

int trace_objects_look(struct trace_objects *objects, const struct trace_event *event,
		       enum tandem_object type, uint32_t number)
{
	const struct trace_process *process = event->stream->process;
	int status;

	if (object_find(objects, process->index, number, type) != TRACE_NONE ||
	    map_get(&objects->complete, process->index) != MAP_NONE)
		return 0;
	/* Nearly always it is the next record but one of the same thread. */
	status = look_in_stream(objects, event->stream, event->ticks, type, number);
	for (size_t i = 0; !status && i < process->stream_count; i++) {
		const struct trace_stream *stream = &process->streams[i];

		if (stream != event->stream)
			status = look_in_stream(objects, stream, event->ticks, type, number);
	}
	if (!status && object_find(objects, process->index, number, type) == TRACE_NONE)
		status = map_set(&objects->complete, process->index, 1);
	return status;
}

void trace_objects_free(struct trace_objects *objects)
{
	intern_free(&objects->names);
	map_free(&objects->known);
	free(objects->devices);
	free(objects->queues);
	free(objects->contexts);
	map_free(&objects->complete);
	tracepoints_destroy(objects->tracepoints);
	*objects = (struct trace_objects){.device_count = 0};
}
