/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_event.h"

#include <errno.h>
#include <string.h>

#include "analysis/model/graph_command.h"
#include "schema/traits.h"

/* A thread of the driver's, which calls the program because a command has ended. */
static int callback_begin(struct graph *graph, struct graph_thread *thread,
			  const struct sequence_event *event)
{
	const struct graph_point *end = &graph->processes[event->process];

	if (end->known && end->ns <= event->ns && (!thread->at.known || end->ns > thread->at.ns))
		graph_point_set(graph, &thread->at, end);
	else if (!thread->at.known)
		return graph_thread_begin(graph, thread, event);
	return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_BEHIND,
				  event->api->name);
}

static int thread_call(struct graph *graph, struct graph_thread *thread,
		       const struct sequence_event *event)
{
	if (event->api->class == TANDEM_CLASS_CALLBACK && !thread->depth)
		return callback_begin(graph, thread, event);
	return thread->at.known ? graph_thread_reach(graph, thread, event->ns)
				: graph_thread_begin(graph, thread, event);
}

static uint64_t removed_take(struct graph *graph, const struct sequence_event *event)
{
	return graph->removed.count ? map_remove(&graph->removed, event->call) : MAP_NONE;
}

static void note_removed(struct graph_thread *thread, const struct graph_frame *frame,
			 uint64_t call)
{
	struct graph_removed *removed =
		&thread->removed[thread->removed_next++ % GRAPH_REMOVED_MOST];

	*removed = (struct graph_removed){.call = call, .causes = frame->removed};
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++)
		removed->from_ns[i] = frame->begin.ns - frame->gap_ns - frame->begin.saved[i];
}

/* What recording took of it is removed in any case. */
static void since_removed(struct graph_thread *thread, int64_t ns, uint32_t removed)
{
	int64_t took =
		ns - thread->at.ns - graph_recording_within(&thread->recorded, thread->at.ns, ns);

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
	int64_t gap_ns =
		thread->at.known && !thread->depth ? event->ns - thread->at.ns : GRAPH_GAP_MOST_NS;
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
		frame = graph_frame_of(thread);
		frame->api = event->api;
		frame->call = event->call;
		frame->waits = event->blocking;
		frame->scope = event->wait;
		frame->queue = graph_queue_key(event);
		frame->removed = removed == MAP_NONE ? 0 : (uint32_t)removed;
		frame->command = event->op ? operation_key(event->process, event->op) : 0;
		frame->gap_ns =
			frame->removed & GRAPH_SINCE || gap_ns >= GRAPH_GAP_MOST_NS ? 0 : gap_ns;
		graph_point_set(graph, &frame->begin, &thread->at);
		graph_point_drop(graph, &frame->bound);
		frame->recorded_ns = thread->depth == 1 ? graph_recording_call(event) : 0;
		graph_point_earlier(&thread->at, frame->recorded_ns);
	}
	frame = graph_frame_of(thread);
	if (event->op && graph_command_make(graph, event, thread,
					    frame->removed & ~(frame->removed >> GRAPH_KEEPS)))
		return -ENOMEM;
	command = graph_command_find(graph, event, event->blocking ? event->waited_op : event->op);
	if (command)
		command->waiter = event->stream + 1;
	return 0;
}

/* The end of the command whose end let a wait return, as far as it ended meanwhile. */
static const struct graph_point *find_bound(struct graph *graph, const struct graph_frame *frame,
					    const struct sequence_event *event)
{
	const struct graph_point *bound = &frame->bound;
	struct graph_queue *queue;

	if (!bound->known && frame->scope == TANDEM_WAIT_queue) {
		if (graph_queue_find(graph, frame->queue, &queue))
			return NULL;
		bound = &queue->end;
	} else if (!bound->known) {
		bound = &graph->processes[event->process];
	}
	bound = graph_behind_callback(graph, event, bound);
	return bound->known && bound->ns > frame->begin.ns && bound->ns <= event->ns ? bound : NULL;
}

/* A wait that found all done waits nevertheless where a cause is removed that kept the host behind the
 * device until then. Not one for an event: which command that was is not kept. */
