/* SPDX-License-Identifier: MIT */
#include "analysis/sched/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/states_consume.h"
#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"
#include "util/keyed_row.h"

/* What its process is called; with a dash and more, its threads in the program. */
#define RECORDER "tandem"

static struct wait_thread *thread_get(struct waits *waits, struct states_thread *thread)
{
	struct wait_thread *added = thread->user;

	if (added)
		return added;
	added = calloc(1, sizeof(*added));
	if (!added || array_reserve(&waits->threads, &waits->thread_capacity,
				    waits->thread_count + 1, sizeof(struct wait_thread *))) {
		free(added);
		waits->failed = -ENOMEM;
		return NULL;
	}
	added->thread = thread;
	added->index = (uint32_t)waits->thread_count;
	waits->threads[waits->thread_count++] = added;
	thread->user = added;
	return added;
}

static uint64_t row_key(const struct wait_row *row)
{
	uint32_t by = row->by_pid ? row->by_pid : 0x400000 + row->by_name;
	uint32_t kind = row->by_idle ? 3 : (uint32_t)row->by;

	return (uint64_t)row->thread << 39 | (uint64_t)(row->function & 0xfff) << 27 |
	       (uint64_t)(row->state == STATE_WAIT_CPU) << 26 | (uint64_t)kind << 24 |
	       (by & 0xffffff);
}

static void row_add(struct waits *waits, const struct wait_row *wait)
{
	uint64_t key = row_key(wait);
	size_t known = waits->row_count;
	struct wait_row *row =
		keyed_row(&waits->rows_by_key, key, &waits->rows, &waits->row_capacity,
			  &waits->row_count, wait, sizeof(*wait));

	if (!row)
		waits->failed = -ENOMEM;
	if (!row || waits->row_count > known)
		return;
	row->ns += wait->ns;
	row->count += wait->count;
	if (wait->longest_to - wait->longest_from > row->longest_to - row->longest_from) {
		row->longest_from = wait->longest_from;
		row->longest_to = wait->longest_to;
	}
}

/* The innermost call that was going on. */
static uint32_t function_at(const struct wait_thread *thread, int64_t ns)
{
	for (size_t i = thread->call_count; i; i--) {
		if (thread->calls[i - 1].begin <= ns && ns < thread->calls[i - 1].end)
			return thread->calls[i - 1].function + 1;
	}
	return 0;
}

const struct wait_thread *waits_other(const struct waits *waits, const struct wait_thread *waiter,
				      const struct states_interval *interval)
{
	const struct states_thread *by =
		interval->by_tid ? states_of_kernel(&waits->states, interval->by_tid) : NULL;

	return by && by->watched && by->pid == waiter->thread->pid ? by->user : NULL;
}

static void calls_share(struct wait_thread *thread, const struct states_interval *interval)
{
	for (size_t i = 0; i < thread->call_count; i++) {
		struct wait_call *call = &thread->calls[i];
		int64_t from = interval->from > call->begin ? interval->from : call->begin;
		int64_t to = interval->to < call->end ? interval->to : call->end;

		if (from >= to)
			continue;
		if (!call->waited)
			memset(call->ns, 0, sizeof(call->ns));
		call->ns[interval->state] += (uint64_t)(to - from);
		call->waited = true;
	}
}

static void on_interval(void *user, const struct states_interval *interval)
{
	struct waits *waits = user;
	struct wait_thread *thread = thread_get(waits, interval->thread);
	uint64_t ns = range_within(&waits->range, interval->from, interval->to);

	if (!thread)
		return;
	if (waits->emit)
		waits->emit(waits->user, thread, interval);
	thread->ns[interval->state] += ns;
	if (interval->state == STATE_RUNNING) {
		if (interval->in_syscall)
			thread->system_ns += ns;
		return;
	}
	/* A call that began in the range counts whole. */
	calls_share(thread, interval);
	if (interval->state == STATE_UNKNOWN || !ns)
		return;
	row_add(waits, &(struct wait_row){
			       .thread = thread->index,
			       .function = function_at(thread, interval->from),
			       .state = (uint8_t)interval->state,
			       .by = interval->by,
			       .by_pid = interval->by_pid,
			       .by_name = interval->by_name,
			       .by_idle = interval->state == STATE_WAIT_CPU &&
					  interval->by == WAKER_THREAD && !interval->by_tid,
			       .ns = ns,
			       .count = 1,
			       .longest_from = interval->from,
			       .longest_to = interval->to,
		       });
}

static void call_divide(struct waits *waits, const struct wait_call *call)
{
	struct wait_function *function = &waits->functions[call->function];
	uint64_t wall = (uint64_t)(call->end - call->begin), waited = 0;

	for (int state = 0; state < STATE_COUNT; state++) {
		function->ns[state] += call->ns[state];
		waited += call->ns[state];
	}
	/* Whatever else it did, it ran. */
	if (wall > waited)
		function->ns[STATE_RUNNING] += wall - waited;
}

static inline void call_settle(struct waits *waits, const struct wait_call *call)
{
	/* Nearly all only ran. */
	if (call->waited && call->counts)
		call_divide(waits, call);
	else if (call->counts)
		waits->functions[call->function].ns[STATE_RUNNING] +=
			(uint64_t)(call->end - call->begin);
}

