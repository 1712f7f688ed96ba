/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_event.h"

#include <errno.h>

#include "analysis/model/shared_cores.h"
#include "schema/traits.h"
#include "util/array.h"
#include "util/keyed_row.h"

static struct graph_frame *frame_of(struct graph_thread *thread)
{
	unsigned depth = thread->depth < GRAPH_DEPTH_MOST ? thread->depth : GRAPH_DEPTH_MOST;

	return depth ? &thread->frames[depth - 1] : NULL;
}

/* A thread begins behind what its process did last. */
static int thread_begin(struct graph *graph, struct graph_thread *thread,
			const struct sequence_event *event)
{
	uint32_t latest = graph->latest[event->process];

	thread->at = (struct graph_point){.ns = graph->iterator->session->start_ns, .known = true};
	if (!latest)
		return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_BEFORE, "");
	graph_point_set(graph, &thread->at, &graph->threads[latest - 1].at);
	return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_HOST, "");
}

/* What it did after a sleep follows from the thread that woke it, and only what it did beside
 * the sleep from what it had done before. */
static void thread_wake(struct graph *graph, struct graph_thread *thread)
{
	struct graph_point before = {.known = false};
	int64_t awake_ns = thread->woken.ns - thread->at.ns - thread->slept_ns;

	graph_point_set(graph, &before, &thread->at);
	graph_point_set(graph, &thread->at, &thread->woken);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t own = before.ns - before.saved[i] + (awake_ns > 0 ? awake_ns : 0);
		int64_t other = thread->woken.ns - thread->woken.saved[i];

		thread->at.saved[i] = thread->woken.ns - graph_later(own, other);
	}
	graph_point_drop(graph, &before);
}

/* Brings the thread to `ns` with what it is doing. One that waits stays where it began to. */
static int thread_reach(struct graph *graph, struct graph_thread *thread, int64_t ns)
{
	const struct graph_frame *frame = frame_of(thread);
	int64_t took;

	if (frame && frame->waits)
		return 0;
	if (thread->woken.known && thread->woken.ns > thread->at.ns && thread->woken.ns <= ns)
		thread_wake(graph, thread);
	if (!frame)
		shared_cores_work(graph, thread, ns);
	took = ns - thread->at.ns;
	for (unsigned i = 0; frame && frame->removed && took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
		if (frame->removed & 1u << i)
			thread->at.saved[i] += took;
	}
	if (frame && took > 0 && !(frame->removed & 1u << GRAPH_ALLOCATION))
		thread->at.saved[GRAPH_ALLOCATION] +=
			recent_within(&thread->faults, thread->at.ns, ns);
	return graph_point_extend(graph, &thread->at, ns, frame ? GRAPH_PART_CALL : GRAPH_PART_HOST,
				  frame ? frame->api->name : "");
}

static uint64_t op_key(const struct sequence_event *event, uint64_t op)
{
	return op ^ (uint64_t)(event->process + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

static struct graph_command *command_find(struct graph *graph, const struct sequence_event *event,
					  uint64_t op)
{
	uint64_t known = op ? map_get(&graph->command_of, op_key(event, op)) : MAP_NONE;

	return known == MAP_NONE ? NULL : &graph->commands[known];
}

static int command_make(struct graph *graph, const struct sequence_event *event,
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
		.enqueued_ns = event->ns, .stream = event->stream, .removed = removed};
	graph_point_set(graph, &command->given, &thread->at);
	return map_set(&graph->command_of, op_key(event, event->op), index);
}

static void command_drop(struct graph *graph, const struct sequence_event *event)
{
	uint64_t index = map_remove(&graph->command_of, op_key(event, event->op));
	struct graph_command *command;

	if (index == MAP_NONE)
		return;
	command = &graph->commands[index];
	graph_point_drop(graph, &command->given);
	graph_point_drop(graph, &command->started);
	command->next_free = graph->free_command;
	graph->free_command = (uint32_t)index + 1;
}

static int queue_find(struct graph *graph, uint64_t key, struct graph_queue **queue)
{
	static const struct graph_queue fresh = {.launch_ns = INT64_MAX};

	*queue = keyed_row(&graph->queue_of, key, &graph->queues, &graph->queue_capacity,
			   &graph->queue_count, &fresh, sizeof(fresh));
	return *queue ? 0 : -ENOMEM;
}

static uint64_t queue_key(const struct sequence_event *event)
{
	return (uint64_t)event->process << 32 | event->queue;
}

/* A thread of the driver's, which calls the program because a command has ended. */
static int callback_begin(struct graph *graph, struct graph_thread *thread,
			  const struct sequence_event *event)
{
	const struct graph_point *end = &graph->processes[event->process];

	if (end->known && end->ns <= event->ns && (!thread->at.known || end->ns > thread->at.ns))
		graph_point_set(graph, &thread->at, end);
	else if (!thread->at.known)
		return thread_begin(graph, thread, event);
	return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_BEHIND,
				  event->api->name);
}