static void wait_replayed(struct graph *graph, struct graph_thread *thread,
			  const struct graph_frame *frame, const struct sequence_event *event)
{
	const struct graph_point *end = &graph->processes[event->process];
	struct graph_queue *queue;

	if (frame->scope == TANDEM_WAIT_queue) {
		if (graph_queue_find(graph, frame->queue, &queue))
			return;
		end = &queue->end;
	} else if (frame->scope != TANDEM_WAIT_device && frame->scope != TANDEM_WAIT_all) {
		return;
	}
	for (unsigned i = 0; end->known && i < GRAPH_CAUSE_COUNT; i++) {
		if (!(frame->removed & 1u << i))
			thread->at.saved[i] =
				thread->at.ns - graph_later(thread->at.ns - thread->at.saved[i],
							    end->ns - end->saved[i]);
	}
}

static int wait_end(struct graph *graph, struct graph_thread *thread, struct graph_frame *frame,
		    const struct sequence_event *event)
{
	const struct graph_point *bound = find_bound(graph, frame, event);
	struct graph_point begin = {.known = false};
	int64_t took = event->ns - frame->begin.ns, lag, switching_ns;
	int status;

	graph_point_set(graph, &begin, &frame->begin);
	if (!bound) {
		graph_point_set(graph, &thread->at, &begin);
		graph_point_earlier(&thread->at, frame->recorded_ns);
		for (unsigned i = 0; took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
			if (frame->removed & 1u << i)
				thread->at.saved[i] += took;
		}
		status = graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_CALL,
					    frame->api->name);
		wait_replayed(graph, thread, frame, event);
		graph_point_drop(graph, &begin);
		return status;
	}
	lag = event->ns - bound->ns;
	switching_ns = graph_switching_ns(graph, bound->ns, event->ns);
	thread->awaited.known = true;
	thread->awaited.ns = bound->ns;
	memcpy(thread->awaited.saved, bound->saved, sizeof(bound->saved));
	graph_point_set(graph, &thread->at, bound);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t from = begin.ns - begin.saved[i];
		int64_t to =
			bound->ns - bound->saved[i] + lag - (i == GRAPH_NONE ? 0 : switching_ns);

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

/* Nothing of it is left, whatever it slept for meanwhile. */
static void call_removed(struct graph_thread *thread, const struct graph_frame *frame)
{
	for (unsigned i = 0; frame->removed && i < GRAPH_CAUSE_COUNT; i++) {
		if (frame->removed & 1u << i)
			thread->at.saved[i] = thread->at.ns - (frame->begin.ns - frame->gap_ns -
							       frame->begin.saved[i]);
	}
}

static int call_end(struct graph *graph, const struct sequence_event *event)
{
	struct graph_thread *thread = &graph->threads[event->stream];
	struct graph_frame *frame = graph_frame_of(thread);
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
		status = graph_thread_reach(graph, thread, event->ns);
	if (thread->depth <= GRAPH_DEPTH_MOST)
		call_removed(thread, frame);
	if (thread->depth-- <= GRAPH_DEPTH_MOST) {
		thread->returned = frame;
		if (frame->removed)
			note_removed(thread, frame, event->call);
		graph_point_drop(graph, &frame->begin);
		graph_point_drop(graph, &frame->bound);
		/* The outer call goes on, also one that waits. */
		if (thread->depth)
			graph_point_set(graph, &graph_frame_of(thread)->begin, &thread->at);
		else if (event->api->class == TANDEM_CLASS_CALLBACK)
			graph_point_set(graph, &graph->callbacks[event->process], &thread->at);
	}
	if (event->api->class == TANDEM_CLASS_CALLBACK && !thread->depth)
		return status;
	graph->latest[event->process] = event->stream + 1;
	return status;
}

int graph_event(struct graph *graph, const struct sequence_event *event)
{
	int status = graph_threads_wake(graph, event->ns);

	if (status)
		return status;
	graph->stream = event->stream;
	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
		return call_begin(graph, event);
	case SEQUENCE_CALL_END:
		return call_end(graph, event);
	case SEQUENCE_SUBMITTED:
		return graph_command_submitted(graph, event);
	case SEQUENCE_START:
		return graph_command_start(graph, event);
	case SEQUENCE_END:
		return graph_command_end(graph, event);
	default:
		return 0;
	}
}
