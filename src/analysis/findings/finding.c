/* SPDX-License-Identifier: MIT */
#include "analysis/findings/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/item_range.h"
#include "analysis/model/graph_event.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"
#include "util/text.h"

/* In the order of doc/FINDINGS.md. */
#define FINDINGS(X)      \
	X(preemption)    \
	X(shared_device) \
	X(idle_device)   \
	X(overlap)       \
	X(ordering)      \
	X(transfers)     \
	X(copies)        \
	X(waiting)       \
	X(callbacks)     \
	X(builds)        \
	X(task_graph)    \
	X(allocations)   \
	X(objects)       \
	X(launch)        \
	X(errors)        \
	X(leaks)         \
	X(trace)

#define X(kind) extern const struct finding_ops finding_##kind;
FINDINGS(X)
#undef X

const struct finding_ops *const finding_kinds[] = {
#define X(kind) &finding_##kind,
	FINDINGS(X)
#undef X
		NULL,
};

enum { KINDS = sizeof(finding_kinds) / sizeof(*finding_kinds) - 1 };

/* So far off a clock may be: commands of before the session are seen in it. */
#define OUTSIDE_NS INT64_C(10000000000)

struct maker { /* findings that are being made */
	struct findings *findings;
	void *states[KINDS];
	bool wanted[KINDS];
	unsigned char event_kinds[KINDS], item_kinds[KINDS]; /* that take them, of the wanted */
	unsigned event_count, item_count;
	struct event_sequence sequence;
	bool sequenced; /* somebody asks for it */
	struct graph graph;
	int failed;
};

const char *finding_confidence_name(enum finding_confidence confidence)
{
	static const char *const words[] = {
		[CONFIDENCE_LOW] = "low",
		[CONFIDENCE_MEDIUM] = "medium",
		[CONFIDENCE_HIGH] = "high",
	};

	return words[confidence];
}

const char *finding_confidence_before(enum finding_confidence confidence)
{
	static const char *const words[] = {
		[CONFIDENCE_LOW] = "guess",
		[CONFIDENCE_MEDIUM] = "likely",
		[CONFIDENCE_HIGH] = "certain",
	};

	return words[confidence];
}

struct finding *findings_add(struct findings *findings, const char *name, const char *cause)
{
	struct finding *finding;

	if (array_reserve(&findings->items, &findings->capacity, findings->count + 1,
			  sizeof(*findings->items)))
		return NULL;
	finding = &findings->items[findings->count++];
	*finding = (struct finding){
		.name = name,
		.cause = cause,
		.what = "",
		.suggestion = "",
		.culprit = "",
		.confidence = CONFIDENCE_HIGH,
		.why = "",
		.process = "",
		.device = "",
		.object = "",
		.symptom_of = "",
	};
	return finding;
}

const char *findings_text(struct findings *findings, const char *format, ...)
{
	struct text text = TEXT_INIT;
	const char *copy = NULL;
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&text, format, arguments);
	va_end(arguments);
	if (!text.failed)
		copy = arena_copy(&findings->arena, text.data, text.length);
	text_free(&text);
	return copy ? copy : "";
}

const struct trace_stream *findings_stream(const struct findings *findings, uint32_t index)
{
	return trace_ahead_stream(&findings->iterator->ahead, index);
}

const struct tandem_domain_row *findings_domain(const struct findings *findings, uint32_t device)
{
	return trace_session_domain(findings->session,
				    findings->iterator->devices.rows[device].domain);
}

void finding_place(struct findings *findings, struct finding *finding, uint32_t stream)
{
	const struct trace_stream *at;

	if (stream == TRACE_NONE)
		return;
	at = findings_stream(findings, stream);
	finding->pid = at->process->pid;
	finding->tid = at->tid;
}

void finding_time(struct findings *findings, struct finding *finding, int64_t begin_ns,
		  int64_t end_ns)
{
	finding->timed = true;
	finding->begin_ns = begin_ns - findings->session->start_ns;
	finding->end_ns = end_ns - findings->session->start_ns;
}

static int take_event(void *context, const struct sequence_event *event)
{
	struct maker *maker = context;
	int status = maker->findings->graph ? graph_event(&maker->graph, event) : 0;

	for (unsigned i = 0; !status && i < maker->event_count; i++) {
		unsigned kind = maker->event_kinds[i];

		status = finding_kinds[kind]->event(maker->findings, maker->states[kind], event);
	}
	return status;
}

