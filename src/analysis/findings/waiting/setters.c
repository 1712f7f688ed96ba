/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/setters.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

/* Fewer are no habit; and most of the time that the thread spends in no call has to end so. */
#define HABIT_COUNT 8u
#define HABIT_PART(all) (3 * (all) / 4)

/* ... at least so many times as much as by chance. */
#define CHANCE_TIMES 3

/* Less is not worth a look. */
#define STRETCH_NS 50000

/* A thread that looks at a flag all the time sees it so soon, while it has a CPU. */
#define SEEN_NS 25000

/* A thread that is joined stops running so soon behind that. */
#define ENDS_NS 200000

/* One that slept for more of it than this part did not only look. */
#define SLEPT_PART 8

/* One that ran for less of it than this part did not look. */
#define RAN_PART 2

/* Less of the run is not worth a word. */
#define LEAST_PART 50u

/* Threads without calls are told apart by their index. */
#define WITHOUT_CALLS 0x80000000u

#define SIGNS 64u

struct setter_sign {
	int64_t ns;
	uint32_t thread;
	bool woke; /* it woke another one; else: it stopped running, or returned from a wait */
	const struct states_thread *of; /* NULL: of that return */
};

struct setter_process {
	struct setter_sign signs[SIGNS]; /* a ring: about in the order of time */
	uint64_t count;
};

int setters_begin(struct setters *setters, const struct trace_session *session)
{
	setters->session = session;
	setters->count = session->stream_count;
	setters->threads = calloc(session->stream_count + 1, sizeof(*setters->threads));
	setters->processes = calloc(session->process_count + 1, sizeof(*setters->processes));
	if (!setters->threads || !setters->processes)
		return -ENOMEM;
	for (size_t i = 0; i < setters->count; i++)
		setters->threads[i].returned_ns = INT64_MIN;
	for (size_t i = 0; i < session->process_count; i++)
		if (!session->processes[i].kernel &&
		    map_set(&setters->process_of, session->processes[i].pid, i))
			return -ENOMEM;
	return 0;
}

static uint32_t number_of(const struct wait_thread *thread)
{
	return thread->stream ? thread->stream - 1 : WITHOUT_CALLS | thread->index;
}

static void sign_add(struct setter_process *process, const struct wait_thread *thread, int64_t ns,
		     bool woke)
{
	process->signs[process->count++ % SIGNS] = (struct setter_sign){
		.ns = ns, .thread = number_of(thread), .woke = woke, .of = thread->thread};
}

int setters_interval(struct setters *setters, const struct waits *waits,
		     const struct wait_thread *waiter, const struct states_interval *interval)
{
	struct setter_thread *thread =
		waiter->stream ? &setters->threads[waiter->stream - 1] : NULL;
	uint64_t process = map_get(&setters->process_of, waiter->thread->pid);
	const struct wait_thread *other = waits_other(waits, waiter, interval);

	if (process == MAP_NONE)
		return 0;
	switch (interval->state) {
	case STATE_RUNNING:
		sign_add(&setters->processes[process], waiter, interval->to, false);
		return 0;
	case STATE_WAIT_BLOCKED:
		if (other)
			sign_add(&setters->processes[process], other, interval->to, true);
		return thread ? recent_add(&thread->slept, interval->from, interval->to) : 0;
	case STATE_WAIT_CPU:
		if (other && other->stream &&
		    recent_add(&setters->threads[other->stream - 1].starved, interval->from,
			       interval->to))
			return -ENOMEM;
		return thread ? recent_add(&thread->preempted, interval->from, interval->to) : 0;
	default:
		return 0;
	}
}

/* Whether it has ended with this: it wakes whoever joins it, and stops running for good right behind
 * that. */
static bool is_end(const struct setter_process *process, uint64_t index)
{
	const struct setter_sign *sign = &process->signs[index % SIGNS];
	unsigned more = 0;

	for (uint64_t i = index + 1; i < process->count; i++) {
		const struct setter_sign *later = &process->signs[i % SIGNS];

		if (later->thread == sign->thread)
			more += later->ns < sign->ns + ENDS_NS ? 1 : 2;
	}
	return sign->of->state == STATE_NONE && more <= sign->woke;
}

/* Workers that make no calls stop and go on all the time, and who wakes a thread may have left a lock
 * for which that slept. */
static bool is_sign(const struct setter_process *process, uint64_t index)
{
	const struct setter_sign *sign = &process->signs[index % SIGNS];

	return !(sign->woke || sign->thread & WITHOUT_CALLS) || is_end(process, index);
}

/* Whether another thread gave a sign right before `ns`; sets how likely that is by chance. */
static bool is_behind_sign(const struct setter_thread *thread, uint32_t stream,
			   const struct setter_process *process, int64_t ns, double *chance)
{
	uint64_t oldest = process->count > SIGNS ? process->count - SIGNS : 0;
	int64_t took_ns = ns - thread->returned_ns;
	unsigned within = 0;
	bool behind = false;

	for (uint64_t i = process->count; i > oldest; i--) {
		const struct setter_sign *sign = &process->signs[(i - 1) % SIGNS];

		if (sign->thread == stream || sign->ns > ns || sign->ns <= thread->returned_ns ||
		    !is_sign(process, i - 1))
			continue;
		within++;
		behind |= ns - sign->ns - recent_within(&thread->preempted, sign->ns, ns) < SEEN_NS;
	}
	*chance = (double)within * SEEN_NS / (double)took_ns;
	return behind;
}

