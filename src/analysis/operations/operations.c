#include "analysis/operations/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "analysis/report/operation_stats.h"
#include "trace/field.h"
#include "trace/operation.h"
#include "util/array.h"

#define KEPT 16384u

struct operation_in_flight { /* an enqueued command */
	uint64_t op, call;
	uint64_t kept; /* where it stands in the ring, from 1; 0: nothing of it has ended */
	int64_t begin_ns, end_ns;
	uint32_t process, stream, queue;
	uint16_t api;
	bool open; /* not seen to end yet; a free one is in the list by `stream` */
	struct launch_size shape;
};

struct operation_kept {
	uint64_t ended; /* when, in commands that have ended */
	uint32_t flight;
};

int operations_init(struct operations *operations, struct devices *devices,
		    struct trace_session *session)
{
	memset(operations, 0, sizeof(*operations));
	operations->session = session;
	operations->devices = devices;
	operations->known = calloc(session->process_count + 1, sizeof(*operations->known));
	return operations->known ? 0 : -ENOMEM;
}

static void read_shape(const struct trace_event *event, struct launch_size *shape)
{
	struct event_shape read;

	if (!event_shape_read(event, &read))
		return;
	shape->dimensions = (uint8_t)read.globals;
	shape->local_dimensions = (uint8_t)read.locals;
	memcpy(shape->global, read.global, read.globals * sizeof(*read.global));
	memcpy(shape->local, read.local, read.locals * sizeof(*read.local));
}

static int flight_take(struct operations *operations, struct operation_in_flight **flight,
		       uint32_t *index)
{
	if (operations->free_list) {
		*index = operations->free_list - 1;
		operations->free_list = operations->flights[*index].stream;
	} else {
		if (array_reserve(&operations->flights, &operations->flight_capacity,
				  operations->flight_count + 1, sizeof(*operations->flights)))
			return -ENOMEM;
		*index = (uint32_t)operations->flight_count++;
	}
	*flight = &operations->flights[*index];
	return 0;
}

static void flight_give(struct operations *operations, uint32_t index)
{
	operations->flights[index].stream = operations->free_list;
	operations->free_list = index + 1;
}

static void flight_close(struct operations *operations, uint32_t index)
{
	operations->flights[index].open = false;
	operations->in_flight--;
}

/* Its call's latest command was so long ago that no more will come. */
static void flight_forget(struct operations *operations, uint32_t index)
{
	const struct operation_in_flight *flight = &operations->flights[index];
	struct map *known = &operations->known[flight->process];

	if (map_get(known, flight->op) == index)
		map_remove(known, flight->op);
	flight_give(operations, index);
}

/* More commands of its call may come. It goes to the ring's end, once in a while. */
static int flight_keep(struct operations *operations, uint32_t index)
{
	struct operation_in_flight *flight = &operations->flights[index];
	struct operation_kept *kept;

	if (!operations->kept)
		operations->kept = calloc(KEPT, sizeof(*operations->kept));
	if (!operations->kept)
		return -ENOMEM;
	operations->ended_count++;
	if (flight->kept &&
	    operations->ended_count - operations->kept[(flight->kept - 1) % KEPT].ended < KEPT / 2)
		return 0;
	kept = &operations->kept[operations->kept_count % KEPT];
	if (operations->kept_count >= KEPT &&
	    operations->flights[kept->flight].kept == operations->kept_count - KEPT + 1)
		flight_forget(operations, kept->flight);
	*kept = (struct operation_kept){.ended = operations->ended_count, .flight = index};
	flight->kept = ++operations->kept_count;
	return 0;
}

