/* SPDX-License-Identifier: MIT */
#include "view/index/overlap.h"

struct overlap {
	const struct view_index *index;
	const struct view_track *track;
	struct view_tree tree;
	int64_t from_ns, to_ns;
	view_overlap_visit visit;
	void *user;
};

static int visit_items(const struct overlap *overlap, uint32_t from, uint32_t to)
{
	int status = 0;

	for (uint32_t i = from; i < to && !status; i++) {
		const struct view_span *span =
			&view_index_item(overlap->index, overlap->track, i)->span;
		int64_t end_ns = view_index_end(overlap->index, overlap->track, i, span);

		if (span->begin_ns >= overlap->to_ns)
			break;
		if (end_ns > overlap->from_ns || span->begin_ns >= overlap->from_ns)
			status = overlap->visit(overlap->user, i, span, end_ns);
	}
	return status;
}

static int visit_nodes(const struct overlap *overlap, unsigned level, uint32_t from, uint32_t to)
{
	uint32_t below = level ? overlap->tree.counts[level - 1] : overlap->track->items;
	int status = 0;

	for (uint32_t i = from; i < to && !status; i++) {
		const struct view_node *node = &overlap->tree.nodes[level][i].span;
		uint32_t first = i * VIEW_FANOUT, last = first + VIEW_FANOUT;

		if (node->begin_ns >= overlap->to_ns)
			break;
		/* Its last item may be an instant at from_ns. */
		if (node->end_ns < overlap->from_ns)
			continue;
		if (last > below)
			last = below;
		status = level ? visit_nodes(overlap, level - 1, first, last)
			       : visit_items(overlap, first, last);
	}
	return status;
}

int view_overlap(const struct view_index *index, const struct view_track *track, int64_t from_ns,
		 int64_t to_ns, view_overlap_visit visit, void *user)
{
	struct overlap overlap = {.index = index,
				  .track = track,
				  .from_ns = from_ns,
				  .to_ns = to_ns,
				  .visit = visit,
				  .user = user};
	unsigned levels;

	view_index_tree(index, track, &overlap.tree);
	levels = overlap.tree.levels;
	return levels ? visit_nodes(&overlap, levels - 1, 0, overlap.tree.counts[levels - 1])
		      : visit_items(&overlap, 0, track->items);
}
