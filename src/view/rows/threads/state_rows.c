/* SPDX-License-Identifier: MIT */
#include "view/rows/threads/state_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/states_consume.h"
#include "util/array.h"

struct state_row { /* of one thread */
	const struct states_thread *thread;
	struct track_writer *track;
	uint32_t number; /* in rows->list */
	int64_t end;	 /* of the latest interval */
	/* Not written yet: the next interval may go on with it. */
	bool open;
	enum state state;
	int64_t from, to;
	uint32_t label, ref;
};

static int row_close(struct state_rows *rows, struct state_row *row)
{
	int64_t start_ns = rows->session->start_ns;

	if (!row->open)
		return 0;
	row->open = false;
	return track_writer_ref(row->track, row->from - start_ns, row->to - start_ns, row->label,
				row->ref);
}

/* A thread may be reported as new twice, and its number be given again: in one process that is one
 * row, as long as the second begins after the first. */
static struct state_row *find_earlier(const struct state_rows *rows,
				      const struct states_thread *thread, int64_t from)
{
	uint64_t known = map_get(&rows->row_of, thread->tid);
	struct state_row *row = known == MAP_NONE ? NULL : rows->list[known];

	if (!row || row->end > from ||
	    (row->thread->pid && thread->pid && row->thread->pid != thread->pid))
		return NULL;
	return row;
}

/* The states of a thread; which row it has is known in the end only. */
static struct state_row *row_get(struct state_rows *rows, struct states_thread *thread,
				 int64_t from)
{
	struct state_row *row = thread->user;

	if (row)
		return row;
	row = find_earlier(rows, thread, from);
	if (row) {
		row->thread = thread;
		thread->user = row;
		return row;
	}
	row = calloc(1, sizeof(*row));
	if (!row ||
	    array_reserve(&rows->list, &rows->capacity, rows->count + 1,
			  sizeof(struct state_row *)) ||
	    index_writer_track(rows->writer, VIEW_NONE, VIEW_TRACK_state, &row->track)) {
		free(row);
		return NULL;
	}
	row->track->refs_kind = VIEW_REFS_state;
	row->thread = thread;
	row->number = (uint32_t)rows->count;
	rows->list[rows->count++] = row;
	thread->user = row;
	if (map_set(&rows->row_of, thread->tid, row->number))
		return NULL;
	return row;
}

static int describe_interval(struct state_rows *rows, const struct states_interval *interval,
			     struct text *text, enum view_span_kind *kind)
{
	const char *by = intern_text(&rows->states.names, interval->by_name);
	bool thread = interval->by == WAKER_THREAD && interval->by_tid;

	switch (interval->state) {
	case STATE_RUNNING:
		*kind = VIEW_SPAN_running;
		text_add_string(text,
				interval->in_syscall ? "running, in a system call" : "running");
		break;
	case STATE_WAIT_CPU:
		*kind = VIEW_SPAN_wait_cpu;
		text_add_string(text, "runnable");
		if (thread)
			text_format(text, ", CPU used by %s (%" PRIu32 ")", by, interval->by_pid);
		break;
	case STATE_WAIT_BLOCKED:
		*kind = VIEW_SPAN_wait_blocked;
		text_add_string(text, "blocked");
		if (thread)
			text_format(text, " (woken by %s, %" PRIu32 ")", by, interval->by_pid);
		else if (interval->by == WAKER_INTERRUPT)
			text_add_string(text, " (woken by an interrupt)");
		break;
	case STATE_UNKNOWN:
	case STATE_NONE:
	case STATE_COUNT:
		text_add_string(text, "unknown");
		break;
	}
	return text->failed ? -ENOMEM : 0;
}

/* The thread that ended a wait, by its number here; VIEW_NONE: none of ours. */
static uint32_t find_waker(const struct state_rows *rows, const struct states_interval *interval)
{
	uint64_t index = interval->by == WAKER_THREAD
				 ? map_get(&rows->states.by_tid, interval->by_tid)
				 : MAP_NONE;
	const struct state_row *row;

	if (index == MAP_NONE || index >= rows->states.thread_count)
		return VIEW_NONE;
	row = rows->states.threads[index]->user;
	return row ? row->number : VIEW_NONE;
}