static void take_interval(void *user, const struct wait_thread *thread,
			  const struct states_interval *whole)
{
	struct maker *maker = user;
	const struct range *range = &maker->findings->range;
	struct states_interval part = *whole, *interval = &part;

	if (!maker->failed && maker->findings->graph)
		maker->failed = graph_interval(&maker->graph, thread, whole);
	part.from = range_clamp(range, whole->from);
	part.to = range_clamp(range, whole->to);
	if (part.to <= part.from && whole->to > whole->from)
		return;
	for (unsigned i = 0; !maker->failed && i < KINDS; i++) {
		if (maker->wanted[i] && finding_kinds[i]->interval)
			maker->failed = finding_kinds[i]->interval(
				maker->findings, maker->states[i], thread, interval);
	}
}

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;
	struct findings *findings = maker->findings;
	bool events = false, graph = false;
	int status = 0;

	findings->iterator = &pass->iterator;
	findings->waits = &pass->waits;
	pass->waits.emit = take_interval;
	pass->waits.user = maker;
	for (unsigned i = 0; !status && i < KINDS; i++) {
		const struct finding_ops *ops = finding_kinds[i];

		if (!maker->wanted[i])
			continue;
		if (ops->event)
			maker->event_kinds[maker->event_count++] = (unsigned char)i;
		if (ops->item)
			maker->item_kinds[maker->item_count++] = (unsigned char)i;
		graph |= ops->graph;
		events |= ops->event != NULL || ops->graph;
		maker->states[i] = calloc(1, ops->state_bytes + 1);
		if (!maker->states[i])
			return -ENOMEM;
		status = ops->begin ? ops->begin(findings, maker->states[i]) : 0;
	}
	if (!status && graph) {
		status = graph_open(&maker->graph, &pass->iterator,
				    pass->with_waits ? &pass->waits : NULL);
		findings->graph = status ? NULL : &maker->graph;
		if (!status)
			graph_replay_only(&maker->graph);
	}
	if (!status && events)
		status = event_sequence_open(&maker->sequence, findings->iterator, take_event,
					     maker);
	maker->sequenced = !status && events;
	maker->sequence.range = findings->range;
	/* Nobody asks when an operation was queued. */
	maker->sequence.unwanted = 1u << SEQUENCE_QUEUED;
	return status;
}

/* Whether the device says that it worked long before the session or after it: a
 * clock that was misunderstood. Nothing may be concluded from such times. */
static bool is_outside(const struct maker *maker, const struct operation *operation)
{
	struct trace_session *session = maker->findings->session;
	int64_t duration_ns = (int64_t)trace_session_duration_ns(session);

	return operation->times.start_ns > session->start_ns + duration_ns + OUTSIDE_NS ||
	       operation->times.end_ns < session->start_ns - OUTSIDE_NS;
}

static int take_faults(struct maker *maker, const struct event_item *item)
{
	int status = 0;

	if (!item_in_range(item, &maker->findings->range))
		return 0;
	for (unsigned i = 0; !status && i < KINDS; i++) {
		if (maker->wanted[i] && finding_kinds[i]->faults)
			status = finding_kinds[i]->faults(maker->findings, maker->states[i],
							  item->event);
	}
	return status;
}

static int take_item(void *user, const struct event_item *item)
{
	struct maker *maker = user;
	struct event_item corrected;
	bool inside;
	int status = 0;

	/* What else the operating system recorded is in the waits. */
	if (item->system && item->event->record->id == TANDEM_KERNEL_EVENT_page_faults)
		status = take_faults(maker, item);
	if (item->system)
		return status ? status : maker->failed;
	if (item->kind == ITEM_OPERATION && item->operation.placed &&
	    is_outside(maker, &item->operation)) {
		corrected = *item;
		corrected.operation.placed = false;
		item = &corrected;
	}
	inside = item_in_range(item, &maker->findings->range);
	for (unsigned i = 0; !status && i < maker->item_count; i++) {
		unsigned kind = maker->item_kinds[i];
		const struct finding_ops *ops = finding_kinds[kind];

		if (inside || ops->whole)
			status = ops->item(maker->findings, maker->states[kind], item);
	}
	/* Behind the kinds: what they remove is known when the event's turn comes. */
	if (!status && maker->sequenced)
		status = event_sequence_item(&maker->sequence, item);
	return status;
}

