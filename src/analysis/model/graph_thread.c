/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_thread.h"

#include <errno.h>

#include "analysis/model/shared_cores.h"
#include "util/array.h"

int graph_thread_begin(struct graph *graph, struct graph_thread *thread,
		       const struct sequence_event *event)
{
	uint32_t latest = graph->latest[event->process];

	thread->at = (struct graph_point){.ns = graph->iterator->session->start_ns, .known = true};
	if (!latest)
		return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_BEFORE, "");
	graph_point_set(graph, &thread->at, &graph->threads[latest - 1].at);
	return graph_point_extend(graph, &thread->at, event->ns, GRAPH_PART_HOST, "");
}

/* The call of the waker's, if it is removed. */
static const struct graph_removed *removed_find(const struct graph_thread *waker, uint64_t call)
{
	for (unsigned i = 0; call && i < GRAPH_REMOVED_MOST; i++) {
		if (waker->removed[i].call == call)
			return &waker->removed[i];
	}
	return NULL;
}

/* What it did after a sleep follows from the thread that woke it, and only what it did beside
 * the sleep from what it had done before. In a call that is removed it does not sleep, nor for one. */
static void thread_wake(struct graph *graph, struct graph_thread *thread,
			const struct graph_woken *woken)
{
	const struct graph_frame *frame = graph_frame_of(thread);
	const struct graph_removed *by = removed_find(&graph->threads[woken->by], woken->in);
	struct graph_point before = {.known = false};
	int64_t awake_ns = woken->point.ns - thread->at.ns - woken->slept_ns;

	graph_point_set(graph, &before, &thread->at);
	graph_point_set(graph, &thread->at, &woken->point);
	for (unsigned i = 0; i < GRAPH_CAUSE_COUNT; i++) {
		int64_t own = before.ns - before.saved[i] + (awake_ns > 0 ? awake_ns : 0);
		int64_t other = woken->point.ns - woken->point.saved[i];

		/* Within calls of both it slept for a lock, which nobody has then. */
		if (by && by->causes & 1u << i)
			other = frame ? own : by->from_ns[i];
		if (frame && frame->removed & 1u << i)
			own = other = before.ns - before.saved[i];
		thread->at.saved[i] = woken->point.ns - graph_later(own, other);
	}
	graph_point_drop(graph, &before);
}

/* The first `count`. */
static void wakes_drop(struct graph *graph, struct graph_thread *thread, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		graph_point_drop(graph, &thread->woken[i].point);
	thread->woken_count -= count;
	for (unsigned i = 0; i < thread->woken_count; i++)
		thread->woken[i] = thread->woken[i + count];
	/* Those that moved left their paths to the places before. */
	for (unsigned i = thread->woken_count; i < GRAPH_WAKES_MOST; i++)
		thread->woken[i] = (struct graph_woken){.by = 0};
}

/* A thread that slept in a call for another one, as for a lock of the driver's, enqueues behind that. */
static void command_wake(struct graph *graph, struct graph_thread *thread)
{
	const struct graph_frame *frame = graph_frame_of(thread);
	uint64_t known =
		frame && frame->command ? map_get(&graph->command_of, frame->command) : MAP_NONE;
	struct graph_command *command = known == MAP_NONE ? NULL : &graph->commands[known];

	if (command && !command->started.known)
		graph_point_set(graph, &command->given, &thread->at);
}

/* The first wakes of a thread, up to `ns`. Each sleep ends with its own waker, also where a thread
 * calls nothing in between, as one that joins several. */
static void thread_wakes(struct graph *graph, struct graph_thread *thread, int64_t ns)
{
	unsigned count = 0;

	while (count < thread->woken_count && thread->woken[count].point.ns <= ns) {
		struct graph_woken *woken = &thread->woken[count++];

		if (woken->point.ns > thread->at.ns)
			thread_wake(graph, thread, woken);
	}
	if (count) {
		command_wake(graph, thread);
		wakes_drop(graph, thread, count);
	}
}

