/* SPDX-License-Identifier: MIT */
/* Threads that wait for the device more than they need to: after every single
 * command, when nothing is left to wait for, by asking again and again (polls.h), in a loop
 * until a callback comes (flags.h) or another thread is done (setters.h), or in calls that do the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/waiting/awaited.h"
#include "analysis/findings/waiting/flags.h"
#include "analysis/findings/waiting/polls.h"
#include "analysis/findings/waiting/setters.h"
#include "analysis/findings/waiting/spins.h"
#include "analysis/findings/waiting/wait_counter.h"
#include "util/keyed_row.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

enum cause { EACH_OPERATION, NOTHING, CAUSES };

struct wait_sum {
	uint64_t count, ns, longest_ns;
	int64_t begin_ns, end_ns;	/* of the longest */
	const struct tandem_event *api; /* that most of them called, where one has more than half */
	uint64_t votes;			/* for it, less those against it since */
};

struct waiting_thread { /* of a stream */
	struct wait_counter counter;
	uint64_t enqueued, waits;
	bool timed; /* device times of a command are known */
	struct wait_sum sums[CAUSES];
};

/* Threads of a process that have the same habit: one finding. */
struct waiting_row {
	const struct tandem_event *api;
	struct wait_sum sum;
	uint64_t enqueued, waits;
	uint32_t stream, threads; /* stream: of the one that has the longest */
	bool timed;
};

struct waiting {
	struct waiting_thread *threads; /* by stream */
	uint64_t *calls;		/* that wait, by the layouts' index */
	struct polls polls;
	struct flags flags;
	struct setters setters;
	struct awaited awaited;
};

static int waiting_begin(struct findings *findings, void *state)
{
	struct waiting *waiting = state;

	waiting->threads = calloc(findings->session->stream_count + 1, sizeof(*waiting->threads));
	waiting->calls = calloc(findings->session->event_count + 1, sizeof(*waiting->calls));
	if (!waiting->threads || !waiting->calls ||
	    flags_begin(&waiting->flags, findings->session) ||
	    setters_begin(&waiting->setters, findings->session) ||
	    awaited_begin(&waiting->awaited, findings->session))
		return -ENOMEM;
	return polls_begin(&waiting->polls, findings->session);
}

static int waiting_interval(struct findings *findings, void *state,
			    const struct wait_thread *waiter,
			    const struct states_interval *interval)
{
	struct waiting *waiting = state;

	if (flags_interval(&waiting->flags, waiter, interval) ||
	    setters_interval(&waiting->setters, findings->waits, waiter, interval))
		return -ENOMEM;
	/* What it waited for the recorder is none of its sleeps. */
	if (interval->state == STATE_WAIT_BLOCKED &&
	    waits_is_recorder(findings->waits, interval->by_name))
		return polls_recorder(&waiting->polls, waiter, interval);
	return polls_interval(&waiting->polls, waiter, interval);
}

static int waiting_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	(void)findings;
	flags_event(&((struct waiting *)state)->flags, event);
	setters_event(&((struct waiting *)state)->setters, event);
	return 0;
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

/* A blocking transfer is not the habit that is meant here, if it moves something. */
static int count_wait(struct graph *graph, struct waiting_thread *thread,
		      const struct event_item *item, const struct wait_counted *call, bool again)
{
	enum cause cause = call->operations && !again ? EACH_OPERATION : NOTHING;

	if (again) {
		sum_add(&thread->sums[NOTHING], item->event->layout->event, item->event->ns,
			item->end_ns);
		return graph_remove(graph, item->call, GRAPH_WAIT_NOTHING);
	}
	if (!call->waits || call->operations > 1)
		return 0;
	if (call->transfers && (!call->is_result || cause == NOTHING))
		return 0;
	sum_add(&thread->sums[cause], item->event->layout->event, item->event->ns, item->end_ns);
	return graph_remove(graph, item->call,
			    cause == EACH_OPERATION ? GRAPH_WAIT_EACH : GRAPH_WAIT_NOTHING);
}

static int waiting_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct waiting *waiting = state;
	const struct trace_event *event = item->event;
	struct waiting_thread *thread;
	struct wait_counted call;
	int question;
	bool again;

	if (item->kind == ITEM_OBJECT)
		return awaited_object(&waiting->awaited, event);
	if (item->kind == ITEM_OPERATION) {
		polls_operation(&waiting->polls, &item->operation);
		if (item->operation.stream != TRACE_NONE && item->operation.placed)
			waiting->threads[item->operation.stream].timed = true;
	}
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	if (awaited_call(&waiting->awaited, event, &again))
		return -ENOMEM;
	question = polls_question(&waiting->polls, item);
	if (question)
		return question < 0 ? question : 0;
	thread = &waiting->threads[event->stream->index];
	call = wait_counter_call(&thread->counter, event);
	if (event->layout->event->class == TANDEM_CLASS_WAIT) {
		waiting->calls[event->layout->index]++;
		thread->waits++;
	}
	thread->enqueued += event->layout->event->class == TANDEM_CLASS_ENQUEUE;
	return count_wait(findings->graph, thread, item, &call, again);
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

