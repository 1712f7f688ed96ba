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
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"
#include "util/units.h"

/* Enqueues of a thread that are remembered. A command that was overtaken by so
 * many of its own thread was enqueued long ago. */
#define REMEMBERED 256u

/* A launch that took so many times as long as the wait before it is to blame
 * itself, as when the driver compiles in it. */
#define LAUNCH_TIMES 8

enum activity { WORKING, WAITING, CALLING, ACTIVITIES };

/* Fewer gaps of the host's doing are no habit: a program has to begin and to end. */
#define HABIT_COUNT 4u

/* A wait in the midst of more commands than this is no way to feed a device command by
 * command: the host needs a result now and then. */
#define COMMANDS_A_WAIT 8u

/* A command that was enqueued and started only when a later call of its thread was under way
 * was kept back until then, if that is so many times as long as from that call to the start. */
#define KEPT_TIMES 4

/* LAUNCH: enqueued in the gap; AHEAD: before it; UNFLUSHED: either, and kept back. */
enum cause {
	SYNCHRONISATION,
	HOST_WORK,
	HOST_BLOCKED,
	HOST_CALLS,
	LAUNCH,
	AHEAD,
	UNFLUSHED,
	CAUSES,
};

struct idle_enqueue {
	uint64_t call;
	int64_t ns;
	int64_t spent[ACTIVITIES]; /* by the thread until then */
};

struct idle_mark {
	int64_t busy_ns; /* of the device, at the thread's latest event */
	uint64_t gap;
	int64_t spent[ACTIVITIES];
};

struct idle_thread { /* of a stream */
	enum activity activity;
	unsigned depth; /* calls within calls */
	int64_t since_ns;
	int64_t call_ns;  /* begin of the call that is under way */
	int64_t flush_ns; /* same, of the latest that is about a queue and does nothing else */
	bool known;	  /* an event of it was seen */
	int64_t spent[ACTIVITIES];
	struct idle_enqueue *enqueues; /* a ring, made at the first */
	uint64_t enqueued;
	struct recent slept, preempted;
	struct idle_mark *marks; /* by device: `spent` when it fell idle */
};

struct idle_cause {
	uint64_t count, ns, longest_ns;
	uint64_t longer;	  /* gaps that are longer than the command behind them */
	int64_t begin_ns, end_ns; /* of the longest */
	uint32_t stream;
};

struct idle_device {
	unsigned running;
	bool active;		   /* it has run something */
	int64_t idle_ns, first_ns; /* since when; when it first ran */
	uint64_t gap;		   /* number of the current one */
	uint64_t count, busy_ns;
	int64_t busy_since_ns;
	uint64_t bound_ns; /* the greatest of the clock's bounds */
	struct idle_cause causes[CAUSES];
	struct map calls;  /* event id -> ns in such calls within gaps */
	struct map waits;  /* same, of calls that waited for the device, and had ended by then */
	int64_t waited_ns; /* by threads while it ran something */
};

struct idle {
	struct map process_of;	/* pid -> index */
	struct recent *drivers; /* by process: its threads without calls, for a CPU */
	struct idle_thread *threads;
	struct idle_device *devices;
	size_t device_count;
};

static int idle_begin(struct findings *findings, void *state)
{
	struct idle *idle = state;

	idle->threads = calloc(findings->session->stream_count + 1, sizeof(*idle->threads));
	idle->device_count = findings->iterator->devices.count;
	idle->devices = calloc(idle->device_count + 1, sizeof(*idle->devices));
	idle->drivers = calloc(findings->session->process_count + 1, sizeof(*idle->drivers));
	for (size_t i = 0; i < findings->session->process_count; i++) {
		if (map_set(&idle->process_of, findings->session->processes[i].pid, i))
			return -ENOMEM;
	}
	return idle->threads && idle->devices && idle->drivers ? 0 : -ENOMEM;
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
		mark->busy_ns = busy_ns;
		if (device->running || mark->gap == device->gap)
			continue;
		mark->gap = device->gap;
		memcpy(mark->spent, thread->spent, sizeof(mark->spent));
		if (device->idle_ns > thread->since_ns)
			mark->spent[thread->activity] += device->idle_ns - thread->since_ns;
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
	memcpy(enqueue->spent, thread->spent, sizeof(enqueue->spent));
	return 0;
}

