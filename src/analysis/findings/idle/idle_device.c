/* SPDX-License-Identifier: MIT */
/* Gaps between a device's commands, and what the host was doing meanwhile.
 *
 * A gap lies between the end of all that ran and the start of the next command.
 * If that command was enqueued before the gap began, the device and its driver
 * took so long. Else the gap is the doing of the thread that enqueued it: it was
 * waiting for the device, was in another call, did work of its own or, as far as the
 * kernel was recorded, slept; what came last, from the call to the start, is the
 * launch.
 */
#include "analysis/findings/idle/idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Enqueues of a thread that are remembered. A command that was overtaken by so
 * many of its own thread was enqueued long ago. */
#define REMEMBERED 256u

/* A launch that took so many times as long as the wait before it, and longer than any does without
 * such work, is to blame itself, as when the driver compiles in it. */
#define LAUNCH_TIMES 8
#define LAUNCH_MOST_NS 100000

/* A command that was enqueued and started only when a later call of its thread was under way
 * was kept back until then, if that is so many times as long as from that call to the start. */
#define KEPT_TIMES 4

/* Who sleeps for so long before the device is done, and on, did not wait for it. */
#define ASLEEP_NS 20000

/* A device that has run what it had, of a thread that has enqueued so many commands since it last
 * waited, and was enqueuing for so long or, of a device of its own, in no call: that is how fast the
 * host goes. */
#define PACE_COMMANDS 8u
#define PACE_MOST_NS 200000

/* A call that enqueues sleeps for longer only where another thread is in its way. */
#define LOCKED_OUT_NS 200000

/* A command that starts when the program has set an event waited for that, if the gap before it is so
 * many times as long as what passed in between. */
#define SIGNAL_TIMES 4

/* Between two questions that follow each other so fast, nothing was done. */
#define ASKING_MOST_NS 1000

static int idle_begin(struct findings *findings, void *state)
{
	struct idle *idle = state;

	idle->threads = calloc(findings->session->stream_count + 1, sizeof(*idle->threads));
	idle->device_count = findings->iterator->devices.count;
	idle->devices = calloc(idle->device_count + 1, sizeof(*idle->devices));
	idle->drivers = calloc(findings->session->process_count + 1, sizeof(*idle->drivers));
	idle->begun = calloc(findings->session->process_count + 1, sizeof(*idle->begun));
	idle->called_ns = calloc(findings->session->process_count + 1, sizeof(*idle->called_ns));
	idle->signals = calloc(findings->session->process_count + 1, sizeof(*idle->signals));
	for (size_t i = 0; i < findings->session->process_count; i++) {
		if (map_set(&idle->process_of, findings->session->processes[i].pid, i))
			return -ENOMEM;
	}
	return idle->threads && idle->devices && idle->drivers && idle->begun && idle->called_ns &&
			       idle->signals
		       ? 0
		       : -ENOMEM;
}

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
	memcpy(enqueue->spent, thread->spent, sizeof(enqueue->spent));
	enqueue->stretch = thread->stretch;
	enqueue->other = thread->other;
	thread->stretch.ns = 0;
	return 0;
}

static struct idle_enqueue *recall(const struct idle_thread *thread, uint64_t call)
{
	for (unsigned i = 0; thread->enqueues && i < REMEMBERED; i++) {
		if (thread->enqueues[i].call == call)
			return &thread->enqueues[i];
	}
	return NULL;
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
	if (at == IDLE_FLUSHES)
		at = thread->flush_count++ % IDLE_FLUSHES;
	thread->flushes[at] = (struct idle_flush){event->ns, event->queue};
}

/* Whether the queue was flushed in between. */
static bool is_flushed(const struct idle_thread *thread, uint32_t queue, int64_t from_ns,
		       int64_t to_ns)
{
	for (unsigned i = 0; i < IDLE_FLUSHES; i++) {
		const struct idle_flush *flush = &thread->flushes[i];

		if (flush->queue == queue && flush->ns > from_ns && flush->ns < to_ns)
			return true;
	}
	return false;
}

