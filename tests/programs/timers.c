/* SPDX-License-Identifier: MIT */
/* Reads the device's clock beside CLOCK_MONOTONIC, as the driver offers it, between
 * commands: what the clock's fit is held against.
 *
 *   timers FILE    lines of: device, before, after (ns); skips where there is none
 */
#include "world.h"

#include <stdio.h>
#include <time.h>

enum { COMMANDS = 300, NUMBERS = 1000 };

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void pair_write(const struct world *world, FILE *file)
{
	cl_ulong device, host;
	long long before = now_ns();
	cl_int error = clGetDeviceAndHostTimer(world->device, &device, &host);
	long long after = now_ns();

	if (error)
		skip("the device's clock cannot be read");
	fprintf(file, "%llu %lld %lld\n", (unsigned long long)device, before, after);
}

int main(int argc, char **argv)
{
	struct world world;
	FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
	cl_mem numbers;

	CHECK(file);
	world_create(&world, 0, 0);
	numbers = numbers_create(&world, NUMBERS);
	for (int i = 0; i < COMMANDS; i++) {
		pair_write(&world, file);
		numbers_add(&world, numbers, NUMBERS, 1, NULL);
		CL(clFinish(world.queue));
	}
	pair_write(&world, file);
	numbers_check(&world, numbers, NUMBERS, COMMANDS);
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	fclose(file);
	puts("done");
	return 0;
}
