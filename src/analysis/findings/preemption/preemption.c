/* SPDX-License-Identifier: MIT */
/* Threads that were ready to run and waited for a CPU while others had it, from
 * what the kernel's scheduler recorded: in their API calls, between them, and
 * threads that make none, as a driver's own.
 *
 * What threads of one program take of each other costs the run nothing where the device is
 * the CPU: all of it is work that has to be done. Three things are said of it all the same:
 * that they shared a CPU while another one was idle (placement.h), that one of them never sleeps
 * (sleepless.h), and, where the device is no CPU, that the thread that feeds it had to wait.
 * Tandem's recorder is no culprit of the program's: what it took stands with what recording
 * cost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/preemption/own_work.h"
#include "analysis/findings/preemption/placement.h"
#include "analysis/findings/preemption/sleepless.h"
#include "schema/gen/kernel_records.h"
#include "util/units.h"

/* Less is what every thread waits on every machine. */
#define WAIT_LEAST_NS 100000u

/* A thread that is woken where the one that woke it runs waits until that sleeps: who has lost
 * the CPU to another thread of the program waits for a time slice, which is milliseconds. */
#define SLICE_NS 500000u

/* Shorter ones are no such wait where they are many: threads that sleep and wake all the time take the
 * CPU for less. So much of the run, in percent, by waits of so long in the mean. */
#define OFTEN_PERCENT 10u
#define OFTEN_NS 50000u

/* Processes that are named: the rest are many and had little. */
#define NAMED 4u

struct preemption {
	struct placement placement;
	struct own_work own;
	bool *often; /* by thread: others of the program kept it waiting for a part of the run */
	bool placed; /* it is said that threads shared a CPU next to an idle one */
};

enum cause { IN_CALLS, BETWEEN_CALLS, NO_CALLS, CAUSES };

struct preemption_sum { /* of a thread and cause, then the worst of a process */
	uint64_t ns, count, threads, all_ns;
	uint32_t thread; /* the worst */
};

static enum cause cause_of(const struct wait_thread *thread, const struct wait_row *row)
{
	if (!thread->stream)
		return NO_CALLS;
	return row->function ? IN_CALLS : BETWEEN_CALLS;
}

/* For a CPU that a thread of its own program had. */
static bool is_own(const struct findings *findings, const struct wait_row *row)
{
	const struct wait_thread *thread = findings->waits->threads[row->thread];

	return row->state == STATE_WAIT_CPU && !row->by_idle && row->by_pid &&
	       row->by_pid == thread->thread->pid;
}

/* A CPU that was idle and had to wake up was taken by nobody. */
static bool is_preemption(const struct findings *findings, const struct preemption *preemption,
			  const struct wait_row *row)
{
	const struct waits *waits = findings->waits;
	const struct wait_thread *thread = waits->threads[row->thread];

	if (row->state != STATE_WAIT_CPU || row->by_idle)
		return false;
	if (is_own(findings, row))
		return thread->stream && !devices_have_cpu(&findings->iterator->devices) &&
		       (row->ns >= row->count * SLICE_NS || preemption->often[row->thread]);
	return !waits_is_recorder(waits, row->by_name);
}

static bool is_of(const struct findings *findings, const struct preemption *preemption,
		  const struct wait_row *row, uint32_t thread, enum cause cause)
{
	return row->thread == thread && is_preemption(findings, preemption, row) &&
	       cause_of(findings->waits->threads[thread], row) == cause;
}

/* Whose a culprit is: another program's; this process's; another process's that is recorded. */
enum whose { WHOSE_OTHER, WHOSE_ITSELF, WHOSE_RECORDED };

struct culprit {	    /* processes of one name, as the jobs of a build; or the program */
	uint32_t pid, name; /* of the first */
	enum whose whose;
	bool several;
	uint64_t ns;
};

/* A process that ended, or was not seen to start, has only its name: then that decides. */
static enum whose whose_is(const struct findings *findings, const struct wait_row *row)
{
	const struct waits *waits = findings->waits;
	uint32_t own = waits->threads[row->thread]->thread->pid;
	const struct trace_session *session = findings->session;

	if (row->by_pid == own)
		return WHOSE_ITSELF;
	for (size_t i = 0; row->by_pid && i < session->process_count; i++)
		if (!session->processes[i].kernel && session->processes[i].pid == row->by_pid)
			return WHOSE_RECORDED;
	for (uint32_t i = 0; !row->by_pid && row->by_name && i < waits->thread_count; i++)
		if (waits->threads[i]->thread->name == row->by_name)
			return waits->threads[i]->thread->pid == own ? WHOSE_ITSELF
								     : WHOSE_RECORDED;
	return WHOSE_OTHER;
}

