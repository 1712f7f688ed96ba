/* SPDX-License-Identifier: MIT */
#include "view/rows/tasks/task_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "util/order/compare.h"
#include "util/text.h"
#include "view/rows/depth_packing.h"

static int begin_compare(const void *a, const void *b, void *nodes_of)
{
	const struct view_task_node *nodes = nodes_of;
	const struct view_task_node *left = &nodes[*(const uint32_t *)a];
	const struct view_task_node *right = &nodes[*(const uint32_t *)b];

	return COMPARE(left->process, right->process)
	       ?: COMPARE(left->submit_ns, right->submit_ns)
	       ?: COMPARE(left, right);
}

/* The numbers of nodes that were submitted, by process and time. */
static uint32_t *submitted_nodes(const struct index_writer *writer, size_t *count)
{
	uint32_t *order = malloc((writer->task_node_count + 1) * sizeof(*order));

	*count = 0;
	for (size_t i = 0; order && i < writer->task_node_count; i++)
		if (writer->task_nodes[i].submit_ns != INT64_MIN)
			order[(*count)++] = (uint32_t)i;
	if (order)
		qsort_r(order, *count, sizeof(*order), begin_compare, writer->task_nodes);
	return order;
}

static int add_label(struct index_writer *writer, const struct view_task_node *node,
		     uint32_t *label)
{
	unsigned flags = node->end_ns == INT64_MAX ? VIEW_FLAG_unfinished : 0;
	const struct view_task_place *place =
		node->place == VIEW_NONE ? NULL : &writer->task_places[node->place];
	const char *name = place ? intern_text(&writer->names, place->name) : "";
	struct text text = TEXT_INIT;
	int status;

	text_add_string(&text, *name ? name : "(no name)");
	if (place && place->line)
		text_format(&text, " (%s)", intern_text(&writer->names, place->place));
	status = text.failed ? -ENOMEM
			     : index_writer_label(writer, text.data, VIEW_SPAN_graph_task, flags,
						  label);
	text_free(&text);
	return status;
}

static int add_row(struct index_writer *writer, uint32_t parent, uint32_t *number)
{
	const struct view_row row = {
		.kind = VIEW_ROW_tasks,
		.parent = parent,
		.process = writer->rows[parent].process,
		.stream = VIEW_NONE,
		.device = VIEW_NONE,
	};

	return index_writer_named_row(writer, row, "tasks", "from submission to completion",
				      number);
}

int task_rows_add(struct index_writer *writer, const uint32_t *process_rows, int64_t end_ns)
{
	struct depth_packing packing = {.row = VIEW_NONE};
	uint32_t process = VIEW_NONE;
	size_t count;
	uint32_t *order = submitted_nodes(writer, &count);
	int status = order ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !status; i++) {
		const struct view_task_node *node = &writer->task_nodes[order[i]];
		int64_t until_ns = node->end_ns < end_ns ? node->end_ns : end_ns;
		struct track_writer *track;
		uint32_t label;

		if (until_ns < node->submit_ns)
			until_ns = node->submit_ns;
		if (node->process != process) {
			process = node->process;
			packing = (struct depth_packing){.refs = VIEW_REFS_node};
			status = add_row(writer, process_rows[process], &packing.row);
		}
		if (!status)
			status = add_label(writer, node, &label);
		if (!status)
			status = depth_packing_pick(&packing, writer, node->submit_ns, until_ns,
						    &track);
		if (!status)
			status =
				track_writer_ref(track, node->submit_ns, until_ns, label, order[i]);
	}
	free(order);
	return status;
}
