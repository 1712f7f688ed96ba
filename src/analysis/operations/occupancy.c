/* SPDX-License-Identifier: MIT */
#include "analysis/operations/occupancy.h"

#include "analysis/operations/gfx.h"

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

static uint32_t gfx_by_registers(const struct gfx *gfx, const struct occupancy_use *use,
				 uint32_t simds, uint32_t warps)
{
	uint64_t of_wave = ((uint64_t)use->registers + gfx->registers_at_a_time - 1) /
			   gfx->registers_at_a_time * gfx->registers_at_a_time;
	uint64_t fit = gfx->simd_registers / of_wave;

	return (uint32_t)(simds * (fit < gfx->simd_waves ? fit : gfx->simd_waves) / warps);
}

/* How many blocks fit, by each limit. false: it is not known. */
static bool gfx_least(const struct occupancy_limits *limits, const struct occupancy_use *use,
		      uint32_t warps_most, uint32_t warps, uint32_t *least)
{
	struct gfx gfx;
	uint32_t simds;
	uint64_t local;

	if (!gfx_find(limits->gfx, limits->warp_items, &gfx) || !use->registers ||
	    warps_most % gfx.simd_waves)
		return false;
	simds = warps_most / gfx.simd_waves;
	local = ((uint64_t)use->shared_bytes + gfx.local_at_a_time - 1) / gfx.local_at_a_time *
		gfx.local_at_a_time;
	least[OCCUPANCY_ITEMS] = warps_most / warps;
	least[OCCUPANCY_GROUPS] = warps == 1 ? warps_most : gfx.simd_groups * simds;
	least[OCCUPANCY_REGISTERS] = gfx_by_registers(&gfx, use, simds, warps);
	least[OCCUPANCY_SHARED] = local ? (uint32_t)(limits->shared_bytes / local) : warps_most;
	return true;
}

void occupancy_compute(const struct occupancy_limits *limits, const struct occupancy_use *use,
		       struct occupancy *occupancy)
{
	uint32_t warps, least[4];

	*occupancy = (struct occupancy){.limiter = OCCUPANCY_UNKNOWN};
	if (!limits->warp_items || !limits->items || !use->items)
		return;
	warps = (uint32_t)(((uint64_t)use->items + limits->warp_items - 1) / limits->warp_items);
	occupancy->warps_most = limits->items / limits->warp_items;
	if (limits->gfx) {
		if (!gfx_least(limits, use, occupancy->warps_most, warps, least)) {
			occupancy->warps_most = 0;
			return;
		}
	} else {
		least[OCCUPANCY_ITEMS] = occupancy->warps_most / warps;
		least[OCCUPANCY_GROUPS] = limits->groups;
		least[OCCUPANCY_REGISTERS] = by_registers(limits, use, warps);
		least[OCCUPANCY_SHARED] = by_shared(limits, use);
	}
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