static int by_ns(const void *a, const void *b)
{
	const struct culprit *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

/* Who had the CPU meanwhile, those that had it longest first. Returns their number,
 * or -ENOMEM. */
static int find_culprits(const struct findings *findings, const struct preemption *preemption,
			 uint32_t thread, enum cause cause, struct culprit **list)
{
	const struct waits *waits = findings->waits;
	struct culprit *culprits = calloc(waits->row_count + 1, sizeof(*culprits));
	int count = 0;

	*list = culprits;
	if (!culprits)
		return -ENOMEM;
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];
		enum whose whose;
		int at = 0;

		if (!is_of(findings, preemption, row, thread, cause))
			continue;
		whose = whose_is(findings, row);
		while (at < count && (culprits[at].whose != whose ||
				      (whose != WHOSE_ITSELF && culprits[at].name != row->by_name)))
			at++;
		if (at == count)
			culprits[count++] =
				(struct culprit){row->by_pid, row->by_name, whose, false, 0};
		culprits[at].several |= culprits[at].pid != row->by_pid;
		culprits[at].ns += row->ns;
	}
	qsort(culprits, (size_t)count, sizeof(*culprits), by_ns);
	return count;
}

static const char *culprits_text(struct findings *findings, const struct culprit *culprits,
				 int count, const struct preemption_sum *sum)
{
	const struct waits *waits = findings->waits;
	struct text text = TEXT_INIT;
	const char *copy;
	int shown = 0;

	for (;
	     shown < count && shown < (int)NAMED && (!shown || culprits[shown].ns * 100 >= sum->ns);
	     shown++) {
		const struct culprit *culprit = &culprits[shown];
		const char *name = intern_text(&waits->states.names, culprit->name);

		text_format(&text, "%s%s", shown ? ", " : "", *name ? name : "unknown");
		if (culprit->whose == WHOSE_ITSELF)
			text_add_string(&text, " (the program itself)");
		else if (culprit->whose == WHOSE_RECORDED)
			text_add_string(&text, " (recorded too)");
		else if (culprit->several)
			text_add_string(&text, " (several processes)");
		else if (culprit->pid)
			text_format(&text, " (process %u)", culprit->pid);
		text_format(&text, " for %.0f %% of it",
			    100 * (double)culprit->ns / (double)sum->ns);
	}
	if (count > shown)
		text_format(&text, "; %d other%s, minor", count - shown,
			    count - shown == 1 ? "" : "s");
	copy = findings_text(findings, "%s", text.data ? text.data : "");
	text_free(&text);
	return copy;
}

/* The function in which most was waited; where the longest wait lay. */
static const char *find_worst(struct findings *findings, const struct preemption *preemption,
			      struct finding *finding, const struct preemption_sum *sum,
			      enum cause cause)
{
	const struct waits *waits = findings->waits;
	const struct wait_row *most = NULL, *longest = NULL;

	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (!is_of(findings, preemption, row, sum->thread, cause))
			continue;
		if (!most || row->ns > most->ns)
			most = row;
		if (!longest || row->longest_to - row->longest_from >
					longest->longest_to - longest->longest_from)
			longest = row;
	}
	if (longest)
		finding_time(findings, finding, longest->longest_from, longest->longest_to);
	return most && most->function ? waits_function(waits, most->function - 1)->name : "";
}

/* Else no thread of it is one of many that only work for those that make calls. */
static bool makes_calls(const struct waits *waits, uint64_t pid)
{
	for (uint32_t i = 0; i < waits->thread_count; i++)
		if (waits->threads[i]->stream && waits->threads[i]->thread->pid == pid)
			return true;
	return false;
}

static const char *describe(struct findings *findings, const struct finding *finding,
			    const struct preemption_sum *sum, enum cause cause)
{
	char ns[UNITS_BYTES], count[UNITS_BYTES], others[UNITS_BYTES], all[UNITS_BYTES];
	const char *times, *rest = "";

	units_ns(ns, (double)sum->ns);
	times = sum->count == 1
			? "once"
			: findings_text(findings, "%s times", units_count(count, sum->count));
	if (sum->threads > 1)
		rest = findings_text(findings, "; %s over %s threads",
				     units_ns(all, (double)sum->all_ns),
				     units_count(others, sum->threads));
	switch (cause) {
	case IN_CALLS:
		return findings_text(findings,
				     "CPU contention in API calls, mainly %s: the thread was "
				     "runnable but not running for %s, %s%s",
				     finding->object, ns, times, rest);
	case BETWEEN_CALLS:
		return findings_text(findings,
				     "CPU contention between API calls: a thread that makes "
				     "them was runnable but not running for %s, %s%s",
				     ns, times, rest);
	default:
		return findings_text(findings,
				     "CPU contention: %s was runnable but not running for %s, %s%s",
				     makes_calls(findings->waits, finding->pid)
					     ? "a worker thread (for example the driver's)"
					     : "the thread",
				     ns, times, rest);
	}
}

