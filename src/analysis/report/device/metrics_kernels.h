/* SPDX-License-Identifier: MIT */
/* The kernels' rows of the metrics, while they are being summed up. Part of
 * metrics.c's pass. One thread. */
#ifndef TANDEM_ANALYSIS_REPORT_METRICS_KERNELS_H
#define TANDEM_ANALYSIS_REPORT_METRICS_KERNELS_H

#include "analysis/operations/launch_config.h"
#include "analysis/operations/occupancy.h"
#include "analysis/operations/operation.h"
#include "trace/objects.h"
#include "util/arena.h"
#include "util/map.h"

struct metrics_kernel { /* means over its launches, but for count and seconds */
	const char *name, *device;
	const char *limiter;				   /* of the occupancy of most launches */
	uint64_t count;					   /* GKER:COUNT */
	double seconds;					   /* GKER (sec) */
	double static_bytes, dynamic_bytes, private_bytes; /* STMEM, DYMEM, LMEM */
	double warps, warps_most;   /* FGP_ACT, FGP_MAX: of a multiprocessor */
	double registers;	    /* THR_REG */
	double group_items, groups; /* BLK_THR, BLK */
	double group_bytes;	    /* BLK_SM */
	double occupancy_percent;   /* OCC_THR */
	uint64_t by_limiter[OCCUPANCY_UNKNOWN + 1];
};

struct metrics_kernels {
	struct trace_objects *objects; /* borrowed */
	struct metrics_kernel *rows;
	size_t count, capacity;
	struct map row_of;    /* device and name -> row */
	struct map limits_of; /* process and device -> limits */
	struct occupancy_limits *limits;
	size_t limits_count, limits_capacity;
};

/* A record of a device's limits. Returns 0 or -ENOMEM, as all of these. */
int metrics_kernels_limits(struct metrics_kernels *kernels, const struct trace_event *event);

/* A kernel that ran for so long. */
int metrics_kernels_add(struct metrics_kernels *kernels, const struct operation *operation,
			const struct launch_config *config, double seconds);

/* The rows in the arena, the longest first; what they name is copied there. */
int metrics_kernels_finish(struct metrics_kernels *kernels, struct arena *arena,
			   struct metrics_kernel **rows, size_t *count);

void metrics_kernels_free(struct metrics_kernels *kernels);

#endif
