/* SPDX-License-Identifier: MIT */
/* What a thread was doing, call by call: in calls that wait, enqueue or do something else, in none,
 * and asleep.
 */
#include "analysis/findings/idle/idle_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Enqueues of a thread that are remembered. A command that was overtaken by so
 * many of its own thread was enqueued long ago. */
#define REMEMBERED 256u

/* Between two questions that follow each other so fast, nothing was done. */
#define ASKING_MOST_NS 1000

/* Brings the thread's account up to `ns`, and notes what it was when a device
 * fell idle since its last event: the thread went on with one thing all along. */
static int thread_reach(struct idle *idle, struct idle_thread *thread, int64_t ns)
{
	if (!thread->marks) {
		thread->marks = calloc(idle->device_count + 1, sizeof(*thread->marks));
		if (!thread->marks)
			return -ENOMEM;
	}
	if (!thread->known)
		thread->since_ns = ns;
	thread->known = true;
	for (size_t i = 0; i < idle->device_count; i++) {
		struct idle_device *device = &idle->devices[i];
		struct idle_mark *mark = &thread->marks[i];
		int64_t busy_ns = (int64_t)device->busy_ns +
				  (device->running ? ns - device->busy_since_ns : 0);

		if (thread->activity == WAITING)
			device->waited_ns += busy_ns - mark->busy_ns;
		else if (thread->activity == ENQUEUING)
			device->in_call_ns += busy_ns - mark->busy_ns;
		mark->busy_ns = busy_ns;
		if (device->running || mark->gap == device->gap)
			continue;
		mark->gap = device->gap;
		memcpy(mark->spent, thread->spent, sizeof(mark->spent));
		mark->worked_ns = 0;
		if (device->idle_ns <= thread->since_ns)
			continue;
		mark->spent[thread->activity] += device->idle_ns - thread->since_ns;
		if (thread->activity == WORKING)
			mark->worked_ns = device->idle_ns - thread->since_ns;
	}
	thread->spent[thread->activity] += ns - thread->since_ns;
	thread->since_ns = ns;
	return 0;
}

static int remember(struct idle_thread *thread, const struct sequence_event *event)
{
	struct idle_enqueue *enqueue;

	if (!thread->enqueues) {
		thread->enqueues = calloc(REMEMBERED, sizeof(*thread->enqueues));
		if (!thread->enqueues)
			return -ENOMEM;
	}
	enqueue = &thread->enqueues[thread->enqueued++ % REMEMBERED];
	enqueue->call = event->call;
	enqueue->ns = event->ns;
	enqueue->end_ns = 0;
	enqueue->recorded_ns = graph_recording_command(event->api);
	memcpy(enqueue->spent, thread->spent, sizeof(enqueue->spent));
	enqueue->stretch = thread->stretch;
	enqueue->other = thread->other;
	thread->stretch.ns = 0;
	return 0;
}

/* The numbers of a thread's calls increase. */
struct idle_enqueue *idle_recall(const struct idle_thread *thread, uint64_t call)
{
	uint64_t count = thread->enqueued < REMEMBERED ? thread->enqueued : REMEMBERED;
	uint64_t from = thread->enqueued - count, to = thread->enqueued;

