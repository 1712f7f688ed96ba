/* SPDX-License-Identifier: MIT */
/* Synchronous calls, as the CLUST paper's Table 2: clGetPlatformIDs in loops of
 * 1 to 10^8 calls. And the floor of tracing one: two readings of the time-stamp
 * counter and one store of 32 bytes.
 *
 *   sync CALLS REPEATS    nanoseconds for a call, one line a repeat
 *   sync floor REPEATS    the same for the floor
 *   sync threads N CALLS  each of N threads at once, one line a thread
 *   sync memory CALLS     resident bytes of this process after that many calls
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t stamp(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

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

		record[0] = stamp();
		record[1] = i;
		record[2] = i;
		record[3] = stamp();
	}
	return (now_ns() - begin) / (double)times;
}

struct work {
	pthread_barrier_t *start;
	uint64_t calls;
	double ns;
};

static void *work_main(void *data)
{
	struct work *work = data;

	pthread_barrier_wait(work->start);
	work->ns = calls_ns(work->calls);
	return NULL;
}

static int threads_run(unsigned count, uint64_t calls)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	struct work *work = calloc(count, sizeof(*work));
	pthread_barrier_t start;

	if (!threads || !work || pthread_barrier_init(&start, NULL, count))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		work[i] = (struct work){&start, calls, 0};
		if (pthread_create(&threads[i], NULL, work_main, &work[i]))
			return 1;
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
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
		return threads_run((unsigned)count, argc > 3 ? strtoull(argv[3], NULL, 10) : 1000);
	for (uint64_t i = 0; i < count; i++)
		printf("%.3f\n", !strcmp(argv[1], "floor") ? overhead_floor_ns(1000000)
							   : calls_ns(strtoull(argv[1], NULL, 10)));
	return 0;
}