/* What comes of what, where both are found in one process. */
static const struct {
	const char *name, *cause, *of_name, *of_cause;
} symptoms[] = {
	{"idle-device", "synchronisation", "waiting", "after-each-command"},
	{"idle-device", "synchronisation", "waiting", "polling"},
	{"idle-device", "synchronisation", "transfers", "small"},
	{"idle-device", "launch", "transfers", "small"},
	{"idle-device", "host-busy", "waiting", "after-each-command"},
	{"idle-device", "host-blocked", "waiting", "after-each-command"},
	{"waiting", "nothing-to-wait-for", "transfers", "small"},
	{"idle-device", "synchronisation", "transfers", "back-and-forth"},
	{"idle-device", "synchronisation", "copies", "by-host"},
	{"idle-device", "synchronisation", "copies", "dominate"},
	{"idle-device", "synchronisation", "copies", "unchanged"},
	{"idle-device", "launch", "transfers", "small"},
	{"overlap", "one-queue", "copies", "unchanged"},
	{"copies", "dominate", "copies", "unchanged"},
	{"copies", "dominate", "transfers", "small"},
	{"copies", "dominate", "transfers", "back-and-forth"},
	{"idle-device", "synchronisation", "allocations", "loop"},
	{"overlap", "one-queue", "waiting", "after-each-command"},
	{"overlap", "one-queue", "transfers", "small"},
	{"overlap", "one-queue", "transfers", "back-and-forth"},
	{"overlap", "one-queue", "copies", "by-host"},
	{"overlap", "one-queue", "copies", "dominate"},
	{"idle-device", "launch", "callbacks", "heavy"},
	{"idle-device", "host-calls", "callbacks", "heavy"},
	{"idle-device", "host-calls", "builds", "repeated"},
	{"idle-device", "host-calls", "builds", "first"},
	{"idle-device", "host-calls", "allocations", "loop"},
	{"idle-device", "host-calls", "objects", "loop"},
};

static bool is_named(const struct finding *finding, const char *name, const char *cause)
{
	return !strcmp(finding->name, name) && !strcmp(finding->cause, cause);
}

static const struct finding *find_cause(const struct findings *findings,
					const struct finding *symptom)
{
	for (size_t i = 0; i < sizeof(symptoms) / sizeof(*symptoms); i++) {
		if (!is_named(symptom, symptoms[i].name, symptoms[i].cause))
			continue;
		for (size_t j = 0; j < findings->count; j++) {
			const struct finding *cause = &findings->items[j];

			if (is_named(cause, symptoms[i].of_name, symptoms[i].of_cause) &&
			    cause->pid == symptom->pid)
				return cause;
		}
	}
	return NULL;
}

/* A kernel that is too short for its launch and too small for the device: with more work for each
 * launch both go. */
static void join_small_kernels(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *small = &findings->items[i];

		if (!is_named(small, "launch", "few-groups"))
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

static void set_symptoms(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *cause = find_cause(findings, &findings->items[i]);

		if (cause)
			findings->items[i].symptom_of =
				findings_text(findings, "%s: %s", cause->name, cause->cause);
	}
}

/* What is to be done first: the saving times how likely it is, causes before symptoms. */
static double weight(const struct finding *finding)
{
	static const double likely[] = {
		[CONFIDENCE_LOW] = 0.3,
		[CONFIDENCE_MEDIUM] = 0.8,
		[CONFIDENCE_HIGH] = 1,
	};

	return (double)finding->cost_ns * likely[finding->confidence] *
	       (*finding->symptom_of ? 1e-6 : 1);
}

static int by_cost(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;

	if (weight(left) < weight(right) || weight(left) > weight(right))
		return weight(left) < weight(right) ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->what, right->what);
}

/* What is saved is the difference between two ends of one graph: causes that have it are
 * comparable. What is not more than the replay's own error is nothing. */
static void set_savings(struct findings *findings)
{
	uint64_t own_ns[GRAPH_CAUSE_COUNT] = {0};
	size_t kept = 0;

	findings->replay_error_ns = findings->graph ? findings->graph->error_ns : 0;
	for (size_t i = 0; i < findings->count; i++)
		own_ns[findings->items[i].removes] += findings->items[i].cost_ns;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		if (finding->removes != GRAPH_NONE && own_ns[finding->removes])
			finding->cost_ns =
				(uint64_t)((double)finding->cost_ns /
					   (double)own_ns[finding->removes] *
					   (double)findings->graph->saved_ns[finding->removes]);
		if (finding->removes != GRAPH_NONE && finding->cost_ns <= findings->replay_error_ns)
			finding->cost_ns = 0;
		if (finding->removes == GRAPH_NONE || finding->cost_ns || finding->always_report)
			findings->items[kept++] = *finding;
	}
	findings->count = kept;
}

