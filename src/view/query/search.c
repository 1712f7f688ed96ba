/* SPDX-License-Identifier: MIT */
#include "view/query/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int view_search_init(struct view_search *search, const struct view_index *index)
{
	*search =
		(struct view_search){.index = index, .labels = calloc(index->labels_count + 1, 1)};
	return search->labels ? 0 : -ENOMEM;
}

void view_search_add(struct view_search *search, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last && i < search->index->labels_count; i++) {
		search->labels[i] = 1;
		search->mask |= UINT64_C(1) << i % 64;
	}
}

void view_search_free(struct view_search *search)
{
	free(search->labels);
	search->labels = NULL;
}

static uint64_t track_count(const struct view_search *search, const struct view_track *track)
{
	const struct view_stat *stats = search->index->stats + track->first_stat;
	uint64_t count = 0;

	if (track->again || !view_track_named(track))
		return 0;
	for (uint32_t i = 0; i < track->stat_count; i++)
		if (view_search_wants(search, stats[i].label))
			count += stats[i].count;
	return count;
}

uint64_t view_search_count(const struct view_search *search)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < search->index->tracks_count; i++)
		count += track_count(search, &search->index->tracks[i]);
	return count;
}

int view_search_counts(const struct view_search *search,
		       void (*add)(void *user, uint32_t label, uint64_t count), void *user)
{
	const struct view_index *index = search->index;
	uint64_t *counts = calloc(index->labels_count + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < index->tracks_count; i++) {
		const struct view_track *track = &index->tracks[i];
		const struct view_stat *stats = index->stats + track->first_stat;

		if (track->again || !view_track_named(track))
			continue;
		for (uint32_t k = 0; k < track->stat_count; k++)
			if (view_search_wants(search, stats[k].label))
				counts[stats[k].label] += stats[k].count;
	}
	for (uint32_t i = 0; i < index->labels_count; i++)
		if (counts[i])
			add(user, i, counts[i]);
	free(counts);
	return 0;
}

/* One track, with its tree. */
struct look {
	const struct view_search *search;
	const struct view_track *track;
	struct view_tree tree;
};

static bool item_wanted(const struct look *look, uint32_t item)
{
	return view_search_wants(
		look->search, view_index_item(look->search->index, look->track, item)->span.label);
}

/* How many items from `item` on (or back from it) a node says hold nothing. */
static uint32_t skip(const struct look *look, uint32_t item, bool back)
{
	uint32_t width = VIEW_FANOUT, skipped = 0;

	for (unsigned level = 0; level < look->tree.levels; level++) {
		uint32_t edge = back ? item + 1 : item;

		if (edge % width ||
		    (look->tree.nodes[level][item / width].span.labels & look->search->mask))
			break;
		skipped = width;
		if (width > UINT32_MAX / VIEW_FANOUT)
			break;
		width *= VIEW_FANOUT;
	}
	return skipped;
}

/* First item at or behind `item` that is wanted; track->items: none. */
static uint32_t look_forward(const struct look *look, uint32_t item)
{
	while (item < look->track->items) {
		uint32_t step = skip(look, item, false);

		if (step > look->track->items - item)
			return look->track->items;
		if (!step && item_wanted(look, item))
			return item;
		item += step ? step : 1;
	}
	return look->track->items;
}

/* Last item before `item` that is wanted; track->items: none. */
static uint32_t look_back(const struct look *look, uint32_t item)
{
	while (item) {
		uint32_t step = skip(look, item - 1, true);

		if (step > item)
			break;
		if (!step && item_wanted(look, item - 1))
			return item - 1;
		item -= step ? step : 1;
	}
	return look->track->items;
}

static bool look_begin(struct look *look, const struct view_search *search, uint32_t number)
{
	*look = (struct look){.search = search, .track = &search->index->tracks[number]};
	if (!track_count(search, look->track))
		return false;
	view_index_tree(search->index, look->track, &look->tree);
	return true;
}

static int64_t begin_of(const struct look *look, uint32_t item)
{
	return view_index_item(look->search->index, look->track, item)->span.begin_ns;
}

/* The first item of a track that comes after the place `hit`, or the first that
 * does not come before it. */
static uint32_t items_before(const struct look *look, uint32_t number, const struct view_hit *hit,
			     bool back)
{
	if (number == hit->track)
		return back || hit->item == UINT32_MAX ? hit->item : hit->item + 1;
	if (hit->begin_ns == INT64_MAX)
		return look->track->items;
	return view_index_lower(look->search->index, look->track,
				hit->begin_ns + (number < hit->track));
}

