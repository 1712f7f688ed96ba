/* SPDX-License-Identifier: MIT */
/* Theoretical occupancy: how many of a multiprocessor's warps a kernel can keep in
 * flight, by what a block of it takes and what a multiprocessor has (CUDA C++
 * Programming Guide, "Hardware Multithreading"; the granularities of allocation are
 * those of NVIDIA's occupancy calculator, per compute capability). Assumes that the
 * multiprocessor's memory is split in the kernel's favour, as the driver does when
 * nobody asked for another split. On AMD's devices, of waves that a compute unit (two of them, where a
 * work-group may be on both) can hold, by its SIMDs' vector registers, its local memory and its
 * barriers (analysis/operations/gfx.h). Any thread.
 *
 *	struct occupancy occupancy;
 *	occupancy_compute(&limits, &use, &occupancy);
 *	occupancy.ratio          0.5: half of the warps
 *	occupancy_limiter_name(occupancy.limiter)    "registers"
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_OCCUPANCY_H
#define TANDEM_ANALYSIS_OPERATIONS_OCCUPANCY_H

#include <stdint.h>

struct occupancy_limits {      /* of one multiprocessor */
	uint32_t major, minor; /* compute capability */
	uint32_t warp_items;   /* threads of a warp */
	uint32_t items;	       /* threads */
	uint32_t groups;       /* blocks */
	uint32_t registers, group_registers;
	uint32_t shared_bytes;
	uint32_t group_reserved_bytes; /* that the driver adds to each block's */
	uint32_t
		gfx; /* AMD's number; then `items`, `warp_items` and `shared_bytes` count; 0: none */
};

struct occupancy_use { /* of one block */
	uint32_t items;
	uint32_t registers;    /* of a thread */
	uint32_t shared_bytes; /* static and dynamic */
};

enum occupancy_limiter {
	OCCUPANCY_ITEMS,
	OCCUPANCY_GROUPS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_UNKNOWN, /* the device's limits are not known */
};

struct occupancy {
	uint32_t groups; /* blocks at once */
	uint32_t warps, warps_most;
	double ratio;			/* of warps */
	enum occupancy_limiter limiter; /* the first of the enumeration, of equals */
};

void occupancy_compute(const struct occupancy_limits *limits, const struct occupancy_use *use,
		       struct occupancy *occupancy);

/* "threads", "blocks", "registers", "shared memory", "unknown". */
const char *occupancy_limiter_name(enum occupancy_limiter limiter);

#endif
