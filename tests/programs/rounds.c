/* SPDX-License-Identifier: MIT */
/* rounds FILE [N [SLOW]]: makes what it needs once; then rounds without end, or N, each a launch of
 * as many items as rounds, counted from 1, and a buffer that comes and goes. Keeps the number of
 * rounds in FILE (8 bytes, mapped), which survives any death. Round SLOW, and each so many
 * more, sleeps 20 ms between the begin and end of a buffer's life. */
#include "world.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long most = argc > 2 ? atol(argv[2]) : -1, slow = argc > 3 ? atol(argv[3]) : 0;
	struct world world;
	cl_int error;

	CHECK(argc > 1);

	int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(file >= 0 && !ftruncate(file, sizeof(uint64_t)));

	volatile uint64_t *done =
		mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	CHECK(done != MAP_FAILED);
	close(file);
	world_create(&world, 0, 0);

	cl_mem numbers = numbers_create(&world, 16);

	for (long i = 1; most < 0 || i <= most; i++) {
		size_t global = (size_t)i;
		cl_mem passing = clCreateBuffer(world.context, CL_MEM_READ_WRITE, 64, NULL, &error);

		CL(error);
		CL(clSetKernelArg(world.add, 0, sizeof(numbers), &numbers));
		CL(clEnqueueNDRangeKernel(world.queue, world.add, 1, NULL, &global, NULL, 0, NULL,
					  NULL));
		if (slow && i % slow == 0)
			usleep(20000);
		CL(clReleaseMemObject(passing));
		if (i % 64 == 0)
			CL(clFinish(world.queue));
		*done = (uint64_t)i;
	}
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	return 0;
}
