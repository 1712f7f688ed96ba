/* SPDX-License-Identifier: MIT */
/* session.json of a snapshot: the session's, with the times of the snapshot. */
#ifndef TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_DESCRIPTION_H
#define TANDEM_RECORDER_SNAPSHOT_SNAPSHOT_DESCRIPTION_H

#include <stdint.h>

struct snapshot_description {
	const char *directory, *reason; /* "": nothing is said of a snapshot */
	uint64_t at_monotonic_ns;	/* when the reason was; 0: nothing is said of it */
	uint64_t start_ticks, start_monotonic_ns, start_realtime_ns;
	uint64_t streams; /* that it has; 0: nothing is said of it */
	uint64_t end_ticks, end_monotonic_ns, end_realtime_ns;
};

/* Reads it in the folder `from`, writes it into `to`. 0 or -errno. */
int snapshot_description_copy(int from, int to, const struct snapshot_description *description);

#endif