static void stretch_end(struct setter_thread *thread, uint32_t stream,
			const struct setter_process *process, int64_t ns)
{
	int64_t took_ns = ns - thread->returned_ns, ran_ns;
	double chance;
	bool behind;

	if (took_ns < STRETCH_NS)
		return;
	thread->stretches_ns += (uint64_t)took_ns;
	behind = is_behind_sign(thread, stream, process, ns, &chance);
	thread->by_chance_ns += chance * (double)took_ns;
	if (!behind)
		return;
	if (recent_within(&thread->slept, thread->returned_ns, ns) > took_ns / SLEPT_PART)
		return;
	/* One that lacked a CPU until the other thread was done looked at nothing. */
	ran_ns = took_ns - recent_within(&thread->preempted, thread->returned_ns, ns);
	if (RAN_PART * ran_ns < took_ns)
		return;
	thread->count++;
	thread->ns += (uint64_t)took_ns;
	thread->starved_ns += (uint64_t)recent_within(&thread->starved, thread->returned_ns, ns);
	if (took_ns <= thread->end_ns - thread->begin_ns)
		return;
	thread->begin_ns = thread->returned_ns;
	thread->end_ns = ns;
}

void setters_event(struct setters *setters, const struct sequence_event *event)
{
	struct setter_process *process;
	struct setter_thread *thread;

	thread = &setters->threads[event->stream];
	process = &setters->processes[event->process];
	if (event->api->class == TANDEM_CLASS_CALLBACK) {
		thread->calls_back |= !thread->depth;
		return;
	}
	if (event->kind == SEQUENCE_CALL_END) {
		thread->depth -= thread->depth > 0;
		thread->returned_ns = event->ns;
		if (event->blocking)
			process->signs[process->count++ % SIGNS] =
				(struct setter_sign){.ns = event->ns, .thread = event->stream};
	} else if (!thread->depth++ && thread->returned_ns != INT64_MIN) {
		stretch_end(thread, event->stream, process, event->ns);
	}
}

/* Of a process's threads that do so. */
struct setter_sum {
	uint64_t threads, count, ns, starved_ns;
	uint32_t stream; /* that has the longest stretch */
};

static int add_sum(struct setters *setters, struct findings *findings, const struct setter_sum *sum)
{
	const struct setter_thread *worst = &setters->threads[sum->stream];
	uint32_t cores = devices_cpu_cores(&findings->iterator->devices);
	uint64_t cost_ns = cores > 1 ? sum->ns / cores : 0;
	char count[UNITS_BYTES], all[UNITS_BYTES], threads[UNITS_BYTES];
	struct finding *finding;

	if (cost_ns < sum->starved_ns)
		cost_ns = sum->starved_ns;
	if (cost_ns * LEAST_PART < findings->duration_ns)
		return 0;
	finding = findings_add(findings, "waiting", "spinning");
	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = cost_ns;
	finding->what = findings_text(
		findings,
		"%s ran in no call until another thread of the program was done, %s times: %s of a CPU",
		sum->threads > 1
			? findings_text(findings, "%s threads", units_count(threads, sum->threads))
			: "the thread",
		units_count(count, sum->count), units_ns(all, (double)sum->ns));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"it went on within 25 us of what the other thread did, and could have "
		"computed as long; the cost is what threads waited for its CPU, or its part of "
		"a device that is the CPU";
	finding->suggestion =
		"if it looks at a flag: sleep until that is set (a condition variable, "
		"a semaphore, pthread_join)";
	finding_place(findings, finding, sum->stream);
	finding_time(findings, finding, worst->begin_ns, worst->end_ns);
	return 0;
}

static bool is_habit(const struct setter_thread *thread)
{
	return !thread->calls_back && thread->count >= HABIT_COUNT &&
	       thread->ns >= HABIT_PART(thread->stretches_ns) &&
	       (double)thread->ns >= CHANCE_TIMES * thread->by_chance_ns;
}

int setters_add(struct setters *setters, struct findings *findings)
{
	size_t processes = setters->session->process_count;
	struct setter_sum *sums = calloc(processes + 1, sizeof(*sums));
	int status = sums ? 0 : -ENOMEM;

	for (uint32_t i = 0; sums && findings->waits->any && i < setters->count; i++) {
		const struct setter_thread *thread = &setters->threads[i];
		struct setter_sum *sum = &sums[findings_stream(findings, i)->process->index];
		const struct setter_thread *worst = &setters->threads[sum->stream];

		if (!is_habit(thread))
			continue;
		if (!sum->threads++ ||
		    thread->end_ns - thread->begin_ns > worst->end_ns - worst->begin_ns)
			sum->stream = i;
		sum->count += thread->count;
		sum->ns += thread->ns;
		sum->starved_ns += thread->starved_ns;
	}
	for (size_t i = 0; !status && i < processes; i++)
		if (sums[i].threads)
			status = add_sum(setters, findings, &sums[i]);
	free(sums);
	return status;
}

void setters_release(struct setters *setters)
{
	for (size_t i = 0; setters->threads && i < setters->count; i++) {
		recent_free(&setters->threads[i].slept);
		recent_free(&setters->threads[i].preempted);
		recent_free(&setters->threads[i].starved);
	}
	map_free(&setters->process_of);
	free(setters->threads);
	free(setters->processes);
}
