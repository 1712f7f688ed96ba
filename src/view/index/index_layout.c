/* The last step of building an index: its rows in the order of the picture, its
 * tracks in the order of the rows, all sections behind the chunks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/index/index_writer.h"

struct finish {
	struct view_builder *builder;
	struct view_header *header;
	uint32_t *rows;	    /* builder's row -> its place */
	uint32_t *row_order; /* place -> builder's row */
	struct view_writer **tracks; /* in the order of the file */
};

static int section_append(struct finish *finish, enum view_section_number number,
			  const void *data, uint64_t count, size_t bytes)
{
	struct view_section *section = &finish->header->sections[number];
	struct view_store *store = finish->builder->store;
	int status = 0;

	if (!section->count)
		status = view_store_align(store);
	if (!section->count)
		section->offset = store->offset;
	section->count += count;
	return status ? status : view_store_append(store, data, (size_t)count * bytes);
}

/* Siblings stand by kind, then by number, then as they turned up. */
static int row_compare(const void *a, const void *b, void *builder_of)
{
	const struct view_builder *builder = builder_of;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct view_row *l = &builder->rows[left], *r = &builder->rows[right];

	/* One row for transfers and one for kernels of each queue, side by side. */
	bool queues = l->kind >= VIEW_ROW_transfers && l->kind <= VIEW_ROW_untimed &&
		      r->kind >= VIEW_ROW_transfers && r->kind <= VIEW_ROW_untimed;

	if (l->parent != r->parent)
		return l->parent < r->parent ? -1 : 1;
	if (!queues && l->kind != r->kind)
		return l->kind < r->kind ? -1 : 1;
	if (l->number != r->number)
		return l->number < r->number ? -1 : 1;
	if (l->kind != r->kind)
		return l->kind < r->kind ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* Depth first; `sorted` has the children of one parent side by side. */
static void rows_place(struct finish *finish, const uint32_t *sorted, const uint32_t *first_child,
		       const uint32_t *child_count)
{
	const struct view_builder *builder = finish->builder;
	size_t count = builder->row_count, placed = 0, depth = 0;
	uint32_t *stack = finish->row_order; /* its tail, which is filled last */

	for (size_t i = 0; i < count && builder->rows[sorted[count - 1 - i]].parent == VIEW_NONE;
	     i++)
		stack[count - ++depth] = sorted[count - 1 - i];
	/* The roots sort last, as VIEW_NONE is the largest number; now the first
	 * of them lies on top. */
	while (depth) {
		uint32_t row = stack[count - depth--];

		finish->rows[row] = (uint32_t)placed;
		finish->row_order[placed++] = row;
		for (uint32_t i = child_count[row]; i-- > 0;)
			stack[count - ++depth] = sorted[first_child[row] + i];
	}
}

static int rows_order(struct finish *finish)
{
	struct view_builder *builder = finish->builder;
	size_t count = builder->row_count;
	uint32_t *memory = calloc(3 * count + 1, sizeof(*memory));
	uint32_t *sorted = memory, *first = memory + count, *children = memory + 2 * count;

	finish->rows = calloc(count + 1, sizeof(*finish->rows));
	finish->row_order = calloc(count + 1, sizeof(*finish->row_order));
	if (!memory || !finish->rows || !finish->row_order) {
		free(memory);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), row_compare, builder);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = builder->rows[sorted[i]].parent;

		if (parent == VIEW_NONE)
			continue;
		if (!children[parent]++)
			first[parent] = i;
	}
	rows_place(finish, sorted, first, children);
	free(memory);
	return 0;
}

static int track_rank(const struct view_writer *track)
{
	return track->type == VIEW_TRACK_state ? 0 : track->type == VIEW_TRACK_samples ? 2 : 1;
}

static int track_compare(const void *a, const void *b, void *finish_of)
{
	const struct finish *finish = finish_of;
	const struct view_writer *left = *(struct view_writer *const *)a;
	const struct view_writer *right = *(struct view_writer *const *)b;

	if (left->row != right->row)
		return finish->rows[left->row] < finish->rows[right->row] ? -1 : 1;
	/* A thread's state stands above its calls, its samples below them. */
	if (track_rank(left) != track_rank(right))
		return track_rank(left) - track_rank(right);
	return left->number < right->number ? -1 : left->number > right->number;
}

