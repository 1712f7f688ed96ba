/* SPDX-License-Identifier: MIT */
/* The last step of building an index: its rows in the order of the picture, its
 * tracks in the order of the rows, all sections behind the chunks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/order/compare.h"
#include "view/index/index_writer.h"

struct index_layout {
	struct index_writer *writer;
	struct view_header *header;
	uint32_t *rows;		      /* writer's row -> its place */
	uint32_t *row_order;	      /* place -> writer's row */
	struct track_writer **tracks; /* in the order of the file */
};

static int section_append(struct index_layout *layout, enum view_section_number number,
			  const void *data, uint64_t count, size_t bytes)
{
	struct view_section *section = &layout->header->sections[number];
	struct view_store *store = layout->writer->store;
	int status = 0;

	if (!section->count)
		status = view_store_align(store);
	if (!section->count)
		section->offset = store->offset;
	section->count += count;
	return status ? status : view_store_append(store, data, (size_t)count * bytes);
}

/* Siblings are in the order of their kinds, ranks and numbers, then as they turned up. */
static int row_compare(const void *a, const void *b, void *writer_of)
{
	const struct index_writer *writer = writer_of;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct view_row *l = &writer->rows[left], *r = &writer->rows[right];

	return COMPARE(l->parent, r->parent)
	       ?: COMPARE(l->kind, r->kind)
	       ?: COMPARE(l->rank, r->rank)
	       ?: COMPARE(l->number, r->number)
	       ?: COMPARE(left, right);
}

/* Depth first; `sorted` has the children of one parent side by side. */
static void rows_place(struct index_layout *layout, const uint32_t *sorted,
		       const uint32_t *first_child, const uint32_t *child_count)
{
	const struct index_writer *writer = layout->writer;
	size_t count = writer->row_count, placed = 0, depth = 0;
	uint32_t *stack = layout->row_order; /* its tail, which is filled last */

	for (size_t i = 0; i < count && writer->rows[sorted[count - 1 - i]].parent == VIEW_NONE;
	     i++)
		stack[count - ++depth] = sorted[count - 1 - i];
	/* The roots sort last, as VIEW_NONE is the largest number; now the first
	 * of them is on top. */
	while (depth) {
		uint32_t row = stack[count - depth--];

		layout->rows[row] = (uint32_t)placed;
		layout->row_order[placed++] = row;
		for (uint32_t i = child_count[row]; i-- > 0;)
			stack[count - ++depth] = sorted[first_child[row] + i];
	}
}

static int rows_order(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	size_t count = writer->row_count;
	uint32_t *memory = calloc(3 * count + 1, sizeof(*memory));
	uint32_t *sorted = memory, *first = memory + count, *children = memory + 2 * count;

	layout->rows = calloc(count + 1, sizeof(*layout->rows));
	layout->row_order = calloc(count + 1, sizeof(*layout->row_order));
	if (!memory || !layout->rows || !layout->row_order) {
		free(memory);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), row_compare, writer);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = writer->rows[sorted[i]].parent;

		if (parent == VIEW_NONE)
			continue;
		if (!children[parent]++)
			first[parent] = i;
	}
	rows_place(layout, sorted, first, children);
	free(memory);
	return 0;
}

static int track_rank(const struct track_writer *track)
{
	return track->type == VIEW_TRACK_state	     ? 0
	       : track->refs_kind == VIEW_REFS_range ? 1
	       : track->type == VIEW_TRACK_samples   ? 3
						     : 2;
}

static int track_compare(const void *a, const void *b, void *layout_of)
{
	const struct index_layout *layout = layout_of;
	const struct track_writer *left = *(struct track_writer *const *)a;
	const struct track_writer *right = *(struct track_writer *const *)b;

	if (left->row != right->row)
		return layout->rows[left->row] < layout->rows[right->row] ? -1 : 1;
	/* A thread's state and ranges are above its calls, its samples below them. */
	if (track_rank(left) != track_rank(right))
		return track_rank(left) - track_rank(right);
	return COMPARE(left->number, right->number);
}

static int tracks_order(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	size_t count = writer->track_count;
	int status = 0;

	layout->tracks = calloc(count + 1, sizeof(struct track_writer *));
	if (!layout->tracks)
		return -ENOMEM;
	for (size_t i = 0; i < count && !status; i++) {
		layout->tracks[i] = writer->tracks[i];
		status = track_writer_close(writer->tracks[i]);
	}
	if (status)
		return status;
	qsort_r(layout->tracks, count, sizeof(struct track_writer *), track_compare, layout);
	for (size_t i = 0; i < count; i++)
		layout->tracks[i]->number = (uint32_t)i;
	return 0;
}

