/* SPDX-License-Identifier: MIT */
/* What the tables are called. */
#include "export/tables/tables.h"

#define X(column, column_type, column_words) \
	{.name = #column, .words = column_words, .type = TABLE_##column_type},
static const struct table_column sessions_columns[] = {TABLE_SESSIONS(X)};
static const struct table_column processes_columns[] = {TABLE_PROCESSES(X)};
static const struct table_column threads_columns[] = {TABLE_THREADS(X)};
static const struct table_column devices_columns[] = {TABLE_DEVICES(X)};
static const struct table_column contexts_columns[] = {TABLE_CONTEXTS(X)};
static const struct table_column queues_columns[] = {TABLE_QUEUES(X)};
static const struct table_column programs_columns[] = {TABLE_PROGRAMS(X)};
static const struct table_column kernels_columns[] = {TABLE_KERNELS(X)};
static const struct table_column builds_columns[] = {TABLE_BUILDS(X)};
static const struct table_column api_calls_columns[] = {TABLE_API_CALLS(X)};
static const struct table_column device_ops_columns[] = {TABLE_DEVICE_OPS(X)};
static const struct table_column task_nodes_columns[] = {TABLE_TASK_NODES(X)};
static const struct table_column task_edges_columns[] = {TABLE_TASK_EDGES(X)};
static const struct table_column memory_columns[] = {TABLE_MEMORY(X)};
static const struct table_column ranges_columns[] = {TABLE_RANGES(X)};
static const struct table_column range_devices_columns[] = {TABLE_RANGE_DEVICES(X)};
static const struct table_column overheads_columns[] = {TABLE_OVERHEADS(X)};
static const struct table_column faults_columns[] = {TABLE_FAULTS(X)};
static const struct table_column modules_columns[] = {TABLE_MODULES(X)};
static const struct table_column external_ids_columns[] = {TABLE_EXTERNAL_IDS(X)};
static const struct table_column losses_columns[] = {TABLE_LOSSES(X)};
static const struct table_column clocks_columns[] = {TABLE_CLOCKS(X)};
static const struct table_column thread_states_columns[] = {TABLE_THREAD_STATES(X)};
static const struct table_column findings_columns[] = {TABLE_FINDINGS(X)};
#undef X

const struct table tables_all[TABLE_COUNT] = {
#define X(table_name, list, table_words)  \
	{.name = #table_name,             \
	 .words = table_words,            \
	 .columns = table_name##_columns, \
	 .count = sizeof(table_name##_columns) / sizeof(*table_name##_columns)},
	TABLES(X)
#undef X
};

#define X(table_name, list, words)                                                     \
	_Static_assert(sizeof(table_name##_columns) / sizeof(*table_name##_columns) <= \
			       TABLE_COLUMNS,                                          \
		       #table_name);
TABLES(X)
#undef X
