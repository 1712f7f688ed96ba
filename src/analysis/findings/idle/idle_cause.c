/* SPDX-License-Identifier: MIT */
/* Why a device was idle before a command: whose doing the gap was. */
#include "analysis/findings/idle/idle_thread.h"

/* A launch that took so many times as long as the wait before it, and longer than any does without
 * such work, is to blame itself, as when the driver compiles in it. */
#define LAUNCH_TIMES 8
#define LAUNCH_MOST_NS 100000

/* A command that was enqueued and started only when a later call of its thread was under way
 * was kept back until then, if that is so many times as long as from that call to the start. */
#define KEPT_TIMES 4

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

/* Since when the driver had reason to start the command: its thread flushed the queue, or a call is under
 * way in which it waits or does so; 0: neither. */
static int64_t prompted_ns(const struct idle_thread *thread, const struct idle_enqueue *enqueue,
			   const struct sequence_event *next)
{
	int64_t flushed_ns = idle_flushed_ns(thread, next->queue, enqueue->ns, next->ns);

	if (flushed_ns)
		return flushed_ns;
	return thread->depth && thread->call_ns > enqueue->ns ? thread->call_ns : 0;
}

/* Whether the driver kept the command back until its thread waited for it, or flushed; and not
 * because the driver's threads had no CPU: before the call they had one, and slept again. */
static bool is_kept(const struct idle *idle, const struct idle_enqueue *enqueue,
		    const struct idle_device *device, const struct sequence_event *next)
{
	const struct idle_thread *thread = &idle->threads[next->stream];
	const struct recent *drivers = &idle->drivers[next->process];
	int64_t from_ns = enqueue->end_ns > device->idle_ns ? enqueue->end_ns : device->idle_ns;
	int64_t prompt_ns = prompted_ns(thread, enqueue, next);
	int64_t kept_ns = prompt_ns - from_ns, launch_ns = next->ns - prompt_ns;

	/* It started before its call returned; or the device was idle for something else. */
	if (!enqueue->end_ns || !prompt_ns || 2 * kept_ns < next->ns - device->idle_ns)
		return false;
	if (launch_ns <= 0 || kept_ns <= 0)
		return false;
	launch_ns -= recent_within(drivers, prompt_ns, next->ns);
	from_ns = prompt_ns - kept_ns / KEPT_TIMES;
	return kept_ns > KEPT_TIMES * launch_ns &&
	       kept_ns > 2 * KEPT_TIMES * recent_within(drivers, from_ns, prompt_ns);
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

int64_t idle_without_cpu(const struct idle *idle, const struct sequence_event *next,
			 const struct idle_device *device, const struct idle_enqueue *enqueue)
{
	int64_t from_ns = enqueue->ns > device->idle_ns ? enqueue->ns : device->idle_ns;

	return recent_within(&idle->drivers[next->process], from_ns, next->ns);
}

enum idle_cause_kind idle_cause_of(const struct findings *findings, const struct idle *idle,
				   const struct sequence_event *next,
				   const struct idle_device *device)
{
	const struct idle_thread *thread;
	const struct idle_enqueue *enqueue;
	int64_t spent[ACTIVITIES], launch, from_ns, calling, hashed, handed;
	size_t index = next->device;

	if (next->stream == TRACE_NONE)
		return before_signal(idle, next, device);
	thread = &idle->threads[next->stream];
	enqueue = idle_recall(thread, next->call);
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
	hashed = graph_recording_within(&findings->graph->threads[next->stream].recorded,
					device->idle_ns, enqueue->ns);
	spent[WORKING] -= hashed < spent[WORKING] ? hashed : spent[WORKING];
	handed = idle_handed_ns(idle, thread, device->idle_ns, enqueue->ns, false);
	if (handed > spent[WORKING])
		handed = spent[WORKING] > 0 ? spent[WORKING] : 0;
	spent[WORKING] -= handed;
	spent[WAITING] += handed;
	launch = next->ns - enqueue->ns - idle_without_cpu(idle, next, device, enqueue);
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
				       (calling > 0 &&
					2 * idle_calling_ns(thread, enqueue) >= launch)
			       ? HOST_CALLS
			       : LAUNCH;
	if (spent[WORKING] < spent[CALLING])
		return HOST_CALLS;
	if (2 * recent_within(&thread->slept, from_ns, enqueue->ns) > spent[WORKING])
		return HOST_BLOCKED;
	return is_pace(findings, thread, next, next->ns - device->idle_ns, false) ? PACE
										  : HOST_WORK;
}
