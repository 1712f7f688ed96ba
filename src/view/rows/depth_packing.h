/* The lanes of a row whose spans may overlap: each span goes to the first lane
 * that is free when it begins. Beyond LANES_MOST the last lane takes what is
 * left, overlapping: nothing is dropped. Lanes are made when needed. One thread.
 *
 *	struct view_lanes lanes = {.row = row};
 *	view_lanes_pick(&lanes, builder, begin_ns, end_ns, &track);
 */
#ifndef TANDEM_VIEW_LANES_H
#define TANDEM_VIEW_LANES_H

#include "view/index/index_writer.h"

#define LANES_MOST 24u

struct view_lanes {
	uint32_t row;
	bool again;	   /* its spans stand in other tracks too */
	unsigned count;
	struct view_writer *tracks[LANES_MOST];
	int64_t ends_ns[LANES_MOST];
};

/* The lane of a span, which begins no earlier than the one before. Its track
 * refers to commands. Returns 0 or -ENOMEM. */
int view_lanes_pick(struct view_lanes *lanes, struct view_builder *builder, int64_t begin_ns,
		    int64_t end_ns, struct view_writer **track);

#endif