static const struct idle_enqueue *recall(const struct idle_thread *thread, uint64_t call)
{
	for (unsigned i = 0; thread->enqueues && i < REMEMBERED; i++) {
		if (thread->enqueues[i].call == call)
			return &thread->enqueues[i];
	}
	return NULL;
}

static int call_begin(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	int status = thread_reach(idle, thread, event->ns);

	if (!thread->depth++) {
		thread->activity = event->blocking ? WAITING : CALLING;
		thread->call_ns = event->ns;
		if (event->queue && !event->op && event->api->class == TANDEM_CLASS_CALL)
			thread->flush_ns = event->ns;
	}
	if (!status && event->op)
		status = remember(thread, event);
	return status;
}

static int map_count(struct map *map, uint64_t key, uint64_t ns)
{
	uint64_t known = map_get(map, key);

	return map_set(map, key, (known == MAP_NONE ? 0 : known) + ns);
}

static int call_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_thread *thread = &idle->threads[event->stream];
	int status = thread_reach(idle, thread, event->ns);

	if (thread->depth && !--thread->depth)
		thread->activity = WORKING;
	for (size_t i = 0; !status && i < idle->device_count; i++) {
		struct idle_device *device = &idle->devices[i];
		int64_t from =
			event->other_ns > device->idle_ns ? event->other_ns : device->idle_ns;

		if (device->running || !device->active || from >= event->ns)
			continue;
		status = map_count(event->blocking ? &device->waits : &device->calls,
				   event->api->id, (uint64_t)(event->ns - from));
	}
	return status;
}

static struct recent *recent_of(struct idle *idle, const struct wait_thread *waiter, unsigned state)
{
	struct idle_thread *thread = waiter->stream ? &idle->threads[waiter->stream - 1] : NULL;
	uint64_t process;

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
	struct recent *recent = recent_of(state, waiter, interval->state);

	(void)findings;
	return recent ? recent_add(recent, interval->from, interval->to) : 0;
}

/* Whether the driver kept the command back until its thread waited for it, or flushed; and not
 * because the driver's threads had no CPU: before the call they had one, and slept again. */
static bool is_kept(const struct idle *idle, const struct idle_enqueue *enqueue,
		    const struct idle_device *device, const struct sequence_event *next)
{
	const struct idle_thread *thread = &idle->threads[next->stream];
	const struct recent *drivers = &idle->drivers[next->process];
	int64_t from_ns = enqueue->ns > device->idle_ns ? enqueue->ns : device->idle_ns;
	int64_t kept_ns = thread->call_ns - from_ns, launch_ns = next->ns - thread->call_ns;

	if (thread->flush_ns > enqueue->ns && thread->flush_ns < thread->call_ns)
		return false;
	if (!thread->depth || thread->call_ns <= enqueue->ns || launch_ns <= 0 || kept_ns <= 0)
		return false;
	launch_ns -= recent_within(drivers, thread->call_ns, next->ns);
	from_ns = thread->call_ns - kept_ns / KEPT_TIMES;
	return kept_ns > KEPT_TIMES * launch_ns &&
	       kept_ns > KEPT_TIMES * KEPT_TIMES * recent_within(drivers, from_ns, thread->call_ns);
}