static int tracks_order(struct finish *finish)
{
	struct view_builder *builder = finish->builder;
	size_t count = builder->track_count;
	int status = 0;

	finish->tracks = calloc(count + 1, sizeof(struct view_writer *));
	if (!finish->tracks)
		return -ENOMEM;
	for (size_t i = 0; i < count && !status; i++) {
		finish->tracks[i] = builder->tracks[i];
		status = view_writer_close(builder->tracks[i]);
	}
	if (status)
		return status;
	qsort_r(finish->tracks, count, sizeof(struct view_writer *), track_compare, finish);
	for (size_t i = 0; i < count; i++)
		finish->tracks[i]->number = (uint32_t)i;
	return 0;
}

static int write_rows(struct finish *finish)
{
	const struct view_builder *builder = finish->builder;
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; i < builder->row_count && !status; i++) {
		struct view_row row = builder->rows[finish->row_order[i]];

		if (row.parent != VIEW_NONE)
			row.parent = finish->rows[row.parent];
		if (row.device != VIEW_NONE)
			row.device = finish->rows[row.device];
		row.first_track = (uint32_t)at;
		while (at < builder->track_count &&
		       finish->rows[finish->tracks[at]->row] == i)
			at++;
		row.track_count = (uint32_t)at - row.first_track;
		status = section_append(finish, VIEW_SECTION_rows, &row, 1, sizeof(row));
	}
	return status;
}

static int write_tracks(struct finish *finish)
{
	struct view_track track = {.row = 0};
	int status = 0;

	for (size_t i = 0; i < finish->builder->track_count && !status; i++) {
		const struct view_writer *writer = finish->tracks[i];
		uint32_t counts[VIEW_LEVELS_MOST];
		unsigned levels = view_levels(writer->items, counts);

		track.row = finish->rows[writer->row];
		track.type = (uint8_t)writer->type;
		track.refs = (uint8_t)writer->refs_kind;
		track.again = writer->again;
		track.items = writer->items;
		track.long_count = (uint32_t)writer->long_count;
		track.stat_count = (uint32_t)writer->stat_count;
		status = section_append(finish, VIEW_SECTION_tracks, &track, 1, sizeof(track));
		track.first_chunk += (uint32_t)writer->chunk_count;
		track.first_long += (uint32_t)writer->long_count;
		track.first_stat += writer->stat_count;
		for (unsigned level = 0; level < levels; level++)
			track.first_node += counts[level];
	}
	return status;
}

/* The nodes of one track, level after level. */
static int write_nodes(struct finish *finish, struct view_writer *writer)
{
	uint32_t counts[VIEW_LEVELS_MOST];
	unsigned levels = view_levels(writer->items, counts);
	bool points = writer->type == VIEW_TRACK_counter;
	int status = 0;

	for (unsigned level = 0; level < levels && !status; level++) {
		status = section_append(finish, VIEW_SECTION_nodes, writer->nodes,
					counts[level], sizeof(*writer->nodes));
		for (uint32_t i = 0; i < counts[level]; i += VIEW_FANOUT) {
			size_t left = counts[level] - i;

			writer->nodes[i / VIEW_FANOUT] = view_node_join(
				writer->nodes + i, left < VIEW_FANOUT ? left : VIEW_FANOUT, points);
		}
	}
	return status;
}

static int write_of_tracks(struct finish *finish)
{
	size_t count = finish->builder->track_count;
	int status = 0;

	for (size_t i = 0; i < count && !status; i++)
		status = section_append(finish, VIEW_SECTION_chunks, finish->tracks[i]->chunks,
					finish->tracks[i]->chunk_count, sizeof(uint64_t));
	for (size_t i = 0; i < count && !status; i++)
		status = write_nodes(finish, finish->tracks[i]);
	for (size_t i = 0; i < count && !status; i++) {
		struct view_writer *track = finish->tracks[i];

		for (size_t j = 0; j < track->long_count; j++)
			track->longs[j].track = (uint32_t)i;
		status = section_append(finish, VIEW_SECTION_longs, track->longs,
					track->long_count, sizeof(*track->longs));
	}
	for (size_t i = 0; i < count && !status; i++)
		status = section_append(finish, VIEW_SECTION_stats, finish->tracks[i]->stats,
					finish->tracks[i]->stat_count, sizeof(struct view_stat));
	return status;
}

