/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_command.h"

#include <errno.h>

#include "analysis/model/graph_thread.h"
#include "analysis/model/shared_cores.h"
#include "util/array.h"
#include "util/keyed_row.h"

struct graph_command *graph_command_find(struct graph *graph, const struct sequence_event *event,
					 uint64_t op)
{
	uint64_t known =
		op ? map_get(&graph->command_of, operation_key(event->process, op)) : MAP_NONE;

	return known == MAP_NONE ? NULL : &graph->commands[known];
}

int graph_command_make(struct graph *graph, const struct sequence_event *event,
		       const struct graph_thread *thread, uint32_t removed)
{
	uint32_t index = graph->free_command - 1;
	struct graph_command *command;

	if (graph->free_command) {
		graph->free_command = graph->commands[index].next_free;
	} else {
		if (array_reserve(&graph->commands, &graph->command_capacity,
				  graph->command_count + 1, sizeof(*graph->commands)))
			return -ENOMEM;
		index = (uint32_t)graph->command_count++;
	}
	command = &graph->commands[index];
	*command = (struct graph_command){
		.enqueued_ns = event->ns,
		.recorded_ns = graph_recording_command(event->api),
		.stream = event->stream,
		.removed = removed,
		.many = event->api->traits.graph,
		.after = thread->awaited,
	};
	graph_point_set(graph, &command->given, &thread->at);
	return map_set(&graph->command_of, operation_key(event->process, event->op), index);
}

static void command_drop(struct graph *graph, uint32_t process, uint64_t op)
{
	uint64_t index = map_remove(&graph->command_of, operation_key(process, op));
	struct graph_command *command;

	if (index == MAP_NONE)
		return;
	command = &graph->commands[index];
	graph_point_drop(graph, &command->given);
	graph_point_drop(graph, &command->started);
	command->next_free = graph->free_command;
	graph->free_command = (uint32_t)index + 1;
}

int graph_queue_find(struct graph *graph, uint64_t key, struct graph_queue **queue)
{
	static const struct graph_queue fresh = {.launch_ns = INT64_MAX};

	*queue = keyed_row(&graph->queue_of, key, &graph->queues, &graph->queue_capacity,
			   &graph->queue_count, &fresh, sizeof(fresh));
	return *queue ? 0 : -ENOMEM;
}

uint64_t graph_queue_key(const struct sequence_event *event)
{
	return (uint64_t)event->process << 32 | event->queue;
}

const struct graph_point *graph_behind_callback(const struct graph *graph,
						const struct sequence_event *event,
						const struct graph_point *before)
{
	const struct graph_point *callback = &graph->callbacks[event->process];

	return callback->known && callback->ns <= event->ns &&
			       (!before->known || callback->ns > before->ns)
		       ? callback
		       : before;
}

int graph_command_submitted(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = graph_command_find(graph, event, event->op);
	struct graph_thread *thread;
	struct graph_frame *frame;
	struct graph_queue *queue;
	int status;

	if (!command || event->ns <= command->given.ns)
		return 0;
	thread = &graph->threads[command->stream];
	frame = graph_frame_of(thread);
	if (!frame || frame->begin.ns <= command->enqueued_ns)
		return 0;
	if (graph_queue_find(graph, graph_queue_key(event), &queue))
		return -ENOMEM;
	if ((queue->end.known && queue->end.ns > frame->begin.ns) ||
	    (event->device < graph->device_count && graph->devices[event->device].end.known &&
	     graph->devices[event->device].end.ns > frame->begin.ns))
		return 0;
	status = graph_thread_reach(graph, thread, event->ns);
	if (status)
		return status;
	graph_point_set(graph, &command->given, frame->waits ? &frame->begin : &thread->at);
	return graph_point_extend(graph, &command->given, event->ns, GRAPH_PART_CALL,
				  frame->api->name);
}

/* Of the usual time from an enqueue to the start where the device has nothing to do: on an H100
 * 1.2 us of 6; PoCL's threads 1 to 14 us of 32 to 46, Intel's 0.3 to 0.9 us of 1.7 to 2.4. */
#define BEHIND_PART 5