static int write_rows(struct index_layout *layout)
{
	const struct index_writer *writer = layout->writer;
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; i < writer->row_count && !status; i++) {
		struct view_row row = writer->rows[layout->row_order[i]];

		if (row.parent != VIEW_NONE)
			row.parent = layout->rows[row.parent];
		if (row.device != VIEW_NONE)
			row.device = layout->rows[row.device];
		row.first_track = (uint32_t)at;
		while (at < writer->track_count && layout->rows[layout->tracks[at]->row] == i)
			at++;
		row.track_count = (uint32_t)at - row.first_track;
		status = section_append(layout, VIEW_SECTION_rows, &row, 1, sizeof(row));
	}
	return status;
}

static int write_tracks(struct index_layout *layout)
{
	struct view_track track = {.row = 0};
	int status = 0;

	for (size_t i = 0; i < layout->writer->track_count && !status; i++) {
		const struct track_writer *from = layout->tracks[i];
		uint32_t counts[VIEW_LEVELS_MOST];
		unsigned levels = view_levels(from->items, counts);

		track.row = layout->rows[from->row];
		track.type = (uint8_t)from->type;
		track.refs = (uint8_t)from->refs_kind;
		track.again = from->again;
		track.items = from->items;
		track.long_count = (uint32_t)from->long_count;
		track.stat_count = (uint32_t)from->stat_count;
		status = section_append(layout, VIEW_SECTION_tracks, &track, 1, sizeof(track));
		track.first_chunk += (uint32_t)from->chunk_count;
		track.first_long += (uint32_t)from->long_count;
		track.first_stat += from->stat_count;
		for (unsigned level = 0; level < levels; level++)
			track.first_node += counts[level];
	}
	return status;
}

/* The nodes of one track, level after level. */
static int write_nodes(struct index_layout *layout, struct track_writer *track)
{
	uint32_t counts[VIEW_LEVELS_MOST];
	unsigned levels = view_levels(track->items, counts);
	bool points = track->type == VIEW_TRACK_counter;
	int status = 0;

	for (unsigned level = 0; level < levels && !status; level++) {
		status = section_append(layout, VIEW_SECTION_nodes, track->nodes, counts[level],
					sizeof(*track->nodes));
		for (uint32_t i = 0; i < counts[level]; i += VIEW_FANOUT) {
			size_t left = counts[level] - i;

			track->nodes[i / VIEW_FANOUT] = view_node_join(
				track->nodes + i, left < VIEW_FANOUT ? left : VIEW_FANOUT, points);
		}
	}
	return status;
}

static int write_of_tracks(struct index_layout *layout)
{
	size_t count = layout->writer->track_count;
	int status = 0;

	for (size_t i = 0; i < count && !status; i++)
		status = section_append(layout, VIEW_SECTION_chunks, layout->tracks[i]->chunks,
					layout->tracks[i]->chunk_count, sizeof(uint64_t));
	for (size_t i = 0; i < count && !status; i++)
		status = write_nodes(layout, layout->tracks[i]);
	for (size_t i = 0; i < count && !status; i++) {
		struct track_writer *track = layout->tracks[i];

		for (size_t j = 0; j < track->long_count; j++)
			track->longs[j].track = (uint32_t)i;
		status = section_append(layout, VIEW_SECTION_longs, track->longs, track->long_count,
					sizeof(*track->longs));
	}
	for (size_t i = 0; i < count && !status; i++)
		status = section_append(layout, VIEW_SECTION_stats, layout->tracks[i]->stats,
					layout->tracks[i]->stat_count, sizeof(struct view_stat));
	return status;
}

static int op_compare(const void *a, const void *b, void *commands_of)
{
	const struct view_command *commands = commands_of;
	const struct view_command *left = &commands[*(const uint32_t *)a];
	const struct view_command *right = &commands[*(const uint32_t *)b];

	return COMPARE(left->process, right->process) ?: COMPARE(left->op, right->op);
}

static int write_commands(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	size_t count = writer->command_count;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	bool sorted = true;
	int status;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct view_command *command = &writer->commands[i];

		if (command->track != VIEW_NONE)
			command->track = writer->tracks[command->track]->number;
		order[i] = (uint32_t)i;
		sorted = sorted &&
			 (!i || op_compare(&order[i - 1], &order[i], writer->commands) <= 0);
	}
	if (!sorted)
		qsort_r(order, count, sizeof(*order), op_compare, writer->commands);
	status = section_append(layout, VIEW_SECTION_commands, writer->commands, count,
				sizeof(*writer->commands));
	if (!status)
		status = section_append(layout, VIEW_SECTION_by_op, order, count, sizeof(*order));
	free(order);
	return status;
}

static int write_ranges(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;

	for (size_t i = 0; i < writer->range_count; i++)
		if (writer->ranges[i].track != VIEW_NONE)
			writer->ranges[i].track = writer->tracks[writer->ranges[i].track]->number;
	return section_append(layout, VIEW_SECTION_ranges, writer->ranges, writer->range_count,
			      sizeof(*writer->ranges));
}

