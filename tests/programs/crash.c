/* SPDX-License-Identifier: MIT */
/* crash FILE: makes calls from several threads, some of which come and go, until it is
 * killed. FILE (two numbers of 8 bytes, mapped, so that they survive any death) holds how
 * many calls were begun, and how many of them have returned. */
#include "world.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t *counts;

static void call(unsigned times)
{
	cl_uint platforms;

	for (unsigned i = 0; i < times; i++) {
		atomic_fetch_add(&counts[0], 1);
		CL(clGetPlatformIDs(0, NULL, &platforms));
		atomic_fetch_add(&counts[1], 1);
	}
}

static void *call_few(void *unused)
{
	call(20);
	return unused;
}

/* Bursts: to fill packets, and to leave sessions that are read quickly. */
static void *call_on(void *unused)
{
	static const struct timespec pause = {.tv_nsec = 200000};

	for (;;) {
		call(100);
		nanosleep(&pause, NULL);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc > 1);

	int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(file >= 0 && !ftruncate(file, 2 * sizeof(*counts)));
	counts = mmap(NULL, 2 * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(counts != MAP_FAILED);
	close(file);
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&thread, NULL, call_on, NULL));
	for (;;) {
		pthread_t threads[4];

		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&threads[i], NULL, call_few, NULL));
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
}
