/* SPDX-License-Identifier: MIT */
/* How rows of the tables are made: places of the columns, and values. For the
 * files tables*.c. A row starts with all values NULL.
 *
 *	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};
 *
 *	row_integer(&row[LOSSES_count], 12);
 *	row_word(&row[LOSSES_reason], "disk_full");
 *	return tables->row(export, TABLE_losses, row);
 */
#ifndef TANDEM_EXPORT_TABLES_ROW_H
#define TANDEM_EXPORT_TABLES_ROW_H

#include <string.h>

#include "export/tables/tables.h"
#include "trace/field.h"

enum {
#define X(column, type, words) SESSIONS_##column,
	TABLE_SESSIONS(X)
#undef X
};

enum {
#define X(column, type, words) PROCESSES_##column,
	TABLE_PROCESSES(X)
#undef X
};

enum {
#define X(column, type, words) THREADS_##column,
	TABLE_THREADS(X)
#undef X
};

enum {
#define X(column, type, words) DEVICES_##column,
	TABLE_DEVICES(X)
#undef X
};

enum {
#define X(column, type, words) CONTEXTS_##column,
	TABLE_CONTEXTS(X)
#undef X
};

enum {
#define X(column, type, words) QUEUES_##column,
	TABLE_QUEUES(X)
#undef X
};

enum {
#define X(column, type, words) PROGRAMS_##column,
	TABLE_PROGRAMS(X)
#undef X
};

enum {
#define X(column, type, words) KERNELS_##column,
	TABLE_KERNELS(X)
#undef X
};

enum {
#define X(column, type, words) BUILDS_##column,
	TABLE_BUILDS(X)
#undef X
};

enum {
#define X(column, type, words) API_CALLS_##column,
	TABLE_API_CALLS(X)
#undef X
};

enum {
#define X(column, type, words) DEVICE_OPS_##column,
	TABLE_DEVICE_OPS(X)
#undef X
};

enum {
#define X(column, type, words) TASK_NODES_##column,
	TABLE_TASK_NODES(X)
#undef X
};

enum {
#define X(column, type, words) TASK_EDGES_##column,
	TABLE_TASK_EDGES(X)
#undef X
};

enum {
#define X(column, type, words) MEMORY_##column,
	TABLE_MEMORY(X)
#undef X
};

enum {
#define X(column, type, words) RANGES_##column,
	TABLE_RANGES(X)
#undef X
};

enum {
#define X(column, type, words) RANGE_DEVICES_##column,
	TABLE_RANGE_DEVICES(X)
#undef X
};

enum {
#define X(column, type, words) OVERHEADS_##column,
	TABLE_OVERHEADS(X)
#undef X
};

enum {
#define X(column, type, words) FAULTS_##column,
	TABLE_FAULTS(X)
#undef X
};

enum {
#define X(column, type, words) MODULES_##column,
	TABLE_MODULES(X)
#undef X
};

enum {
#define X(column, type, words) EXTERNAL_IDS_##column,
	TABLE_EXTERNAL_IDS(X)
#undef X
};

enum {
#define X(column, type, words) LOSSES_##column,
	TABLE_LOSSES(X)
#undef X
};

enum {
#define X(column, type, words) CLOCKS_##column,
	TABLE_CLOCKS(X)
#undef X
};

enum {
#define X(column, type, words) THREAD_STATES_##column,
	TABLE_THREAD_STATES(X)
#undef X
};

enum {
#define X(column, type, words) FINDINGS_##column,
	TABLE_FINDINGS(X)
#undef X
};

static inline void row_integer(struct table_value *value, int64_t integer)
{
	value->type = TABLE_INTEGER;
	value->integer = integer;
}

static inline void row_real(struct table_value *value, double real)
{
	value->type = TABLE_REAL;
	value->real = real;
}

/* 0 stays NULL: there is no such id. */
static inline void row_id(struct table_value *value, uint64_t id)
{
	if (id)
		row_integer(value, (int64_t)id);
}

static inline void row_text(struct table_value *value, const char *text, size_t length)
{
	value->type = TABLE_TEXT;
	value->text = text;
	value->length = length;
}

static inline void row_word(struct table_value *value, const char *word)
{
	row_text(value, word, strlen(word));
}

/* Time on the axis of all sessions, from CLOCK_MONOTONIC. */
static inline void row_time(struct table_value *value, const struct export *export, int64_t ns)
{
	row_integer(value, export_time(export, ns) - export->origin_ns);
}

/* NULL where it is empty. */
static inline void row_word_or_none(struct table_value *value, const char *word)
{
	if (*word)
		row_word(value, word);
}

/* Threads' states, for the session's begin, processes, threads and end. Each returns
 * 0 or -errno. */
int tables_states_begin(struct export *export);
int tables_states_process(struct export *export, const struct trace_process *process);
int tables_states_thread(struct export *export, const struct trace_stream *stream);
int tables_states_end(struct export *export);
void tables_states_free(struct tables *tables);

/* A record of a runtime's activity that is neither call nor operation, by its role; others
 * make no row. Returns 0 or -errno. */
int tables_activity(struct export *export, const struct event_item *item);

/* Of any record, those of task graphs. Returns 0 or -errno. */
int tables_tasks(struct export *export, const struct trace_event *event);

/* The findings of the session, after all else of it. Returns 0 or -errno. */
int tables_findings(struct export *export);

/* The event's field of this name: a number, or the word of an enumerator, or text;
 * a handle in hexadecimal, into `words`. Stays NULL where there is no such field. */
void row_field(struct table_value *value, const struct trace_event *event, const char *name,
	       struct text *words);

#endif
