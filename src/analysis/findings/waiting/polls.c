/* SPDX-License-Identifier: MIT */
#include "analysis/findings/waiting/polls.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/units.h"

/* Fewer are no habit. */
#define HABIT_COUNT 8u

/* Questions about one command that make a poll without a break. */
#define POLL_COUNT 4u

/* Commands that are asked for in turns make one poll, if each is asked for so often. */
#define ROUND_COUNT 2u

/* Of the polls of a thread, less than such a part is no habit of its own. */
#define FEW_PART 4u

/* Nobody works in less. */
#define WORK_LEAST_NS 20000

int polls_begin(struct polls *polls, const struct trace_session *session)
{
	polls->count = session->stream_count;
	polls->threads = calloc(polls->count + 1, sizeof(*polls->threads));
	return polls->threads ? 0 : -ENOMEM;
}

int polls_interval(struct polls *polls, const struct wait_thread *waiter,
		   const struct states_interval *interval)
{
	struct poll_thread *thread = waiter->stream ? &polls->threads[waiter->stream - 1] : NULL;

	/* A timer does that, and no callback that could say that the command is over. */
	if (thread && interval->state == STATE_WAIT_BLOCKED && interval->last &&
	    interval->by != WAKER_THREAD &&
	    recent_add(&thread->napped, interval->from, interval->to))
		return -ENOMEM;
	if (!thread || (interval->state != STATE_WAIT_BLOCKED && interval->state != STATE_WAIT_CPU))
		return 0;
	return recent_add(interval->state == STATE_WAIT_CPU ? &thread->preempted : &thread->slept,
			  interval->from, interval->to);
}

int polls_recorder(struct polls *polls, const struct wait_thread *waiter,
		   const struct states_interval *interval)
{
	struct poll_thread *thread = waiter->stream ? &polls->threads[waiter->stream - 1] : NULL;

	return thread ? recent_add(&thread->preempted, interval->from, interval->to) : 0;
}

/* Which command the call asks for; 0: none. Where it asks for a queue, or an event that is none
 * of a command's, it is the thread's latest: the last that it can wait for. */
static uint64_t asked_op(const struct poll_thread *thread, const struct trace_event *event)
{
	const struct tandem_traits *traits = &event->layout->event->traits;
	const struct tandem_field *what, *whom;

	if (traits->poll == TANDEM_WHEN_never)
		return 0;
	what = trace_field_role(event->layout, TANDEM_ROLE_query);
	whom = trace_field_role(event->layout, TANDEM_ROLE_event);
	if (!whom || whom->kind != TANDEM_FIELD_OP)
		return traits->poll == TANDEM_WHEN_always ? thread->latest : 0;
	if (traits->poll == TANDEM_WHEN_argument &&
	    (!what || (uint32_t)trace_field_unsigned(event, what) != traits->poll_value))
		return 0;
	return trace_field_unsigned(event, whom);
}

/* Whether the command ended in the sleep before it was asked for. */
static bool is_overslept(const struct poll_thread *thread)
{
	return thread->questions == 1 && thread->op_end_ns > thread->nap_from_ns &&
	       thread->op_end_ns < thread->nap_to_ns;
}

static enum poll_kind kind_of(const struct poll_thread *thread)
{
	int64_t all_ns = thread->end_ns - thread->begin_ns;

	if (thread->questions > 1 && 2 * thread->slept_ns > all_ns)
		return POLL_ASLEEP;
	if (is_overslept(thread))
		return POLL_ASLEEP;
	return thread->questions >= (thread->rounds ? ROUND_COUNT * thread->in_round
						    : POLL_COUNT) &&
			       2 * thread->worked_ns < all_ns
		       ? POLL_BUSY
		       : POLL_NONE;
}

