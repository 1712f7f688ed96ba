/* SPDX-License-Identifier: MIT */
/* Occupancy against what the CUDA runtime said of the same launches on a device
 * (tests/data/cuda/occupancy-sm90.txt), and by hand for the granularities that an
 * H200 does not show. */
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
	struct occupancy_limits gp100 = {6, 0, 32, 2048, 32, 65536, 65536, 65536, 0};
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
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (argc == 2)
		against_runtime(argv[1]);
	by_hand();
	return check_status();
}
