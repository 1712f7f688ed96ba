/* SPDX-License-Identifier: MIT */
#include "analysis/findings/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define ANY 255u
#define SAME_CALL 254u
#define ALL 253u

/* What comes of what, where both are found in one process. The first that applies. */
static const struct symptom {
	const char *name, *cause, *of_name, *of_cause;
	/* In quarters: a cause explains no symptom of which it costs less. 0: one quarter; ANY:
	 * whatever it costs. SAME_CALL: one quarter, and both name its function. ALL: one quarter, and
	 * the symptom is all that it costs. */
	unsigned least;
} symptoms[] = {
	/* Small kernels that need not wait for each other would have the device together. */
	{"launch", "few-groups", "ordering", "events", ANY},
	{"launch", "few-groups", "ordering", "barriers", ANY},
	{"launch", "few-groups", "ordering", "default-queue", ANY},
	/* An allocation holds up the launches of other threads. */
	{"idle-device", "launch", "allocations", "loop", 3},
	/* Where the device is the CPU, its kernels are what others' threads run. */
	{"preemption", "other-threads", "shared-device", "process", 0},
	{"preemption", "in-calls", "preemption", "placement", 3},
	{"preemption", "between-calls", "preemption", "placement", 3},
	{"preemption", "in-calls", "waiting", "spinning", SAME_CALL},
	/* It waits before it sleeps, as until the next request comes. */
	{"waiting", "after-each-command", "idle-device", "host-blocked", 3},
	{"idle-device", "synchronisation", "waiting", "after-each-command", 0},
	{"idle-device", "synchronisation", "waiting", "polling", 0},
	{"idle-device", "host-blocked", "waiting", "polling", 3},
	{"idle-device", "synchronisation", "waiting", "nothing-to-wait-for", 2},
	{"idle-device", "synchronisation", "transfers", "small", 0},
	{"idle-device", "host-busy", "errors", "call", 3},
	{"idle-device", "host-busy", "waiting", "after-each-command", 0},
	{"idle-device", "host-blocked", "waiting", "after-each-command", 8},
	{"waiting", "nothing-to-wait-for", "transfers", "small", 0},
	{"idle-device", "synchronisation", "transfers", "pageable", 0},
	{"idle-device", "synchronisation", "transfers", "back-and-forth", 0},
	{"idle-device", "synchronisation", "copies", "by-host", 0},
	{"idle-device", "synchronisation", "copies", "dominate", 0},
	{"idle-device", "synchronisation", "copies", "unchanged", 2},
	{"idle-device", "launch", "transfers", "small", 0},
	{"transfers", "small", "transfers", "back-and-forth", 4},
	{"idle-device", "launch", "transfers", "pageable", 0},
	{"idle-device", "host-busy", "transfers", "pageable", 16},
	{"idle-device", "host-busy", "transfers", "back-and-forth", 4},
	{"idle-device", "host-busy", "copies", "by-host", 4},
	{"idle-device", "launch", "copies", "by-host", 0},
	/* What a driver does for a barrier is between commands. */
	{"idle-device", "launch", "ordering", "barriers", ALL},
	{"idle-device", "launch", "ordering", "events", 0},
	{"idle-device", "launch", "ordering", "default-queue", 0},
	{"transfers", "small", "copies", "unchanged", 4},
	{"transfers", "misaligned", "copies", "by-host", 0},
	{"overlap", "one-queue", "copies", "unchanged", 5},
	{"overlap", "one-queue", "idle-device", "host-blocked", 3},
	{"overlap", "one-queue", "allocations", "loop", 0},
	{"copies", "dominate", "copies", "unchanged", 0},
	{"copies", "dominate", "copies", "by-host", 0},
	{"copies", "dominate", "transfers", "small", 0},
	{"copies", "dominate", "transfers", "back-and-forth", 0},
	{"copies", "dominate", "transfers", "slow", 2},
	{"idle-device", "synchronisation", "allocations", "loop", 0},
	{"overlap", "one-queue", "waiting", "after-each-command", 0},
	{"overlap", "one-queue", "transfers", "small", 0},
	{"overlap", "one-queue", "transfers", "pageable", 0},
	{"overlap", "one-queue", "transfers", "back-and-forth", 0},
	{"overlap", "one-queue", "copies", "by-host", 0},
	{"overlap", "one-queue", "copies", "dominate", 8},
	{"overlap", "one-queue", "ordering", "default-queue", 2},
	{"idle-device", "launch", "callbacks", "heavy", 0},
	{"idle-device", "launch", "objects", "loop", 0},
	{"idle-device", "host-calls", "waiting", "polling", 0},
	{"idle-device", "host-calls", "callbacks", "heavy", 0},
	{"idle-device", "host-calls", "builds", "repeated", SAME_CALL},
	{"idle-device", "host-calls", "builds", "first", SAME_CALL},
	{"idle-device", "host-calls", "allocations", "loop", 0},
	{"idle-device", "host-calls", "objects", "loop", ALL},
	{"idle-device", "host-calls", "leaks", "memory", SAME_CALL},
};

