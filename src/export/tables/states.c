/* SPDX-License-Identifier: MIT */
/* Rows of what threads did, from what the kernel recorded. A row comes when its
 * state is over. */
#include <errno.h>
#include <string.h>

#include "analysis/sched/states_consume.h"
#include "export/tables/row.h"

static uint64_t thread_key(uint64_t pid, uint32_t tid)
{
	return pid << 32 | tid;
}

static const char *state_word(enum state state)
{
	static const char *const words[] = {
#define X(constant, word) [STATE_##constant] = word,
		STATES(X)
#undef X
	};

	return words[state];
}

static const char *by_word(const struct states_interval *interval)
{
	if (interval->by == WAKER_INTERRUPT)
		return "interrupt";
	if (interval->by != WAKER_THREAD)
		return "unknown";
	return interval->by_tid ? "process" : "idle";
}

static void add_by(struct table_value *row, const struct tables *tables,
		   const struct states_interval *interval)
{
	/* A wait that goes on was ended by nobody yet. */
	if (interval->state == STATE_WAIT_BLOCKED && !interval->last)
		return;
	row_word(&row[THREAD_STATES_by_kind], by_word(interval));
	if (interval->by != WAKER_THREAD || !interval->by_tid)
		return;
	row_id(&row[THREAD_STATES_by_pid], interval->by_pid);
	row_id(&row[THREAD_STATES_by_tid], interval->by_tid);
	row_word_or_none(&row[THREAD_STATES_by_name],
			 intern_text(&tables->states.names, interval->by_name));
}

static void on_interval(void *user, const struct states_interval *interval)
{
	struct tables *tables = user;
	struct export *export = tables->export;
	const struct states_thread *thread = interval->thread;
	uint64_t process = map_get(&tables->pids, thread->pid);
	uint64_t id = map_get(&tables->tids, thread_key(thread->pid, thread->local_tid));
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
	int64_t from_ns = range_clamp(&export->range, interval->from);
	int64_t to_ns = range_clamp(&export->range, interval->to);

	if (tables->status || to_ns <= from_ns || interval->state == STATE_NONE)
		return;
	row_id(&row[THREAD_STATES_process], process == MAP_NONE ? 0 : process);
	row_id(&row[THREAD_STATES_thread], id == MAP_NONE ? 0 : id);
	row_id(&row[THREAD_STATES_tid], thread->local_tid);
	row_word_or_none(&row[THREAD_STATES_name],
			 intern_text(&tables->states.names, thread->name));
	row_word(&row[THREAD_STATES_state], state_word(interval->state));
	row_time(&row[THREAD_STATES_begin_ns], export, from_ns);
	row_time(&row[THREAD_STATES_end_ns], export, to_ns);
	row_integer(&row[THREAD_STATES_duration_ns], to_ns - from_ns);
	if (interval->state == STATE_RUNNING || interval->state == STATE_WAIT_CPU) {
		if (interval->cpu != STATES_NO_CPU)
			row_integer(&row[THREAD_STATES_cpu], interval->cpu);
	}
	if (interval->state == STATE_RUNNING)
		row_integer(&row[THREAD_STATES_in_system], interval->in_syscall);
	else if (interval->state != STATE_UNKNOWN)
		add_by(row, tables, interval);
	tables->status = tables->row(export, TABLE_thread_states, row);
}

int tables_states_begin(struct export *export)
{
	struct trace_session *session = export->iterator->session;
	struct tables *tables = export->state;
	int status = 0;

	tables_states_free(tables);
	tables->export = export;
	tables->status = 0;
	tables->watching = true;
	states_init(&tables->states, session->start_ns, on_interval, tables);
	states_reach(&tables->states, session);
	for (size_t i = 0; !status && i < session->process_count; i++)
		if (!session->processes[i].kernel)
			status = states_watch(&tables->states, (uint32_t)session->processes[i].pid);
	return status;
}

int tables_states_process(struct export *export, const struct trace_process *process)
{
	struct tables *tables = export->state;

	return map_set(&tables->pids, process->pid, export_process(export, process->index));
}

/* A thread that came back has the id of its first stream. */
int tables_states_thread(struct export *export, const struct trace_stream *stream)
{
	struct tables *tables = export->state;
	uint64_t key = thread_key(stream->process->pid, stream->tid);

	if (map_get(&tables->tids, key) != MAP_NONE)
		return 0;
	return map_set(&tables->tids, key, export_thread(export, stream->index));
}

int tables_any(struct export *export, const struct event_item *item)
{
	struct tables *tables = export->state;
	const struct trace_event *event = item->event;
	struct states_thread *thread;

	if (!event)
		return 0;
	if (event->stream->process->kernel) {
		if (states_consume(&tables->states, event))
			return -ENOMEM;
	} else if (item->kind == ITEM_CALL && tables->states.thread_count) {
		/* It ran when it made the call, whatever else is known. */
		thread = states_find(&tables->states, event->tid);
		if (thread) {
			states_belongs(&tables->states, thread,
				       (uint32_t)event->stream->process->pid);
			states_runs(&tables->states, thread, event->ns);
		}
	}
	if (!item_in_range(item, &export->range))
		return tables->status;
	if (!tables->status && !item->system && tasks_concerns(event))
		tables->status = tables_tasks(export, event);
	if (item->kind == ITEM_OTHER && !item->system && !tables->status)
		return tables_activity(export, item);
	return tables->status;
}

int tables_states_end(struct export *export)
{
	struct trace_session *session = export->iterator->session;
	struct tables *tables = export->state;

	if (tables->states.thread_count)
		states_finish(&tables->states,
			      session->start_ns + (int64_t)trace_session_duration_ns(session));
	if (!tables->status && tables->states.failed)
		tables->status = -ENOMEM;
	return tables->status;
}

void tables_states_free(struct tables *tables)
{
	if (tables->watching)
		states_free(&tables->states);
	tables->watching = false;
	map_free(&tables->pids);
	map_free(&tables->tids);
}
