/* SPDX-License-Identifier: MIT */
#include "view/rows/activity.h"

int activity_track_close(struct activity_track *activity)
{
	bool open = activity->open;

	activity->open = false;
	return open ? track_writer_span(activity->track, activity->begin_ns, activity->end_ns,
					activity->label)
		    : 0;
}

int activity_track_add(struct activity_track *activity, int64_t begin_ns, int64_t end_ns)
{
	int status;

	if (activity->open && begin_ns - activity->end_ns <= activity->gap_ns) {
		if (end_ns > activity->end_ns)
			activity->end_ns = end_ns;
		return 0;
	}
	status = activity_track_close(activity);
	activity->open = true;
	activity->begin_ns = begin_ns;
	activity->end_ns = end_ns;
	return status;
}
