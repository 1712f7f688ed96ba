/* SPDX-License-Identifier: MIT */
/* Occupancy against what the CUDA runtime said of the same launches on a device
 * (tests/data/cuda/occupancy-sm90.txt), and by hand for the granularities that an
 * H200 does not show; waves of AMD's SIMDs against what LLVM says
 * (tests/data/hip/occupancy-llvm14.txt). */
#include <stdio.h>

#include "analysis/operations/occupancy.h"
#include "check.h"

static const struct occupancy_limits h200 = {
	.major = 9,
	.minor = 0,
	.warp_items = 32,
	.items = 2048,
	.groups = 32,
	.registers = 65536,
	.group_registers = 65536,
	.shared_bytes = 233472,
	.group_reserved_bytes = 1024,
};

static void against_runtime(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned long launches = 0;

	CHECK(file);
	while (file && fgets(line, sizeof(line), file)) {
		struct occupancy_use use;
		struct occupancy occupancy;
		uint32_t fixed, dynamic, groups;

		if (sscanf(line, "%u %u %u %u %u", &use.items, &use.registers, &fixed, &dynamic,
			   &groups) != 5)
			continue;
		use.shared_bytes = fixed + dynamic;
		occupancy_compute(&h200, &use, &occupancy);
		if (occupancy.groups != groups)
			printf("%.*s: %u\n", (int)sizeof(line), line, occupancy.groups);
		CHECK(occupancy.groups == groups);
		launches++;
	}
	CHECK(launches > 100);
	if (file)
		fclose(file);
}

static struct occupancy of(struct occupancy_limits limits, uint32_t items, uint32_t registers,
			   uint32_t shared_bytes)
{
	struct occupancy_use use = {items, registers, shared_bytes};
	struct occupancy occupancy;

	occupancy_compute(&limits, &use, &occupancy);
	return occupancy;
}

static void by_hand(void)
{
	struct occupancy_limits gp100 = {6, 0, 32, 2048, 32, 65536, 65536, 65536, 0, 0};
	struct occupancy_limits none = {.major = 9};

	/* 33 registers of 32 threads are 1056, so 1280: 51 warps of 65536, but 12
	 * in each quarter. */
	CHECK(of(h200, 32, 33, 0).groups == 32);
	CHECK(of(h200, 64, 33, 0).groups == 24);
	CHECK(of(h200, 64, 33, 0).limiter == OCCUPANCY_REGISTERS);
	CHECK(of(gp100, 64, 33, 0).groups == 25); /* 25 in each half */
	/* 1 byte takes 256 before 8.0; with what the driver adds, 1152 on 9.0. */
	CHECK(of(gp100, 32, 16, 2100).groups == 65536 / 2304);
	CHECK(of(h200, 32, 16, 8000).groups == 233472 / 9088);
	CHECK(of(h200, 32, 16, 8000).limiter == OCCUPANCY_SHARED);
	CHECK(of(h200, 1024, 32, 0).groups == 2);
	CHECK(of(h200, 1024, 32, 0).limiter == OCCUPANCY_ITEMS);
	CHECK(of(h200, 1024, 32, 0).ratio == 1.0);
	CHECK(of(h200, 32, 16, 0).limiter == OCCUPANCY_GROUPS);
	CHECK(of(h200, 32, 16, 0).ratio == 0.5);
	CHECK(of(h200, 1024, 128, 0).groups == 0); /* can't be launched */
	CHECK(of(none, 32, 16, 0).limiter == OCCUPANCY_UNKNOWN);
	CHECK(of(h200, UINT32_MAX, 16, 0).groups == 0); /* an odd runtime says so */
}

/* A compute unit of two SIMDs: groups of one wave, each as many as they can. */
static void against_llvm(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned long kernels = 0;

	CHECK(file);
	while (file && fgets(line, sizeof(line), file)) {
		uint32_t gfx, wave_items, registers, waves, most;
		struct occupancy found;

		if (sscanf(line, "%x %u %u %u", &gfx, &wave_items, &registers, &waves) != 4)
			continue;
		most = gfx == 0x90a ? 8 : gfx < 0x1000 ? 10 : gfx < 0x1030 ? 20 : 16;
		found = of((struct occupancy_limits){.gfx = gfx,
						     .warp_items = wave_items,
						     .items = 2 * most * wave_items,
						     .shared_bytes = 65536},
			   wave_items, registers, 0);
		if (found.warps != 2 * waves)
			printf("%.*s: %u\n", (int)sizeof(line), line, found.warps);
		CHECK(found.warps == 2 * waves && found.warps_most == 2 * most);
		CHECK(found.limiter == (waves == most ? OCCUPANCY_ITEMS : OCCUPANCY_REGISTERS));
		kernels++;
	}
	CHECK(kernels > 300);
	if (file)
		fclose(file);
}

static void gfx_by_hand(void)
{
	/* Four SIMDs of 8 waves: MI200. */
	struct occupancy_limits mi200 = {
		.gfx = 0x90a, .warp_items = 64, .items = 2048, .shared_bytes = 65536};
	struct occupancy_limits other = mi200;

	/* 65 registers are 72, of which 512 hold 7: 28 waves, groups of 4. */
	CHECK(of(mi200, 256, 65, 0).groups == 7 && of(mi200, 256, 65, 0).ratio == 28.0 / 32);
	CHECK(of(mi200, 1024, 65, 0).groups == 1 && of(mi200, 1024, 65, 0).ratio == 0.5);
	/* Accumulation registers are in the same file. */
	CHECK(of(mi200, 64, 512, 0).groups == 4);
	/* 16 groups of several waves, however small; of one wave, all. */
	CHECK(of(mi200, 65, 8, 0).groups == 16);
	CHECK(of(mi200, 64, 8, 0).groups == 32);
	/* 20,481 bytes of local memory are 20,992, in 65,536 three times. */
	CHECK(of(mi200, 256, 8, 20481).groups == 3);
	CHECK(of(mi200, 256, 8, 20481).limiter == OCCUPANCY_SHARED);
	CHECK(of(mi200, 256, 8, 65537).groups == 0);
	/* What is not known is not computed: the registers, the processor, a compute unit of
	 * another make, numbers that can't be. */
	CHECK(of(mi200, 256, 0, 0).limiter == OCCUPANCY_UNKNOWN);
	CHECK(of(mi200, 256, UINT32_MAX, UINT32_MAX).groups == 0);
	CHECK(of(mi200, UINT32_MAX, 8, 0).groups == 0);
	other.gfx = 0x1fff;
	CHECK(of(other, 256, 8, 0).limiter == OCCUPANCY_UNKNOWN &&
	      !of(other, 256, 8, 0).warps_most);
	other = mi200;
	other.items = 2560 + 64;
	CHECK(of(other, 256, 8, 0).limiter == OCCUPANCY_UNKNOWN);
	/* Half as many registers again, on both halves of a pair of compute units. */
	other = (struct occupancy_limits){
		.gfx = 0x1100, .warp_items = 32, .items = 2048, .shared_bytes = 131072};
	CHECK(of(other, 32, 96, 0).warps == 64 && of(other, 32, 97, 0).warps == 48);
	CHECK(of(other, 64, 16, 0).groups == 32);
	other.gfx = 0x1102;
	CHECK(of(other, 32, 96, 0).warps == 40);
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	if (argc > 1)
		against_runtime(argv[1]);
	if (argc > 2)
		against_llvm(argv[2]);
	by_hand();
	gfx_by_hand();
	return check_status();
}