static int thread_call(struct graph *graph, struct graph_thread *thread,
		       const struct sequence_event *event)
{
	if (event->api->class == TANDEM_CLASS_CALLBACK && !thread->depth)
		return callback_begin(graph, thread, event);
	return thread->at.known ? thread_reach(graph, thread, event->ns)
				: thread_begin(graph, thread, event);
}

static uint64_t removed_take(struct graph *graph, const struct sequence_event *event)
{
	return graph->removed.count ? map_remove(&graph->removed, event->call) : MAP_NONE;
}

static void note_return(struct graph_thread *thread, const struct graph_frame *frame, uint64_t call)
{
	thread->returned = call;
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++)
		thread->returned_from_ns[i] = frame->begin.ns - frame->begin.saved[i];
}

static void since_removed(struct graph_thread *thread, int64_t ns, uint32_t removed)
{
	int64_t took = ns - thread->at.ns;

	for (unsigned i = 0;
	     !thread->depth && thread->at.known && took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
		if (removed & 1u << i)
			thread->at.saved[i] += took;
	}
}

static int call_begin(struct graph *graph, const struct sequence_event *event)
{
	struct graph_thread *thread = &graph->threads[event->stream];
	uint64_t removed = removed_take(graph, event);
	struct graph_command *command;
	struct graph_frame *frame;
	int status;

	graph_returned_remove(graph, thread);
	if (removed != MAP_NONE && removed & GRAPH_SINCE)
		since_removed(thread, event->ns, (uint32_t)removed);
	status = thread_call(graph, thread, event);
	if (status)
		return status;
	if (thread->depth++ < GRAPH_DEPTH_MOST) {
		frame = frame_of(thread);
		frame->api = event->api;
		frame->waits = event->blocking;
		frame->scope = event->wait;
		frame->queue = queue_key(event);
		frame->removed = removed == MAP_NONE ? 0 : (uint32_t)removed;
		graph_point_set(graph, &frame->begin, &thread->at);
		graph_point_drop(graph, &frame->bound);
	}
	frame = frame_of(thread);
	if (event->op && command_make(graph, event, thread, frame->removed))
		return -ENOMEM;
	command = command_find(graph, event, event->blocking ? event->waited_op : event->op);
	if (command)
		command->waiter = event->stream + 1;
	return 0;
}

/* The driver's thread that called the program was not free before: that, where it is the
 * later one. */
static const struct graph_point *behind_callback(const struct graph *graph,
						 const struct sequence_event *event,
						 const struct graph_point *before)
{
	const struct graph_point *callback = &graph->callbacks[event->process];

	return callback->known && callback->ns <= event->ns &&
			       (!before->known || callback->ns > before->ns)
		       ? callback
		       : before;
}