bool view_search_step(const struct view_search *search, struct view_hit *hit, bool back)
{
	struct view_hit best = {.track = VIEW_NONE};
	struct look look;

	for (uint32_t i = 0; i < search->index->tracks_count; i++) {
		uint32_t item;

		if (!look_begin(&look, search, i))
			continue;
		item = items_before(&look, i, hit, back);
		if (item > look.track->items)
			item = look.track->items;
		item = back ? look_back(&look, item) : look_forward(&look, item);
		if (item == look.track->items)
			continue;
		/* Of equal ones the first track is next, the last one is before. */
		if (best.track == VIEW_NONE || (back ? begin_of(&look, item) >= best.begin_ns
						     : begin_of(&look, item) < best.begin_ns))
			best = (struct view_hit){begin_of(&look, item), i, item};
	}
	if (best.track == VIEW_NONE)
		return false;
	*hit = best;
	return true;
}

struct marking {
	const struct look *look;
	int64_t from_ns, to_ns;
	double bin_ns;
	uint32_t bins;
	uint8_t *marks;
};

/* The bins that a stretch of time touches; false where it touches none. */
static bool bins_of(const struct marking *marking, int64_t begin_ns, int64_t end_ns,
		    uint32_t *first, uint32_t *last)
{
	double from, to;

	if (end_ns < marking->from_ns || begin_ns >= marking->to_ns)
		return false;
	from = (double)(begin_ns - marking->from_ns) / marking->bin_ns;
	to = (double)(end_ns - marking->from_ns) / marking->bin_ns;
	*first = from > 0 ? (uint32_t)from : 0;
	*last = to < marking->bins - 1 ? (uint32_t)to : marking->bins - 1;
	if (*first >= marking->bins)
		*first = marking->bins - 1;
	return true;
}

static bool all_marked(const struct marking *marking, uint32_t first, uint32_t last)
{
	return !memchr(marking->marks + first, 0, last - first + 1);
}

static void mark_items(const struct marking *marking, uint32_t from, uint32_t to)
{
	const struct look *look = marking->look;
	const struct view_index *index = look->search->index;
	uint32_t first, last;

	for (uint32_t i = from; i < to; i++) {
		const struct view_span *span = &view_index_item(index, look->track, i)->span;

		if (view_search_wants(look->search, span->label) &&
		    bins_of(marking, span->begin_ns, view_index_end(index, look->track, i, span),
			    &first, &last))
			memset(marking->marks + first, 1, last - first + 1);
	}
}

/* Only where something is wanted and not yet marked is looked closer. */
static void mark_nodes(const struct marking *marking, unsigned level, uint32_t from, uint32_t to)
{
	const struct look *look = marking->look;
	uint32_t below = level ? look->tree.counts[level - 1] : look->track->items;
	uint32_t first, last;

	for (uint32_t i = from; i < to; i++) {
		const struct view_node *node = &look->tree.nodes[level][i].span;
		uint32_t begin = i * VIEW_FANOUT;
		uint32_t end = below - begin < VIEW_FANOUT ? below : begin + VIEW_FANOUT;

		if (!(node->labels & look->search->mask) ||
		    !bins_of(marking, node->begin_ns, node->end_ns, &first, &last) ||
		    all_marked(marking, first, last))
			continue;
		if (level)
			mark_nodes(marking, level - 1, begin, end);
		else
			mark_items(marking, begin, end);
	}
}

void view_search_marks(const struct view_search *search, int64_t from_ns, int64_t to_ns,
		       uint32_t bins, uint8_t *marks)
{
	struct look look;
	struct marking marking = {
		.look = &look,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.bin_ns = (double)(to_ns - from_ns) / bins,
		.bins = bins,
		.marks = marks,
	};

	memset(marks, 0, bins);
	if (to_ns <= from_ns)
		return;
	for (uint32_t i = 0; i < search->index->tracks_count; i++) {
		if (!look_begin(&look, search, i))
			continue;
		if (look.tree.levels)
			mark_nodes(&marking, look.tree.levels - 1, 0,
				   look.tree.counts[look.tree.levels - 1]);
		else
			mark_items(&marking, 0, look.track->items);
	}
}