static int call_begin(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	int status;

	/* A thread that asks and asks does nothing else. */
	if (thread->asked && !thread->depth && event->api->class == TANDEM_CLASS_QUERY &&
	    event->ns - thread->since_ns < ASKING_MOST_NS)
		thread->activity = CALLING;
	note_stretch(thread, event);
	status = thread_reach(idle, thread, event->ns);
	if (event->api->class == TANDEM_CLASS_CALLBACK)
		idle->called_ns[event->process] = event->ns;
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

static int call_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	struct idle_enqueue *enqueue = event->op ? recall(thread, event->call) : NULL;
	int status = thread_reach(idle, thread, event->ns);

	if (enqueue)
		enqueue->end_ns = event->ns;
	if (thread->depth && !--thread->depth) {
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
				const struct wait_thread *waiter,
				const struct states_interval *interval)
{
	struct idle_thread *thread = waiter->stream ? &idle->threads[waiter->stream - 1] : NULL;
	unsigned state = interval->state;
	uint64_t process;

	if (state == STATE_WAIT_BLOCKED && thread && interval->by == WAKER_THREAD &&
	    waits_is_recorder(findings->waits, interval->by_name))
		return &thread->preempted;
	if (state == STATE_WAIT_BLOCKED)
		return thread ? &thread->slept : NULL;
	if (state != STATE_WAIT_CPU)
		return NULL;
	if (thread)
		return &thread->preempted;
	process = map_get(&idle->process_of, waiter->thread->pid);
	return process == MAP_NONE ? NULL : &idle->drivers[process];
}

/* Of what the kernel saw, as soon as it saw it: that is before the events of that
 * time come, which wait for their place. */
static int idle_interval(struct findings *findings, void *state, const struct wait_thread *waiter,
			 const struct states_interval *interval)
{
	struct recent *recent = recent_of(findings, state, waiter, interval);
	struct idle *idle = state;

	if (waiter->stream && interval->state == STATE_WAIT_BLOCKED && interval->last) {
		struct idle_thread *thread = &idle->threads[waiter->stream - 1];

		thread->sleeps[thread->slept_count++ % IDLE_SLEEPS] = (struct idle_sleep){
			.from_ns = interval->from,
			.to_ns = interval->to,
			.waker = {.by = interval->by,
				  .tid = interval->by_tid,
				  .pid = interval->by_pid,
				  .name = interval->by_name},
		};
	}
	/* A timer's interrupt on a CPU that is idle may be no waking that was recorded. */
	if (waiter->stream && interval->state == STATE_WAIT_BLOCKED && interval->last &&
	    interval->by != WAKER_THREAD &&
	    recent_add(&idle->threads[waiter->stream - 1].napped, interval->from, interval->to))
		return -ENOMEM;
	return recent ? recent_add(recent, interval->from, interval->to) : 0;
}

/* Whether a driver that holds commands back until it is told to start them had not been told. */
static bool is_unprompted(const struct idle *idle, const struct sequence_event *command)
{
	const struct idle_thread *thread;
	const struct idle_enqueue *enqueue;

	if (command->stream == TRACE_NONE)
		return false;
	thread = &idle->threads[command->stream];
	enqueue = recall(thread, command->call);
	return enqueue && enqueue->end_ns && !(thread->depth && thread->activity == WAITING) &&
	       !is_flushed(thread, command->queue, enqueue->ns, command->ns);
}

/* Whether the driver kept the command back until its thread waited for it, or flushed; and not
 * because the driver's threads had no CPU: before the call they had one, and slept again. */
static bool is_kept(const struct idle *idle, const struct idle_enqueue *enqueue,
		    const struct idle_device *device, const struct sequence_event *next)
{
	const struct idle_thread *thread = &idle->threads[next->stream];
	const struct recent *drivers = &idle->drivers[next->process];
	int64_t from_ns = enqueue->end_ns > device->idle_ns ? enqueue->end_ns : device->idle_ns;
	int64_t kept_ns = thread->call_ns - from_ns, launch_ns = next->ns - thread->call_ns;

	/* It started before its call returned; or the device was idle for something else. */
	if (!enqueue->end_ns || 2 * kept_ns < next->ns - device->idle_ns)
		return false;
	if (is_flushed(thread, next->queue, enqueue->ns, thread->call_ns))
		return false;
	if (!thread->depth || thread->call_ns <= enqueue->ns || launch_ns <= 0 || kept_ns <= 0)
		return false;
	launch_ns -= recent_within(drivers, thread->call_ns, next->ns);
	from_ns = thread->call_ns - kept_ns / KEPT_TIMES;
	return kept_ns > KEPT_TIMES * launch_ns &&
	       kept_ns > 2 * KEPT_TIMES * recent_within(drivers, from_ns, thread->call_ns);
}

/* Where the device is the CPU, work of the host between calls takes the device's cores. */
static bool is_pace(const struct findings *findings, const struct idle_thread *thread,
		    const struct sequence_event *next, int64_t ns, bool enqueuing)
{
	return ns <= PACE_MOST_NS && ns > (int64_t)next->duration_ns &&
	       thread->enqueued - thread->enqueued_before > PACE_COMMANDS &&
	       (enqueuing ||
		!(devices_taken_part(&findings->iterator->devices.rows[next->device]) > 0));
}

/* What the thread did that set the event which the command had waited for; AHEAD: none did. */
static enum idle_cause_kind before_signal(const struct idle *idle,
					  const struct sequence_event *next,
					  const struct idle_device *device)
{
	const struct idle_signal *signal = &idle->signals[next->process];
	const struct idle_thread *thread = &idle->threads[signal->stream];
	int64_t spent[ACTIVITIES];

	if (signal->ns <= device->idle_ns || !thread->marks ||
	    thread->marks[next->device].gap != device->gap ||
	    SIGNAL_TIMES * (next->ns - signal->ns) > next->ns - device->idle_ns)
		return AHEAD;
	for (unsigned i = 0; i < ACTIVITIES; i++)
		spent[i] = signal->spent[i] - thread->marks[next->device].spent[i];
	spent[CALLING] += spent[ENQUEUING];
	if (spent[WAITING] > spent[WORKING] && spent[WAITING] > spent[CALLING])
		return SYNCHRONISATION;
	if (spent[WORKING] < spent[CALLING])
		return HOST_CALLS;
	return 2 * recent_within(&thread->slept, device->idle_ns, signal->ns) > spent[WORKING]
		       ? HOST_BLOCKED
		       : HOST_WORK;
}

/* Whether the thread slept in the call itself: the driver was busy with another thread's. */
static bool is_locked_out(const struct idle_thread *thread, const struct idle_enqueue *enqueue,
			  const struct sequence_event *next)
{
	int64_t to_ns = enqueue->end_ns && enqueue->end_ns < next->ns ? enqueue->end_ns : next->ns;

	return to_ns - enqueue->ns > LOCKED_OUT_NS &&
	       2 * recent_within(&thread->slept, enqueue->ns, to_ns) > next->ns - enqueue->ns;
}

/* What the thread spent in other calls since its enqueue before. */
static int64_t calling_ns(const struct idle_thread *thread, const struct idle_enqueue *enqueue)
{
	size_t before = (size_t)(enqueue - thread->enqueues) + REMEMBERED - 1;
	const struct idle_enqueue *previous = &thread->enqueues[before % REMEMBERED];

	return previous->call && previous->ns < enqueue->ns
		       ? enqueue->spent[CALLING] - previous->spent[CALLING]
		       : 0;
}

/* For how long of a launch the driver's threads had no CPU. */
static int64_t without_cpu(const struct idle *idle, const struct sequence_event *next,
			   const struct idle_device *device, const struct idle_enqueue *enqueue)
{
	int64_t from_ns = enqueue->ns > device->idle_ns ? enqueue->ns : device->idle_ns;

	return recent_within(&idle->drivers[next->process], from_ns, next->ns);
}

static enum idle_cause_kind cause_of(const struct findings *findings, const struct idle *idle,
				     const struct sequence_event *next,
				     const struct idle_device *device)
{
	const struct idle_thread *thread;
	const struct idle_enqueue *enqueue;
	int64_t spent[ACTIVITIES], launch, from_ns, calling, hashed;
	size_t index = next->device;

	if (next->stream == TRACE_NONE)
		return before_signal(idle, next, device);
	thread = &idle->threads[next->stream];
	enqueue = recall(thread, next->call);
	if (enqueue && is_kept(idle, enqueue, device, next))
		return UNFLUSHED;
	if (enqueue && idle->signals[next->process].ns > enqueue->ns) {
		enum idle_cause_kind kind = before_signal(idle, next, device);

		if (kind != AHEAD)
			return kind;
	}
	if (!enqueue || enqueue->ns <= device->idle_ns || !thread->marks ||
	    thread->marks[index].gap != device->gap)
		return before_signal(idle, next, device);
	for (unsigned i = 0; i < ACTIVITIES; i++)
		spent[i] = enqueue->spent[i] - thread->marks[index].spent[i];
	hashed = recent_within(&thread->hashed, device->idle_ns, enqueue->ns);
	spent[WORKING] -= hashed < spent[WORKING] ? hashed : spent[WORKING];
	launch = next->ns - enqueue->ns - without_cpu(idle, next, device, enqueue);
	/* It slept in the wait as well. */
	from_ns = device->idle_ns + (spent[WAITING] > 0 ? spent[WAITING] : 0);
	/* Had it not waited, the launch would have been over by then. */
	if (spent[WAITING] > 0 &&
	    (launch < LAUNCH_MOST_NS || launch < LAUNCH_TIMES * spent[WAITING]))
		spent[WAITING] += launch;
	if (spent[ENQUEUING] > spent[WAITING] && spent[ENQUEUING] > spent[WORKING] &&
	    spent[ENQUEUING] > spent[CALLING] &&
	    is_pace(findings, thread, next, next->ns - device->idle_ns, true))
		return PACE;
	calling = spent[CALLING];
	spent[CALLING] += spent[ENQUEUING];
	if (spent[WAITING] >= spent[WORKING] && spent[WAITING] >= spent[CALLING] &&
	    spent[WAITING] > 0)
		return SYNCHRONISATION;
	/* Without those calls it would have been enqueued so much earlier. */
	if (launch >= spent[WORKING] + spent[CALLING])
		return is_locked_out(thread, enqueue, next) ||
				       (calling > 0 && 2 * calling_ns(thread, enqueue) >= launch)
			       ? HOST_CALLS
			       : LAUNCH;
	if (spent[WORKING] < spent[CALLING])
		return HOST_CALLS;
	if (2 * recent_within(&thread->slept, from_ns, enqueue->ns) > spent[WORKING])
		return HOST_BLOCKED;
	return is_pace(findings, thread, next, next->ns - device->idle_ns, false) ? PACE
										  : HOST_WORK;
}

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
	const struct idle_sleep *longest = NULL;
	int64_t most_ns = 0;

	for (unsigned i = 0; i < IDLE_SLEEPS && i < thread->slept_count; i++) {
		const struct idle_sleep *sleep = &thread->sleeps[i];
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
					   : recall(&idle->threads[next->stream], next->call);
	uint64_t key = kind == HOST_BLOCKED ? IDLE_BLOCKED : 0;

	if (!enqueue || enqueue->stretch.ns <= 0 || !enqueue->stretch.from)
		return 0;
	if (enqueue->stretch.of_result)
		device->causes[kind].result_ns += ns;
	key |= (uint64_t)enqueue->stretch.from->id << 32 | enqueue->stretch.to->id;
	return map_count(&device->between, key, ns);
}

/* A call that held up the enqueue began before the gap as well. */
static int note_other(const struct idle *idle, struct idle_device *device,
		      const struct sequence_event *next)
{
	const struct idle_thread *thread = &idle->threads[next->stream];
	const struct idle_enqueue *enqueue = recall(thread, next->call);
	int64_t ns;

	if (!enqueue || !enqueue->other)
		return 0;
	ns = calling_ns(thread, enqueue) -
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
	enum idle_cause_kind kind = cause_of(findings, idle, next, device);
	const struct idle_enqueue *enqueue =
		next->stream == TRACE_NONE ? NULL
					   : recall(&idle->threads[next->stream], next->call);
	struct idle_cause *cause;
	uint64_t ns = (uint64_t)(next->ns - device->idle_ns), away_ns = 0;

	if (kind == HOST_CALLS && 2 * device->built_ns > (int64_t)ns)
		kind = HOST_BUILDS;
	/* A program builds before its first kernel. */
	if (kind == HOST_BUILDS && !device->worked)
		return 0;
	cause = &device->causes[kind];

	/* What others took of a CPU is no pace of the host's, nor of the driver's, and what we take is
	 * nobody's. */
	if (next->stream != TRACE_NONE)
		away_ns = (uint64_t)recent_within(&idle->threads[next->stream].hashed,
						  device->idle_ns, next->ns);
	if (kind != SYNCHRONISATION && kind != HOST_BLOCKED && next->stream != TRACE_NONE)
		away_ns += (uint64_t)recent_within(&idle->threads[next->stream].preempted,
						   device->idle_ns, next->ns);
	if (kind == LAUNCH || kind == AHEAD || kind == UNFLUSHED)
		away_ns += (uint64_t)recent_within(&idle->drivers[next->process], device->idle_ns,
						   next->ns);
	else if (enqueue)
		away_ns += (uint64_t)without_cpu(idle, next, device, enqueue);
	if (away_ns >= ns)
		return 0;
	ns -= away_ns;
	cause->count++;
	cause->ns += ns;
	note_long(cause, ns);
	cause->longer += ns > next->duration_ns && !is_marker(next);
	if (kind == HOST_BLOCKED && is_overslept(idle, device, next)) {
		cause->overslept++;
		cause->overslept_ns += ns;
	}
	if (kind == HOST_CALLS && next->stream != TRACE_NONE && idle->threads[next->stream].marks &&
	    note_other(idle, device, next))
		return -ENOMEM;
	if (kind == HOST_BLOCKED && next->stream != TRACE_NONE)
		note_waker(device, &idle->threads[next->stream], next->ns, ns);
	if (kind == HOST_WORK)
		cause->worked_ns +=
			(uint64_t)idle->threads[next->stream].marks[next->device].worked_ns;
	if (ns >= cause->longest_ns) {
		cause->longest_ns = ns;
		cause->begin_ns = device->idle_ns;
		cause->end_ns = next->ns;
		cause->stream = next->stream;
	}
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

static int operation_start(const struct findings *findings, struct idle *idle,
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
	device->unprompted += is_unprompted(idle, event);
	if (event->bound_ns > device->bound_ns)
		device->bound_ns = event->bound_ns;
	return status;
}

static void operation_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_device *device = &idle->devices[event->device];

	if (!device->running || --device->running)
		return;
	device->busy_ns += (uint64_t)(event->ns - device->busy_since_ns);
	device->idle_ns = event->ns;
	device->built_ns = 0;
	device->gap++;
}

/* Contents are hashed behind their call, until their record. 0 or -ENOMEM. */
static int note_hashed(struct idle *idle, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct idle_thread *thread;
	int64_t from_ns;

	if (!event || !event->stream)
		return 0;
	thread = &idle->threads[event->stream->index];
	from_ns = thread->returned_ns;
	if (item->kind == ITEM_CALL && item->end_ns != INT64_MIN && item->end_ns > from_ns)
		thread->returned_ns = item->end_ns;
	if (item->kind != ITEM_OTHER || !from_ns || event->ns <= from_ns ||
	    (event->record->id != TANDEM_EVENT_content &&
	     event->record->id != TANDEM_EVENT_content_read))
		return 0;
	thread->returned_ns = event->ns;
	return recent_add(&thread->hashed, from_ns, event->ns);
}

/* What the host would not wait for, if it enqueued more in between. */
static int idle_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct idle *idle = state;
	struct wait_counted call;

	if (note_hashed(idle, item))
		return -ENOMEM;
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	call = wait_counter_call(&idle->threads[item->event->stream->index].waits, item->event);
	if (!call.waits || call.operations > IDLE_COMMANDS_A_WAIT ||
	    (!call.operations && !call.transfers))
		return 0;
	return call.is_result ? graph_remove(findings->graph, item->call, GRAPH_WAIT_OFTEN)
			      : graph_remove_wait(findings->graph, item->call, GRAPH_WAIT_OFTEN);
}