static int edge_compare(const void *a, const void *b, void *edges_of)
{
	const struct view_task_edge *edges = edges_of;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return COMPARE(edges[left].from, edges[right].from) ?: COMPARE(left, right);
}

static int write_tasks(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	size_t count = writer->task_edge_count;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	int status;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), edge_compare, writer->task_edges);
	status = section_append(layout, VIEW_SECTION_task_places, writer->task_places,
				writer->task_place_count, sizeof(*writer->task_places));
	if (!status)
		status = section_append(layout, VIEW_SECTION_task_nodes, writer->task_nodes,
					writer->task_node_count, sizeof(*writer->task_nodes));
	if (!status)
		status = section_append(layout, VIEW_SECTION_task_edges, writer->task_edges, count,
					sizeof(*writer->task_edges));
	if (!status)
		status = section_append(layout, VIEW_SECTION_task_edges_out, order, count,
					sizeof(*order));
	if (!status)
		status = section_append(layout, VIEW_SECTION_task_ops, writer->task_ops,
					writer->task_op_count, sizeof(*writer->task_ops));
	free(order);
	return status;
}

static int write_wakers(struct index_layout *layout)
{
	const struct index_writer *writer = layout->writer;
	int status = 0;

	for (size_t i = 0; i < writer->waker_count && !status; i++)
		status = section_append(layout, VIEW_SECTION_wakers,
					&layout->rows[writer->wakers[i]], 1, sizeof(uint32_t));
	return status;
}

static int write_names(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	uint64_t offset = 0;
	uint32_t empty;
	int status = index_writer_name(writer, "", &empty);

	for (size_t i = 0; i < writer->names.count && !status; i++) {
		const char *name = intern_text(&writer->names, (uint32_t)i);

		status = section_append(layout, VIEW_SECTION_text, name, strlen(name) + 1, 1);
	}
	for (size_t i = 0; i < writer->names.count && !status; i++) {
		status = section_append(layout, VIEW_SECTION_strings, &offset, 1, sizeof(offset));
		offset += strlen(intern_text(&writer->names, (uint32_t)i)) + 1;
	}
	return status;
}

static int write_all(struct index_layout *layout)
{
	struct index_writer *writer = layout->writer;
	int status = write_of_tracks(layout);

	if (!status)
		status = write_rows(layout);
	if (!status)
		status = write_tracks(layout);
	if (!status)
		status = write_commands(layout);
	if (!status)
		status = write_ranges(layout);
	if (!status)
		status = section_append(layout, VIEW_SECTION_activities, writer->activities,
					writer->activity_count, sizeof(*writer->activities));
	if (!status)
		status = section_append(layout, VIEW_SECTION_external_ids, writer->external_ids,
					writer->external_id_count, sizeof(*writer->external_ids));
	if (!status)
		status = write_tasks(layout);
	if (!status)
		status = write_wakers(layout);
	if (!status)
		status = section_append(layout, VIEW_SECTION_labels, writer->labels,
					writer->label_count, sizeof(*writer->labels));
	if (!status)
		status = section_append(layout, VIEW_SECTION_frames, writer->frames,
					writer->frame_count, sizeof(*writer->frames));
	if (!status)
		status = section_append(layout, VIEW_SECTION_stacks, writer->stacks,
					writer->stack_count, sizeof(*writer->stacks));
	if (!status)
		status = section_append(layout, VIEW_SECTION_records, writer->records.data,
					writer->records.length, 1);
	if (!status)
		status = section_append(layout, VIEW_SECTION_notes, writer->notes,
					writer->note_count, sizeof(*writer->notes));
	return status ? status : write_names(layout);
}

/* The latest end of any span: a call may end behind what its packet's header says. */
static int64_t find_last(const struct index_layout *layout)
{
	int64_t last_ns = 0;

	for (size_t i = 0; i < layout->writer->track_count; i++) {
		const struct track_writer *track = layout->tracks[i];

		for (size_t k = 0; k < track->node_count; k++) {
			int64_t end_ns = track->type == VIEW_TRACK_counter
						 ? track->nodes[k].point.end_ns
						 : track->nodes[k].span.end_ns;

			if (end_ns > last_ns)
				last_ns = end_ns;
		}
	}
	return last_ns;
}

int index_layout(struct index_writer *writer, struct view_header *header)
{
	struct index_layout layout = {.writer = writer, .header = header};
	int status = rows_order(&layout);

	if (!status)
		status = tracks_order(&layout);
	if (!status)
		status = write_all(&layout);
	if (!status)
		header->last_ns = find_last(&layout);
	header->file_bytes = writer->store->offset;
	header->sample_period_ns = writer->sample_period_ns;
	free(layout.rows);
	free(layout.row_order);
	free(layout.tracks);
	return status;
}
