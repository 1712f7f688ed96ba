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

struct command_flight { /* an enqueued command */
	uint64_t op, call;
	uint64_t kept; /* where it stands in the ring, from 1; 0: nothing of it has ended */
	int64_t begin_ns, end_ns;
	uint32_t process, stream, queue;
	uint16_t api;
	bool open; /* not seen to end yet; a free one is in the list by `stream` */
	struct command_shape shape;
};

struct command_kept {
	uint64_t ended; /* when, in commands that have ended */
	uint32_t flight;
};

int commands_init(struct commands *commands, struct devices *devices,
		  struct trace_session *session)
{
	memset(commands, 0, sizeof(*commands));
	commands->session = session;
	commands->devices = devices;
	commands->known = calloc(session->process_count + 1, sizeof(*commands->known));
	return commands->known ? 0 : -ENOMEM;
}

static void read_shape(const struct trace_event *event, struct command_shape *shape)
{
	struct event_shape read;

	if (!event_shape_read(event, &read))
		return;
	shape->dimensions = (uint8_t)read.globals;
	shape->local_dimensions = (uint8_t)read.locals;
	memcpy(shape->global, read.global, read.globals * sizeof(*read.global));
	memcpy(shape->local, read.local, read.locals * sizeof(*read.local));
}

static int flight_take(struct commands *commands, struct command_flight **flight, uint32_t *index)
{
	if (commands->free_list) {
		*index = commands->free_list - 1;
		commands->free_list = commands->flights[*index].stream;
	} else {
		if (array_reserve(&commands->flights, &commands->flight_capacity,
				  commands->flight_count + 1, sizeof(*commands->flights)))
			return -ENOMEM;
		*index = (uint32_t)commands->flight_count++;
	}
	*flight = &commands->flights[*index];
	return 0;
}

static void flight_give(struct commands *commands, uint32_t index)
{
	commands->flights[index].stream = commands->free_list;
	commands->free_list = index + 1;
}

static void flight_close(struct commands *commands, uint32_t index)
{
	commands->flights[index].open = false;
	commands->in_flight--;
}

/* Its call's latest command was so long ago that no more will come. */
static void flight_forget(struct commands *commands, uint32_t index)
{
	const struct command_flight *flight = &commands->flights[index];
	struct map *known = &commands->known[flight->process];

	if (map_get(known, flight->op) == index)
		map_remove(known, flight->op);
	flight_give(commands, index);
}

/* More commands of its call may come. It goes to the ring's end, once in a while. */
static int flight_keep(struct commands *commands, uint32_t index)
{
	struct command_flight *flight = &commands->flights[index];
	struct command_kept *kept;

	if (!commands->kept)
		commands->kept = calloc(KEPT, sizeof(*commands->kept));
	if (!commands->kept)
		return -ENOMEM;
	commands->ended_count++;
	if (flight->kept &&
	    commands->ended_count - commands->kept[(flight->kept - 1) % KEPT].ended < KEPT / 2)
		return 0;
	kept = &commands->kept[commands->kept_count % KEPT];
	if (commands->kept_count >= KEPT &&
	    commands->flights[kept->flight].kept == commands->kept_count - KEPT + 1)
		flight_forget(commands, kept->flight);
	*kept = (struct command_kept){.ended = commands->ended_count, .flight = index};
	flight->kept = ++commands->kept_count;
	return 0;
}

int commands_call(struct commands *commands, const struct trace_event *event, uint64_t number)
{
	uint64_t op = trace_event_op(event);
	uint32_t process = event->stream->process->index;
	const struct tandem_field *queue;
	struct command_flight *flight;
	uint32_t index;

	if (!op || trace_event_failed(event))
		return 0;
	if (flight_take(commands, &flight, &index))
		return -ENOMEM;
	queue = trace_field_find(event->layout, "queue");
	*flight = (struct command_flight){
		.op = op,
		.call = number,
		.begin_ns = event->ns,
		.end_ns = event->end_ticks
				  ? trace_clock_ns(&commands->session->clock, event->end_ticks)
				  : 0,
		.process = process,
		.stream = event->stream->index,
		.queue = queue ? (uint32_t)trace_field_unsigned(event, queue) : 0,
		.api = event->record->id,
		.open = true,
	};
	read_shape(event, &flight->shape);
	commands->in_flight++;
	return map_set(&commands->known[process], op, index);
}

/* Queue and device of a command. `event` is where to look ahead from; NULL: what
 * is not known by now is described nowhere. */
static int queue_look(struct commands *commands, const struct trace_event *event,
		      struct command *command)
{
	struct devices *devices = commands->devices;
	uint32_t device = 0;
	int status = 0;

	if (event && command->queue_number)
		status = trace_objects_look(&devices->objects, event, TANDEM_OBJECT_queue,
					    command->queue_number);
	if (status)
		return status;
	command->queue = trace_objects_queue(&devices->objects, command->process,
					     command->queue_number);
	if (command->queue != TRACE_NONE)
		device = devices->objects.queues[command->queue].device;
	return event ? devices_of_number(devices, event, device, command->domain,
					 &command->device)
		     : devices_of_known(devices, command->process, device, command->domain,
					&command->device);
}

static int find_queue(struct commands *commands, const struct trace_event *event,
		      struct command *command)
{
	uint64_t key = (uint64_t)command->process << 32 | command->queue_number;
	uint64_t known = map_get(&commands->queue_of, key);
	int status;

	if (known != MAP_NONE) {
		command->device = (uint32_t)(known >> 32);
		command->queue = (uint32_t)known;
		return 0;
	}
	status = queue_look(commands, event, command);
	return status ? status
		      : map_set(&commands->queue_of, key,
				(uint64_t)command->device << 32 | command->queue);
}