static const char *const cause_names[] = {
	[IN_CALLS] = "in-calls",
	[BETWEEN_CALLS] = "between-calls",
	[NO_CALLS] = "other-threads",
};

/* The CPU on which all threads of the program took turns, though there are others; or -1. */
static int64_t only_cpu(const struct findings *findings, const struct preemption *preemption,
			const struct culprit *culprits, int count)
{
	if (!count || culprits[0].whose != WHOSE_ITSELF || findings->waits->states.cpu_count < 2)
		return -1;
	return placement_only_cpu(&preemption->placement);
}

static const char *advice(struct findings *findings, const struct preemption *preemption,
			  const struct culprit *culprits, int count)
{
	int64_t cpu = only_cpu(findings, preemption, culprits, count);
	const char *name;

	if (!count || (!culprits[0].pid && !culprits[0].name))
		return findings->waits->scope == TANDEM_SCOPE_system
			       ? "see whether it is so in other runs: what ran instead was not "
				 "recorded, though the whole machine was"
			       : "record as root, or lower kernel.perf_event_paranoid: that records what "
				 "ran instead";
	if (cpu >= 0)
		return findings_text(findings,
				     "all threads ran on CPU %lld: let them use others "
				     "(sched_setaffinity, taskset)",
				     (long long)cpu);
	if (culprits[0].whose == WHOSE_ITSELF)
		return "the program's own threads are more than there are CPUs: start fewer, or keep "
		       "one CPU free for the thread that feeds the device";
	name = intern_text(&findings->waits->states.names, culprits[0].name);
	if (culprits[0].whose == WHOSE_RECORDED)
		return findings_text(findings,
				     "%s is part of this recording: run fewer such processes at a "
				     "time, give it a lower priority (nice 19), or keep the two on "
				     "different CPUs (taskset)",
				     name);
	return findings_text(findings,
			     "stop the other program (%s) during the run, give it a lower "
			     "priority (nice 19), or keep the two on different CPUs (taskset)",
			     name);
}

static int add_sum(struct findings *findings, const struct preemption *preemption,
		   const struct preemption_sum *sum, enum cause cause)
{
	const struct waits *waits = findings->waits;
	const struct wait_thread *thread = waits->threads[sum->thread];
	struct finding *finding;
	const char *name = "";
	struct culprit *culprits;
	uint64_t known_ns = 0, unnamed_ns = 0;
	int count = find_culprits(findings, preemption, sum->thread, cause, &culprits);

	bool one_cpu = count >= 0 && only_cpu(findings, preemption, culprits, count) >= 0;

	if (count >= 0)
		name = one_cpu && !preemption->placed ? "placement" : cause_names[cause];
	finding = count < 0 ? NULL : findings_add(findings, "preemption", name);
	if (!finding) {
		free(culprits);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < STATE_COUNT; i++)
		known_ns += thread->ns[i];
	/* What they take of each other there is what the placement costs, by another account. */
	if (one_cpu && preemption->placed)
		finding->symptom_of = "preemption: placement";
	finding->count = sum->count;
	finding->cost_ns = sum->ns;
	finding->pid = thread->thread->pid;
	finding->tid = thread->thread->local_tid;
	finding->object = find_worst(findings, preemption, finding, sum, cause);
	finding->what = describe(findings, finding, sum, cause);
	finding->culprit = culprits_text(findings, culprits, count, sum);
	finding->suggestion = advice(findings, preemption, culprits, count);
	finding->confidence = thread->ns[STATE_UNKNOWN] > known_ns / 10 || waits->lost
				      ? CONFIDENCE_MEDIUM
				      : CONFIDENCE_HIGH;
	finding->why = findings_text(findings, "the kernel recorded each switch%s",
				     waits->lost ? ", but some records were lost" : "");
	if (known_ns && thread->ns[STATE_UNKNOWN] > known_ns / 1000)
		finding->why = findings_text(
			findings,
			"%s; no scheduler records of the thread for "
			"%.1f %% of the time",
			finding->why, 100 * (double)thread->ns[STATE_UNKNOWN] / (double)known_ns);
	for (int i = 0; i < count; i++)
		unnamed_ns += culprits[i].pid || culprits[i].name ? 0 : culprits[i].ns;
	if (unnamed_ns * 4 > sum->ns) {
		finding->confidence = unnamed_ns * 2 > sum->ns ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings, "%s; what ran instead was not recorded for %.0f %% of it",
			finding->why, 100 * (double)unnamed_ns / (double)sum->ns);
	}
	free(culprits);
	return 0;
}

