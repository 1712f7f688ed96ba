/* SPDX-License-Identifier: MIT */
#include "view/query/tiles.h"

#include <string.h>

/* Labels among which the one with the most time in a bin is looked for. */
#define VOTES 8u

/* Spans side by side that are as wide as a bin, or gathered of one, are two a bin
 * at most. Only where spans overlap can there be more; they are then gathered,
 * too. */
#define TILE_ITEMS (TILE_BINS * 2 + 2)

struct tile_item {
	int64_t begin_ns, end_ns;
	uint64_t busy_ns;
	uint32_t label, count, item;
};

struct vote {
	uint32_t label;
	uint64_t ns;
};

struct tile {
	const struct view_index *index;
	const struct view_track *track;
	struct view_tree tree;
	unsigned level;
	int64_t begin_ns, end_ns;
	struct tile_item *items; /* TILE_ITEMS at most */
	size_t count;
	bool gathered;
	/* What is being gathered: of one bin. */
	struct tile_item group;
	struct vote votes[VOTES];
	unsigned vote_count;
};

static int64_t bin_of(const struct tile *tile, int64_t ns)
{
	return ns >> tile->level;
}

static void tile_push(struct tile *tile, const struct tile_item *item)
{
	if (tile->count == TILE_ITEMS) {
		struct tile_item *last = &tile->items[tile->count - 1];

		if (item->end_ns > last->end_ns)
			last->end_ns = item->end_ns;
		last->busy_ns += item->busy_ns;
		last->count += item->count;
		tile->gathered = true;
		return;
	}
	tile->items[tile->count++] = *item;
}

static void group_close(struct tile *tile)
{
	unsigned most = 0;

	if (!tile->group.count)
		return;
	for (unsigned i = 1; i < tile->vote_count; i++)
		if (tile->votes[i].ns > tile->votes[most].ns)
			most = i;
	tile->group.label = tile->votes[most].label;
	tile->gathered = tile->gathered || tile->group.count > 1;
	tile_push(tile, &tile->group);
	tile->group.count = 0;
	tile->vote_count = 0;
}

static void group_add(struct tile *tile, const struct tile_item *item)
{
	struct tile_item *group = &tile->group;
	unsigned at = 0;

	if (group->count && bin_of(tile, group->begin_ns) != bin_of(tile, item->begin_ns))
		group_close(tile);
	if (!group->count) {
		*group = *item;
	} else {
		group->count += item->count;
		group->busy_ns += item->busy_ns;
		if (item->end_ns > group->end_ns)
			group->end_ns = item->end_ns;
	}
	while (at < tile->vote_count && tile->votes[at].label != item->label)
		at++;
	if (at == VOTES)
		return;
	if (at == tile->vote_count)
		tile->votes[tile->vote_count++] = (struct vote){.label = item->label};
	tile->votes[at].ns += item->busy_ns;
}

static void tile_add_span(struct tile *tile, uint32_t number)
{
	const struct view_span *span = &view_index_item(tile->index, tile->track, number)->span;
	struct tile_item item = {
		.begin_ns = span->begin_ns,
		.end_ns = view_index_end(tile->index, tile->track, number, span),
		.label = span->label,
		.count = 1,
		.item = number,
	};
	uint64_t length;

	length = (uint64_t)(item.end_ns - item.begin_ns);
	item.busy_ns = view_weight(tile->track->type, length);
	if (item.begin_ns >= tile->end_ns ||
	    (item.end_ns <= tile->begin_ns && item.begin_ns < tile->begin_ns))
		return;
	/* What begins before is gathered in the tile before; here its rest is
	 * needed when somebody looks closer. */
	if (length >> tile->level || item.begin_ns < tile->begin_ns) {
		group_close(tile);
		tile_push(tile, &item);
	} else {
		group_add(tile, &item);
	}
}

/* First item below node `number` of a level. */
static uint32_t first_item(unsigned level, uint32_t number)
{
	for (unsigned i = 0; i <= level; i++)
		number *= VIEW_FANOUT;
	return number;
}

static void tile_add_nodes(struct tile *tile, unsigned level, uint32_t from, uint32_t to);

