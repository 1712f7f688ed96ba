/* SPDX-License-Identifier: MIT */
#include "analysis/operations/occupancy.h"

/* Registers are given to whole warps, so many at a time, and each of the
 * multiprocessor's quarters (halves, on 6.0) has its own share of them. */
#define REGISTERS_AT_A_TIME 256u

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint32_t partitions(const struct occupancy_limits *limits)
{
	return limits->major == 6 && limits->minor == 0 ? 2 : 4;
}

static uint32_t shared_at_a_time(const struct occupancy_limits *limits)
{
	return limits->major < 8 ? 256 : 128;
}

static uint32_t by_registers(const struct occupancy_limits *limits, const struct occupancy_use *use,
			     uint32_t warps)
{
	uint32_t of_warp = round_up(use->registers * limits->warp_items, REGISTERS_AT_A_TIME);
	uint32_t fit;

	if (!of_warp)
		return limits->groups;
	/* A block that takes more than a block may have never starts; the check
	 * counts the warps of all partitions. */
	if (of_warp * round_up(warps, partitions(limits)) > limits->group_registers)
		return 0;
	fit = limits->registers / partitions(limits) / of_warp * partitions(limits);
	return fit / warps;
}

static uint32_t by_shared(const struct occupancy_limits *limits, const struct occupancy_use *use)
{
	uint32_t bytes = round_up(use->shared_bytes + limits->group_reserved_bytes,
				  shared_at_a_time(limits));

	return bytes ? limits->shared_bytes / bytes : limits->groups;
}

void occupancy_compute(const struct occupancy_limits *limits, const struct occupancy_use *use,
		       struct occupancy *occupancy)
{
	uint32_t warps, least[4];

	*occupancy = (struct occupancy){.limiter = OCCUPANCY_UNKNOWN};
	if (!limits->warp_items || !limits->items || !use->items)
		return;
	warps = round_up(use->items, limits->warp_items) / limits->warp_items;
	occupancy->warps_most = limits->items / limits->warp_items;
	least[OCCUPANCY_ITEMS] = occupancy->warps_most / warps;
	least[OCCUPANCY_GROUPS] = limits->groups;
	least[OCCUPANCY_REGISTERS] = by_registers(limits, use, warps);
	least[OCCUPANCY_SHARED] = by_shared(limits, use);
	occupancy->limiter = OCCUPANCY_ITEMS;
	for (int i = 1; i < 4; i++)
		if (least[i] < least[occupancy->limiter])
			occupancy->limiter = (enum occupancy_limiter)i;
	occupancy->groups = least[occupancy->limiter];
	occupancy->warps = occupancy->groups * warps;
	occupancy->ratio = (double)occupancy->warps / occupancy->warps_most;
}

const char *occupancy_limiter_name(enum occupancy_limiter limiter)
{
	static const char *const names[] = {
		[OCCUPANCY_ITEMS] = "threads",	     [OCCUPANCY_GROUPS] = "blocks",
		[OCCUPANCY_REGISTERS] = "registers", [OCCUPANCY_SHARED] = "shared memory",
		[OCCUPANCY_UNKNOWN] = "unknown",
	};

	return names[limiter];
}
