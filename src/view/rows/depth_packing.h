/* SPDX-License-Identifier: MIT */
/* The packing of a row whose spans may overlap: each span goes to the first depth
 * that is free when it begins. Beyond DEPTHS_MOST the last depth takes what is
 * left, overlapping: nothing is dropped. Lanes are made when needed. One thread.
 *
 *	struct depth_packing packing = {.row = row, .refs = VIEW_REFS_range};
 *	depth_packing_pick(&packing, writer, begin_ns, end_ns, &track);
 */
#ifndef TANDEM_VIEW_ROWS_DEPTH_PACKING_H
#define TANDEM_VIEW_ROWS_DEPTH_PACKING_H

#include "view/index/index_writer.h"

#define DEPTHS_MOST 24u

struct depth_packing {
	uint32_t row;
	bool again;		  /* its spans are in other tracks too */
	enum view_refs_kind refs; /* none: commands */
	unsigned count;
	struct track_writer *tracks[DEPTHS_MOST];
	int64_t ends_ns[DEPTHS_MOST];
};

/* The depth of a span, which begins no earlier than the one before. Its track refers to `refs`.
 * Returns 0 or -ENOMEM. */
int depth_packing_pick(struct depth_packing *packing, struct index_writer *writer, int64_t begin_ns,
		       int64_t end_ns, struct track_writer **track);

#endif