/* Fewer are no habit. */
#define BEHIND_LEAST 8

/* What passes between the end of a command and the start of the next where that one is there in
 * time, which it was not here: as much as where others were. If none ever was, it is a part of what
 * passes from an enqueue to a start, which has the way to the device in it. */
static int64_t behind_usual(const struct graph_queue *device, int64_t recorded_ns)
{
	int64_t ns = device->behind.count < BEHIND_LEAST ? device->alone.value / BEHIND_PART
							 : device->behind.value;

	return ns < recorded_ns ? ns : recorded_ns;
}

/* When the device had room for a command of another queue that found it idle: once all that it did
 * until then fits in, in whatever order, and no later than behind what it did last. */
static int64_t room_from(const struct graph *graph, const struct graph_queue *device,
			 const struct graph_queue *queue, unsigned cause, int64_t behind_ns)
{
	int64_t last = device->end.ns - device->end.saved[cause] + behind_ns;
	double part = device->taken_part > 0
			      ? shared_cores_used(graph, device) / shared_cores_all(graph, device)
			      : 1;
	int64_t room = device->first_ns[cause] + (int64_t)(part * (double)device->work_ns), own;

	if (room > last)
		room = last;
	if (!queue->end.known)
		return room;
	own = queue->end.ns - queue->end.saved[cause] + behind_ns;
	return graph_later(room, own < last ? own : last);
}

static int64_t after_wait(const struct graph_command *command, unsigned cause)
{
	return command->after.known ? command->after.ns - command->after.saved[cause] : INT64_MIN;
}

/* Whether the one's commands wait for the other's that were given before. */
static bool keep_order(enum queue_order one, enum queue_order other)
{
	return one + other >= QUEUE_BLOCKING + QUEUE_DEFAULT;
}

static int note_use(struct graph *graph, const struct sequence_event *event)
{
	uint64_t key = (uint64_t)(uintptr_t)event->name * 31 + event->process;

	graph->first_use = false;
	if (event->operation_kind != TANDEM_OPERATION_KIND_kernel || !event->name ||
	    (event->name == graph->used_latest && event->process == graph->used_process))
		return 0;
	graph->used_latest = event->name;
	graph->used_process = event->process;
	if (map_get(&graph->used, key) != MAP_NONE)
		return 0;
	graph->first_use = true;
	return map_set(&graph->used, key, 1);
}

