#include "view/rows/activity.h"

int view_strip_close(struct view_strip *strip)
{
	bool open = strip->open;

	strip->open = false;
	return open ? view_writer_span(strip->track, strip->begin_ns, strip->end_ns, strip->label)
		    : 0;
}

int view_strip_add(struct view_strip *strip, int64_t begin_ns, int64_t end_ns)
{
	int status;

	if (strip->open && begin_ns - strip->end_ns <= strip->gap_ns) {
		if (end_ns > strip->end_ns)
			strip->end_ns = end_ns;
		return 0;
	}
	status = view_strip_close(strip);
	strip->open = true;
	strip->begin_ns = begin_ns;
	strip->end_ns = end_ns;
	return status;
}