static const char *describe(struct findings *findings, const struct waiting_row *row,
			    enum cause cause)
{
	char count[UNITS_BYTES], of[UNITS_BYTES];

	units_count(count, row->sum.count);
	if (cause == NOTHING)
		return findings_text(findings,
				     "%s of %s calls such as %s returned at once: no pending work",
				     count, units_count(of, row->waits), row->api->name);
	units_count(of, row->enqueued);
	if (row->threads > 1)
		return findings_text(findings,
				     "%u threads wait (%s) after each single command, %s "
				     "times for %s commands",
				     row->threads, row->api->name, count, of);
	return findings_text(
		findings,
		"the thread waits (%s) after each single command, %s times for %s commands",
		row->api->name, count, of);
}

static int add_cause(struct findings *findings, const struct waiting_row *row, enum cause cause)
{
	const struct wait_sum *sum = &row->sum;
	struct finding *finding = findings_add(findings, "waiting", cause_names[cause]);

	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = sum->ns;
	finding->removes = cause == EACH_OPERATION ? GRAPH_WAIT_EACH : GRAPH_WAIT_NOTHING;
	finding->object = row->api->name;
	finding->what = describe(findings, row, cause);
	finding->why = cause_why[cause];
	finding->suggestion = cause_advice[cause];
	if (cause == EACH_OPERATION && !row->timed) {
		finding->removes = GRAPH_NONE;
		finding->cost_ns = 0;
		finding->always_report = true;
		finding->confidence = CONFIDENCE_LOW;
		finding->why = "by the calls alone: what it costs is unknown without device times";
	}
	finding_place(findings, finding, row->stream);
	if (row->threads > 1)
		finding->tid = 0;
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

static void row_add(struct waiting_row *row, const struct waiting_thread *thread, uint32_t stream,
		    enum cause cause)
{
	const struct wait_sum *sum = &thread->sums[cause];

	row->threads++;
	row->enqueued += thread->enqueued;
	row->waits += thread->waits;
	row->timed |= thread->timed;
	row->sum.count += sum->count;
	row->sum.ns += sum->ns;
	if (row->threads > 1 && sum->longest_ns <= row->sum.longest_ns)
		return;
	row->stream = stream;
	row->sum.longest_ns = sum->longest_ns;
	row->sum.begin_ns = sum->begin_ns;
	row->sum.end_ns = sum->end_ns;
}

/* By process and function. */
static int add_threads(struct findings *findings, const struct waiting *waiting, enum cause cause)
{
	const struct trace_session *session = findings->session;
	struct waiting_row *rows = NULL;
	size_t count = 0, capacity = 0;
	struct map row_of = {0};
	int status = 0;

	for (uint32_t i = 0; !status && i < session->stream_count; i++) {
		const struct waiting_thread *thread = &waiting->threads[i];
		struct waiting_row fresh = {.api = thread->sums[cause].api}, *row;
		uint32_t process = findings_stream(findings, i)->process->index;

		if (!is_habit(thread, cause))
			continue;
		row = keyed_row(&row_of, (uint64_t)process << 32 | fresh.api->id, &rows, &capacity,
				&count, &fresh, sizeof(fresh));
		if (row)
			row_add(row, thread, i, cause);
		else
			status = -ENOMEM;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = add_cause(findings, &rows[i], cause);
	map_free(&row_of);
	free(rows);
	return status;
}

static int waiting_end(struct findings *findings, void *state)
{
	struct waiting *waiting = state;
	int status = 0;

	for (unsigned cause = 0; !status && cause < CAUSES; cause++)
		status = add_threads(findings, waiting, cause);
	if (!status)
		status = polls_add(&waiting->polls, findings);
	if (!status)
		status = flags_add(&waiting->flags, findings);
	if (!status)
		status = setters_add(&waiting->setters, findings);
	return status ? status : spins_add(findings, waiting->calls);
}

static void waiting_release(struct findings *findings, void *state)
{
	struct waiting *waiting = state;

	(void)findings;
	free(waiting->threads);
	free(waiting->calls);
	polls_release(&waiting->polls);
	flags_release(&waiting->flags);
	setters_release(&waiting->setters);
	awaited_free(&waiting->awaited);
}

const struct finding_ops finding_waiting = {
	.name = "waiting",
	.words = "waits after each command, waits without pending work, polling",
	.state_bytes = sizeof(struct waiting),
	.waits = true,
	.graph = true,
	.begin = waiting_begin,
	.item = waiting_item,
	.event = waiting_event,
	.events = 1u << SEQUENCE_CALL_BEGIN | 1u << SEQUENCE_CALL_END,
	.interval = waiting_interval,
	.end = waiting_end,
	.release = waiting_release,
};