int operations_call(struct operations *operations, const struct trace_event *event, uint64_t number)
{
	uint64_t op = trace_event_op(event);
	uint32_t process = event->stream->process->index;
	const struct tandem_field *queue;
	struct operation_in_flight *flight;
	uint32_t index;

	if (!op || trace_event_failed(event))
		return 0;
	if (flight_take(operations, &flight, &index))
		return -ENOMEM;
	queue = trace_field_find(event->layout, "queue");
	*flight = (struct operation_in_flight){
		.op = op,
		.call = number,
		.begin_ns = event->ns,
		.end_ns = event->end_ticks
				  ? trace_clock_ns(&operations->session->clock, event->end_ticks)
				  : 0,
		.process = process,
		.stream = event->stream->index,
		.queue = queue ? (uint32_t)trace_field_unsigned(event, queue) : 0,
		.api = event->record->id,
		.open = true,
	};
	read_shape(event, &flight->shape);
	operations->in_flight++;
	return map_set(&operations->known[process], op, index);
}

/* Queue and device of a command. `event` is where to look ahead from; NULL: what
 * is not known by now is described nowhere. */
static int queue_look(struct operations *operations, const struct trace_event *event,
		      struct operation *operation)
{
	struct devices *devices = operations->devices;
	uint32_t device = 0;
	int status = 0;

	if (event && operation->queue_number)
		status = trace_objects_look(&devices->objects, event, TANDEM_OBJECT_queue,
					    operation->queue_number);
	if (status)
		return status;
	operation->queue =
		trace_objects_queue(&devices->objects, operation->process, operation->queue_number);
	if (operation->queue != TRACE_NONE)
		device = devices->objects.queues[operation->queue].device;
	return event ? devices_of_number(devices, event, device, operation->domain,
					 &operation->device)
		     : devices_of_known(devices, operation->process, device, operation->domain,
					&operation->device);
}

static int find_queue(struct operations *operations, const struct trace_event *event,
		      struct operation *operation)
{
	uint64_t key = (uint64_t)operation->process << 32 | operation->queue_number;
	uint64_t known = map_get(&operations->queue_of, key);
	int status;

	if (known != MAP_NONE) {
		operation->device = (uint32_t)(known >> 32);
		operation->queue = (uint32_t)known;
		return 0;
	}
	status = queue_look(operations, event, operation);
	return status ? status
		      : map_set(&operations->queue_of, key,
				(uint64_t)operation->device << 32 | operation->queue);
}

static int find_name(struct operations *operations, const struct trace_event *event,
		     struct operation *operation, uint32_t kernel)
{
	struct trace_objects *objects = &operations->devices->objects;
	uint32_t name;
	int status;

	operation->name = operation_name(operations->session, operation->api,
					 operation->kind);
	if (operation->kind != TANDEM_OPERATION_KIND_kernel || !kernel)
		return 0;
	status = trace_objects_look(objects, event, TANDEM_OBJECT_kernel, kernel);
	name = trace_objects_kernel(objects, operation->process, kernel);
	operation->name =
		name == TRACE_NONE ? "unknown kernel" : intern_text(&objects->names, name);
	return status;
}

static void take_flight(const struct operations *operations, struct operation *operation,
			const struct operation_in_flight *flight)
{
	operation->op = flight->op;
	operation->process = flight->process;
	operation->further = flight->kept != 0;
	operation->call = flight->call;
	operation->stream = flight->stream;
	operation->call_begin_ns = flight->begin_ns;
	operation->call_end_ns = flight->end_ns;
	operation->shape = flight->shape;
	operation->api = flight->api;
	operation->queue_number = flight->queue;
	operation->domain = (uint8_t)trace_session_domain_of(operations->session, flight->api);
}

/* Times in the session's ticks, as ns. A runtime that does not say when a command
 * was queued and submitted does both within the call. */
static void take_times(struct operations *operations, struct operation *operation)
{
	struct tandem_rec_operation *ended = &operations->ended;
	struct trace_operation_times times;

	if (!trace_operation_times(operations->session, operation->record, &times) ||
	    !times.on_host)
		return;
	*ended = *operation->record;
	ended->start = times.start;
	ended->end = times.end;
	ended->queued = ended->submitted = times.start;
	if (times.waits) {
		ended->queued = times.queued;
		ended->submitted = times.submitted;
	} else if (operation->call && !operation->further && operation->call_begin_ns >= 0 &&
		   (uint64_t)operation->call_begin_ns < times.start) {
		ended->queued = ended->submitted = (uint64_t)operation->call_begin_ns;
	}
	operation->record = ended;
	operation->on_host = true;
}