static void tile_add_node(struct tile *tile, unsigned level, uint32_t number)
{
	const struct view_node *node = &tile->tree.nodes[level][number].span;
	uint32_t below = level ? tile->tree.counts[level - 1] : tile->track->items;
	uint32_t from = number * VIEW_FANOUT, to = from + VIEW_FANOUT;

	/* What ends where the tile begins may have an instant there. */
	if (node->begin_ns >= tile->end_ns || node->end_ns < tile->begin_ns)
		return;
	/* All of it begins and ends in one bin. */
	if (node->begin_ns >= tile->begin_ns &&
	    bin_of(tile, node->begin_ns) == bin_of(tile, node->end_ns) &&
	    !((uint64_t)(node->end_ns - node->begin_ns) >> tile->level)) {
		struct tile_item item = {
			.begin_ns = node->begin_ns,
			.end_ns = node->end_ns,
			.busy_ns = node->busy_ns,
			.label = node->label,
			.count = node->count,
			.item = first_item(level, number),
		};

		group_add(tile, &item);
		return;
	}
	if (to > below)
		to = below;
	if (level) {
		tile_add_nodes(tile, level - 1, from, to);
		return;
	}
	for (uint32_t i = from; i < to; i++)
		tile_add_span(tile, i);
}

static void tile_add_nodes(struct tile *tile, unsigned level, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		tile_add_node(tile, level, i);
}

static void tile_add_spans(struct tile *tile)
{
	unsigned levels = tile->tree.levels;

	if (levels) {
		tile_add_nodes(tile, levels - 1, 0, tile->tree.counts[levels - 1]);
	} else {
		for (uint32_t i = 0; i < tile->track->items; i++)
			tile_add_span(tile, i);
	}
	group_close(tile);
}

static void add_column_f64(const struct tile *tile, size_t offset, struct text *out)
{
	for (size_t i = 0; i < tile->count; i++) {
		int64_t value;
		double real;

		memcpy(&value, (const char *)&tile->items[i] + offset, sizeof(value));
		real = (double)value;
		text_add(out, (const char *)&real, sizeof(real));
	}
}

static void add_column_u32(const struct tile *tile, size_t offset, struct text *out)
{
	for (size_t i = 0; i < tile->count; i++)
		text_add(out, (const char *)&tile->items[i] + offset, sizeof(uint32_t));
}

static void add_head(uint32_t track, size_t count, bool whole, int64_t number, struct text *out)
{
	uint32_t head[4] = {track, (uint32_t)count, whole, 0};
	double real = (double)number;

	text_add(out, (const char *)head, sizeof(head));
	text_add(out, (const char *)&real, sizeof(real));
}

static void add_spans(const struct tile *tile, struct text *out)
{
	add_column_f64(tile, offsetof(struct tile_item, begin_ns), out);
	add_column_f64(tile, offsetof(struct tile_item, end_ns), out);
	add_column_u32(tile, offsetof(struct tile_item, label), out);
	add_column_u32(tile, offsetof(struct tile_item, count), out);
	add_column_u32(tile, offsetof(struct tile_item, item), out);
	for (size_t i = 0; i < tile->count; i++) {
		const struct tile_item *item = &tile->items[i];
		double length = (double)(item->end_ns - item->begin_ns);
		bool lasts = length > 0 && tile->track->type != VIEW_TRACK_samples;
		float busy = lasts ? (float)((double)item->busy_ns / length) : 1;

		text_add(out, (const char *)&busy, sizeof(busy));
	}
}

/* --- counters */

struct point_group {
	int64_t at_ns;
	uint64_t least, most, last;
};

struct point_tile {
	const struct view_index *index;
	const struct view_track *track;
	struct view_tree tree;
	unsigned level;
	int64_t begin_ns, end_ns;
	struct point_group *groups; /* TILE_BINS + 2 at most */
	size_t count;
	bool begins; /* groups[0] is the value that the tile begins with */
	bool gathered;
};

