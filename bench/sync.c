/* SPDX-License-Identifier: MIT */
/* Synchronous calls, as the CLUST paper's Table 2: clGetPlatformIDs in loops of
 * 1 to 10^8 calls. And the floors of tracing one: two readings of the time-stamp
 * counter and one store of 32 bytes, into memory that is warm; and as many bytes as
 * a recorded call has into pages of a file that nobody has used.
 *
 *   sync CALLS REPEATS        nanoseconds for a call, one line a repeat
 *   sync floor REPEATS        the same for the floor
 *   sync threads N CALLS      each of N threads at once, one line a thread
 *   sync file N RECORDS DIR   the same for the floor in files, which are removed
 *   sync memory CALLS         resident bytes of this process after that many calls
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "now.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* A recorded call without arguments. */
#define RECORD_WORDS 3
#define STEP_BYTES (1024u * 1024)

static double calls_ns(uint64_t calls)
{
	double begin = now_ns();
	cl_uint count;

	for (uint64_t i = 0; i < calls; i++)
		clGetPlatformIDs(0, NULL, &count);
	return (now_ns() - begin) / (double)calls;
}

static double overhead_floor_ns(uint64_t times)
{
	static uint64_t window[4096];
	double begin = now_ns();

	for (uint64_t i = 0; i < times; i++) {
		volatile uint64_t *record = &window[4 * i & 4092];

		record[0] = counter_read();
		record[1] = i;
		record[2] = i;
		record[3] = counter_read();
	}
	return (now_ns() - begin) / (double)times;
}

/* The cheapest way that is known to a page of a mapped file which a store finds in place:
 * zeros in one large write, then its entry in the page table (doc/INTERNALS.md). What is
 * full is unmapped, as a stream's packet is. Nothing else: no headers, no child. */
static int file_fill(int fd, uint64_t records)
{
	static const char zeros[STEP_BYTES];
	uint64_t bytes = records * RECORD_WORDS * sizeof(uint64_t);
	uint64_t steps = (bytes + STEP_BYTES - 1) / STEP_BYTES, written = 0;
	char *base = MAP_FAILED;
	int error = ftruncate(fd, (off_t)(steps * STEP_BYTES));

	if (!error)
		base = mmap(NULL, steps * STEP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -1;
	for (uint64_t step = 0; !error && step < steps; step++) {
		char *at = base + step * STEP_BYTES;
		volatile uint64_t *record = (volatile uint64_t *)at;
		uint64_t fit = STEP_BYTES / (RECORD_WORDS * sizeof(uint64_t));

		error = pwrite(fd, zeros, STEP_BYTES, (off_t)(step * STEP_BYTES)) != STEP_BYTES ||
			madvise(at, STEP_BYTES, MADV_POPULATE_WRITE);
		for (; !error && fit && written < records; fit--, written++) {
			record[0] = counter_read();
			record[1] = written;
			record[2] = counter_read();
			record += RECORD_WORDS;
		}
		madvise(at, STEP_BYTES, MADV_DONTNEED);
	}
	munmap(base, steps * STEP_BYTES);
	return error;
}

/* -1: it can't be made. */
static double file_ns(const char *folder, uint64_t records)
{
	char path[4096];
	double begin, took;
	int fd, error;

	snprintf(path, sizeof(path), "%s/floor-XXXXXX", folder);
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	unlink(path);
	begin = now_ns();
	error = file_fill(fd, records);
	took = now_ns() - begin;
	close(fd);
	return error ? -1 : took / (double)records;
}

struct work {
	pthread_barrier_t *start;
	const char *folder; /* NULL: calls */
	uint64_t calls;
	double ns;
};

static void *work_main(void *data)
{
	struct work *work = data;

	pthread_barrier_wait(work->start);
	work->ns = work->folder ? file_ns(work->folder, work->calls) : calls_ns(work->calls);
	return NULL;
}

static int threads_run(unsigned count, uint64_t calls, const char *folder)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	struct work *work = calloc(count, sizeof(*work));
	pthread_barrier_t start;

	if (!threads || !work || pthread_barrier_init(&start, NULL, count))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		work[i] = (struct work){&start, folder, calls, 0};
		if (pthread_create(&threads[i], NULL, work_main, &work[i]))
			return 1;
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		if (work[i].ns < 0)
			return 1;
		printf("%.3f\n", work[i].ns);
	}
	return 0;
}

static int memory_show(uint64_t calls)
{
	char line[256];
	FILE *status;

	calls_ns(calls);
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmRSS:", 6))
			printf("%lld\n", atoll(line + 6) * 1024);
	return status ? fclose(status) : 1;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	cl_uint platforms;

	if (argc < 3) {
		fprintf(stderr, "usage: see the head of bench/sync.c\n");
		return 2;
	}
	if (clGetPlatformIDs(0, NULL, &platforms) != CL_SUCCESS)
		return 1;
	if (!strcmp(argv[1], "memory"))
		return memory_show(count);
	if (!strcmp(argv[1], "threads"))
		return threads_run((unsigned)count, argc > 3 ? strtoull(argv[3], NULL, 10) : 1000,
				   NULL);
	if (!strcmp(argv[1], "file"))
		return argc > 4 ? threads_run((unsigned)count, strtoull(argv[3], NULL, 10), argv[4])
				: 2;
	for (uint64_t i = 0; i < count; i++)
		printf("%.3f\n", !strcmp(argv[1], "floor") ? overhead_floor_ns(1000000)
							   : calls_ns(strtoull(argv[1], NULL, 10)));
	return 0;
}