/* Several threads at once can lose more than there was. */
static void set_percent(const struct findings *findings, struct finding *finding)
{
	uint64_t duration_ns = findings->duration_ns;

	if (finding->cost_ns > duration_ns)
		finding->cost_ns = duration_ns;
	finding->percent = duration_ns ? 100.0 * (double)finding->cost_ns / (double)duration_ns : 0;
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

static int end(void *user, struct pass *pass)
{
	struct maker *maker = user;
	struct findings *findings = maker->findings;
	int status = maker->sequenced ? event_sequence_finish(&maker->sequence) : 0;

	(void)pass;
	if (!status)
		status = maker->failed;
	if (!status && findings->graph)
		status = graph_finish(&maker->graph);
	for (unsigned i = 0; !status && i < KINDS; i++) {
		if (maker->wanted[i] && finding_kinds[i]->end)
			status = finding_kinds[i]->end(findings, maker->states[i]);
	}
	if (!status)
		set_savings(findings);
	join_small_kernels(findings);
	for (size_t i = 0; i < findings->count; i++)
		set_percent(findings, &findings->items[i]);
	for (size_t i = 0; i < findings->count; i++)
		set_process(findings, &findings->items[i]);
	set_symptoms(findings);
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), by_cost);
	return status;
}

static void maker_free(void *user)
{
	struct maker *maker = user;

	for (unsigned i = 0; i < KINDS; i++) {
		if (maker->states[i] && finding_kinds[i]->release)
			finding_kinds[i]->release(maker->findings, maker->states[i]);
		free(maker->states[i]);
	}
	if (maker->sequenced)
		event_sequence_close(&maker->sequence);
	if (maker->findings->graph)
		graph_close(&maker->graph);
	maker->findings->graph = NULL;
	free(maker);
}

static int choose_kinds(struct maker *maker, struct pass *pass, const char *only,
			struct error *error)
{
	bool any = false;

	for (unsigned i = 0; i < KINDS; i++) {
		maker->wanted[i] = !only || !strcmp(finding_kinds[i]->name, only);
		pass->with_waits |= maker->wanted[i] && finding_kinds[i]->waits;
		any |= maker->wanted[i];
	}
	return any ? 0 : error_add(error, -ENOENT, "there is no kind of finding `%s`", only);
}

/* How much of the run is examined. */
static uint64_t span_ns(const struct pass *pass)
{
	int64_t begin_ns = pass->session->start_ns;

	return range_within(&pass->range, begin_ns,
			    begin_ns + (int64_t)trace_session_duration_ns(pass->session));
}

int findings_join(struct pass *pass, struct findings *findings, const char *only,
		  struct error *error)
{
	static const struct pass_consumer consumer = {
		.begin = begin,
		.item = take_item,
		.end = end,
		.free = maker_free,
	};
	struct maker *maker = calloc(1, sizeof(*maker));
	int status;

	memset(findings, 0, sizeof(*findings));
	if (!maker)
		return error_add(error, -ENOMEM, "%s", strerror(ENOMEM));
	status = choose_kinds(maker, pass, only, error);
	if (status) {
		free(maker);
		return status;
	}
	maker->findings = findings;
	findings->session = pass->session;
	findings->range = pass->range;
	findings->duration_ns = span_ns(pass);
	pass->flags |= EVENT_PLACED | EVENT_LAUNCH_SIZES;
	pass_join(pass, &consumer, maker);
	return 0;
}

int findings_make(struct findings *findings, struct trace_session *session,
		  const struct findings_options *options, struct error *error)
{
	struct pass pass;
	int status;

	pass_init(&pass, session, options ? options->progress : NULL);
	if (options && options->range)
		pass.range = *options->range;
	status = findings_join(&pass, findings, options ? options->only : NULL, error);
	if (status)
		return status;
	status = pass_run_alone(&pass, 0, error);
	if (status)
		findings_free(findings);
	return status;
}

void findings_free(struct findings *findings)
{
	free(findings->items);
	free(findings->replays);
	arena_free(&findings->arena);
	memset(findings, 0, sizeof(*findings));
}