static enum cause cause_of(const struct idle *idle, const struct sequence_event *next,
			   const struct idle_device *device, size_t index)
{
	const struct idle_thread *thread;
	const struct idle_enqueue *enqueue;
	int64_t spent[ACTIVITIES], launch;

	if (next->stream == TRACE_NONE)
		return AHEAD;
	thread = &idle->threads[next->stream];
	enqueue = recall(thread, next->call);
	if (enqueue && is_kept(idle, enqueue, device, next))
		return UNFLUSHED;
	if (!enqueue || enqueue->ns <= device->idle_ns || !thread->marks ||
	    thread->marks[index].gap != device->gap)
		return AHEAD;
	for (unsigned i = 0; i < ACTIVITIES; i++)
		spent[i] = enqueue->spent[i] - thread->marks[index].spent[i];
	launch = next->ns - enqueue->ns;
	/* Had it not waited, the launch would have been over by then. */
	if (spent[WAITING] > 0 && launch < LAUNCH_TIMES * spent[WAITING])
		spent[WAITING] += launch;
	if (spent[WAITING] >= spent[WORKING] && spent[WAITING] >= spent[CALLING] &&
	    spent[WAITING] > 0)
		return SYNCHRONISATION;
	if (launch >= spent[WORKING] && launch >= spent[CALLING])
		return LAUNCH;
	if (spent[WORKING] < spent[CALLING])
		return HOST_CALLS;
	return 2 * recent_within(&thread->slept, device->idle_ns, enqueue->ns) > spent[WORKING]
		       ? HOST_BLOCKED
		       : HOST_WORK;
}

static void count_gap(const struct idle *idle, struct idle_device *device, size_t index,
		      const struct sequence_event *next)
{
	enum cause kind = cause_of(idle, next, device, index);
	struct idle_cause *cause = &device->causes[kind];
	uint64_t ns = (uint64_t)(next->ns - device->idle_ns), away_ns = 0;

	/* What others took of a CPU is no pace of the host's, nor of the driver's. */
	if (kind != SYNCHRONISATION && kind != HOST_BLOCKED && next->stream != TRACE_NONE)
		away_ns = (uint64_t)recent_within(&idle->threads[next->stream].preempted,
						  device->idle_ns, next->ns);
	if (kind == LAUNCH || kind == AHEAD || kind == UNFLUSHED)
		away_ns += (uint64_t)recent_within(&idle->drivers[next->process], device->idle_ns,
						   next->ns);
	if (away_ns >= ns)
		return;
	ns -= away_ns;
	cause->count++;
	cause->ns += ns;
	cause->longer += ns > next->duration_ns;
	if (ns < cause->longest_ns)
		return;
	cause->longest_ns = ns;
	cause->begin_ns = device->idle_ns;
	cause->end_ns = next->ns;
	cause->stream = next->stream;
}

static void operation_start(struct idle *idle, const struct sequence_event *event)
{
	struct idle_device *device = &idle->devices[event->device];

	if (!device->running++) {
		if (device->active && event->ns > device->idle_ns)
			count_gap(idle, device, event->device, event);
		if (!device->active)
			device->first_ns = event->ns;
		device->active = true;
		device->busy_since_ns = event->ns;
	}
	device->count++;
	if (event->bound_ns > device->bound_ns)
		device->bound_ns = event->bound_ns;
}

static void operation_end(struct idle *idle, const struct sequence_event *event)
{
	struct idle_device *device = &idle->devices[event->device];

	if (!device->running || --device->running)
		return;
	device->busy_ns += (uint64_t)(event->ns - device->busy_since_ns);
	device->idle_ns = event->ns;
	device->gap++;
}

static int idle_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct idle *idle = state;

	(void)findings;
	switch (event->kind) {
	case SEQUENCE_CALL_BEGIN:
		return call_begin(idle, event);
	case SEQUENCE_CALL_END:
		return call_end(idle, event);
	case SEQUENCE_START:
		if (event->device < idle->device_count)
			operation_start(idle, event);
		return 0;
	case SEQUENCE_END:
		if (event->device < idle->device_count)
			operation_end(idle, event);
		return 0;
	default:
		return 0;
	}
}

/* The function in which most of the time was spent. */
static const char *main_call(const struct findings *findings, const struct map *calls)
{
	const struct tandem_event *call = NULL;
	uint64_t id, ns, most = 0;
	size_t at = 0;

	while (map_next(calls, &at, &id, &ns)) {
		if (ns > most) {
			most = ns;
			call = trace_session_event(findings->session, (unsigned)id);
		}
	}
	return call ? call->name : "";
}

/* Whether most of the gaps' time in other calls was in such as make code: builds tell. */
static bool is_building(const struct findings *findings, const struct idle_device *device)
{
	uint64_t id, ns, build = 0, all = 0;
	size_t at = 0;

	while (map_next(&device->calls, &at, &id, &ns)) {
		all += ns;
		if (trace_session_event(findings->session, (unsigned)id)->class ==
		    TANDEM_CLASS_BUILD)
			build += ns;
	}
	return 2 * build > all;
}

