/* SPDX-License-Identifier: MIT */
/* The kernels' rows of the metrics, while they are being summed up. Part of
 * metrics.c's pass. One thread. */
#ifndef TANDEM_ANALYSIS_REPORT_METRICS_KERNELS_H
#define TANDEM_ANALYSIS_REPORT_METRICS_KERNELS_H

#include "analysis/operations/launch_config.h"
#include "analysis/operations/operation.h"
#include "analysis/report/metrics.h"
#include "trace/objects.h"

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

int metrics_kernels_finish(struct metrics_kernels *kernels, struct metrics *metrics);

void metrics_kernels_free(struct metrics_kernels *kernels);

#endif