static void tile_add_group(struct point_tile *tile, const struct view_point_node *node)
{
	struct point_group *last = tile->count ? &tile->groups[tile->count - 1] : NULL;

	if (node->end_ns < tile->begin_ns) {
		tile->begins = true;
		tile->count = 1;
		tile->groups[0] =
			(struct point_group){tile->begin_ns, node->last, node->last, node->last};
		return;
	}
	if (tile->count > tile->begins && node->begin_ns >= tile->begin_ns &&
	    last->at_ns >> tile->level == node->begin_ns >> tile->level) {
		if (node->least < last->least)
			last->least = node->least;
		if (node->most > last->most)
			last->most = node->most;
		last->last = node->last;
		tile->gathered = true;
		return;
	}
	if (tile->count < TILE_BINS + 2)
		tile->groups[tile->count++] =
			(struct point_group){node->begin_ns, node->least, node->most, node->last};
}

static void tile_add_points(struct point_tile *tile, int level, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct view_point_node *node;
		uint32_t below, next = (i + 1) * VIEW_FANOUT;

		if (level < 0) {
			const struct view_point *point =
				&view_index_item(tile->index, tile->track, i)->point;
			struct view_point_node one = {point->at_ns, point->at_ns, point->value,
						      point->value, point->value};

			if (point->at_ns < tile->end_ns)
				tile_add_group(tile, &one);
			continue;
		}
		node = &tile->tree.nodes[level][i].point;
		if (node->begin_ns >= tile->end_ns)
			return;
		if (node->end_ns < tile->begin_ns ||
		    (node->begin_ns >= tile->begin_ns &&
		     node->begin_ns >> tile->level == node->end_ns >> tile->level)) {
			/* Points of one moment are one point (index/track.h). */
			tile->gathered = tile->gathered || (node->end_ns >= tile->begin_ns &&
							    node->end_ns > node->begin_ns);
			tile_add_group(tile, node);
			continue;
		}
		below = level ? tile->tree.counts[level - 1] : tile->track->items;
		tile_add_points(tile, level - 1, i * VIEW_FANOUT, next < below ? next : below);
	}
}

static void add_points(const struct point_tile *tile, struct text *out)
{
	for (size_t i = 0; i < tile->count; i++) {
		double at_ns = (double)tile->groups[i].at_ns;

		text_add(out, (const char *)&at_ns, sizeof(at_ns));
	}
	for (unsigned column = 0; column < 3; column++) {
		for (size_t i = 0; i < tile->count; i++) {
			const struct point_group *group = &tile->groups[i];
			double value = (double)(column == 0   ? group->least
						: column == 1 ? group->most
							      : group->last);

			text_add(out, (const char *)&value, sizeof(value));
		}
	}
}

static void counter_tile(const struct view_index *index, uint32_t number_of_track, unsigned level,
			 int64_t number, struct text *out)
{
	const struct view_track *track = &index->tracks[number_of_track];
	struct point_group groups[TILE_BINS + 2];
	struct point_tile tile = {.index = index, .track = track, .level = level, .groups = groups};
	unsigned levels;

	tile.begin_ns = number * ((int64_t)TILE_BINS << level);
	tile.end_ns = tile.begin_ns + ((int64_t)TILE_BINS << level);
	view_index_tree(index, track, &tile.tree);
	levels = tile.tree.levels;
	if (levels)
		tile_add_points(&tile, (int)levels - 1, 0, tile.tree.counts[levels - 1]);
	else
		tile_add_points(&tile, -1, 0, track->items);
	add_head(number_of_track, tile.count, !tile.gathered, number, out);
	add_points(&tile, out);
}

void view_tile_add(const struct view_index *index, uint32_t number_of_track, unsigned level,
		   int64_t number, struct text *out)
{
	const struct view_track *track = &index->tracks[number_of_track];
	struct tile_item items[TILE_ITEMS];
	struct tile tile = {.index = index, .track = track, .level = level, .items = items};

	if (track->type == VIEW_TRACK_counter) {
		counter_tile(index, number_of_track, level, number, out);
		return;
	}
	tile.begin_ns = number * ((int64_t)TILE_BINS << level);
	tile.end_ns = tile.begin_ns + ((int64_t)TILE_BINS << level);
	view_index_tree(index, track, &tile.tree);
	tile_add_spans(&tile);
	add_head(number_of_track, tile.count, !tile.gathered, number, out);
	add_spans(&tile, out);
}
