/* SPDX-License-Identifier: MIT */
#include "view/index/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/keyed_row.h"

void track_writer_init(struct track_writer *track, struct view_store *store, uint32_t row,
		       enum view_track_type type)
{
	*track = (struct track_writer){.store = store, .row = row, .type = type};
}

unsigned view_levels(uint32_t items, uint32_t counts[VIEW_LEVELS_MOST])
{
	unsigned levels = 0;

	while (items > VIEW_FANOUT) {
		items = (items + VIEW_FANOUT - 1) / VIEW_FANOUT;
		counts[levels++] = items;
	}
	return levels;
}

static int stat_add(struct track_writer *track, const struct view_stat *add)
{
	const struct view_stat fresh = {.label = add->label};
	struct view_stat *stat =
		keyed_row(&track->stat_of, add->label, &track->stats, &track->stat_capacity,
			  &track->stat_count, &fresh, sizeof(fresh));

	if (!stat)
		return -ENOMEM;
	stat->count += add->count;
	stat->total_ns += add->total_ns;
	return 0;
}

static uint64_t span_length(const struct track_writer *track, const struct view_span *span,
			    size_t item)
{
	if (span->length_ns != UINT32_MAX)
		return span->length_ns;
	for (size_t i = track->long_count; i-- > 0 && track->longs[i].item >= item;)
		if (track->longs[i].item == item)
			return track->longs[i].length_ns;
	return UINT32_MAX;
}

/* The label that has most of the time in a few spans, and all of them counted. */
static int node_of_spans(struct track_writer *track, const union view_item *items, size_t count,
			 struct view_node *node)
{
	struct view_stat stats[VIEW_FANOUT];
	size_t stat_count = 0, most = 0;
	int status = 0;

	*node = (struct view_node){
		.begin_ns = items[0].span.begin_ns, .end_ns = INT64_MIN, .count = (uint32_t)count};
	for (size_t i = 0; i < count; i++) {
		const struct view_span *span = &items[i].span;
		uint64_t length = span_length(track, span, track->items - count + i);
		size_t at = 0;

		if (span->begin_ns + (int64_t)length > node->end_ns)
			node->end_ns = span->begin_ns + (int64_t)length;
		node->busy_ns += view_weight(track->type, length);
		node->labels |= UINT64_C(1) << span->label % 64;
		while (at < stat_count && stats[at].label != span->label)
			at++;
		if (at == stat_count)
			stats[stat_count++] = (struct view_stat){.label = span->label};
		stats[at].count++;
		stats[at].total_ns += view_weight(track->type, length);
	}
	for (size_t i = 0; i < stat_count && !status; i++) {
		if (stats[i].total_ns > stats[most].total_ns)
			most = i;
		status = stat_add(track, &stats[i]);
	}
	node->label = stats[most].label;
	return status;
}

static void node_of_points(const union view_item *items, size_t count, struct view_point_node *node)
{
	*node = (struct view_point_node){.begin_ns = items[0].point.at_ns,
					 .end_ns = items[count - 1].point.at_ns,
					 .least = UINT64_MAX,
					 .last = items[count - 1].point.value};
	for (size_t i = 0; i < count; i++) {
		uint64_t value = items[i].point.value;

		if (value < node->least)
			node->least = value;
		if (value > node->most)
			node->most = value;
	}
}

/* Sums up the latest items, VIEW_FANOUT or what is left of them. */
static int node_add(struct track_writer *track)
{
	size_t count = (track->items - 1) % VIEW_FANOUT + 1;
	const union view_item *items = track->chunk + track->chunk_items - count;
	union view_any_node *node;

	if (array_reserve(&track->nodes, &track->node_capacity, track->node_count + 1,
			  sizeof(*track->nodes)))
		return -ENOMEM;
	node = &track->nodes[track->node_count++];
	if (track->type == VIEW_TRACK_counter) {
		node_of_points(items, count, &node->point);
		return 0;
	}
	return node_of_spans(track, items, count, &node->span);
}

static int chunk_write(struct track_writer *track)
{
	int status;

	if (array_reserve(&track->chunks, &track->chunks_capacity, track->chunk_count + 1,
			  sizeof(*track->chunks)))
		return -ENOMEM;
	status = view_store_align(track->store);
	track->chunks[track->chunk_count++] = track->store->offset;
	if (!status)
		status = view_store_append(track->store, track->chunk,
					   track->chunk_items * sizeof(*track->chunk));
	if (!status && track->refs_kind)
		status = view_store_append(track->store, track->refs,
					   track->chunk_items * sizeof(*track->refs));
	track->chunk_items = 0;
	return status;
}

