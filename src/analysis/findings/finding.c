#include "analysis/findings/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* In the order of doc/FINDINGS.md. */
#define FINDINGS(X)                                                            \
	X(preemption)                                                          \
	X(shared_device)                                                       \
	X(idle_device)                                                         \
	X(overlap)                                                             \
	X(transfers)                                                           \
	X(waiting)                                                             \
	X(builds)                                                              \
	X(allocations)                                                         \
	X(launch)                                                              \
	X(errors)                                                              \
	X(leaks)                                                               \
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

struct pass {
	struct findings *findings;
	void *states[KINDS];
	bool wanted[KINDS];
	struct event_sequence sequence;
	bool timed; /* somebody asks for it */
	bool waits; /* same, and the kernel was recorded */
	int failed;
};

const char *finding_sure_name(enum finding_sure sure)
{
	static const char *const words[] = {
		[FINDING_GUESS] = "guess",
		[FINDING_LIKELY] = "likely",
		[FINDING_CERTAIN] = "certain",
	};

	return words[sure];
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
		.todo = "",
		.who = "",
		.sure = FINDING_CERTAIN,
		.why = "",
		.device = "",
		.object = "",
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
	return findings->iterator.merge.streams[index];
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

static int pass_event(void *context, const struct sequence_event *event)
{
	struct pass *pass = context;
	int status = 0;

	for (unsigned i = 0; !status && i < KINDS; i++) {
		if (pass->wanted[i] && finding_kinds[i]->event)
			status = finding_kinds[i]->event(pass->findings, pass->states[i], event);
	}
	return status;
}

static void pass_interval(void *user, const struct wait_thread *thread,
			  const struct states_interval *interval)
{
	struct pass *pass = user;

	for (unsigned i = 0; !pass->failed && i < KINDS; i++) {
		if (pass->wanted[i] && finding_kinds[i]->interval)
			pass->failed = finding_kinds[i]->interval(pass->findings, pass->states[i],
								  thread, interval);
	}
}

static int pass_begin(struct pass *pass)
{
	bool events = false, waits = false;
	int status = 0;

	for (unsigned i = 0; !status && i < KINDS; i++) {
		const struct finding_ops *ops = finding_kinds[i];

		if (!pass->wanted[i])
			continue;
		events |= ops->event != NULL;
		waits |= ops->waits;
		pass->states[i] = calloc(1, ops->state_bytes + 1);
		if (!pass->states[i])
			return -ENOMEM;
		status = ops->begin ? ops->begin(pass->findings, pass->states[i]) : 0;
	}
	if (!status && events)
		status = event_sequence_open(&pass->sequence, &pass->findings->iterator, pass_event,
					     pass);
	pass->timed = !status && events;
	if (!status && waits)
		status = waits_init(&pass->findings->waits, pass->findings->session);
	pass->waits = !status && waits;
	if (pass->waits) {
		pass->findings->waits.tell = pass_interval;
		pass->findings->waits.user = pass;
	}
	return status;
}

/* What the kernel recorded is nobody's but the waits'. */
static int pass_kernel(struct pass *pass, const struct trace_event *event)
{
	int status = pass->waits ? waits_kernel(&pass->findings->waits, event) : 0;

	return status ? status : pass->failed;
}

/* Whether the device says that it worked long before the session or after it: a
 * clock that was misunderstood. Nothing may be concluded from such times. */
static bool is_outside(const struct pass *pass, const struct operation *operation)
{
	const struct trace_session *session = pass->findings->session;
	int64_t duration_ns = (int64_t)pass->findings->duration_ns;

	return operation->times.start_ns > session->start_ns + duration_ns + OUTSIDE_NS ||
	       operation->times.end_ns < session->start_ns - OUTSIDE_NS;
}

static int pass_item(struct pass *pass, const struct event_item *item)
{
	struct event_item mended;
	int status = 0;

	if (item->kind == ITEM_OPERATION && item->operation.placed &&
	    is_outside(pass, &item->operation)) {
		mended = *item;
		mended.operation.placed = false;
		item = &mended;
	}

	if (item->event && item->event->stream->process->kernel)
		return pass_kernel(pass, item->event);
	if (pass->waits && item->kind == ITEM_CALL && pass->findings->waits.any)
		status = waits_call(&pass->findings->waits, item->event);
	if (status)
		return status;
	if (pass->timed)
		status = event_sequence_item(&pass->sequence, item);
	for (unsigned i = 0; !status && i < KINDS; i++) {
		if (pass->wanted[i] && finding_kinds[i]->item)
			status = finding_kinds[i]->item(pass->findings, pass->states[i], item);
	}
	return status;
}

static int pass_run(struct pass *pass)
{
	const struct event_item *item;
	int status = pass_begin(pass), next = 0;

	while (!status && (next = event_iterator_next(&pass->findings->iterator, &item)) > 0)
		status = pass_item(pass, item);
	if (!status)
		status = next;
	if (!status && pass->waits && pass->findings->waits.any)
		status = waits_settle(&pass->findings->waits);
	if (!status && pass->timed)
		status = event_sequence_finish(&pass->sequence);
	if (!status)
		status = pass->failed;
	for (unsigned i = 0; !status && i < KINDS; i++) {
		if (pass->wanted[i] && finding_kinds[i]->end)
			status = finding_kinds[i]->end(pass->findings, pass->states[i]);
	}
	return status;
}

static void pass_release(struct pass *pass)
{
	for (unsigned i = 0; i < KINDS; i++) {
		if (pass->states[i] && finding_kinds[i]->release)
			finding_kinds[i]->release(pass->findings, pass->states[i]);
		free(pass->states[i]);
	}
	if (pass->timed)
		event_sequence_close(&pass->sequence);
	if (pass->waits)
		waits_free(&pass->findings->waits);
}

static int by_cost(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;

	if (left->cost_ns != right->cost_ns)
		return left->cost_ns < right->cost_ns ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->what, right->what);
}

static int want(struct pass *pass, const char *only, struct error *error)
{
	bool any = false;

	for (unsigned i = 0; i < KINDS; i++) {
		pass->wanted[i] = !only || !strcmp(finding_kinds[i]->name, only);
		any |= pass->wanted[i];
	}
	return any ? 0 : error_add(error, -ENOENT, "there is no kind of finding `%s`", only);
}

int findings_make(struct findings *findings, struct trace_session *session, const char *only,
		  const struct progress *progress, struct error *error)
{
	struct pass pass = {.findings = findings};
	int status = want(&pass, only, error);

	memset(findings, 0, sizeof(*findings));
	if (status)
		return status;
	findings->session = session;
	findings->duration_ns = trace_session_duration_ns(session);
	status = event_iterator_open(&findings->iterator, session, progress);
	if (!status) {
		status = pass_run(&pass);
		pass_release(&pass);
		event_iterator_close(&findings->iterator);
	}
	if (status) {
		findings_free(findings);
		return error_add(error, status, "%s: %s", session->path, strerror(-status));
	}
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		/* Several threads at once can lose more than there was. */
		if (finding->cost_ns > findings->duration_ns)
			finding->cost_ns = findings->duration_ns;
		finding->percent = findings->duration_ns
					   ? 100.0 * (double)finding->cost_ns /
						     (double)findings->duration_ns
					   : 0;
	}
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), by_cost);
	return 0;
}

void findings_free(struct findings *findings)
{
	free(findings->items);
	free(findings->replays);
	arena_free(&findings->arena);
	memset(findings, 0, sizeof(*findings));
}