static uint64_t closed_key(const struct polls *polls, const struct poll_thread *thread, uint64_t op)
{
	return op ^ (uint64_t)(thread - polls->threads + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

static int poll_end(struct polls *polls, struct poll_thread *thread)
{
	enum poll_kind kind = kind_of(thread);
	uint64_t ns = (uint64_t)(thread->end_ns - thread->begin_ns);
	struct poll_sum *sum = &thread->sums[kind];

	if (!thread->op)
		return 0;
	if (is_overslept(thread)) {
		/* Of several, from the last of them on. */
		if (thread->nap_op_end_ns < thread->op_end_ns) {
			sum->ns += (uint64_t)(thread->nap_to_ns - thread->op_end_ns);
			if (thread->nap_op_end_ns > thread->nap_from_ns)
				sum->ns -= (uint64_t)(thread->nap_to_ns - thread->nap_op_end_ns);
			thread->nap_op_end_ns = thread->op_end_ns;
		}
	} else if (thread->op_end_ns == INT64_MIN) {
		if (kind != POLL_NONE &&
		    map_set(&polls->closed, closed_key(polls, thread, thread->op),
			    (uint64_t)thread->end_ns * POLL_KINDS + kind))
			return -ENOMEM;
	} else {
		thread->ended = kind;
		thread->ended_ns = thread->op_end_ns;
		thread->seen_ns = thread->end_ns;
	}
	thread->op = 0;
	if (kind == POLL_NONE)
		return 0;
	sum->count += thread->rounds ? thread->in_round : 1;
	sum->questions += thread->questions;
	sum->asked_ns += ns;
	if (ns < sum->longest_ns)
		return 0;
	sum->longest_ns = ns;
	sum->begin_ns = thread->begin_ns;
	sum->end_ns = thread->end_ns;
	return 0;
}

/* Most go on in the order in which they asked before. */
static bool in_round(struct poll_thread *thread, uint64_t op)
{
	for (unsigned i = 1; i <= thread->in_round; i++) {
		unsigned at = (thread->round_at + i) % thread->in_round;

		if (thread->round[at] != op)
			continue;
		thread->round_at = at;
		return true;
	}
	return false;
}

/* Whether it is still the poll that is under way. */
static bool goes_on(struct poll_thread *thread, uint64_t op)
{
	return op == thread->op || (thread->rounds && in_round(thread, op));
}

/* One that is asked for again after others begins a round. */
static void poll_begin(struct poll_thread *thread, uint64_t op, int64_t ns)
{
	thread->rounds = in_round(thread, op);
	if (!thread->rounds && thread->in_round < POLL_ROUND) {
		thread->round_at = thread->in_round;
		thread->round[thread->in_round++] = op;
	}
	thread->op = op;
	thread->op_end_ns = INT64_MIN;
	thread->questions = 0;
	thread->worked_ns = thread->slept_ns = 0;
	thread->begin_ns = thread->end_ns = ns;
}

/* The thread waits or enqueues. */
static int poll_stop(struct polls *polls, struct poll_thread *thread)
{
	int status = poll_end(polls, thread);

	thread->rounds = false;
	thread->in_round = thread->round_at = 0;
	return status;
}

/* What the thread did since its call before. */
static void note_nap(struct poll_thread *thread, const struct event_item *item)
{
	int64_t since_ns = item->event->ns - thread->returned_ns;

	if (since_ns >= WORK_LEAST_NS &&
	    2 * recent_within(&thread->napped, thread->returned_ns, item->event->ns) > since_ns) {
		thread->nap_from_ns = thread->returned_ns;
		thread->nap_to_ns = item->event->ns;
	}
	thread->returned_ns = item->end_ns;
}

static int ask(struct polls *polls, struct poll_thread *thread, const struct event_item *item,
	       uint64_t op)
{
	const struct trace_event *event = item->event;

	if (!goes_on(thread, op)) {
		if (poll_end(polls, thread))
			return -ENOMEM;
		poll_begin(thread, op, event->ns);
	}
	if (event->ns - thread->end_ns >= WORK_LEAST_NS) {
		int64_t slept_ns = recent_within(&thread->slept, thread->end_ns, event->ns);

		thread->slept_ns += slept_ns;
		thread->worked_ns += event->ns - thread->end_ns - slept_ns -
				     recent_within(&thread->preempted, thread->end_ns, event->ns);
	}
	thread->questions++;
	thread->end_ns = item->end_ns;
	thread->sums[POLL_BUSY].api = thread->sums[POLL_ASLEEP].api = event->layout->event;
	return 1;
}

int polls_question(struct polls *polls, const struct event_item *item)
{
	struct poll_thread *thread = &polls->threads[item->event->stream->index];
	unsigned class = item->event->layout->event->class;
	uint64_t op = asked_op(thread, item->event);

	if (class == TANDEM_CLASS_ENQUEUE)
		thread->latest = trace_event_op(item->event);
	note_nap(thread, item);
	if (op)
		return ask(polls, thread, item, op);
	if (class != TANDEM_CLASS_WAIT && class != TANDEM_CLASS_ENQUEUE)
		return 0;
	if (poll_stop(polls, thread))
		return -ENOMEM;
	thread->nap_to_ns = thread->nap_from_ns;
	return 0;
}

/* The end of one that was asked for may be known before the last question or after it. */
void polls_operation(struct polls *polls, const struct operation *operation)
{
	struct poll_thread *thread;
	int64_t until_ns;
	uint64_t closed;

	if (operation->stream == TRACE_NONE || !operation->placed)
		return;
	thread = &polls->threads[operation->stream];
	until_ns = operation->times.start_ns < thread->seen_ns ? operation->times.start_ns
							       : thread->seen_ns;
	if (thread->ended != POLL_NONE && until_ns > thread->ended_ns)
		thread->sums[thread->ended].ns += (uint64_t)(until_ns - thread->ended_ns);
	thread->ended = POLL_NONE;
	if (thread->op && goes_on(thread, operation->op)) {
		thread->op_end_ns = operation->times.end_ns;
		return;
	}
	closed = polls->closed.count
			 ? map_remove(&polls->closed, closed_key(polls, thread, operation->op))
			 : MAP_NONE;
	if (closed == MAP_NONE)
		return;
	thread->ended = (enum poll_kind)(closed % POLL_KINDS);
	thread->ended_ns = operation->times.end_ns;
	thread->seen_ns = (int64_t)(closed / POLL_KINDS);
}

static int add_sum(struct findings *findings, const struct poll_sum *sum, enum poll_kind kind,
		   uint32_t stream)
{
	struct finding *finding = findings_add(findings, "waiting", "polling");
	char count[UNITS_BYTES], questions[UNITS_BYTES];
	uint32_t cores = devices_cpu_cores(&findings->iterator->devices);

	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->object = sum->api->name;
	finding->cost_ns = sum->ns;
	finding->what = findings_text(
		findings, "the thread polls with %s for the completion of %s commands%s, %s times",
		sum->api->name, units_count(count, sum->count),
		kind == POLL_ASLEEP ? " and sleeps in between" : "",
		units_count(questions, sum->questions));
	finding->why =
		"from the end of each such command until the thread saw it, by the answer or by the "
		"end of the sleep behind which it was asked for once";
	if (kind == POLL_BUSY && cores > 1) {
		finding->cost_ns += sum->asked_ns / cores;
		finding->confidence = CONFIDENCE_MEDIUM;
		finding->why = findings_text(
			findings,
			"the thread kept one of the %s cores busy of which the device consists; "
			"with what passed from the end of each such command until it saw that",
			units_count(questions, cores));
	}
	/* The run itself may lose nothing: a CPU does. */
	finding->always_report = kind == POLL_BUSY && 100 * sum->asked_ns > findings->duration_ns;
	finding->suggestion = findings_text(
		findings, "%s", trace_session_event_domain(findings->session, sum->api)->use_wait);
	finding_place(findings, finding, stream);
	finding_time(findings, finding, sum->begin_ns, sum->end_ns);
	return 0;
}

/* A few that come out the other way are the same habit. */
static void join_few(struct poll_sum *few, struct poll_sum *many)
{
	if (few->count * FEW_PART >= many->count)
		return;
	many->count += few->count;
	many->questions += few->questions;
	many->ns += few->ns;
	few->count = 0;
}

int polls_add(struct polls *polls, struct findings *findings)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < polls->count; i++) {
		struct poll_thread *thread = &polls->threads[i];

		status = poll_end(polls, thread);
		join_few(&thread->sums[POLL_ASLEEP], &thread->sums[POLL_BUSY]);
		join_few(&thread->sums[POLL_BUSY], &thread->sums[POLL_ASLEEP]);
		for (enum poll_kind kind = POLL_BUSY; !status && kind < POLL_KINDS; kind++)
			if (thread->sums[kind].count >= HABIT_COUNT)
				status = add_sum(findings, &thread->sums[kind], kind, i);
	}
	return status;
}

void polls_release(struct polls *polls)
{
	for (size_t i = 0; polls->threads && i < polls->count; i++) {
		recent_free(&polls->threads[i].slept);
		recent_free(&polls->threads[i].preempted);
		recent_free(&polls->threads[i].napped);
	}
	free(polls->threads);
	map_free(&polls->closed);
}
