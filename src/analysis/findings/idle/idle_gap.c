/* SPDX-License-Identifier: MIT */
/* A device's commands, and the gaps between them: each is counted for its cause. */
#include "analysis/findings/idle/idle_thread.h"

#include <errno.h>

/* Who sleeps for so long before the device is done, and on, did not wait for it. */
#define ASLEEP_NS 20000

/* Whether the thread that enqueued next was asleep when the device fell idle, in a program that
 * was called because of it: the thread asks now and then whether it was. */
static bool is_overslept(const struct idle *idle, const struct idle_device *device,
			 const struct sequence_event *next)
{
	const struct recent *napped = &idle->threads[next->stream].napped;

	return idle->called_ns[next->process] > device->idle_ns - ASLEEP_NS &&
	       4 * recent_within(napped, device->idle_ns - ASLEEP_NS, device->idle_ns) >
		       3 * ASLEEP_NS;
}

/* Whether most of the gap is what a driver does at a kernel's first launch. */
static bool is_first_use(const struct findings *findings, const struct idle_device *device,
			 const struct idle_enqueue *enqueue, const struct sequence_event *next)
{
	int64_t from_ns = enqueue && enqueue->ns > device->idle_ns ? enqueue->ns : device->idle_ns;

	return findings->graph->first_use && next->ns - from_ns >= GRAPH_FIRST_USE_NS &&
	       2 * (next->ns - from_ns) > next->ns - device->idle_ns;
}

static void note_long(struct idle_cause *cause, uint64_t ns)
{
	for (unsigned i = 0; i < IDLE_LONG; i++) {
		if (ns > cause->long_ns[i]) {
			uint64_t shorter = cause->long_ns[i];

			cause->long_ns[i] = ns;
			ns = shorter;
		}
	}
}

/* Who ended the longest of the thread's sleeps in the gap before `ns`. */
static void note_waker(struct idle_device *device, const struct idle_thread *thread, int64_t ns,
		       uint64_t gap_ns)
{
	const struct sleep *longest = NULL, *sleep;
	int64_t most_ns = 0;

	for (uint64_t at = 0; (sleep = sleeps_next(&thread->sleeps, &at, device->idle_ns, ns));) {
		int64_t from_ns =
			sleep->from_ns > device->idle_ns ? sleep->from_ns : device->idle_ns;
		int64_t slept_ns = (sleep->to_ns < ns ? sleep->to_ns : ns) - from_ns;

		if (slept_ns <= most_ns)
			continue;
		most_ns = slept_ns;
		longest = sleep;
	}
	if (longest)
		wakers_add(&device->wakers, &longest->waker, gap_ns);
}

static int note_between(const struct idle *idle, struct idle_device *device,
			const struct sequence_event *next, enum idle_cause_kind kind, uint64_t ns)
{
	const struct idle_enqueue *enqueue =
		next->stream == TRACE_NONE ? NULL
					   : idle_recall(&idle->threads[next->stream], next->call);
	uint64_t key = kind == HOST_BLOCKED ? IDLE_BLOCKED : 0, longest;

	if (!enqueue || enqueue->stretch.ns <= 0 || !enqueue->stretch.from)
		return 0;
	if (enqueue->stretch.of_result)
		device->causes[kind].result_ns += ns;
	key |= (uint64_t)enqueue->stretch.from->id << 32 | enqueue->stretch.to->id;
	longest = map_get(&device->longest_between, key);
	if ((longest == MAP_NONE || ns > longest) && map_set(&device->longest_between, key, ns))
		return -ENOMEM;
	return map_count(&device->between, key, ns);
}

/* A call that held up the enqueue began before the gap as well. */
static int note_other(const struct idle *idle, struct idle_device *device,
		      const struct sequence_event *next)
{
	const struct idle_thread *thread = &idle->threads[next->stream];
	const struct idle_enqueue *enqueue = idle_recall(thread, next->call);
	int64_t ns;

	if (!enqueue || !enqueue->other)
		return 0;
	ns = idle_calling_ns(thread, enqueue) -
	     (enqueue->spent[CALLING] - thread->marks[next->device].spent[CALLING]);
	return ns > 0 ? map_count(&device->calls, enqueue->other->id, (uint64_t)ns) : 0;
}

/* It runs for no time that a gap could be compared with. */
static bool is_marker(const struct sequence_event *command)
{
	return command->operation_kind == TANDEM_OPERATION_KIND_barrier ||
	       command->operation_kind == TANDEM_OPERATION_KIND_marker;
}

static int count_gap(const struct findings *findings, const struct idle *idle,
		     struct idle_device *device, const struct sequence_event *next)
{
	enum idle_cause_kind kind = idle_cause_of(findings, idle, next, device);
	const struct idle_enqueue *enqueue =
		next->stream == TRACE_NONE ? NULL
					   : idle_recall(&idle->threads[next->stream], next->call);
	struct idle_cause *cause;
	uint64_t ns = (uint64_t)(next->ns - device->idle_ns), away_ns = 0;
	bool longer;

	if (kind == HOST_CALLS && 2 * device->built_ns > (int64_t)ns)
		kind = HOST_BUILDS;
	/* A program builds before its first kernel. */
	if (kind == HOST_BUILDS && !device->worked)
		return 0;
	if (is_first_use(findings, device, enqueue, next))
		return 0;
	cause = &device->causes[kind];

