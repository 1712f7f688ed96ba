/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/spins.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

/* Calls that take so long on average, and keep a CPU busy for this part of the time in
 * which they could (they do not wait for one), do not sleep. */
#define SPIN_LEAST_NS 20000u
#define SPIN_PART 0.8
#define SPIN_CPUS 0.1	 /* of all CPUs, over the run ... */
#define SPIN_LEFT 2.0	 /* ... where it leaves fewer */
#define SPIN_RUN 0.01	 /* of the run, at the least */
#define SPIN_WAITED 0.02 /* of the run, that threads waited for a CPU meanwhile */

struct missed { /* by a thread */
	uint64_t ns;
	uint32_t pid;
};

/* What the thread waited that waited the longest, outside of such calls, for a CPU that its program had: the
 * CPUs that spin are missing, whichever they are. */
static int missed_find(const struct waits *waits, const uint64_t *calls_of, struct missed *most)
{
	uint64_t *missed_ns = calloc(waits->thread_count + 1, sizeof(*missed_ns));

	if (!missed_ns)
		return -ENOMEM;
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (row->state != STATE_WAIT_CPU || row->by_idle || !row->by_pid ||
		    row->by_pid != waits->threads[row->thread]->thread->pid ||
		    (row->function && calls_of[row->function - 1]))
			continue;
		missed_ns[row->thread] += row->ns;
		if (missed_ns[row->thread] > most->ns)
			*most = (struct missed){missed_ns[row->thread], row->by_pid};
	}
	free(missed_ns);
	return 0;
}

static int add_spinning(struct findings *findings, const struct tandem_event *api,
			const struct wait_function *function, uint64_t calls, uint64_t all_ns,
			const struct missed *missed)
{
	const struct tandem_domain_row *row;
	struct finding *finding = findings_add(findings, "waiting", "spinning");
	char count[UNITS_BYTES], busy[UNITS_BYTES], all[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = calls;
	finding->cost_ns =
		missed->ns < function->ns[STATE_RUNNING] ? missed->ns : function->ns[STATE_RUNNING];
	finding->pid = missed->pid;
	finding->always_report = true; /* the run itself may lose nothing */
	finding->object = api->name;
	finding->what = findings_text(findings,
				      "%s busy-waits: in %s calls it kept a CPU busy for %s of "
				      "%s",
				      api->name, units_count(count, calls),
				      units_ns(busy, (double)function->ns[STATE_RUNNING]),
				      units_ns(all, (double)all_ns));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		missed->ns
			? "the kernel recorded that the threads ran; the cost is what another "
			  "thread of the program waited for a CPU at the same time"
			: "the kernel recorded that the threads ran; the run loses time by it only "
			  "where others need the CPU";
	row = trace_session_event_domain(findings->session, api);
	finding->suggestion = *row->use_callback
				      ? findings_text(findings,
						      "where the CPU has something else to do, "
						      "%s",
						      row->use_callback)
				      : "";
	return 0;
}

static bool is_traced(const struct findings *findings, uint64_t pid)
{
	for (size_t i = 0; i < findings->session->process_count; i++) {
		const struct trace_process *process = &findings->session->processes[i];

		if (process->pid == pid && !process->kernel)
			return true;
	}
	return false;
}

/* Whether others lack the CPU: they waited for one that the program had, or it is much of all that there
 * are. */
static bool is_missed(const struct findings *findings, uint64_t running_ns)
{
	const struct waits *waits = findings->waits;
	double run_ns = (double)findings->duration_ns, waited_ns = 0;
	double cpus = (double)waits->states.cpu_count;

	if ((double)running_ns < SPIN_RUN * run_ns)
		return false;
	if ((double)running_ns >= SPIN_CPUS * run_ns * cpus &&
	    cpus * run_ns - (double)running_ns < SPIN_LEFT * run_ns)
		return true;
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (row->state == STATE_WAIT_CPU && !row->by_idle &&
		    is_traced(findings, row->by_pid))
			waited_ns += (double)row->ns;
	}
	return waited_ns >= SPIN_WAITED * run_ns;
}

/* By function: whoever calls it, the driver does the waiting. */
int spins_add(struct findings *findings, const uint64_t *calls_of)
{
	const struct waits *waits = findings->waits;
	struct missed missed = {.ns = 0};
	int status = waits->any ? missed_find(waits, calls_of, &missed) : 0;

	for (uint32_t i = 0; !status && waits->any && i < waits->function_count; i++) {
		const struct wait_function *function = &waits->functions[i];
		uint64_t running_ns = function->ns[STATE_RUNNING];
		uint64_t could_ns = running_ns + function->ns[STATE_WAIT_BLOCKED];
		uint64_t calls = calls_of[i], all_ns = 0;

		for (unsigned state = 0; state < STATE_COUNT; state++)
			all_ns += function->ns[state];
		if (calls >= HABIT_COUNT && all_ns >= calls * SPIN_LEAST_NS &&
		    (double)running_ns >= SPIN_PART * (double)could_ns &&
		    2 * could_ns > all_ns - function->ns[STATE_WAIT_CPU] &&
		    !devices_have_cpu(&findings->iterator->devices) &&
		    is_missed(findings, running_ns))
			status = add_spinning(findings, waits_function(waits, i), function, calls,
					      all_ns, &missed);
	}
	return status;
}
