/* SPDX-License-Identifier: MIT */
/* Rows of task graphs: nodes with the places that made them, and edges. */
#include "export/tables/row.h"

static int add_node(struct export *export, const struct trace_event *event)
{
	const struct trace_process *process = event->stream->process;
	const struct tandem_field *node = trace_field_find(event->layout, "node");
	uint32_t number = node ? (uint32_t)trace_field_unsigned(event, node) : 0;
	const struct task_construct *construct =
		tasks_construct(&export->iterator->tasks, process->index, number);
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[TASK_NODES_process], export_process(export, process->index));
	row_id(&row[TASK_NODES_number], number);
	row_word(&row[TASK_NODES_domain],
		 trace_session_event_domain(export->iterator->session, event->layout->event)->name);
	row_time(&row[TASK_NODES_at_ns], export, event->ns);
	row_field(&row[TASK_NODES_instance], event, "instance", &tables->words);
	if (construct) {
		row_word(&row[TASK_NODES_kind], task_kind_name(construct->kind));
		row_word(&row[TASK_NODES_name], construct->name);
		row_word_or_none(&row[TASK_NODES_file], construct->file);
		row_id(&row[TASK_NODES_line], construct->line);
		row_word_or_none(&row[TASK_NODES_function], construct->function);
		row_word_or_none(&row[TASK_NODES_device], construct->device);
	}
	return tables->row(export, TABLE_task_nodes, row);
}

static int add_edge(struct export *export, const struct task_edge *edge)
{
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[TASK_EDGES_process], export_process(export, edge->process));
	row_id(&row[TASK_EDGES_source], edge->from);
	row_id(&row[TASK_EDGES_target], edge->to);
	row_word(&row[TASK_EDGES_access], task_access_name(edge->access));
	row_id(&row[TASK_EDGES_buffer], edge->buffer);
	return tables->row(export, TABLE_task_edges, row);
}

int tables_tasks(struct export *export, const struct trace_event *event)
{
	struct task_edge edge;

	if (event->layout->event->traits.record == TANDEM_RECORD_task_node)
		return add_node(export, event);
	if (event_iterator_edge(export->iterator, event, &edge))
		return add_edge(export, &edge);
	return 0;
}
