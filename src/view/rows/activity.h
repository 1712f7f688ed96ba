/* SPDX-License-Identifier: MIT */
/* A track that says when there was anything at all: the union of intervals that
 * come in the order of their begin. Gaps shorter than `gap_ns` are closed, which
 * keeps a summary of millions of short calls short. One thread.
 *
 *	struct activity_track activity = {.track = track, .label = active, .gap_ns = 10000};
 *	activity_track_add(&activity, begin_ns, end_ns);
 *	activity_track_close(&activity);
 */
#ifndef TANDEM_VIEW_ROWS_ACTIVITY_H
#define TANDEM_VIEW_ROWS_ACTIVITY_H

#include "view/index/track.h"

struct activity_track {
	struct track_writer *track; /* borrowed */
	uint32_t label;
	int64_t gap_ns;
	bool open;
	int64_t begin_ns, end_ns; /* not written yet */
};

/* Both return 0 or -errno. */
int activity_track_add(struct activity_track *activity, int64_t begin_ns, int64_t end_ns);
int activity_track_close(struct activity_track *activity);

#endif
