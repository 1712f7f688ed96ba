/* SPDX-License-Identifier: MIT */
/* Launches of one kernel on one device in one shape, as part of the finding `launch`. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_ROW_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_ROW_H

#include "analysis/findings/finding.h"
#include "analysis/operations/launch_config.h"
#include "analysis/operations/occupancy.h"
#include "schema/gen/core_records.h"
#include "util/map.h"

struct launch_row { /* one kernel, device and shape */
	const char *name;
	uint32_t device;
	struct launch_size shape;
	uint64_t preferred;
	uint64_t wished; /* same, as the driver says */
	enum tandem_kernel_body body;
	uint64_t most_items;	    /* of a group; 0: not known */
	bool is_cpu;		    /* whose lanes are items of the first dimension */
	bool described;		    /* as a shape, in groups and items of a group only */
	struct occupancy occupancy; /* warps_most is 0: not known */
	unsigned schedulers;	    /* of warps, in a multiprocessor; 0: not known */
	struct occupancy_use use;
	uint64_t count, ns, longest_ns;
	uint64_t
		gaps_ns; /* before them, since the device's kernel before: such as are no longer than they */
	uint64_t beside_ns; /* of these, beside a kernel that fills the device */
	double at_once; /* kernels of the device that ran at the same time, on average: 1 or more */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the longest */
};

/* Work-groups of a launch, as far as they are known. */
uint64_t launch_row_groups(const struct launch_row *row);

/* Adds what is found of them; `units`: compute units of the device, 0: not known. What was found of
 * another shape of the kernel before, as `said` has it, is one finding with it. Returns 0 or -ENOMEM. */
int launch_row_report(const struct launch_row *row, struct findings *findings, uint64_t units,
		      struct map *said);

#endif