static int op_compare(const void *a, const void *b, void *commands_of)
{
	const struct view_command *commands = commands_of;
	const struct view_command *left = &commands[*(const uint32_t *)a];
	const struct view_command *right = &commands[*(const uint32_t *)b];

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	return left->op < right->op ? -1 : left->op > right->op;
}

static int write_commands(struct finish *finish)
{
	struct view_builder *builder = finish->builder;
	size_t count = builder->command_count;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	bool sorted = true;
	int status;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct view_command *command = &builder->commands[i];

		if (command->track != VIEW_NONE)
			command->track = builder->tracks[command->track]->number;
		order[i] = (uint32_t)i;
		sorted = sorted && (!i || op_compare(&order[i - 1], &order[i],
						     builder->commands) <= 0);
	}
	if (!sorted)
		qsort_r(order, count, sizeof(*order), op_compare, builder->commands);
	status = section_append(finish, VIEW_SECTION_commands, builder->commands, count,
				sizeof(*builder->commands));
	if (!status)
		status = section_append(finish, VIEW_SECTION_by_op, order, count, sizeof(*order));
	free(order);
	return status;
}

static int write_wakers(struct finish *finish)
{
	const struct view_builder *builder = finish->builder;
	int status = 0;

	for (size_t i = 0; i < builder->waker_count && !status; i++)
		status = section_append(finish, VIEW_SECTION_wakers,
					&finish->rows[builder->wakers[i]], 1, sizeof(uint32_t));
	return status;
}

static int write_names(struct finish *finish)
{
	struct view_builder *builder = finish->builder;
	uint64_t offset = 0;
	uint32_t empty;
	int status = view_builder_name(builder, "", &empty);

	for (size_t i = 0; i < builder->names.count && !status; i++) {
		const char *name = intern_text(&builder->names, (uint32_t)i);

		status = section_append(finish, VIEW_SECTION_text, name, strlen(name) + 1, 1);
	}
	for (size_t i = 0; i < builder->names.count && !status; i++) {
		status = section_append(finish, VIEW_SECTION_strings, &offset, 1, sizeof(offset));
		offset += strlen(intern_text(&builder->names, (uint32_t)i)) + 1;
	}
	return status;
}

static int write_all(struct finish *finish)
{
	struct view_builder *builder = finish->builder;
	int status = write_of_tracks(finish);

	if (!status)
		status = write_rows(finish);
	if (!status)
		status = write_tracks(finish);
	if (!status)
		status = write_commands(finish);
	if (!status)
		status = write_wakers(finish);
	if (!status)
		status = section_append(finish, VIEW_SECTION_labels, builder->labels,
					builder->label_count, sizeof(*builder->labels));
	if (!status)
		status = section_append(finish, VIEW_SECTION_frames, builder->frames,
					builder->frame_count, sizeof(*builder->frames));
	if (!status)
		status = section_append(finish, VIEW_SECTION_stacks, builder->stacks,
					builder->stack_count, sizeof(*builder->stacks));
	if (!status)
		status = section_append(finish, VIEW_SECTION_records, builder->records.data,
					builder->records.length, 1);
	if (!status)
		status = section_append(finish, VIEW_SECTION_notes, builder->notes,
					builder->note_count, sizeof(*builder->notes));
	return status ? status : write_names(finish);
}

/* The latest end of any span: a call may end behind what its packet's header says. */
static int64_t find_last(const struct finish *finish)
{
	int64_t last_ns = 0;

	for (size_t i = 0; i < finish->builder->track_count; i++) {
		const struct view_writer *track = finish->tracks[i];

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

int view_builder_finish(struct view_builder *builder, struct view_header *header)
{
	struct finish finish = {.builder = builder, .header = header};
	int status = rows_order(&finish);

	if (!status)
		status = tracks_order(&finish);
	if (!status)
		status = write_all(&finish);
	if (!status)
		header->last_ns = find_last(&finish);
	header->file_bytes = builder->store->offset;
	header->sample_period_ns = builder->sample_period_ns;
	free(finish.rows);
	free(finish.row_order);
	free(finish.tracks);
	return status;
}