static bool is_named(const struct finding *finding, const char *name, const char *cause)
{
	return !strcmp(finding->name, name) && !strcmp(finding->cause, cause);
}

static const char *full_name(struct findings *findings, const char *name, const char *cause)
{
	return findings_text(findings, "%s: %s", name, cause);
}

/* Nothing is a symptom of its own symptom. */
static struct finding *find_cause(struct findings *findings, const struct symptom *rule,
				  const struct finding *symptom)
{
	bool same_call = rule->least == SAME_CALL;
	bool one = !rule->least || same_call || rule->least == ALL;
	uint64_t least = rule->least == ANY ? 0 : one ? 1 : rule->least;

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *cause = &findings->items[i];

		if (is_named(cause, rule->of_name, rule->of_cause) && cause->pid == symptom->pid &&
		    4 * cause->cost_ns >= least * symptom->cost_ns &&
		    (!same_call || strstr(cause->what, symptom->object)) &&
		    strcmp(cause->symptom_of, full_name(findings, rule->name, rule->cause)) != 0)
			return cause;
	}
	return NULL;
}

/* A kernel that is too short for its launch and too small for the device: with more work for each
 * launch both go. */
static void join_small_kernels(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *small = &findings->items[i];

		if (*small->symptom_of || !is_named(small, "launch", "few-groups"))
			continue;
		for (size_t j = 0; j < findings->count; j++) {
			struct finding *launch = &findings->items[j];

			if (!is_named(launch, "idle-device", "launch") || !*launch->object ||
			    strcmp(launch->object, small->object) != 0 ||
			    launch->pid != small->pid || launch->cost_ns < small->cost_ns)
				continue;
			launch->cost_ns += small->cost_ns;
			launch->why = findings_text(findings,
						    "%s; with what %s leaves unused of "
						    "the device (launch: few-groups)",
						    launch->why, small->object);
			small->symptom_of = findings_text(findings, "idle-device: launch");
			break;
		}
	}
}

/* Of the run as it would be without recording. Several threads at once can lose more than there was. */
static void set_percent(const struct findings *findings, struct finding *finding)
{
	uint64_t duration_ns = findings->duration_ns;

	duration_ns -= findings->recording_ns;
	if (finding->cost_ns > duration_ns)
		finding->cost_ns = duration_ns;
	finding->percent = duration_ns ? 100.0 * (double)finding->cost_ns / (double)duration_ns : 0;
}

static void set_symptoms(struct findings *findings)
{
	for (size_t i = 0; i < sizeof(symptoms) / sizeof(*symptoms); i++) {
		const struct symptom *rule = &symptoms[i];

		for (size_t j = 0; j < findings->count; j++) {
			struct finding *symptom = &findings->items[j], *cause;

			if (*symptom->symptom_of || !is_named(symptom, rule->name, rule->cause))
				continue;
			cause = find_cause(findings, rule, symptom);
			if (!cause)
				continue;
			symptom->symptom_of = full_name(findings, rule->of_name, rule->of_cause);
			if (rule->least != ALL || cause->cost_ns >= symptom->cost_ns)
				continue;
			cause->cost_ns = symptom->cost_ns;
			set_percent(findings, cause);
		}
	}
}