static int find_name(struct commands *commands, const struct trace_event *event,
		     struct command *command, uint32_t kernel)
{
	struct trace_objects *objects = &commands->devices->objects;
	uint32_t name;
	int status;

	command->name = operation_name(command->api, command->kind);
	if (command->kind != TANDEM_OPERATION_KIND_kernel || !kernel)
		return 0;
	status = trace_objects_look(objects, event, TANDEM_OBJECT_kernel, kernel);
	name = trace_objects_kernel(objects, command->process, kernel);
	command->name = name == TRACE_NONE ? "unknown kernel"
					   : intern_text(&objects->names, name);
	return status;
}

static void take_flight(struct command *command, const struct command_flight *flight)
{
	command->op = flight->op;
	command->process = flight->process;
	command->further = flight->kept != 0;
	command->call = flight->call;
	command->stream = flight->stream;
	command->call_begin_ns = flight->begin_ns;
	command->call_end_ns = flight->end_ns;
	command->shape = flight->shape;
	command->api = flight->api;
	command->queue_number = flight->queue;
	command->domain = TANDEM_ID_DOMAIN(flight->api);
}

/* Times in the session's ticks, as ns. A runtime that does not say when a command
 * was queued and submitted does both within the call. */
static void take_times(struct commands *commands, struct command *command)
{
	struct tandem_rec_operation *ended = &commands->ended;
	struct trace_operation_times times;

	if (!trace_operation_times(commands->session, command->record, &times) || !times.on_host)
		return;
	*ended = *command->record;
	ended->start = times.start;
	ended->end = times.end;
	ended->queued = ended->submitted = times.start;
	if (times.waits) {
		ended->queued = times.queued;
		ended->submitted = times.submitted;
	} else if (command->call && !command->further && command->call_begin_ns >= 0 &&
		   (uint64_t)command->call_begin_ns < times.start) {
		ended->queued = ended->submitted = (uint64_t)command->call_begin_ns;
	}
	command->record = ended;
	command->on_host = true;
}

/* What is known of it from its call, if anything is. */
static int take_ended(struct commands *commands, uint64_t op, struct command *command)
{
	uint64_t index = map_get(&commands->known[command->process], op);

	if (index == MAP_NONE)
		return 0;
	take_flight(command, &commands->flights[index]);
	if (commands->flights[index].open)
		flight_close(commands, (uint32_t)index);
	if (trace_operation_is_runtime(op))
		return flight_keep(commands, (uint32_t)index);
	map_remove(&commands->known[command->process], op);
	flight_give(commands, (uint32_t)index);
	return 0;
}

int commands_ended(struct commands *commands, const struct trace_event *event,
		   struct command *command)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	int status;

	*command = (struct command){.process = process, .stream = TRACE_NONE};
	status = take_ended(commands, record->op, command);
	if (status)
		return status;
	command->op = record->op;
	if (record->api)
		command->api = record->api;
	command->domain = record->domain;
	command->queue_number = record->queue;
	command->record = record;
	command->seen_ns = event->ns;
	command->kind = record->kind > TANDEM_OPERATION_KIND_other ? TANDEM_OPERATION_KIND_other
								   : record->kind;
	take_times(commands, command);
	command->timed = record->timed && command->record->start <= command->record->end;
	status = find_queue(commands, event, command);
	return status ? status : find_name(commands, event, command, record->kernel);
}

int commands_unfinished(struct commands *commands, size_t *at, struct command *command)
{
	int status;

	/* A call that never returned may have enqueued nothing. */
	while (*at < commands->flight_count &&
	       (!commands->flights[*at].open || !commands->flights[*at].end_ns))
		++*at;
	if (*at == commands->flight_count)
		return 0;
	*command = (struct command){.kind = TANDEM_OPERATION_KIND_other};
	take_flight(command, &commands->flights[(*at)++]);
	status = find_queue(commands, NULL, command);
	if (!status)
		status = find_name(commands, NULL, command, 0);
	return status ? status : 1;
}

bool commands_open(const struct commands *commands, size_t *at, uint32_t process, uint64_t *op)
{
	while (*at < commands->flight_count) {
		const struct command_flight *flight = &commands->flights[(*at)++];

		if (!flight->open || flight->process != process)
			continue;
		*op = flight->op;
		return true;
	}
	return false;
}

void command_span(const struct command *command, int64_t end_ns, int64_t *from_ns,
		  int64_t *to_ns)
{
	const struct tandem_rec_operation *record = command->record;

	/* As long as the device says: its clock runs as fast as ours to within some
	 * millionths. */
	if (command->placed) {
		*from_ns = command->times.start_ns;
		*to_ns = *from_ns + (int64_t)(record->end - record->start);
		return;
	}
	*to_ns = record ? command->seen_ns : end_ns;
	*from_ns = !command->call	    ? command->seen_ns
		   : command->call_end_ns ? command->call_end_ns
					    : command->call_begin_ns;
	/* A blocking call saw the end before it returned. */
	if (*from_ns > *to_ns)
		*from_ns = command->call ? command->call_begin_ns : *to_ns;
	if (*from_ns > *to_ns)
		*to_ns = *from_ns;
}

void commands_free(struct commands *commands)
{
	for (size_t i = 0; commands->known && i < commands->session->process_count; i++)
		map_free(&commands->known[i]);
	free(commands->known);
	free(commands->flights);
	free(commands->kept);
	map_free(&commands->queue_of);
	memset(commands, 0, sizeof(*commands));
}
