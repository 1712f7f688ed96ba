/* SPDX-License-Identifier: MIT */
/* Threads that wait for the device more than they need to: after every single
 * command, when nothing is left to wait for, by asking again and again (polls.h), or in
 * calls that do the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/waiting/polls.h"
#include "trace/field.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

/* A result of the host's: larger ones are told of as transfers. */
#define RESULT_BYTES 4096u

/* Calls that take so long on average, and keep a CPU busy for this part of the time in
 * which they could (they do not wait for one), do not sleep. */
#define SPIN_LEAST_NS 20000u
#define SPIN_PART 0.8

/* Value of the role `direction`. */
#define TO_HOST 2u

enum cause { EACH_OPERATION, NOTHING, CAUSES };

struct wait_sum {
	uint64_t count, ns, longest_ns;
	int64_t begin_ns, end_ns;	/* of the longest */
	const struct tandem_event *api; /* that most of them called, where one has more than half */
	uint64_t votes;			/* for it, less those against it since */
};

struct waiting_thread {	     /* of a stream */
	uint64_t operations; /* enqueued since the last wait */
	uint64_t latest;     /* the operation that was enqueued last */
	uint64_t enqueued, waits;
	bool timed; /* device times of a command are known */
	struct wait_sum sums[CAUSES];
};

struct waiting {
	struct waiting_thread *threads; /* by stream */
	uint64_t *calls;		/* that wait, by the layouts' index */
	struct polls polls;
};

static int waiting_begin(struct findings *findings, void *state)
{
	struct waiting *waiting = state;

	waiting->threads = calloc(findings->session->stream_count + 1, sizeof(*waiting->threads));
	waiting->calls = calloc(findings->session->event_count + 1, sizeof(*waiting->calls));
	return waiting->threads && waiting->calls ? polls_begin(&waiting->polls, findings->session)
						  : -ENOMEM;
}

static int waiting_interval(struct findings *findings, void *state,
			    const struct wait_thread *waiter,
			    const struct states_interval *interval)
{
	(void)findings;
	return polls_interval(&((struct waiting *)state)->polls, waiter, interval);
}

static void sum_add(struct wait_sum *sum, const struct tandem_event *api, int64_t begin_ns,
		    int64_t end_ns)
{
	uint64_t ns = end_ns > begin_ns ? (uint64_t)(end_ns - begin_ns) : 0;

	if (!sum->votes)
		sum->api = api;
	sum->votes = sum->api == api ? sum->votes + 1 : sum->votes - 1;
	sum->count++;
	sum->ns += ns;
	if (sum->count > 1 && ns <= sum->longest_ns)
		return;
	sum->longest_ns = ns;
	sum->begin_ns = begin_ns;
	sum->end_ns = end_ns;
}

/* What a transfer leaves that the device has yet to do. One that waits for itself leaves nothing;
 * one to the device may come back when its bytes are taken (CUDA Runtime API, "API synchronization
 * behavior"). */
static uint64_t left_by(const struct waiting_thread *thread, const struct trace_event *event)
{
	const struct tandem_field *direction;

	if (!trace_event_blocks(event))
		return thread->operations + 1;
	direction = trace_field_role(event->layout, TANDEM_ROLE_direction);
	return event->layout->event->traits.synchronous == TANDEM_WHEN_always &&
	       (!direction || trace_field_unsigned(event, direction) != TO_HOST);
}

/* A blocking transfer of so little that it is the wait which takes the time. */
static bool is_wait(const struct trace_event *event)
{
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);

	return trace_event_blocks(event) && bytes &&
	       trace_field_unsigned(event, bytes) <= RESULT_BYTES;
}

/* Whether the wait is for other commands than the latest: the device has that one to do
 * meanwhile. */