static int idle_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct idle *idle = state;

	/* Pages that move are no commands: the host gave none. */
	if (event->operation_kind == TANDEM_OPERATION_KIND_migrate &&
	    (event->kind == SEQUENCE_START || event->kind == SEQUENCE_END))
		return 0;
	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
		return call_begin(idle, event);
	case SEQUENCE_CALL_END:
		return call_end(idle, event);
	case SEQUENCE_START:
		return event->device < idle->device_count ? operation_start(findings, idle, event)
							  : 0;
	case SEQUENCE_END:
		if (event->device < idle->device_count)
			operation_end(idle, event);
		return 0;
	default:
		return 0;
	}
}

static int idle_end(struct findings *findings, void *state)
{
	return idle_say(findings, state);
}

static void idle_release(struct findings *findings, void *state)
{
	struct idle *idle = state;

	for (size_t i = 0; idle->threads && i < findings->session->stream_count; i++) {
		free(idle->threads[i].enqueues);
		free(idle->threads[i].marks);
		recent_free(&idle->threads[i].slept);
		recent_free(&idle->threads[i].napped);
		recent_free(&idle->threads[i].preempted);
		recent_free(&idle->threads[i].hashed);
	}
	for (size_t i = 0; idle->devices && i < idle->device_count; i++) {
		map_free(&idle->devices[i].calls);
		map_free(&idle->devices[i].waits);
		map_free(&idle->devices[i].late);
		map_free(&idle->devices[i].held);
		map_free(&idle->devices[i].between);
	}
	for (size_t i = 0; idle->drivers && i < findings->session->process_count; i++)
		recent_free(&idle->drivers[i]);
	free(idle->drivers);
	free(idle->begun);
	free(idle->called_ns);
	free(idle->signals);
	map_free(&idle->process_of);
	free(idle->threads);
	free(idle->devices);
}

const struct finding_ops finding_idle_device = {
	.name = "idle-device",
	.words = "gaps between a device's commands, by what the host was doing",
	.state_bytes = sizeof(struct idle),
	.begin = idle_begin,
	.waits = true,
	.graph = true,
	.item = idle_item,
	.event = idle_event,
	.interval = idle_interval,
	.end = idle_end,
	.release = idle_release,
};