static int add_interval(struct state_rows *rows, struct state_row *row,
			const struct states_interval *interval)
{
	struct text text = TEXT_INIT;
	enum view_span_kind kind = VIEW_SPAN_unknown;
	uint32_t label = 0;
	uint32_t ref =
		interval->state == STATE_WAIT_BLOCKED ? find_waker(rows, interval) : interval->cpu;
	int status = describe_interval(rows, interval, &text, &kind);

	if (!status)
		status = index_writer_label(rows->writer, text.data, kind, 0, &label);
	text_free(&text);
	if (status)
		return status;
	/* A wait comes in pieces, of which the last says who ended it; other
	 * states are one span as long as they stay the same. */
	if (row->open && row->to == interval->from && row->state == interval->state &&
	    (interval->state == STATE_WAIT_BLOCKED || (row->label == label && row->ref == ref))) {
		row->to = interval->to;
		row->label = label;
		row->ref = ref;
		return 0;
	}
	status = row_close(rows, row);
	row->open = true;
	row->state = interval->state;
	row->from = interval->from;
	row->to = interval->to;
	row->label = label;
	row->ref = ref;
	return status;
}

static void on_interval(void *rows_of, const struct states_interval *interval)
{
	struct state_rows *rows = rows_of;
	struct state_row *row;

	if (rows->failed || interval->state == STATE_NONE || interval->to <= interval->from)
		return;
	row = row_get(rows, interval->thread, interval->from);
	if (row)
		row->end = interval->to;
	rows->failed = row ? add_interval(rows, row, interval) : -ENOMEM;
}

int state_rows_init(struct state_rows *rows, struct index_writer *writer,
		    struct trace_session *session)
{
	memset(rows, 0, sizeof(*rows));
	rows->writer = writer;
	rows->session = session;
	states_init(&rows->states, session->start_ns, on_interval, rows);
	states_reach(&rows->states, session);
	rows->of_stream = calloc(session->stream_count + 1, sizeof(struct states_thread *));
	if (!rows->of_stream)
		return -ENOMEM;
	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		rows->any |= process->kernel;
		if (!process->kernel && states_watch(&rows->states, (uint32_t)process->pid))
			return -ENOMEM;
	}
	return 0;
}

int state_rows_linux(struct state_rows *rows, const struct trace_event *event)
{
	int status = states_consume(&rows->states, event);

	return status ? status : rows->failed;
}

int state_rows_call(struct state_rows *rows, const struct trace_event *event)
{
	struct states_thread **thread = &rows->of_stream[event->stream->index];

	if (!rows->any)
		return 0;
	if (!*thread || (*thread)->local_tid != event->tid) {
		*thread = states_find(&rows->states, event->tid);
		if (!*thread)
			return 0;
		states_belongs(&rows->states, *thread, (uint32_t)event->stream->process->pid);
	}
	states_runs(&rows->states, *thread, event->ns);
	return rows->states.failed ? rows->states.failed : rows->failed;
}

/* The row that a thread has by its calls, else one of its own. */
static int find_row(struct state_rows *rows, struct view_threads *threads,
		    const struct state_row *state, uint32_t *row)
{
	const struct states_thread *thread = state->thread;
	const char *name = intern_text(&rows->states.names, thread->name);
	uint32_t pid = thread->pid, tid = thread->local_tid ? thread->local_tid : thread->tid;

	if (view_threads_find(threads, pid, tid, row))
		return 0;
	return view_threads_add(threads, pid, tid, name, row);
}

int state_rows_finish(struct state_rows *rows, struct view_threads *threads, int64_t end_ns)
{
	int status = 0;

	states_finish(&rows->states, rows->session->start_ns + end_ns);
	status = rows->states.failed ? rows->states.failed : rows->failed;
	for (size_t i = 0; i < rows->count && !status; i++) {
		struct state_row *state = rows->list[i];
		uint32_t row = VIEW_NONE;

		status = row_close(rows, state);
		if (!status && state->thread->pid == state->thread->tid)
			status = view_threads_name(
				threads, state->thread->pid,
				intern_text(&rows->states.names,
					    states_process_name(&rows->states, state->thread)));
		if (!status)
			status = find_row(rows, threads, state, &row);
		state->track->row = row;
		if (!status)
			status = index_writer_waker(rows->writer, row);
	}
	return status;
}

void state_rows_free(struct state_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->list[i]);
	free(rows->list);
	free(rows->of_stream);
	map_free(&rows->row_of);
	states_free(&rows->states);
	memset(rows, 0, sizeof(*rows));
}
