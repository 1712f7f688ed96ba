/* SPDX-License-Identifier: MIT */
#include "analysis/findings/preemption/sleepless.h"

#include <errno.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/preemption/own_work.h"
#include "util/units.h"

/* Of the run, that it ran or was runnable; and of that, the part that it had a CPU. */
#define AWAKE_SHARE 0.25
#define RAN_PART 0.4

/* Of that again, what a thread may have slept that never does: until it is created. */
#define SLEPT_PART 0.001

/* Of the run, that a thread ran which works while the device does not; what is less takes little. */
#define RAN_SHARE 0.05

/* Of the run, that the device's threads waited, for each core of it; less is no loss. */
#define WAITED_SHARE 0.02

static bool is_sleepless(const struct findings *findings, const struct wait_thread *thread)
{
	double awake = (double)(thread->ns[STATE_RUNNING] + thread->ns[STATE_WAIT_CPU]);

	return !thread->stream && awake > AWAKE_SHARE * (double)findings->duration_ns &&
	       (double)thread->ns[STATE_RUNNING] > RAN_PART * awake &&
	       (double)thread->ns[STATE_WAIT_BLOCKED] < SLEPT_PART * awake;
}

struct waited { /* by the device's threads, for a CPU that the program had */
	uint64_t ns, count;
	int64_t longest_from, longest_to;
};

/* Whether a thread takes CPUs from the device: it never sleeps, or works while the device has nothing to do, too. */
static bool takes_cpus(const struct findings *findings, const struct own_work *own,
		       const struct wait_thread *thread)
{
	return is_sleepless(findings, thread) ||
	       (own_work_is(own, thread) &&
		(double)thread->ns[STATE_RUNNING] > RAN_SHARE * (double)findings->duration_ns);
}

static bool is_worker(const struct findings *findings, const struct own_work *own, uint32_t thread,
		      uint64_t pid)
{
	const struct wait_thread *known = findings->waits->threads[thread];

	return known->thread->pid == pid && !known->stream && !takes_cpus(findings, own, known);
}

static struct waited find_waited(const struct findings *findings, const struct own_work *own,
				 uint64_t pid)
{
	const struct waits *waits = findings->waits;
	struct waited waited = {.ns = 0};

	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (row->state != STATE_WAIT_CPU || row->by_idle || row->by_pid != pid ||
		    !is_worker(findings, own, row->thread, pid))
			continue;
		waited.ns += row->ns;
		waited.count += row->count;
		if (row->longest_to - row->longest_from <= waited.longest_to - waited.longest_from)
			continue;
		waited.longest_from = row->longest_from;
		waited.longest_to = row->longest_to;
	}
	return waited;
}

int sleepless_add(struct findings *findings, const struct own_work *own, uint64_t pid)
{
	const struct waits *waits = findings->waits;
	const struct wait_thread *worst = NULL;
	char ns[UNITS_BYTES], ran[UNITS_BYTES];
	uint32_t cores = devices_cpu_cores(&findings->iterator->devices);
	uint64_t sleepless = 0;
	struct finding *finding;
	struct waited waited;
	bool spins;

	if (!cores)
		return 0;
	for (uint32_t i = 0; i < waits->thread_count; i++) {
		const struct wait_thread *thread = waits->threads[i];

		if (thread->thread->pid != pid || !takes_cpus(findings, own, thread))
			continue;
		sleepless++;
		if (!worst || thread->ns[STATE_RUNNING] > worst->ns[STATE_RUNNING])
			worst = thread;
	}
	if (!worst)
		return 0;
	waited = find_waited(findings, own, pid);
	if ((double)waited.ns < WAITED_SHARE * (double)cores * (double)findings->duration_ns)
		return 0;
	spins = is_sleepless(findings, worst);
	finding = findings_add(findings, spins ? "waiting" : "preemption",
			       spins ? "spinning" : "other-threads");
	if (!finding)
		return -ENOMEM;
	finding->count = waited.count;
	finding->cost_ns = waited.ns / cores;
	finding->pid = pid;
	finding->tid = worst->thread->local_tid;
	finding->what = findings_text(
		findings,
		"%s used a CPU for %s, while threads of the device, which is the CPU, were runnable "
		"but not running for %s",
		spins ? "a thread that makes no API calls and never sleeps, like one that waits in a loop,"
		      : "CPU contention: a thread that makes no API calls",
		units_ns(ran, (double)worst->ns[STATE_RUNNING]), units_ns(ns, (double)waited.ns));
	finding->culprit = findings_text(findings, "thread %u (%s) of the program itself%s",
					 worst->thread->local_tid,
					 intern_text(&waits->states.names, worst->thread->name),
					 sleepless > 1 ? ", and others like it" : "");
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "the kernel recorded each switch; whether the thread computes or waits for "
		       "something in a loop is not recorded";
	finding->suggestion =
		"if it waits, let it sleep until then (a condition variable); if it computes, leave "
		"the device one CPU less, so that the two do not share any";
	finding_time(findings, finding, waited.longest_from, waited.longest_to);
	return 0;
}