/* Of what is there once in a run: from here on it counts in full. */
#define ONCE_NS 3e9

/* What is to be done first: the saving times how likely it is. What is in a loop grows with the run: of a short
 * run, what is there once counts less. */
static double weight(const struct finding *finding)
{
	static const double likely[] = {
		[CONFIDENCE_LOW] = 0.3,
		[CONFIDENCE_MEDIUM] = 0.8,
		[CONFIDENCE_HIGH] = 1,
	};

	double once = (double)finding->cost_ns / ONCE_NS;

	return (double)finding->cost_ns * likely[finding->confidence] *
	       (finding->once && once < 1 ? once : 1);
}

static int by_cost(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;

	if (!*left->symptom_of != !*right->symptom_of)
		return *left->symptom_of ? 1 : -1;
	if (weight(left) < weight(right) || weight(left) > weight(right))
		return weight(left) < weight(right) ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->what, right->what);
}

/* What is saved is the difference between two ends of one graph: causes that have it are
 * comparable. What is not more than the replay's own error is nothing. */
static uint64_t replayed_ns(const struct findings *findings, const struct finding *finding,
			    uint64_t own_ns)
{
	uint64_t removed_ns = finding->cost_ns - finding->stays_ns;
	double part = own_ns ? (double)removed_ns / (double)own_ns : 0;
	uint64_t saved_ns = (uint64_t)(part * (double)findings->graph->saved_ns[finding->removes]);

	if (finding->at_least && saved_ns < finding->cost_ns)
		return finding->cost_ns;
	return saved_ns > findings->replay_error_ns ? saved_ns : 0;
}

/* No more than a half. */
static uint64_t recording_ns(const struct findings *findings)
{
	uint64_t ns = findings->graph->saved_ns[GRAPH_RECORDING];

	return ns < findings->duration_ns / 2 ? ns : findings->duration_ns / 2;
}

/* Of gaps, and what is between the host's calls: more than is in the text. */
static void say_replayed(struct findings *findings, struct finding *finding, uint64_t own_ns)
{
	char more[UNITS_BYTES];

	if (finding->at_least && finding->cost_ns > own_ns + own_ns / 10)
		finding->why = findings_text(
			findings,
			"%s; the cost is what a replay saves: %s more, as launches and "
			"the way back to the host go as well",
			finding->why, units_ns(more, (double)(finding->cost_ns - own_ns)));
}

static void set_savings(struct findings *findings)
{
	uint64_t own_ns[GRAPH_CAUSE_COUNT] = {0};
	size_t kept = 0;

	if (findings->graph) {
		findings->replay_error_ns = findings->graph->error_ns;
		findings->recording_ns = recording_ns(findings);
	}
	for (size_t i = 0; i < findings->count; i++)
		own_ns[findings->items[i].removes] += findings->items[i].cost_ns;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];
		uint64_t estimate_ns = finding->cost_ns;

		if (finding->removes != GRAPH_NONE)
			finding->cost_ns = replayed_ns(findings, finding, own_ns[finding->removes]);
		if (finding->most_ns && finding->cost_ns > finding->most_ns)
			finding->cost_ns = finding->most_ns;
		say_replayed(findings, finding, estimate_ns);
		if (finding->removes == GRAPH_NONE || finding->cost_ns || finding->always_report)
			findings->items[kept++] = *finding;
	}
	findings->count = kept;
}

/* The name that it had at last. */
static void set_process(struct findings *findings, struct finding *finding)
{
	const struct trace_session *session = findings->session;

	for (size_t i = session->process_count; finding->pid && i; i--) {
		const struct trace_process *process = &session->processes[i - 1];

		if (process->pid != finding->pid || process->kernel)
			continue;
		finding->process = findings_text(findings, "%s", process->name);
		return;
	}
}

void findings_rank(struct findings *findings)
{
	set_savings(findings);
	join_small_kernels(findings);
	for (size_t i = 0; i < findings->count; i++) {
		set_percent(findings, &findings->items[i]);
		set_process(findings, &findings->items[i]);
	}
	set_symptoms(findings);
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), by_cost);
}
