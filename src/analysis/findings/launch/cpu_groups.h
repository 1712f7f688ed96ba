/* SPDX-License-Identifier: MIT */
/* What is left of a kernel's time on a CPU if its work-groups are of a good size. Measured with PoCL 3.1
 * (basic, pthread) and Intel's runtime, ten kernels in groups of 1 to 64 (doc/FINDINGS.md, "Work-groups on a
 * CPU"): PoCL makes vectors of the items of a group where the kernel has no loop of its own; Intel's, which
 * wants 128 items, whatever the kernel has. Both make them of 16 items; what is left over runs item by item. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_CPU_GROUPS_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_CPU_GROUPS_H

#include <stdint.h>

#include "schema/gen/core_records.h"

struct cpu_groups {
	uint64_t items;	 /* of a group, 1 or more */
	uint64_t wished; /* multiple of items that the driver wants; 0: not known */
	enum tandem_kernel_body body;
	double item_ns; /* of a core, as measured */
	double units;	/* cores that worked */
};

/* 0 to 1. */
double cpu_groups_left(const struct cpu_groups *groups);

#endif
