/* SPDX-License-Identifier: MIT */
#include "analysis/findings/preemption/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/units.h"

/* No CPU takes longer to wake up: who waits longer for one that is idle may not run, as the group
 * that has used up its quota. */
#define WAKE_MOST_NS 1000000

/* A twentieth of the run, for each process; less is what moving a thread to another CPU takes the scheduler. */
#define PLACED_SHARE 20u
/* The scheduler puts right what chance has placed so, within some ticks of 1 to 4 ms: a few times it is no habit,
 * unless it is much of the run, or takes longer than that. */
#define PLACED_TIMES 16u
#define PLACED_SHARE_ONCE 4u
#define BALANCED_NS 10000000u

/* A CPU on which less of the program's time was spent, and not lately, may be one that it may not use, as
 * outside of a job's set of CPUs. */
#define USED_PART 20
#define USED_LATELY_NS 100000000

struct placement_cpu {
	int64_t ran_ns, latest_ns; /* of threads of the recording: in all; the latest end */
};

struct placed { /* a thread that waited behind one of the recording's, next to an idle CPU */
	uint64_t ns, count;
	uint64_t instead_ns; /* that it ran while another one waited so */
	double saved_ns;
	int64_t begin_ns, end_ns; /* of the longest */
	int64_t from_ns, to_ns;	  /* of the latest wait */
	int64_t idle_ns;	  /* same: so long another CPU was idle */
	double shared_ns;	  /* same: what that one could have saved */
};

/* What a thread waits that is woken on an idle CPU: to have moved to one would have taken as long. */
static int64_t wake_ns(const struct placement *placement)
{
	return placement->wakes ? placement->wakes_ns / placement->wakes : 0;
}

/* A wait is over: it comes in as many intervals as others took turns on the CPU. */
static void placed_end(const struct placement *placement, struct placed *placed)
{
	int64_t ns = placed->to_ns - placed->from_ns,
		gain_ns = placed->idle_ns - wake_ns(placement);

	if (gain_ns > 0) {
		placed->ns += (uint64_t)ns;
		placed->saved_ns += placed->shared_ns * (double)gain_ns / (double)placed->idle_ns;
		placed->count++;
		if (ns > placed->end_ns - placed->begin_ns) {
			placed->begin_ns = placed->from_ns;
			placed->end_ns = placed->to_ns;
		}
	}
	placed->idle_ns = 0;
	placed->shared_ns = 0;
}

static int note_ran(struct placement *placement, const struct states_interval *interval)
{
	static const struct placement_cpu fresh;
	struct placement_cpu *cpu;

	if (interval->cpu == STATES_NO_CPU)
		return 0;
	if (array_reserve(&placement->cpus, &placement->cpu_capacity, interval->cpu + 1,
			  sizeof(*placement->cpus)))
		return -ENOMEM;
	while (placement->cpu_count <= interval->cpu)
		placement->cpus[placement->cpu_count++] = fresh;
	cpu = &placement->cpus[interval->cpu];
	cpu->ran_ns += interval->to - interval->from;
	cpu->latest_ns = interval->to;
	placement->ran_ns += interval->to - interval->from;
	placement->now_ns = interval->to;
	return 0;
}

static bool is_used(const struct placement *placement, uint32_t index)
{
	const struct placement_cpu *cpu =
		index < placement->cpu_count ? &placement->cpus[index] : NULL;

	return cpu && cpu->ran_ns &&
	       (cpu->ran_ns * USED_PART > placement->ran_ns ||
		placement->now_ns - cpu->latest_ns < USED_LATELY_NS);
}

/* Whether a thread that has to wait could run there: another one of them did, unless all run on one
 * CPU, as the whole recording may have been bound to it by mistake. */
static bool may_use(const void *user, uint32_t cpu)
{
	const struct placement *placement = user;
	unsigned used = 0;

	if (is_used(placement, cpu))
		return true;
	for (uint32_t i = 0; used < 2 && i < placement->cpu_count; i++)
		used += is_used(placement, i);
	return used < 2;
}

/* The threads that wait for a CPU and the one that has it do as much in a part of the time, if idle
 * CPUs share it with them: of what that saves, a thread's part. */
static void placed_add(const struct placement *placement, const struct states *states,
		       struct placed *placed, struct placed *by,
		       const struct states_interval *interval)
{
	double ns = (double)(interval->to - interval->from);
	double waiting = (double)states_waiting(states, interval->cpu);
	int64_t idle_ns = states_other_idle(states, interval->cpu, interval->from, interval->to,
					    may_use, placement);
	double cpus = (double)idle_ns / ns;

	if (waiting < 1)
		waiting = 1;
	if (cpus > waiting)
		cpus = waiting;
	if ((double)idle_ns > ns)
		idle_ns = (int64_t)ns;
	placed->idle_ns += idle_ns;
	by->instead_ns += (uint64_t)idle_ns;
	placed->shared_ns += ns * (1 - 1 / (1 + cpus)) / waiting;
}

