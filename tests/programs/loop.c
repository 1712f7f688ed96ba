/* SPDX-License-Identifier: MIT */
/* loop FILE [N]: makes calls without end, or N, and keeps the number of those
 * that have returned in FILE (8 bytes, mapped), which survives any death. */
#include "world.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long most = argc > 2 ? atol(argv[2]) : -1;
	cl_uint platforms;

	CHECK(argc > 1);

	int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(file >= 0 && !ftruncate(file, sizeof(uint64_t)));

	volatile uint64_t *returned =
		mmap(NULL, sizeof(*returned), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	CHECK(returned != MAP_FAILED);
	close(file);
	for (long i = 0; i != most; i++) {
		CL(clGetPlatformIDs(0, NULL, &platforms));
		*returned = (uint64_t)i + 1;
	}
	return 0;
}
