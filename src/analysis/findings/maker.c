/* SPDX-License-Identifier: MIT */
/* Makes the findings of all kinds in one pass. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/item_range.h"
#include "analysis/findings/beside.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/ranking.h"
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

struct maker { /* findings that are being made */
	struct findings *findings;
	void *states[KINDS];
	bool wanted[KINDS];
	struct side side; /* of the kinds that need no more than what was recorded, and its order */
	struct event_sequence sequence;
	bool sequenced;	      /* somebody asks for it */
	struct beside beside; /* of the others */
};

_Static_assert(KINDS <= SIDE_KINDS_MOST, "all kinds may be on one side");

static int take_event(void *context, const struct sequence_event *event)
{
	struct maker *maker = context;
	int status = side_event(&maker->side, event);

	return status ? status : beside_event(&maker->beside, event);
}

static int begin_kinds(struct maker *maker, bool *events, bool *graph)
{
	int status = 0;

	for (unsigned i = 0; !status && i < KINDS; i++) {
		const struct finding_ops *ops = finding_kinds[i];
		bool modelled = ops->graph || ops->interval;

		if (!maker->wanted[i])
			continue;
		*graph |= ops->graph;
		*events |= ops->event != NULL || ops->graph;
		maker->states[i] = calloc(1, ops->state_bytes + 1);
		if (!maker->states[i])
			return -ENOMEM;
		side_add(modelled ? &maker->beside.side : &maker->side, ops, maker->states[i]);
		status = ops->begin ? ops->begin(maker->findings, maker->states[i]) : 0;
	}
	return status;
}

static int begin(void *user, struct pass *pass)
{
	struct maker *maker = user;
	struct findings *findings = maker->findings;
	bool events = false, graph = false;
	int status;

	findings->iterator = &pass->iterator;
	findings->waits = &pass->waits;
	maker->side.findings = findings;
	status = beside_open(&maker->beside, findings, pass);
	if (!status)
		status = begin_kinds(maker, &events, &graph);
	if (!status)
		status = beside_start(&maker->beside, pass, graph);
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

/* What else the operating system recorded is in the waits. */
static int take_system(struct maker *maker, const struct event_item *item)
{
	bool wanted = side_wants(&maker->side, item->event);
	bool inside = (wanted || side_wants(&maker->beside.side, item->event)) &&
		      item_in_range(item, &maker->findings->range);
	int status = wanted ? side_system(&maker->side, item->event, inside) : 0;

	return status ? status : beside_item(&maker->beside, item, inside);
}

static int take_item(void *user, const struct event_item *item)
{
	struct maker *maker = user;
	struct event_item corrected;
	bool inside;
	int status;

	if (item->system)
		return take_system(maker, item);
	if (item->kind == ITEM_OPERATION && item->operation.placed &&
	    is_outside(maker, &item->operation)) {
		corrected = *item;
		corrected.operation.placed = false;
		item = &corrected;
	}
	if (item->kind == ITEM_CALL)
		maker->findings->calls[item->event->stream->index] = (struct finding_call){
			item->event->layout->event, item->event->ns, item->end_ns, item->call};
	inside = item_in_range(item, &maker->findings->range);
	status = side_item(&maker->side, item, inside);
	if (!status)
		status = beside_item(&maker->beside, item, inside);
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
	int status = beside_settle(&maker->beside, pass);

	if (!status && maker->sequenced)
		status = event_sequence_finish(&maker->sequence);
	if (!status && findings->graph)
		status = graph_finish(findings->graph);
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

	/* It ends what the other thread does with the kinds' states. */
	beside_close(&maker->beside);
	for (unsigned i = 0; i < KINDS; i++) {
		if (maker->states[i] && finding_kinds[i]->release)
			finding_kinds[i]->release(maker->findings, maker->states[i]);
		free(maker->states[i]);
	}
	if (maker->sequenced)
		event_sequence_close(&maker->sequence);
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
	struct maker *maker = aligned_alloc(_Alignof(struct maker), sizeof(*maker));
	int status;

	memset(findings, 0, sizeof(*findings));
	if (!maker)
		return error_add(error, -ENOMEM, "%s", strerror(ENOMEM));
	memset(maker, 0, sizeof(*maker));
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
	pass.beside = session->content_bytes >= BESIDE_WORTH_BYTES || (options && options->beside);
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