/* What work of the host takes that would be done while the device works: no time of its own,
 * but where the device is the CPU, a part of what the device does meanwhile. */
static uint64_t saving_beside(const struct findings *findings, uint32_t index, uint64_t ns)
{
	const struct device_row *row = &findings->iterator->devices.rows[index];

	return (uint64_t)((1 - devices_taken_part(row)) * (double)ns);
}

/* What would be saved. For work of the host to be done while the device works, the host must
 * have waited then. 0: nothing. */
static uint64_t saving(const struct findings *findings, const struct idle *idle, uint32_t index,
		       enum cause kind)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
	uint64_t waited_ns = device->waited_ns > 0 ? (uint64_t)device->waited_ns : 0;

	switch (kind) {
	case AHEAD:
		/* The driver's own pace; that of short commands can be mended. */
		return 2 * cause->longer > cause->count ? cause->ns : 0;
	case LAUNCH:
		return cause->count >= HABIT_COUNT ? cause->ns : 0;
	case SYNCHRONISATION:
		return cause->count >= HABIT_COUNT &&
				       cause->count * COMMANDS_A_WAIT >= device->count
			       ? cause->ns
			       : 0;
	case UNFLUSHED:
		if (cause->count < HABIT_COUNT)
			return 0;
		/* All of the wait would have passed before, as far as the host was busy. */
		waited_ns = (uint64_t)idle->threads[cause->stream].spent[WAITING];
		return cause->ns < waited_ns ? cause->ns : waited_ns;
	default:
		if (cause->count < HABIT_COUNT ||
		    (kind == HOST_CALLS && is_building(findings, device)))
			return 0;
		if (waited_ns > cause->ns)
			waited_ns = cause->ns;
		return kind == HOST_BLOCKED ? waited_ns : saving_beside(findings, index, waited_ns);
	}
}

/* What the device's runtime has for commands that are always the same. */
static const char *batch_advice(struct findings *findings, uint32_t index)
{
	const char *batch = findings_domain(findings, index)->batch;

	return findings_text(findings,
			     "commands are shorter than their launch: give each more "
			     "work, or record them once and run them as one%s%s%s",
			     *batch ? " (" : "", batch, *batch ? ")" : "");
}

static const char *const cause_names[] = {
	[SYNCHRONISATION] = "synchronisation",
	[HOST_WORK] = "host-busy",
	[HOST_BLOCKED] = "host-blocked",
	[HOST_CALLS] = "host-calls",
	[LAUNCH] = "launch",
	[AHEAD] = "launch",
	[UNFLUSHED] = "unflushed",
};

static void describe(struct findings *findings, struct finding *finding,
		     const struct idle_device *device, const struct idle_cause *cause,
		     enum cause kind, uint32_t index)
{
	double gap = (double)cause->ns / (double)cause->count;
	double operation = (double)device->busy_ns / (double)device->count;
	char count[UNITS_BYTES], all[UNITS_BYTES], each[UNITS_BYTES], run[UNITS_BYTES];
	const char *gaps = units_ns(all, (double)cause->ns);