/* The end of the command whose end let a wait return, as far as it ended meanwhile. */
static const struct graph_point *find_bound(struct graph *graph, const struct graph_frame *frame,
					    const struct sequence_event *event)
{
	const struct graph_point *bound = &frame->bound;
	struct graph_queue *queue;

	if (!bound->known && frame->scope == TANDEM_WAIT_queue) {
		if (queue_find(graph, frame->queue, &queue))
			return NULL;
		bound = &queue->end;
	} else if (!bound->known) {
		bound = &graph->processes[event->process];
	}
	bound = behind_callback(graph, event, bound);
	return bound->known && bound->ns > frame->begin.ns && bound->ns <= event->ns ? bound : NULL;
}

static int wait_end(struct graph *graph, struct graph_thread *thread, struct graph_frame *frame,
		    const struct sequence_event *event)
{
	const struct graph_point *bound = find_bound(graph, frame, event);
	struct graph_point begin = {.known = false};
	int64_t took = event->ns - frame->begin.ns, lag;
	int status;

	graph_point_set(graph, &begin, &frame->begin);
	if (!bound) {
		graph_point_set(graph, &thread->at, &begin);
		for (unsigned i = 0; took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
			if (frame->removed & 1u << i)
				thread->at.saved[i] += took;
		}
		status = graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_CALL,
					    frame->api->name);
		graph_point_drop(graph, &begin);
		return status;
	}
	lag = event->ns - bound->ns;
	graph_point_set(graph, &thread->at, bound);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t from = begin.ns - begin.saved[i];
		int64_t to = bound->ns - bound->saved[i] + lag;

		thread->at.saved[i] =
			event->ns - (frame->removed & 1u << i ? from : graph_later(from, to));
	}
	status = graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_RETURN,
				    frame->api->name);
	graph_point_drop(graph, &begin);
	return status;
}

/* Whether an enqueue did its command's work itself, as drivers do that have no threads: the
 * command ended within, and made most of the call. */
static bool is_synchronous(const struct graph_frame *frame, const struct sequence_event *event)
{
	return frame->bound.known && frame->bound.ns > frame->begin.ns &&
	       frame->bound.ns <= event->ns && frame->started_ns >= frame->begin.ns &&
	       2 * (frame->bound.ns - frame->started_ns) > event->ns - frame->begin.ns;
}

static int call_end(struct graph *graph, const struct sequence_event *event)
{
	struct graph_thread *thread = &graph->threads[event->stream];
	struct graph_frame *frame = frame_of(thread);
	uint64_t removed = removed_take(graph, event);
	int status;

	if (!frame)
		return 0;
	graph_returned_remove(graph, thread);
	/* What a call did is recorded behind its begin. */
	if (removed != MAP_NONE && thread->depth <= GRAPH_DEPTH_MOST)
		frame->removed |= (uint32_t)removed;
	if (thread->depth <= GRAPH_DEPTH_MOST && (frame->waits || is_synchronous(frame, event)))
		status = wait_end(graph, thread, frame, event);
	else
		status = thread_reach(graph, thread, event->ns);
	if (thread->depth-- <= GRAPH_DEPTH_MOST) {
		note_return(thread, frame, event->call);
		graph_point_drop(graph, &frame->begin);
		graph_point_drop(graph, &frame->bound);
		/* The outer call goes on, also one that waits. */
		if (thread->depth)
			graph_point_set(graph, &frame_of(thread)->begin, &thread->at);
		else if (event->api->class == TANDEM_CLASS_CALLBACK)
			graph_point_set(graph, &graph->callbacks[event->process], &thread->at);
	}
	if (event->api->class == TANDEM_CLASS_CALLBACK && !thread->depth)
		return status;
	graph->latest[event->process] = event->stream + 1;
	return status;
}

/* A command can be kept back until a later call submits it: then that one gave it to the
 * queue, unless it was the end of a command before it. */