static int placed_reserve(struct placement *placement, uint32_t index)
{
	if (array_reserve(&placement->threads, &placement->capacity, index + 1,
			  sizeof(*placement->threads)))
		return -ENOMEM;
	while (placement->count <= index)
		placement->threads[placement->count++] = (struct placed){.ns = 0};
	return 0;
}

int placement_interval(struct placement *placement, const struct findings *findings,
		       const struct wait_thread *thread, const struct states_interval *interval)
{
	const struct states_thread *by;
	const struct wait_thread *other;
	struct placed *placed;

	if (interval->state == STATE_RUNNING)
		return note_ran(placement, interval);
	if (interval->state != STATE_WAIT_CPU)
		return 0;
	by = interval->by_tid ? states_of_kernel(&findings->waits->states, interval->by_tid) : NULL;
	other = by && by->watched ? by->user : NULL;
	if (interval->by == WAKER_THREAD && !interval->by_tid &&
	    interval->to - interval->from < WAKE_MOST_NS) {
		placement->wakes_ns += interval->to - interval->from;
		placement->wakes++;
	}
	if (placed_reserve(placement, thread->index) ||
	    (other && placed_reserve(placement, other->index)))
		return -ENOMEM;
	placed = &placement->threads[thread->index];
	if (interval->from != placed->to_ns) {
		placed_end(placement, placed);
		placed->from_ns = interval->from;
	}
	placed->to_ns = interval->to;
	if (interval->to > interval->from && other)
		placed_add(placement, &findings->waits->states, placed,
			   &placement->threads[other->index], interval);
	return 0;
}

static size_t process_count(const struct trace_session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < session->process_count; i++)
		count += !session->processes[i].kernel;
	return count;
}

/* Threads that are kept on one CPU take turns. Where the one that runs does not wait as well, the other one,
 * as one of the driver's, may run elsewhere: the scheduler just did not move it. */
static bool has_turns(const struct placement *placement, const struct findings *findings)
{
	for (size_t i = 0; i < placement->count; i++) {
		const struct placed *placed = &placement->threads[i];

		if (placed->ns * PLACED_SHARE >= findings->duration_ns &&
		    placed->instead_ns * PLACED_SHARE >= findings->duration_ns)
			return true;
	}
	return false;
}

static bool is_habit(const struct placed *placed, double saved_ns, double duration_ns)
{
	return placed->count >= PLACED_TIMES || placed->ns >= placed->count * BALANCED_NS ||
	       saved_ns * PLACED_SHARE_ONCE >= duration_ns;
}

int placement_add(struct placement *placement, struct findings *findings)
{
	const struct waits *waits = findings->waits;
	const struct placed *worst = NULL;
	char ns[UNITS_BYTES], count[UNITS_BYTES];
	const struct states_thread *thread;
	struct finding *finding;
	size_t processes = process_count(findings->session);
	double saved_ns = 0, duration_ns;
	size_t index = 0;

	for (size_t i = 0; i < placement->count; i++) {
		struct placed *placed = &placement->threads[i];

		placed_end(placement, placed);
		saved_ns += placed->saved_ns;
		if (!worst || placed->ns > worst->ns) {
			worst = placed;
			index = i;
		}
	}
	duration_ns = (double)processes * (double)findings->duration_ns;
	if (!worst || saved_ns * PLACED_SHARE < duration_ns ||
	    !is_habit(worst, saved_ns, duration_ns) || !has_turns(placement, findings))
		return 0;
	finding = findings_add(findings, "preemption", "placement");
	if (!finding)
		return -ENOMEM;
	thread = waits->threads[index]->thread;
	finding->count = worst->count;
	finding->cost_ns = (uint64_t)saved_ns;
	finding->pid = thread->pid;
	finding->tid = thread->local_tid;
	finding->what = findings_text(
		findings,
		"two threads of the program%s shared a CPU while another CPU was idle: one was "
		"runnable but not running for %s, %s times",
		processes > 1 ? "'s processes" : "", units_ns(ns, (double)worst->ns),
		units_count(count, worst->count));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"the scheduler recorded both CPUs; the cost is what all threads would save that "
		"waited so for longer than an idle CPU takes to wake up, if it had shared the "
		"work; that the device's work waited for them is assumed";
	finding->suggestion = "keep the threads on CPUs of their own (pin them: taskset, or the "
			      "driver's own setting); fewer threads would not help";
	finding_time(findings, finding, worst->begin_ns, worst->end_ns);
	return 0;
}

int64_t placement_only_cpu(const struct placement *placement)
{
	for (size_t i = 0; i < placement->cpu_count; i++) {
		if ((placement->ran_ns - placement->cpus[i].ran_ns) * USED_PART < placement->ran_ns)
			return (int64_t)i;
	}
	return -1;
}

void placement_free(struct placement *placement)
{
	free(placement->threads);
	free(placement->cpus);
}