/* What is known of it from its call, if anything is. */
static int take_ended(struct operations *operations, uint64_t op, struct operation *operation)
{
	uint64_t index = map_get(&operations->known[operation->process], op);

	if (index == MAP_NONE)
		return 0;
	take_flight(operations, operation, &operations->flights[index]);
	if (operations->flights[index].open)
		flight_close(operations, (uint32_t)index);
	if (trace_operation_is_runtime(op))
		return flight_keep(operations, (uint32_t)index);
	map_remove(&operations->known[operation->process], op);
	flight_give(operations, (uint32_t)index);
	return 0;
}

int operations_end(struct operations *operations, const struct trace_event *event,
		   struct operation *operation)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	int status;

	*operation = (struct operation){.process = process, .stream = TRACE_NONE};
	status = take_ended(operations, record->op, operation);
	if (status)
		return status;
	operation->op = record->op;
	if (record->api)
		operation->api = record->api;
	operation->domain = record->domain;
	operation->queue_number = record->queue;
	operation->record = record;
	operation->seen_ns = event->ns;
	operation->kind = record->kind > TANDEM_OPERATION_KIND_other ? TANDEM_OPERATION_KIND_other
								     : record->kind;
	take_times(operations, operation);
	operation->timed = record->timed && operation->record->start <= operation->record->end;
	status = find_queue(operations, event, operation);
	return status ? status : find_name(operations, event, operation, record->kernel);
}

int operations_unfinished(struct operations *operations, size_t *at, struct operation *operation)
{
	int status;

	/* A call that never returned may have enqueued nothing. */
	while (*at < operations->flight_count &&
	       (!operations->flights[*at].open || !operations->flights[*at].end_ns))
		++*at;
	if (*at == operations->flight_count)
		return 0;
	*operation = (struct operation){.kind = TANDEM_OPERATION_KIND_other};
	take_flight(operations, operation, &operations->flights[(*at)++]);
	status = find_queue(operations, NULL, operation);
	if (!status)
		status = find_name(operations, NULL, operation, 0);
	return status ? status : 1;
}

bool operations_open(const struct operations *operations, size_t *at, uint32_t process,
		     uint64_t *op)
{
	while (*at < operations->flight_count) {
		const struct operation_in_flight *flight = &operations->flights[(*at)++];

		if (!flight->open || flight->process != process)
			continue;
		*op = flight->op;
		return true;
	}
	return false;
}

void operation_span(const struct operation *operation, int64_t end_ns, int64_t *from_ns,
		    int64_t *to_ns)
{
	const struct tandem_rec_operation *record = operation->record;

	/* As long as the device says: its clock runs as fast as ours to within some
	 * millionths. */
	if (operation->placed) {
		*from_ns = operation->times.start_ns;
		*to_ns = *from_ns + (int64_t)(record->end - record->start);
		return;
	}
	*to_ns = record ? operation->seen_ns : end_ns;
	*from_ns = !operation->call	    ? operation->seen_ns
		   : operation->call_end_ns ? operation->call_end_ns
					    : operation->call_begin_ns;
	/* A blocking call saw the end before it returned. */
	if (*from_ns > *to_ns)
		*from_ns = operation->call ? operation->call_begin_ns : *to_ns;
	if (*from_ns > *to_ns)
		*to_ns = *from_ns;
}

void operations_free(struct operations *operations)
{
	for (size_t i = 0; operations->known && i < operations->session->process_count; i++)
		map_free(&operations->known[i]);
	free(operations->known);
	free(operations->flights);
	free(operations->kept);
	map_free(&operations->queue_of);
	memset(operations, 0, sizeof(*operations));
}