/* Those that were over by then: nothing more will be learned of them. */
static void calls_settle(struct waits *waits, struct wait_thread *thread, int64_t ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < thread->call_count; i++) {
		struct wait_call *call = &thread->calls[i];

		if (call->end <= ns)
			call_settle(waits, call);
		else if (i == kept++)
			continue;
		else
			thread->calls[kept - 1] = *call;
	}
	thread->call_count = kept;
}

int waits_init(struct waits *waits, struct trace_session *session)
{
	memset(waits, 0, sizeof(*waits));
	waits->session = session;
	waits->range = RANGE_WHOLE;
	states_init(&waits->states, session->start_ns, on_interval, waits);
	states_reach(&waits->states, session);
	waits->function_count = session->event_count;
	waits->functions = calloc(waits->function_count + 1, sizeof(*waits->functions));
	waits->of_stream = calloc(session->stream_count + 1, sizeof(struct states_thread *));
	if (!waits->functions || !waits->of_stream)
		waits->failed = -ENOMEM;
	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		waits->any |= process->kernel;
		if (!process->kernel && states_watch(&waits->states, (uint32_t)process->pid))
			waits->failed = -ENOMEM;
	}
	if (waits->failed)
		waits_free(waits);
	return waits->failed;
}

int waits_kernel(struct waits *waits, const struct trace_event *event)
{
	const struct tandem_kernel_collecting *collecting = (const void *)event->record;

	if (event->record->id == TANDEM_KERNEL_EVENT_collecting && collecting->scope > waits->scope)
		waits->scope = collecting->scope;
	waits->lost |= event->record->id == TANDEM_EVENT_lost;
	return states_consume(&waits->states, event) ? -ENOMEM : waits->failed;
}

static inline struct states_thread *stream_thread(struct waits *waits,
						  const struct trace_event *event)
{
	struct states_thread **known = &waits->of_stream[event->stream->index];
	uint32_t pid = (uint32_t)event->stream->process->pid;
	struct states_thread *thread = *known;

	if (thread && thread->local_tid == event->tid)
		return thread;
	thread = states_find(&waits->states, event->tid);
	if (!thread)
		return NULL;
	states_belongs(&waits->states, thread, pid);
	*known = thread;
	return thread;
}

static inline int call_begin(struct wait_thread *waiter, const struct trace_event *event,
			     bool counts)
{
	struct wait_call *call;

	if (waiter->call_count == waiter->call_capacity &&
	    array_reserve(&waiter->calls, &waiter->call_capacity, waiter->call_count + 1,
			  sizeof(*waiter->calls)))
		return -ENOMEM;
	call = &waiter->calls[waiter->call_count++];
	call->begin = event->ns;
	call->end = event->end_ns;
	call->function = event->layout->index;
	call->waited = false;
	call->counts = counts;
	return 0;
}

int waits_call_any(struct waits *waits, const struct trace_event *event)
{
	struct states_thread *thread = stream_thread(waits, event);
	bool counts = range_holds(&waits->range, event->ns);
	bool lasts = event->end_ticks && event->end_ns > event->ns;
	struct wait_thread *waiter;
	struct trace_event open;

	if (!thread) {
		if (lasts && counts)
			waits->functions[event->layout->index].ns[STATE_UNKNOWN] +=
				(uint64_t)(event->end_ns - event->ns);
		return 0;
	}
	if (thread->state != STATE_RUNNING)
		states_runs(&waits->states, thread, event->ns);
	waiter = thread->user ? thread->user : thread_get(waits, thread);
	if (!waiter)
		return -ENOMEM;
	waiter->stream = event->stream->index + 1;
	/* A thread that makes another call has left one that did not return. */
	for (size_t i = 0; i < waiter->call_count; i++)
		if (waiter->calls[i].end == INT64_MAX)
			waiter->calls[i].end = event->ns;
	/* Nearly always there is one, which is over. */
	if (waiter->call_count == 1 && waiter->calls[0].end <= event->ns) {
		call_settle(waits, &waiter->calls[0]);
		waiter->call_count = 0;
	} else if (waiter->call_count) {
		calls_settle(waits, waiter, event->ns);
	}
	if (lasts && call_begin(waiter, event, counts))
		return -ENOMEM;
	/* What the thread waits for from here on is in this call, whose length is unknown. */
	if (!event->end_ticks) {
		open = *event;
		open.end_ns = INT64_MAX;
		if (call_begin(waiter, &open, false))
			return -ENOMEM;
	}
	return waits->failed;
}

const struct tandem_event *waits_function(const struct waits *waits, uint32_t function)
{
	return trace_session_event_at(waits->session, function);
}

bool waits_is_recorder(const struct waits *waits, uint32_t name)
{
	const char *text = intern_text(&waits->states.names, name);
	size_t length = strlen(RECORDER);

	return !strncmp(text, RECORDER, length) && (!text[length] || text[length] == '-');
}

int waits_settle(struct waits *waits)
{
	states_finish(&waits->states, waits->session->start_ns +
					      (int64_t)trace_session_duration_ns(waits->session));
	for (size_t i = 0; i < waits->thread_count; i++)
		calls_settle(waits, waits->threads[i], INT64_MAX);
	return waits->failed;
}

void waits_free(struct waits *waits)
{
	for (size_t i = 0; i < waits->thread_count; i++) {
		free(waits->threads[i]->calls);
		free(waits->threads[i]);
	}
	states_free(&waits->states);
	free(waits->threads);
	free(waits->of_stream);
	free(waits->functions);
	free(waits->rows);
	map_free(&waits->rows_by_key);
}
