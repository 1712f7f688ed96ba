/* SPDX-License-Identifier: MIT */
/* Tiles: what a track shows in a stretch of time at a resolution. Tile `number`
 * of a level covers TILE_BINS bins of 2^level ns each, from number * TILE_BINS
 * bins on. Spans that fit into a bin are gathered with their neighbours that
 * begin in the same bin; longer ones stand alone. So a tile holds some two items
 * a bin at most, and nothing is left out. Any thread.
 *
 *	view_tile_add(&index, track, level, number, &bytes);
 *
 * Bytes of a tile, little endian, each column aligned to its type:
 *
 *	u32 track, u32 items, u32 flags (1: nothing was gathered), u32 0,
 *	f64 number, then columns of `items` elements each:
 *	  spans     f64 begin_ns, f64 end_ns, u32 label, u32 count, u32 item, f32 busy
 *	            (share of begin..end that is covered; of samples 1)
 *	  counters  f64 at_ns, f64 least, f64 most, f64 last
 *
 * A counter's tile begins with the value that it has at the tile's begin.
 */
#ifndef TANDEM_VIEW_QUERY_TILES_H
#define TANDEM_VIEW_QUERY_TILES_H

#include "util/text.h"
#include "view/index/index.h"

#define TILE_BINS 1024u
#define TILE_LEVEL_MOST 50u /* a bin of 13 days */

/* Appends one tile. level <= TILE_LEVEL_MOST. */
void view_tile_add(const struct view_index *index, uint32_t track, unsigned level, int64_t number,
		   struct text *out);

#endif