static bool is_for_earlier(const struct waiting_thread *thread, const struct trace_event *event)
{
	const struct tandem_field *one, *list;
	const uint8_t *elements;
	size_t count;

	if (event->layout->event->traits.wait != TANDEM_WAIT_event)
		return false;
	one = trace_field_role(event->layout, TANDEM_ROLE_event);
	if (one && one->kind == TANDEM_FIELD_OP)
		return trace_field_unsigned(event, one) != thread->latest;
	list = trace_field_role(event->layout, TANDEM_ROLE_events);
	if (!list || list->kind != TANDEM_FIELD_OP || !list->variable)
		return false;
	elements = trace_field_elements(event, list, &count);
	for (size_t i = 0; i < count; i++) {
		if (trace_element_unsigned(list, elements + i * list->bytes) == thread->latest)
			return false;
	}
	return count > 0;
}

static int count_wait(struct graph *graph, struct waiting_thread *thread,
		      const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint64_t operations = thread->operations;

	thread->waits++;
	if (is_for_earlier(thread, event))
		return 0;
	thread->operations = 0;
	if (operations > 1)
		return 0;
	sum_add(&thread->sums[operations ? EACH_OPERATION : NOTHING], event->layout->event,
		event->ns, item->end_ns);
	return graph_remove(graph, item->call, operations ? GRAPH_WAIT_EACH : GRAPH_WAIT_NOTHING);
}

static int waiting_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct waiting *waiting = state;
	const struct trace_event *event = item->event;
	struct waiting_thread *thread;
	uint64_t operations;

	if (item->kind == ITEM_OPERATION) {
		polls_operation(&waiting->polls, &item->operation);
		if (item->operation.stream != TRACE_NONE && item->operation.placed)
			waiting->threads[item->operation.stream].timed = true;
	}
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	if (polls_question(&waiting->polls, item))
		return 0;
	thread = &waiting->threads[event->stream->index];
	switch (event->layout->event->class) {
	case TANDEM_CLASS_WAIT:
		waiting->calls[event->layout->index]++;
		return count_wait(findings->graph, thread, item);
	case TANDEM_CLASS_ENQUEUE:
		thread->enqueued++;
		thread->latest = trace_event_op(event);
		operations = thread->operations;
		/* A blocking transfer is not the habit that is meant here, if it moves something. */
		thread->operations = left_by(thread, event);
		if (operations != 1 || thread->operations || !is_wait(event))
			break;
		sum_add(&thread->sums[EACH_OPERATION], event->layout->event, event->ns,
			item->end_ns);
		return graph_remove(findings->graph, item->call, GRAPH_WAIT_EACH);
	default:
		break;
	}
	return 0;
}

static const char *const cause_names[] = {
	[EACH_OPERATION] = "after-each-command",
	[NOTHING] = "nothing-to-wait-for",
};

static const char *const cause_advice[] = {
	[EACH_OPERATION] =
		("enqueue what comes next before waiting; order commands by the queue or by "
		 "events, and wait once, when the host needs the result"),
	[NOTHING] = "remove the call: a blocking call or an earlier wait has done its work",
};

static const char *const cause_why[] = {
	[EACH_OPERATION] =
		("against a replay of the run without these waits, in which the next command is "
		 "there when the device is done"),
	[NOTHING] = "no command of this thread was left when the call began",
};

static const char *describe(struct findings *findings, const struct waiting_thread *thread,
			    enum cause cause)
{
	const struct wait_sum *sum = &thread->sums[cause];
	char count[UNITS_BYTES], of[UNITS_BYTES];

	units_count(count, sum->count);
	if (cause == EACH_OPERATION)
		return findings_text(findings,
				     "the thread waits (%s) after each single command, %s "
				     "times for %s commands",
				     sum->api->name, count, units_count(of, thread->enqueued));
	return findings_text(findings,
			     "%s of %s calls such as %s returned at once: no pending work", count,
			     units_count(of, thread->waits), sum->api->name);
}

