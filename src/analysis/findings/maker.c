/* SPDX-License-Identifier: MIT */
/* Makes the findings of all kinds in one pass. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/item_range.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/ranking.h"
#include "analysis/model/graph_event.h"
#include "schema/gen/kernel_records.h"

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

/* So late behind its call what a transfer moved is known: a hash of 64 MiB takes that long. */
#define CONTENT_BEHIND_NS 2000000

/* So far off a clock may be: commands of before the session are seen in it. */
#define OUTSIDE_NS INT64_C(10000000000)

/* What a kind takes, and its state. */
struct event_taker {
	finding_event *take;
	void *state;
};

struct item_taker {
	finding_item *take;
	void *state;
	bool whole; /* also what is outside the range */
};

struct interval_taker {
	finding_interval *take;
	void *state;
};

struct maker { /* findings that are being made */
	struct findings *findings;
	void *states[KINDS];
	bool wanted[KINDS];
	/* Of the wanted, each list up to one without a function. */
	struct event_taker event_takers[SEQUENCE_KINDS][KINDS + 1];
	struct item_taker item_takers[ITEM_KINDS][KINDS + 1];
	struct interval_taker interval_takers[KINDS + 1];
	struct event_sequence sequence;
	bool sequenced; /* somebody asks for it */
	struct graph graph;
	int failed;
};

static int take_event(void *context, const struct sequence_event *event)
{
	struct maker *maker = context;
	int status = maker->findings->graph ? graph_event(&maker->graph, event) : 0;

	for (const struct event_taker *taker = maker->event_takers[event->kind];
	     !status && taker->take; taker++)
		status = taker->take(maker->findings, taker->state, event);
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
	for (const struct interval_taker *taker = maker->interval_takers;
	     !maker->failed && taker->take; taker++)
		maker->failed = taker->take(maker->findings, taker->state, thread, interval);
}

/* Behind the kinds before it. */
static void takes(struct maker *maker, unsigned kind)
{
	const struct finding_ops *ops = finding_kinds[kind];
	struct event_taker event = {ops->event, maker->states[kind]};
	struct item_taker item = {ops->item, maker->states[kind], ops->whole};
	struct interval_taker interval = {ops->interval, maker->states[kind]}, *end;

	for (unsigned i = 0; i < SEQUENCE_KINDS; i++) {
		struct event_taker *last = maker->event_takers[i];

		while (last->take)
			last++;
		if (ops->events >> i & 1)
			*last = event;
	}
	for (unsigned i = 0; i < ITEM_KINDS; i++) {
		struct item_taker *last = maker->item_takers[i];

		while (last->take)
			last++;
		if (!ops->items || ops->items >> i & 1)
			*last = item;
	}
	for (end = maker->interval_takers; end->take; end++)
		;
	*end = interval;
}

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;
	struct findings *findings = maker->findings;
	bool events = false, graph = false;
	int status = 0;

	findings->iterator = &pass->iterator;
	findings->waits = &pass->waits;
	findings->calls = calloc(pass->session->stream_count + 1, sizeof(*findings->calls));
	if (!findings->calls)
		return -ENOMEM;
	pass->waits.emit = take_interval;
	pass->waits.user = maker;
	for (unsigned i = 0; !status && i < KINDS; i++) {
		const struct finding_ops *ops = finding_kinds[i];

		if (!maker->wanted[i])
			continue;
		graph |= ops->graph;
		events |= ops->event != NULL || ops->graph;
		maker->states[i] = calloc(1, ops->state_bytes + 1);
		if (!maker->states[i])
			return -ENOMEM;
		takes(maker, i);
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
	/* Contents are recorded behind their calls, whose turn comes when what they say is known. */
	if (findings->session->args_level == TANDEM_ARGS_FULL)
		maker->sequence.ordered_events.lag_ns = CONTENT_BEHIND_NS;
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
	if (item->kind == ITEM_CALL && maker->findings->session->args_level == TANDEM_ARGS_FULL &&
	    async_reads_call(&maker->findings->async_reads, item->event, item->call))
		return -ENOMEM;
	if (item->kind == ITEM_CALL)
		maker->findings->calls[item->event->stream->index] = (struct finding_call){
			item->event->layout->event, item->event->ns, item->end_ns, item->call};
	inside = item_in_range(item, &maker->findings->range);
	if (maker->findings->graph)
		status = graph_item(&maker->graph, item);
	for (const struct item_taker *taker = maker->item_takers[item->kind];
	     !status && taker->take; taker++) {
		if (inside || taker->whole)
			status = taker->take(maker->findings, taker->state, item);
	}
	/* Behind the kinds: what they remove is known when the event's turn comes. */
	if (!status && maker->sequenced)
		status = event_sequence_item(&maker->sequence, item);
	return status;
}

/* Names are of what the pass knows, and end with it. */
static void keep_objects(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		findings->items[i].object =
			findings_text(findings, "%s", findings->items[i].object);
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
	if (status)
		return status;
	keep_objects(findings);
	findings_rank(findings);
	return 0;
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
	async_reads_free(&maker->findings->async_reads);
	free(maker->findings->calls);
	maker->findings->calls = NULL;
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