int graph_command_start(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = graph_command_find(graph, event, event->op);
	struct graph_queue *device, *queue;
	const struct graph_point *before;
	int64_t launch_ns, behind_ns = 0;
	struct graph_point given = {.known = false};
	int64_t recorded_ns, switching_ns;
	bool is_behind, is_other, is_compiled;
	int status;

	if (note_use(graph, event))
		return -ENOMEM;
	if (!command || event->device >= graph->device_count)
		return 0;
	graph->any_command = true;
	graph_thread_wakes(graph, &graph->threads[command->stream], event->ns);
	if (graph_queue_find(graph, graph_queue_key(event), &queue))
		return -ENOMEM;
	/* In its queue, all of a graph was done before. */
	if (queue->graph_op && queue->graph_op != event->op)
		command_drop(graph, event->process, queue->graph_op);
	queue->graph_op = command->many ? event->op : 0;
	device = &graph->devices[event->device];
	before = &queue->end;
	if (device->end.known && (!before->known || device->end.ns > before->ns))
		before = &device->end;
	before = graph_behind_callback(graph, event, before);
	graph_point_set(graph, &given, &command->given);
	is_behind = before->known && before->ns > given.ns && before->ns <= event->ns;
	if (queue->order == QUEUE_UNKNOWN)
		queue->order = (enum queue_order)event->order;
	is_other = before == &device->end && !is_behind &&
		   device->latest_queue != (uint32_t)(queue - graph->queues) &&
		   !keep_order(queue->order, graph->queues[device->latest_queue].order);
	launch_ns = event->ns - given.ns;
	if (is_behind) {
		behind_ns = event->ns - before->ns;
		launch_ns = device->launch_ns < launch_ns ? device->launch_ns : 0;
		usual_add(&device->behind, behind_ns);
	} else {
		if (launch_ns >= 0 && launch_ns < device->launch_ns)
			device->launch_ns = launch_ns;
		usual_add(&device->alone, event->ns - command->enqueued_ns);
		if (before->known && before->ns <= event->ns)
			behind_ns = behind_usual(device, event->ns - before->ns);
	}
	is_compiled = graph->first_use &&
		      (is_behind ? behind_ns : event->ns - given.ns) >= GRAPH_FIRST_USE_NS;
	recorded_ns = graph_recording_gap(is_behind ? command->recorded_ns : 0, behind_ns);
	if (is_behind)
		recorded_ns += graph_switching_ns(graph, before->ns + recorded_ns, event->ns);
	switching_ns = is_behind ? 0 : graph_switching_ns(graph, given.ns, event->ns);
	graph_point_set(graph, &command->started, is_behind ? before : &given);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t at = given.ns - given.saved[i] + launch_ns -
			     (i == GRAPH_NONE ? 0 : switching_ns);

		/* One that is removed ends where the one before it did. */
		if (before->known && before->ns <= event->ns && command->removed & 1u << i &&
		    !(i == GRAPH_LAUNCH && is_compiled))
			at = before->ns - before->saved[i];
		else if (is_other && before->ns <= event->ns)
			at = graph_later(graph_later(at, after_wait(command, i)),
					 room_from(graph, device, queue, i, behind_ns));
		else if (before->known && before->ns <= event->ns)
			at = graph_later(at, before->ns - before->saved[i] + behind_ns -
						     (i == GRAPH_NONE ? 0 : recorded_ns));
		command->started.saved[i] = event->ns - at;
		if (!device->work_ns)
			device->first_ns[i] = at;
	}
	status = graph_point_extend(graph, &command->started, event->ns,
				    is_behind ? GRAPH_PART_BEHIND : GRAPH_PART_LAUNCH, event->name);
	command->started.ns = event->ns;
	graph_point_drop(graph, &given);
	return status;
}

/* Of a command's time, by the driver's threads or, where it has none, by the one that enqueued it. */
static int64_t faults_within(const struct graph *graph, const struct graph_command *command,
			     const struct sequence_event *event)
{
	int64_t from_ns = command->started.ns;

	return graph_later(
		recent_within(&graph->faults[event->process], from_ns, event->ns),
		recent_within(&graph->threads[command->stream].faults, from_ns, event->ns));
}

int graph_command_end(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = graph_command_find(graph, event, event->op);
	struct graph_queue *queue;
	int64_t took;
	int status;

	if (!command || !command->started.known || event->device >= graph->device_count)
		return 0;
	took = event->ns - command->started.ns;
	if (took > 0)
		graph->devices[event->device].work_ns +=
			(int64_t)(rooms_take(&graph->rooms, event->process, event->op) *
				  (double)took);
	for (unsigned i = 0; took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
		if (i != GRAPH_LAUNCH && command->removed & 1u << i)
			command->started.saved[i] += took;
	}
	if (took > 0 && !(command->removed & 1u << GRAPH_ALLOCATION))
		command->started.saved[GRAPH_ALLOCATION] += faults_within(graph, command, event);
	status = graph_point_extend(graph, &command->started, event->ns, GRAPH_PART_EXECUTION,
				    event->name);
	if (!status)
		status = graph_queue_find(graph, graph_queue_key(event), &queue);
	if (status)
		return status;
	graph_point_set(graph, &queue->end, &command->started);
	graph_point_set(graph, &graph->devices[event->device].end, &command->started);
	graph->devices[event->device].latest_queue = (uint32_t)(queue - graph->queues);
	graph->devices[event->device].latest_process = event->process;
	graph_point_set(graph, &graph->processes[event->process], &command->started);
	if (command->waiter) {
		struct graph_frame *frame = graph_frame_of(&graph->threads[command->waiter - 1]);

		if (frame) {
			graph_point_set(graph, &frame->bound, &command->started);
			frame->started_ns = event->ns - took;
		}
	}
	graph_point_drop(graph, &command->started);
	if (!command->many)
		command_drop(graph, event->process, event->op);
	return 0;
}
