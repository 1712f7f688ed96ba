/* SPDX-License-Identifier: MIT */
/* A track of the index while it is being written: its items come in the order of
 * their begin; full chunks go to the file at once, so that memory holds one chunk
 * and a summary of 40 bytes for each VIEW_FANOUT items. One thread.
 *
 *	struct track_writer track;
 *	track_writer_init(&track, store, row, VIEW_TRACK_spans);
 *	track_writer_span(&track, begin_ns, end_ns, label);
 *	track_writer_close(&track);          the last chunk
 *	... chunks, nodes, longs, stats, which the writer puts into the sections
 *	track_writer_free(&track);
 */
#ifndef TANDEM_VIEW_INDEX_TRACK_H
#define TANDEM_VIEW_INDEX_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"
#include "view/index/format.h"
#include "view/index/kinds.h"
#include "view/index/store.h"

union view_item {
	struct view_span span;
	struct view_point point;
};

union view_any_node {
	struct view_node span;
	struct view_point_node point;
};

struct track_writer {
	struct view_store *store; /* borrowed */
	uint32_t row;
	enum view_track_type type;
	enum view_refs_kind refs_kind;
	bool again, closed;
	uint32_t items;
	uint32_t number; /* in the order of the file, once all are closed */

	union view_item *chunk;
	uint32_t *refs;
	size_t chunk_items, chunk_capacity;

	uint64_t *chunks;
	size_t chunk_count, chunks_capacity;
	union view_any_node *nodes; /* of the lowest level */
	size_t node_count, node_capacity;
	struct view_long *longs; /* without their track */
	size_t long_count, long_capacity;
	struct view_stat *stats;
	size_t stat_count, stat_capacity;
	struct map stat_of; /* label -> stat */
};

void track_writer_init(struct track_writer *track, struct view_store *store, uint32_t row,
		       enum view_track_type type);

/* A span; end_ns >= begin_ns >= the last one's begin. Returns 0 or -errno. */
int track_writer_span(struct track_writer *track, int64_t begin_ns, int64_t end_ns, uint32_t label);

/* Same, of a track with refs. Returns 0 or -errno. */
int track_writer_ref(struct track_writer *track, int64_t begin_ns, int64_t end_ns, uint32_t label,
		     uint32_t ref);

/* A counter's value from at_ns on, at_ns >= the last one's; of several at one
 * moment the last counts. Returns 0 or -errno. */
int track_writer_point(struct track_writer *track, int64_t at_ns, uint64_t value);

/* No further item comes; `stats` are of all then. Closing again does nothing. Returns 0 or
 * -errno. */
int track_writer_close(struct track_writer *track);

void track_writer_free(struct track_writer *track);

/* What a span counts for where several share a place: samples have no length. */
static inline uint64_t view_weight(unsigned type, uint64_t length_ns)
{
	return type == VIEW_TRACK_samples ? 1 : length_ns;
}

/* Levels of a track of so many items: *counts nodes in each. Returns their
 * number; 0: so few items need no summary. */
unsigned view_levels(uint32_t items, uint32_t counts[VIEW_LEVELS_MOST]);

/* A node that sums up nodes of the level below. */
union view_any_node view_node_join(const union view_any_node *nodes, size_t count, bool points);

#endif