static int command_submitted(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = command_find(graph, event, event->op);
	struct graph_thread *thread;
	struct graph_frame *frame;
	struct graph_queue *queue;
	int status;

	if (!command || event->ns <= command->given.ns)
		return 0;
	thread = &graph->threads[command->stream];
	frame = frame_of(thread);
	if (!frame || frame->begin.ns <= command->enqueued_ns)
		return 0;
	if (queue_find(graph, queue_key(event), &queue))
		return -ENOMEM;
	if ((queue->end.known && queue->end.ns > frame->begin.ns) ||
	    (event->device < graph->device_count && graph->devices[event->device].end.known &&
	     graph->devices[event->device].end.ns > frame->begin.ns))
		return 0;
	status = thread_reach(graph, thread, event->ns);
	if (status)
		return status;
	graph_point_set(graph, &command->given, frame->waits ? &frame->begin : &thread->at);
	return graph_point_extend(graph, &command->given, event->ns, GRAPH_PART_CALL,
				  frame->api->name);
}

/* Of the shortest time from an enqueue to the start, on GPUs: about 1.2 us of 5 us. */
#define BEHIND_PART 4

/* What passes between the end of a command and the start of the next where that one is there in
 * time, which it was not here: as much as where others were. If none ever was, it is between
 * nothing and what passes from an enqueue to a start: half of that where the CPU does it; a
 * device of its own takes its commands from a queue, without the way there. */
static int64_t behind_usual(const struct graph_queue *device, int64_t recorded_ns)
{
	int64_t ns = device->launch_ns / BEHIND_PART;

	if (device->behind_count)
		ns = device->behind_ns / device->behind_count;
	else if (device->taken_part > 0)
		ns = device->alone_ns / (2 * device->alone_count);

	return ns < recorded_ns ? ns : recorded_ns;
}