static int item_place(struct track_writer *track, union view_item **item)
{
	if (track->items == UINT32_MAX - 1)
		return -EOVERFLOW;
	if (track->chunk_items == track->chunk_capacity) {
		size_t capacity = track->chunk_capacity;

		if (array_reserve(&track->chunk, &track->chunk_capacity, capacity + 1,
				  sizeof(*track->chunk)) ||
		    (track->refs_kind &&
		     array_reserve(&track->refs, &capacity, track->chunk_capacity,
				   sizeof(*track->refs))))
			return -ENOMEM;
	}
	*item = &track->chunk[track->chunk_items++];
	track->items++;
	return 0;
}

static int item_placed(struct track_writer *track)
{
	int status = 0;

	if (track->items % VIEW_FANOUT == 0)
		status = node_add(track);
	if (!status && track->chunk_items == VIEW_CHUNK_ITEMS)
		status = chunk_write(track);
	return status;
}

static int long_add(struct track_writer *track, uint64_t length_ns)
{
	return ARRAY_ADD(track->longs, track->long_capacity, track->long_count,
			 (struct view_long){.item = track->items - 1, .length_ns = length_ns});
}

int track_writer_ref(struct track_writer *track, int64_t begin_ns, int64_t end_ns, uint32_t label,
		     uint32_t ref)
{
	uint64_t length = end_ns > begin_ns ? (uint64_t)end_ns - (uint64_t)begin_ns : 0;
	union view_item *item;
	int status = item_place(track, &item);

	if (status)
		return status;
	item->span = (struct view_span){
		.begin_ns = begin_ns,
		.length_ns = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
		.label = label,
	};
	if (track->refs_kind)
		track->refs[track->chunk_items - 1] = ref;
	if (length >= UINT32_MAX)
		status = long_add(track, length);
	return status ? status : item_placed(track);
}

int track_writer_span(struct track_writer *track, int64_t begin_ns, int64_t end_ns, uint32_t label)
{
	return track_writer_ref(track, begin_ns, end_ns, label, VIEW_NONE);
}

int track_writer_point(struct track_writer *track, int64_t at_ns, uint64_t value)
{
	union view_item *item;
	int status;

	/* Its node and its chunk may have been written: then both stay. */
	if (track->chunk_items && track->items % VIEW_FANOUT) {
		item = &track->chunk[track->chunk_items - 1];
		if (item->point.at_ns == at_ns) {
			item->point.value = value;
			return 0;
		}
	}
	status = item_place(track, &item);
	if (status)
		return status;
	item->point = (struct view_point){.at_ns = at_ns, .value = value};
	return item_placed(track);
}

int track_writer_close(struct track_writer *track)
{
	int status = 0;

	if (track->closed)
		return 0;
	track->closed = true;
	if (track->items % VIEW_FANOUT)
		status = node_add(track);
	if (!status && track->chunk_items)
		status = chunk_write(track);
	free(track->chunk);
	free(track->refs);
	track->chunk = NULL;
	track->refs = NULL;
	track->chunk_capacity = 0;
	return status;
}

static void join_points(const union view_any_node *nodes, size_t count,
			struct view_point_node *joined)
{
	*joined = nodes[0].point;
	for (size_t i = 1; i < count; i++) {
		const struct view_point_node *node = &nodes[i].point;

		joined->end_ns = node->end_ns;
		joined->last = node->last;
		if (node->least < joined->least)
			joined->least = node->least;
		if (node->most > joined->most)
			joined->most = node->most;
	}
}

/* Each node counts for its label with all of its time: of the few that have
 * most below, one has most here. */
static void join_spans(const union view_any_node *nodes, size_t count, struct view_node *joined)
{
	uint64_t most = 0;

	*joined = (struct view_node){.begin_ns = nodes[0].span.begin_ns,
				     .end_ns = INT64_MIN,
				     .label = nodes[0].span.label};
	for (size_t i = 0; i < count; i++) {
		const struct view_node *node = &nodes[i].span;
		uint64_t sum = 0;

		if (node->end_ns > joined->end_ns)
			joined->end_ns = node->end_ns;
		joined->busy_ns += node->busy_ns;
		joined->labels |= node->labels;
		joined->count += node->count;
		for (size_t j = 0; j < count; j++)
			if (nodes[j].span.label == node->label)
				sum += nodes[j].span.busy_ns;
		if (sum > most) {
			most = sum;
			joined->label = node->label;
		}
	}
}

union view_any_node view_node_join(const union view_any_node *nodes, size_t count, bool points)
{
	union view_any_node joined;

	if (points)
		join_points(nodes, count, &joined.point);
	else
		join_spans(nodes, count, &joined.span);
	return joined;
}

void track_writer_free(struct track_writer *track)
{
	free(track->chunk);
	free(track->refs);
	free(track->chunks);
	free(track->nodes);
	free(track->longs);
	free(track->stats);
	map_free(&track->stat_of);
	memset(track, 0, sizeof(*track));
}