	while (from < to) {
		uint64_t middle = from + (to - from) / 2;
		struct idle_enqueue *enqueue = &thread->enqueues[middle % REMEMBERED];

		if (enqueue->call == call)
			return enqueue;
		if (enqueue->call < call)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

int64_t idle_calling_ns(const struct idle_thread *thread, const struct idle_enqueue *enqueue)
{
	size_t before = (size_t)(enqueue - thread->enqueues) + REMEMBERED - 1;
	const struct idle_enqueue *previous = &thread->enqueues[before % REMEMBERED];

	return previous->call && previous->ns < enqueue->ns
		       ? enqueue->spent[CALLING] - previous->spent[CALLING]
		       : 0;
}

static void note_stretch(struct idle_thread *thread, const struct sequence_event *event)
{
	int64_t ns = event->ns - thread->since_ns;

	if (thread->known && thread->activity == WORKING && !thread->depth &&
	    ns > thread->stretch.ns)
		thread->stretch =
			(struct idle_stretch){thread->latest, event->api, thread->has_result, ns};
}

static void note_flush(struct idle_thread *thread, const struct sequence_event *event)
{
	unsigned at = 0;

	while (at < IDLE_FLUSHES && thread->flushes[at].queue != event->queue)
		at++;
	if (at < IDLE_FLUSHES && thread->flushes[at].enqueued == thread->enqueued)
		return;
	if (at == IDLE_FLUSHES)
		at = thread->flush_count++ % IDLE_FLUSHES;
	thread->flushes[at] = (struct idle_flush){event->ns, event->queue, thread->enqueued};
}

int64_t idle_flushed_ns(const struct idle_thread *thread, uint32_t queue, int64_t from_ns,
			int64_t to_ns)
{
	for (unsigned i = 0; i < IDLE_FLUSHES; i++) {
		const struct idle_flush *flush = &thread->flushes[i];

		if (flush->queue == queue && flush->ns > from_ns && flush->ns < to_ns)
			return flush->ns;
	}
	return 0;
}

static void note_sight(struct idle_thread *thread, int64_t from_ns, int64_t ns)
{
	thread->sights[thread->sight_count++ % IDLE_SIGHTS] = (struct idle_sight){from_ns, ns};
}

/* Whether the thread had waited for the device for most of the sleep that it ended. */
static bool has_seen(const struct idle_thread *waker, const struct sleep *sleep, bool called)
{
	for (unsigned i = 0; i < IDLE_SIGHTS && i < waker->sight_count; i++) {
		const struct idle_sight *sight = &waker->sights[i];
		int64_t from_ns = sight->from_ns > sleep->from_ns ? sight->from_ns : sleep->from_ns;

		if (!(called && sight->from_ns) && sight->ns <= sleep->to_ns &&
		    2 * (sight->ns - from_ns) > sleep->to_ns - sleep->from_ns)
			return true;
	}
	return false;
}

int64_t idle_handed_ns(const struct idle *idle, const struct idle_thread *thread, int64_t from_ns,
		       int64_t to_ns, bool called)
{
	const struct sleep *sleep;
	int64_t ns = 0, woken_ns = 0;

	for (uint64_t at = 0; (sleep = sleeps_next(&thread->sleeps, &at, from_ns, to_ns));) {
		int64_t begin_ns = sleep->from_ns > from_ns ? sleep->from_ns : from_ns;

		if (!sleep->by || !has_seen(&idle->threads[sleep->by - 1], sleep, called))
			continue;
		ns += sleep->to_ns - begin_ns;
		if (!woken_ns)
			woken_ns = sleep->to_ns;
	}
	/* It woke up when it had a CPU. */
	return ns ? ns + recent_within(&thread->preempted, woken_ns, to_ns) : 0;
}

int idle_call_begin(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	int status;

	/* A thread that asks and asks does nothing else. */
	if (thread->asked && !thread->depth && event->api->class == TANDEM_CLASS_QUERY &&
	    event->ns - thread->since_ns < ASKING_MOST_NS)
		thread->activity = CALLING;
	note_stretch(thread, event);
	status = thread_reach(idle, thread, event->ns);
	if (event->api->class == TANDEM_CLASS_CALLBACK) {
		idle->called_ns[event->process] = event->ns;
		idle->callback = event->api;
		note_sight(thread, 0, event->ns);
	}
	if (!thread->depth++) {
		thread->activity = event->blocking ? WAITING : event->op ? ENQUEUING : CALLING;
		thread->call_ns = event->ns;
		if (event->blocking)
			thread->enqueued_before = thread->enqueued;
		if (event->queue && !event->op && event->api->class == TANDEM_CLASS_CALL)
			note_flush(thread, event);
	}
	if (event->api->traits.signal) {
		idle->signals[event->process] =
			(struct idle_signal){.ns = event->ns, .stream = event->stream};
		memcpy(idle->signals[event->process].spent, thread->spent, sizeof(thread->spent));
	}
	if (!status && event->op)
		status = remember(thread, event);
	return status;
}

/* A thread of its own would have built while another one waited. */
static void note_build(struct idle_device *device, int64_t ns)
{
	int64_t left_ns = device->waited_ns - device->ahead_ns;

	device->built_ns += ns;
	if (left_ns > 0)
		device->ahead_ns += ns < left_ns ? ns : left_ns;
}

int idle_call_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	struct idle_enqueue *enqueue = event->op ? idle_recall(thread, event->call) : NULL;
	int status = thread_reach(idle, thread, event->ns);

	if (enqueue)
		enqueue->end_ns = event->ns;
	if (thread->depth && !--thread->depth) {
		if (thread->activity == WAITING)
			note_sight(thread, thread->call_ns, event->ns);
		if (thread->activity == CALLING)
			thread->other = event->api;
		thread->activity = WORKING;
		thread->asked = event->api->class == TANDEM_CLASS_QUERY;
		thread->has_result = event->blocking && thread->result_call == event->call;
		if (event->api->class != TANDEM_CLASS_RELEASE &&
		    event->api->class != TANDEM_CLASS_QUERY)
			thread->latest = event->api;
	}
	for (size_t i = 0; !status && i < idle->device_count; i++) {
		struct idle_device *device = &idle->devices[i];
		int64_t from =
			event->other_ns > device->idle_ns ? event->other_ns : device->idle_ns;

		if (device->running || !device->active || from >= event->ns)
			continue;
		if (event->api->class == TANDEM_CLASS_BUILD)
			note_build(device, event->ns - from);
		status = map_count(event->blocking ? &device->waits : &device->calls,
				   event->api->id, (uint64_t)(event->ns - from));
	}
	return status;
}

/* What it waited for the recorder, as for room in a file, is as if that had taken its CPU. */
static struct recent *recent_of(const struct findings *findings, struct idle *idle,
				uint64_t process, const struct wait_thread *waiter,
				const struct states_interval *interval)
{
	struct idle_thread *thread = waiter->stream ? &idle->threads[waiter->stream - 1] : NULL;
	unsigned state = interval->state;

	if (state == STATE_WAIT_BLOCKED && thread && interval->by == WAKER_THREAD &&
	    waits_is_recorder(findings->waits, interval->by_name))
		return &thread->preempted;
	if (state == STATE_WAIT_BLOCKED)
		return thread ? &thread->slept : NULL;
	if (state != STATE_WAIT_CPU)
		return NULL;
	if (thread)
		return &thread->preempted;
	return process == MAP_NONE ? NULL : &idle->drivers[process];
}

/* The stream of the program's thread that ended the sleep, + 1; 0: another one did. */
static uint32_t waker_of(const struct findings *findings, const struct wait_thread *sleeper,
			 const struct states_interval *interval)
{
	const struct states_thread *by;
	const struct wait_thread *waker;

	if (interval->by != WAKER_THREAD || interval->by_pid != sleeper->thread->pid)
		return 0;
	by = states_of_kernel(&findings->waits->states, interval->by_tid);
	waker = by ? by->user : NULL;
	return waker && waker != sleeper ? waker->stream : 0;
}

int idle_interval(struct findings *findings, void *state, const struct wait_thread *waiter,
		  const struct states_interval *interval)
{
	struct idle *idle = state;
	uint64_t process = map_get(&idle->process_of, waiter->thread->pid);
	struct recent *recent = recent_of(findings, idle, process, waiter, interval);

	if (process != MAP_NONE &&
	    convoy_interval(&idle->convoy, findings, (uint32_t)process, waiter, interval))
		return -ENOMEM;
	if (waiter->stream && interval->state == STATE_WAIT_BLOCKED && interval->last) {
		const struct sleep sleep = {
			.from_ns = interval->from,
			.to_ns = interval->to,
			.waker = {.by = interval->by,
				  .tid = interval->by_tid,
				  .pid = interval->by_pid,
				  .name = interval->by_name},
			.by = waker_of(findings, waiter, interval),
		};

		if (sleeps_add(&idle->threads[waiter->stream - 1].sleeps, &sleep))
			return -ENOMEM;
	}
	/* A timer's interrupt on a CPU that is idle may be no waking that was recorded. */
	if (waiter->stream && interval->state == STATE_WAIT_BLOCKED && interval->last &&
	    interval->by != WAKER_THREAD &&
	    recent_add(&idle->threads[waiter->stream - 1].napped, interval->from, interval->to))
		return -ENOMEM;
	if (interval->state == STATE_RUNNING &&
	    recent_add(&idle->worked, interval->from, interval->to))
		return -ENOMEM;
	return recent ? recent_add(recent, interval->from, interval->to) : 0;
}

void idle_thread_free(struct idle_thread *thread)
{
	free(thread->enqueues);
	free(thread->marks);
	sleeps_free(&thread->sleeps);
	recent_free(&thread->slept);
	recent_free(&thread->napped);
	recent_free(&thread->preempted);
}