static int add_cause(struct findings *findings, const struct waiting_thread *thread,
		     uint32_t stream, enum cause cause)
{
	const struct wait_sum *sum = &thread->sums[cause];
	struct finding *finding = findings_add(findings, "waiting", cause_names[cause]);

	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = sum->ns;
	finding->removes = cause == EACH_OPERATION ? GRAPH_WAIT_EACH : GRAPH_WAIT_NOTHING;
	finding->object = sum->api->name;
	finding->what = describe(findings, thread, cause);
	finding->why = cause_why[cause];
	finding->suggestion = cause_advice[cause];
	if (cause == EACH_OPERATION && !thread->timed) {
		finding->removes = GRAPH_NONE;
		finding->cost_ns = 0;
		finding->always_report = true;
		finding->confidence = CONFIDENCE_LOW;
		finding->why = "by the calls alone: what it costs is unknown without device times";
	}
	finding_place(findings, finding, stream);
	if (sum->count)
		finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

/* Whether it is how the thread works, and not what it did now and then. */
static bool is_habit(const struct waiting_thread *thread, enum cause cause)
{
	uint64_t count = thread->sums[cause].count;

	if (count < HABIT_COUNT)
		return false;
	return count >= (cause == EACH_OPERATION ? thread->enqueued : thread->waits) / 2;
}

static int add_spinning(struct findings *findings, const struct tandem_event *api,
			const struct wait_function *function, uint64_t calls, uint64_t all_ns)
{
	const struct tandem_domain_row *row;
	struct finding *finding = findings_add(findings, "waiting", "spinning");
	char count[UNITS_BYTES], busy[UNITS_BYTES], all[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = calls;
	finding->always_report = true; /* the run itself loses nothing */
	finding->object = api->name;
	finding->what = findings_text(findings,
				      "%s busy-waits: in %s calls it kept a CPU busy for %s of "
				      "%s",
				      api->name, units_count(count, calls),
				      units_ns(busy, (double)function->ns[STATE_RUNNING]),
				      units_ns(all, (double)all_ns));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why =
		"the kernel recorded that the threads ran; the run loses time by it only where "
		"others need the CPU";
	row = trace_session_event_domain(findings->session, api);
	finding->suggestion = *row->use_callback
				      ? findings_text(findings,
						      "where the CPU has something else to do, "
						      "%s",
						      row->use_callback)
				      : "";
	return 0;
}

/* By function: whoever calls it, the driver does the waiting. */
static int find_spinning(struct findings *findings, const struct waiting *waiting)
{
	const struct waits *waits = findings->waits;
	int status = 0;

	for (uint32_t i = 0; !status && waits->any && i < waits->function_count; i++) {
		const struct wait_function *function = &waits->functions[i];
		uint64_t running_ns = function->ns[STATE_RUNNING];
		uint64_t could_ns = running_ns + function->ns[STATE_WAIT_BLOCKED];
		uint64_t calls = waiting->calls[i], all_ns = 0;

		for (unsigned state = 0; state < STATE_COUNT; state++)
			all_ns += function->ns[state];
		if (calls >= HABIT_COUNT && all_ns >= calls * SPIN_LEAST_NS &&
		    (double)running_ns >= SPIN_PART * (double)could_ns &&
		    2 * could_ns > all_ns - function->ns[STATE_WAIT_CPU] &&
		    !devices_have_cpu(&findings->iterator->devices))
			status = add_spinning(findings, waits_function(waits, i), function, calls,
					      all_ns);
	}
	return status;
}

static int waiting_end(struct findings *findings, void *state)
{
	struct waiting *waiting = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->stream_count; i++) {
		struct waiting_thread *thread = &waiting->threads[i];

		for (unsigned cause = 0; !status && cause < CAUSES; cause++) {
			if (is_habit(thread, cause))
				status = add_cause(findings, thread, i, cause);
		}
	}
	if (!status)
		status = polls_add(&waiting->polls, findings);
	return status ? status : find_spinning(findings, waiting);
}

static void waiting_release(struct findings *findings, void *state)
{
	struct waiting *waiting = state;

	(void)findings;
	free(waiting->threads);
	free(waiting->calls);
	polls_release(&waiting->polls);
}

const struct finding_ops finding_waiting = {
	.name = "waiting",
	.words = "waits after each command, waits without pending work, polling",
	.state_bytes = sizeof(struct waiting),
	.waits = true,
	.graph = true,
	.begin = waiting_begin,
	.item = waiting_item,
	.interval = waiting_interval,
	.end = waiting_end,
	.release = waiting_release,
};