/* The worst thread of each process stands for it: thousands may have waited. */
static int add_process(struct findings *findings, const struct preemption *preemption, uint64_t pid,
		       const struct preemption_sum *threads)
{
	const struct waits *waits = findings->waits;
	int status = 0;

	for (unsigned cause = 0; !status && cause < CAUSES; cause++) {
		struct preemption_sum worst = {.ns = 0};

		for (uint32_t i = 0; i < waits->thread_count; i++) {
			const struct preemption_sum *sum = &threads[i * CAUSES + cause];

			if (waits->threads[i]->thread->pid != pid || !sum->ns)
				continue;
			if (sum->ns > worst.ns) {
				worst.ns = sum->ns;
				worst.count = sum->count;
				worst.thread = i;
			}
			worst.threads++;
			worst.all_ns += sum->ns;
		}
		if (worst.ns >= WAIT_LEAST_NS)
			status = add_sum(findings, preemption, &worst, cause);
	}
	return status;
}

static int preemption_interval(struct findings *findings, void *state,
			       const struct wait_thread *thread,
			       const struct states_interval *interval)
{
	struct preemption *preemption = state;

	return own_work_interval(&preemption->own, thread, interval)
		       ?: placement_interval(&preemption->placement, findings, thread, interval);
}

static int preemption_event(struct findings *findings, void *state,
			    const struct sequence_event *event)
{
	struct preemption *preemption = state;

	own_work_event(&preemption->own, findings, event);
	return 0;
}

/* 0 or -ENOMEM. */
static int find_often(struct preemption *preemption, const struct findings *findings)
{
	const struct waits *waits = findings->waits;
	uint64_t *ns = calloc(waits->thread_count + 1, sizeof(*ns));

	preemption->often = calloc(waits->thread_count + 1, sizeof(*preemption->often));
	if (!ns || !preemption->often) {
		free(ns);
		return -ENOMEM;
	}
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];

		if (!is_own(findings, row) || row->ns < row->count * OFTEN_NS)
			continue;
		ns[row->thread] += row->ns;
		preemption->often[row->thread] =
			ns[row->thread] * 100 >= findings->duration_ns * OFTEN_PERCENT;
	}
	free(ns);
	return 0;
}

static int preemption_end(struct findings *findings, void *state)
{
	const struct waits *waits = findings->waits;
	const struct trace_session *session = findings->session;
	struct preemption *preemption = state;
	struct preemption_sum *threads;
	size_t before = findings->count;
	int status = 0;

	if (!waits->any)
		return 0;
	threads = calloc(waits->thread_count * CAUSES + 1, sizeof(*threads));
	if (!threads || find_often(preemption, findings)) {
		free(threads);
		return -ENOMEM;
	}
	for (size_t i = 0; i < waits->row_count; i++) {
		const struct wait_row *row = &waits->rows[i];
		struct preemption_sum *sum;

		if (!is_preemption(findings, preemption, row))
			continue;
		sum = &threads[row->thread * CAUSES + cause_of(waits->threads[row->thread], row)];
		sum->ns += row->ns;
		sum->count += row->count;
	}
	if (placement_add(&preemption->placement, findings))
		status = -ENOMEM;
	preemption->placed = findings->count > before;
	for (size_t i = 0; !status && i < session->process_count; i++) {
		if (!session->processes[i].kernel)
			status = add_process(findings, preemption, session->processes[i].pid,
					     threads);
		if (!status && !session->processes[i].kernel)
			status = sleepless_add(findings, &preemption->own,
					       session->processes[i].pid);
	}
	free(threads);
	return status;
}

static void preemption_release(struct findings *findings, void *state)
{
	struct preemption *preemption = state;

	(void)findings;
	free(preemption->often);
	placement_free(&preemption->placement);
	own_work_free(&preemption->own);
}

const struct finding_ops finding_preemption = {
	.name = "preemption",
	.words = "threads that were runnable but not running, and what ran instead",
	.state_bytes = sizeof(struct preemption),
	.waits = true,
	.event = preemption_event,
	.events = 1u << SEQUENCE_START | 1u << SEQUENCE_END,
	.interval = preemption_interval,
	.end = preemption_end,
	.release = preemption_release,
};
