/* SPDX-License-Identifier: MIT */
/* What a snapshot of LTTng's holds: its rings are of a CPU each, and were overwritten more or less
 * far. What is there of threads before all are complete may have holes. */
#ifndef TANDEM_RECORDER_SNAPSHOT_LTTNG_WINDOW_H
#define TANDEM_RECORDER_SNAPSHOT_LTTNG_WINDOW_H

#include <stdint.h>

struct lttng_window {	   /* CLOCK_MONOTONIC */
	uint64_t begin_ns; /* from where all are complete; 0: nothing was overwritten */
	uint64_t end_ns;   /* when they were copied; 0: unknown */
};

/* Of the traces below `folder`. Files that are laid out in another way than LTTng 2.13's are passed
 * over. */
struct lttng_window lttng_window_find(const char *folder);

#endif