static int command_start(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = command_find(graph, event, event->op);
	struct graph_queue *device, *queue;
	const struct graph_point *before;
	int64_t launch_ns, behind_ns = 0;
	struct graph_point given = {.known = false};
	bool is_behind;
	int status;

	if (!command || event->device >= graph->device_count)
		return 0;
	graph->any_command = true;
	if (queue_find(graph, queue_key(event), &queue))
		return -ENOMEM;
	device = &graph->devices[event->device];
	before = &queue->end;
	if (device->end.known && (!before->known || device->end.ns > before->ns))
		before = &device->end;
	before = behind_callback(graph, event, before);
	graph_point_set(graph, &given, &command->given);
	is_behind = before->known && before->ns > given.ns && before->ns <= event->ns;
	launch_ns = event->ns - given.ns;
	if (is_behind) {
		behind_ns = event->ns - before->ns;
		launch_ns = device->launch_ns < launch_ns ? device->launch_ns : 0;
		device->behind_ns += behind_ns;
		device->behind_count++;
	} else {
		if (launch_ns >= 0 && launch_ns < device->launch_ns)
			device->launch_ns = launch_ns;
		device->alone_ns += event->ns - command->enqueued_ns;
		device->alone_count++;
		if (before->known && before->ns <= event->ns)
			behind_ns = behind_usual(device, event->ns - before->ns);
	}
	graph_point_set(graph, &command->started, is_behind ? before : &given);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t at = given.ns - given.saved[i] + launch_ns;

		if (before->known && before->ns <= event->ns)
			at = graph_later(at, before->ns - before->saved[i] + behind_ns);
		command->started.saved[i] = event->ns - at;
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

static int command_end(struct graph *graph, const struct sequence_event *event)
{
	struct graph_command *command = command_find(graph, event, event->op);
	struct graph_queue *queue;
	int64_t took;
	int status;

	if (!command || !command->started.known || event->device >= graph->device_count)
		return 0;
	took = event->ns - command->started.ns;
	for (unsigned i = 0; took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
		if (command->removed & 1u << i)
			command->started.saved[i] += took;
	}
	if (took > 0 && !(command->removed & 1u << GRAPH_ALLOCATION))
		command->started.saved[GRAPH_ALLOCATION] += faults_within(graph, command, event);
	status = graph_point_extend(graph, &command->started, event->ns, GRAPH_PART_EXECUTION,
				    event->name);
	if (!status)
		status = queue_find(graph, queue_key(event), &queue);
	if (status)
		return status;
	graph_point_set(graph, &queue->end, &command->started);
	graph_point_set(graph, &graph->devices[event->device].end, &command->started);
	graph->devices[event->device].latest_queue = (uint32_t)(queue - graph->queues);
	graph->devices[event->device].latest_process = event->process;
	graph_point_set(graph, &graph->processes[event->process], &command->started);
	if (command->waiter) {
		struct graph_frame *frame = frame_of(&graph->threads[command->waiter - 1]);

		if (frame) {
			graph_point_set(graph, &frame->bound, &command->started);
			frame->started_ns = event->ns - took;
		}
	}
	/* A call can have further operations, as a graph's launch. */
	graph_point_drop(graph, &command->started);
	command_drop(graph, event);
	return 0;
}

int graph_interval(struct graph *graph, const struct wait_thread *thread,
		   const struct states_interval *interval)
{
	const struct states_thread *by;
	const struct wait_thread *waker;

	if (interval->state == STATE_WAIT_BLOCKED && thread->stream &&
	    shared_cores_slept(graph, thread->stream - 1, interval->from, interval->to))
		return -ENOMEM;
	if (interval->state != STATE_WAIT_BLOCKED || !interval->last || !thread->stream ||
	    interval->by != WAKER_THREAD || interval->by_pid != thread->thread->pid ||
	    !graph->waits)
		return 0;
	by = states_of_kernel(&graph->waits->states, interval->by_tid);
	waker = by ? by->user : NULL;
	if (!waker || !waker->stream || waker == thread)
		return 0;
	/* Those that are done make room. */
	if (graph->wake_first && graph->wake_first == graph->wake_count)
		graph->wake_first = graph->wake_count = 0;
	if (array_reserve(&graph->wakes, &graph->wake_capacity, graph->wake_count + 1,
			  sizeof(*graph->wakes)))
		return -ENOMEM;
	graph->wakes[graph->wake_count++] = (struct graph_wake){
		thread->stream - 1, waker->stream - 1, interval->from, interval->to};
	return 0;
}

/* Those that lie before `ns`: what the waker was at then is known now. */
static int wakes_take(struct graph *graph, int64_t ns)
{
	int status = 0;

	for (; !status && graph->wake_first < graph->wake_count &&
	       graph->wakes[graph->wake_first].to_ns <= ns;
	     graph->wake_first++) {
		const struct graph_wake *wake = &graph->wakes[graph->wake_first];
		struct graph_thread *sleeper = &graph->threads[wake->stream];
		const struct graph_thread *waker = &graph->threads[wake->by];
		const struct graph_frame *frame = frame_of(&graph->threads[wake->by]);

		if (!sleeper->at.known || !waker->at.known || (frame && frame->waits) ||
		    waker->at.ns > wake->to_ns)
			continue;
		graph->stream = wake->by;
		graph_point_set(graph, &sleeper->woken, &waker->at);
		sleeper->slept_ns = wake->to_ns - graph_later(wake->from_ns, sleeper->at.ns);
		status = graph_point_extend(graph, &sleeper->woken, wake->to_ns,
					    frame ? GRAPH_PART_CALL : GRAPH_PART_HOST,
					    frame ? frame->api->name : "");
	}
	return status;
}

int graph_event(struct graph *graph, const struct sequence_event *event)
{
	int status = wakes_take(graph, event->ns);

	if (status)
		return status;
	graph->stream = event->stream;
	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
		return call_begin(graph, event);
	case SEQUENCE_CALL_END:
		return call_end(graph, event);
	case SEQUENCE_SUBMITTED:
		return command_submitted(graph, event);
	case SEQUENCE_START:
		return command_start(graph, event);
	case SEQUENCE_END:
		return command_end(graph, event);
	default:
		return 0;
	}
}
