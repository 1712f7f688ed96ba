/* A track that says when there was anything at all: the union of intervals that
 * come in the order of their begin. Gaps shorter than `gap_ns` are closed, which
 * keeps a summary of millions of short calls short. One thread.
 *
 *	struct view_strip strip = {.track = track, .label = active, .gap_ns = 10000};
 *	view_strip_add(&strip, begin_ns, end_ns);
 *	view_strip_close(&strip);
 */
#ifndef TANDEM_VIEW_STRIP_H
#define TANDEM_VIEW_STRIP_H

#include "view/index/track.h"

struct view_strip {
	struct view_writer *track; /* borrowed */
	uint32_t label;
	int64_t gap_ns;
	bool open;
	int64_t begin_ns, end_ns; /* not written yet */
};

/* Both return 0 or -errno. */
int view_strip_add(struct view_strip *strip, int64_t begin_ns, int64_t end_ns);
int view_strip_close(struct view_strip *strip);

#endif