	/* What others took of a CPU is no pace of the host's, nor of the driver's, and what we take is
	 * nobody's. */
	if (next->stream != TRACE_NONE)
		away_ns = (uint64_t)graph_recording_within(
			&findings->graph->threads[next->stream].recorded, device->idle_ns,
			next->ns);
	longer = ns > next->duration_ns && !is_marker(next);
	if (enqueue)
		away_ns += (uint64_t)graph_recording_gap(enqueue->recorded_ns, (int64_t)ns);
	if (kind != SYNCHRONISATION && kind != HOST_BLOCKED && next->stream != TRACE_NONE)
		away_ns += (uint64_t)recent_within(&idle->threads[next->stream].preempted,
						   device->idle_ns, next->ns);
	if (kind == LAUNCH || kind == AHEAD || kind == UNFLUSHED)
		away_ns += (uint64_t)recent_within(&idle->drivers[next->process], device->idle_ns,
						   next->ns);
	else if (enqueue)
		away_ns += (uint64_t)idle_without_cpu(idle, next, device, enqueue);
	if (away_ns >= ns)
		return 0;
	ns -= away_ns;
	cause->count++;
	cause->ns += ns;
	note_long(cause, ns);
	cause->longer += longer;
	if (kind == HOST_BLOCKED && is_overslept(idle, device, next)) {
		cause->overslept++;
		cause->overslept_ns += ns;
	}
	if (kind == SYNCHRONISATION && idle->callback && enqueue &&
	    idle_handed_ns(idle, &idle->threads[next->stream], device->idle_ns, enqueue->ns, true))
		device->called_ns += ns;
	if (kind == HOST_CALLS && next->stream != TRACE_NONE && idle->threads[next->stream].marks &&
	    note_other(idle, device, next))
		return -ENOMEM;
	if (kind == HOST_BLOCKED && next->stream != TRACE_NONE)
		note_waker(device, &idle->threads[next->stream], next->ns, ns);
	if (kind == HOST_BLOCKED) {
		uint64_t worked_ns =
			(uint64_t)recent_within(&idle->worked, device->idle_ns, next->ns);

		cause->quiet_ns += worked_ns < ns ? ns - worked_ns : 0;
	}
	if (kind == HOST_WORK)
		cause->worked_ns +=
			(uint64_t)idle->threads[next->stream].marks[next->device].worked_ns;
	if (ns >= cause->longest_ns) {
		cause->longest_ns = ns;
		cause->begin_ns = device->idle_ns;
		cause->end_ns = next->ns;
		cause->stream = next->stream;
	}
	if (kind == HOST_WORK && next->stream != TRACE_NONE &&
	    sampled_count(&idle->sampled, findings_stream(findings, next->stream)->tid,
			  device->idle_ns, next->ns, &device->stacks))
		return -ENOMEM;
	if ((kind == HOST_WORK || kind == HOST_BLOCKED) &&
	    note_between(idle, device, next, kind, ns))
		return -ENOMEM;
	if (!next->name)
		return 0;
	if (kind == UNFLUSHED)
		return map_count(&device->held, (uintptr_t)next->name, ns);
	return kind == PACE || kind == LAUNCH || kind == AHEAD
		       ? map_count(&device->late, (uintptr_t)next->name, ns)
		       : 0;
}

/* Whether a driver that holds commands back until it is told to start them had not been told. */
static bool is_unprompted(const struct idle *idle, const struct sequence_event *command)
{
	const struct idle_thread *thread;
	const struct idle_enqueue *enqueue;

	if (command->stream == TRACE_NONE)
		return false;
	thread = &idle->threads[command->stream];
	enqueue = idle_recall(thread, command->call);
	return enqueue && enqueue->end_ns && !(thread->depth && thread->activity == WAITING) &&
	       !idle_flushed_ns(thread, command->queue, enqueue->ns, command->ns);
}

int idle_operation_start(const struct findings *findings, struct idle *idle,
			 const struct sequence_event *event)
{
	struct idle_device *device = &idle->devices[event->device];
	int status = 0;

	if (!device->running++) {
		/* What is before a process's first command is its beginning, and no gap. */
		if (device->active && idle->begun[event->process] && event->ns > device->idle_ns)
			status = count_gap(findings, idle, device, event);
		if (!device->active)
			device->first_ns = event->ns;
		device->active = true;
		device->busy_since_ns = event->ns;
	}
	idle->begun[event->process] = true;
	device->worked |= event->operation_kind == TANDEM_OPERATION_KIND_kernel;
	if (event->operation_kind == TANDEM_OPERATION_KIND_copy_d2h && event->stream != TRACE_NONE)
		idle->threads[event->stream].result_call = event->call;
	device->count++;
	device->results += event->operation_kind == TANDEM_OPERATION_KIND_copy_d2h ||
			   event->operation_kind == TANDEM_OPERATION_KIND_map;
	device->unprompted += is_unprompted(idle, event);
	if (event->bound_ns > device->bound_ns)
		device->bound_ns = event->bound_ns;
	return status;
}

void idle_operation_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_device *device = &idle->devices[event->device];

	if (!device->running || --device->running)
		return;
	device->busy_ns += (uint64_t)(event->ns - device->busy_since_ns);
	device->idle_ns = event->ns;
	device->built_ns = 0;
	device->gap++;
}