	units_ns(run, operation);
	if (cause->count > 1)
		gaps = findings_text(findings, "%s (%s gaps, mean %s)", all,
				     units_count(count, cause->count), units_ns(each, gap));
	switch (kind) {
	case SYNCHRONISATION:
		finding->object = main_call(findings, &device->waits);
		finding->what = findings_text(findings,
					      "the device was idle for %s because the host waited "
					      "for a command%s%s%s before it enqueued the next",
					      gaps, *finding->object ? " (" : "", finding->object,
					      *finding->object ? ")" : "");
		finding->suggestion =
			"enqueue the next commands before waiting, or work on several "
			"queues, so that the device always has something to do";
		break;
	case HOST_WORK:
		finding->what = findings_text(findings,
					      "the device was idle for %s while the host was "
					      "%s between commands",
					      gaps,
					      findings->waits->any ? "computing"
								   : "in no call (computing, or "
								     "asleep)");
		finding->suggestion = "enqueue before that work, or do it in another thread";
		break;
	case HOST_BLOCKED:
		finding->what = findings_text(
			findings,
			"the device was idle for %s while the host slept, or "
			"waited for a file, a lock or another thread, between commands",
			gaps);
		finding->suggestion =
			"enqueue before that wait, or wait in another thread; `tandem report "
			"--table waits` names what it waited on";
		break;
	case HOST_CALLS:
		finding->object = main_call(findings, &device->calls);
		finding->what = findings_text(findings,
					      "the device was idle for %s while the host was in "
					      "other calls, mainly %s",
					      gaps, finding->object);
		finding->suggestion = "move these calls out of the loop, or enqueue before them";
		break;
	case UNFLUSHED:
		finding->what = findings_text(
			findings,
			"the device was idle for %s with commands enqueued: they started "
			"only when the thread made a later call",
			gaps);
		finding->suggestion =
			"flush the queue after the last of these commands, before the "
			"host goes on with other work";
		break;
	case AHEAD:
		finding->what =
			findings_text(findings,
				      "the device was idle for %s between commands that were "
				      "already enqueued; a command runs for %s",
				      gaps, run);
		finding->suggestion = batch_advice(findings, index);
		break;
	default:
		finding->what = findings_text(findings,
					      "the device was idle for %s between a command's "
					      "enqueue and its start; a command runs for %s",
					      gaps, run);
		finding->suggestion = gap > operation ? batch_advice(findings, index)
						      : "enqueue further ahead, and flush";
		break;
	}
}

static int add_cause(struct findings *findings, const struct idle *idle, uint32_t index,
		     enum cause kind)
{
	const struct idle_device *device = &idle->devices[index];
	const struct idle_cause *cause = &device->causes[kind];
	struct finding *finding;
	char off[UNITS_BYTES];

	if (!cause->count || !saving(findings, idle, index, kind))
		return 0;
	finding = findings_add(findings, "idle-device", cause_names[kind]);
	if (!finding)
		return -ENOMEM;
	finding->count = cause->count;
	finding->cost_ns = saving(findings, idle, index, kind);
	finding->device = findings_text(findings, "%s",
					event_iterator_device_name(findings->iterator, index));
	describe(findings, finding, device, cause, kind, index);
	finding->confidence =
		device->bound_ns < cause->ns / cause->count ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding->why = findings_text(findings,
				     "gaps are measured by the device's own clock; host-clock "
				     "alignment %s%s",
				     device->bound_ns == CLOCKFIT_UNBOUNDED ? "" : "±",
				     device->bound_ns == CLOCKFIT_UNBOUNDED
					     ? "unknown"
					     : units_ns(off, (double)device->bound_ns));
	if (kind == HOST_WORK && !findings->waits->any) {
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings, "%s; what the thread did is not recorded without the scheduler",
			finding->why);
	}
	finding_place(findings, finding, cause->stream);
	finding_time(findings, finding, cause->begin_ns, cause->end_ns);
	return 0;
}

static int idle_end(struct findings *findings, void *state)
{
	struct idle *idle = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < idle->device_count; i++) {
		for (unsigned cause = 0; !status && cause < CAUSES; cause++)
			status = add_cause(findings, idle, i, cause);
	}
	return status;
}

static void idle_release(struct findings *findings, void *state)
{
	struct idle *idle = state;

	for (size_t i = 0; idle->threads && i < findings->session->stream_count; i++) {
		free(idle->threads[i].enqueues);
		free(idle->threads[i].marks);
		recent_free(&idle->threads[i].slept);
		recent_free(&idle->threads[i].preempted);
	}
	for (size_t i = 0; idle->devices && i < idle->device_count; i++) {
		map_free(&idle->devices[i].calls);
		map_free(&idle->devices[i].waits);
	}
	for (size_t i = 0; idle->drivers && i < findings->session->process_count; i++)
		recent_free(&idle->drivers[i]);
	free(idle->drivers);
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
	.event = idle_event,
	.interval = idle_interval,
	.end = idle_end,
	.release = idle_release,
};