void graph_thread_wakes(struct graph *graph, struct graph_thread *thread, int64_t ns)
{
	const struct graph_frame *frame = graph_frame_of(thread);

	if (frame && !frame->waits)
		thread_wakes(graph, thread, ns);
}

int graph_thread_reach(struct graph *graph, struct graph_thread *thread, int64_t ns)
{
	const struct graph_frame *frame = graph_frame_of(thread);
	int64_t took;

	if (frame && frame->waits)
		return 0;
	thread_wakes(graph, thread, ns);
	if (!frame)
		shared_cores_work(graph, thread, ns);
	if (!frame)
		graph_point_earlier(&thread->at,
				    graph_recording_within(&thread->recorded, thread->at.ns, ns));
	took = ns - thread->at.ns;
	if (took > 0)
		graph_point_earlier(&thread->at, graph_switching_ns(graph, thread->at.ns, ns));
	for (unsigned i = 0; frame && frame->removed && took > 0 && i < GRAPH_CAUSE_COUNT; i++) {
		if (frame->removed & 1u << i)
			thread->at.saved[i] += took;
	}
	if (frame && took > 0 && !(frame->removed & 1u << GRAPH_ALLOCATION))
		thread->at.saved[GRAPH_ALLOCATION] +=
			recent_within(&thread->faults, thread->at.ns, ns);
	if (!frame && took > 0)
		thread->at.saved[GRAPH_ALLOCATION] +=
			recent_within(&thread->own_faults, thread->at.ns, ns);
	return graph_point_extend(graph, &thread->at, ns, frame ? GRAPH_PART_CALL : GRAPH_PART_HOST,
				  frame ? frame->api->name : "");
}

int graph_interval(struct graph *graph, const struct wait_thread *thread,
		   const struct states_interval *interval)
{
	const struct states_thread *by;
	const struct wait_thread *waker;

	if (graph_switches_add(&graph->switches, interval->to))
		return -ENOMEM;
	if (interval->state == STATE_RUNNING && !thread->stream)
		graph->driver_ran_ns += (uint64_t)(interval->to - interval->from);
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

/* Of a thread that waits for a command, what it slept in between is nothing. */
static void make_room(struct graph *graph, struct graph_thread *sleeper)
{
	const struct graph_frame *frame = graph_frame_of(sleeper);

	if (frame && frame->waits)
		wakes_drop(graph, sleeper, 1);
	else
		thread_wakes(graph, sleeper, sleeper->woken[0].point.ns);
}

int graph_threads_wake(struct graph *graph, int64_t ns)
{
	int status = 0;

	for (; !status && graph->wake_first < graph->wake_count &&
	       graph->wakes[graph->wake_first].to_ns <= ns;
	     graph->wake_first++) {
		const struct graph_wake *wake = &graph->wakes[graph->wake_first];
		struct graph_thread *sleeper = &graph->threads[wake->stream];
		const struct graph_thread *waker = &graph->threads[wake->by];
		const struct graph_frame *frame = graph_frame_of(&graph->threads[wake->by]);
		struct graph_woken *woken;

		if (!sleeper->at.known || !waker->at.known || (frame && frame->waits) ||
		    waker->at.ns > wake->to_ns)
			continue;
		if (sleeper->woken_count == GRAPH_WAKES_MOST)
			make_room(graph, sleeper);
		graph->stream = wake->by;
		woken = &sleeper->woken[sleeper->woken_count++];
		graph_point_set(graph, &woken->point, &waker->at);
		woken->by = wake->by;
		woken->in = frame ? frame->call : 0;
		woken->slept_ns = wake->to_ns - graph_later(wake->from_ns, sleeper->at.ns);
		for (unsigned i = 0; frame && frame->removed && i < GRAPH_CAUSE_COUNT; i++) {
			if (frame->removed & 1u << i)
				woken->point.saved[i] += wake->to_ns - waker->at.ns;
		}
		status = graph_point_extend(graph, &woken->point, wake->to_ns,
					    frame ? GRAPH_PART_CALL : GRAPH_PART_HOST,
					    frame ? frame->api->name : "");
	}
	return status;
}
