/* SPDX-License-Identifier: MIT */
/* What the tables are called, and values of their rows. */
#include "export/tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/tables_row.h"

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
static const struct table_column memory_columns[] = {TABLE_MEMORY(X)};
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

void row_field(struct table_value *value, const struct trace_event *event, const char *name,
	       struct text *words)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);
	const char *word;
	size_t count = 0;

	if (!field)
		return;
	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_STRING:
		value->text = (const char *)trace_field_elements(event, field, &count);
		row_text(value, value->text, count);
		break;
	case TANDEM_FIELD_ENUM:
		word = trace_name_find(field->names, trace_field_signed(event, field));
		row_word(value, word ? word : "unknown");
		break;
	case TANDEM_FIELD_HEX:
		text_clear(words);
		text_format(words, "0x%" PRIx64, trace_field_unsigned(event, field));
		if (!words->failed)
			row_text(value, words->data, words->length);
		break;
	case TANDEM_FIELD_INT:
		row_integer(value, trace_field_signed(event, field));
		break;
	default:
		row_integer(value, (int64_t)trace_field_unsigned(event, field));
		break;
	}
}

void tables_release(struct tables *tables)
{
	text_free(&tables->json);
	text_free(&tables->words);
	map_free(&tables->described);
	tables_states_free(tables);
}
