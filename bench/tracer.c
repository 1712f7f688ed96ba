/* SPDX-License-Identifier: MIT */
/* What the tracer's clients cost a synchronous call (clGetPlatformIDs).
 *
 *   tracer none|callback|activity|full|both CALLS REPEATS    ns for a call, one line a repeat
 *   tracer least CALLS REPEATS                          ns for what no tracer can leave out of a
 *                                                       callback: two stamps, an id, the struct
 *                                                       filled and a call through a pointer, twice
 *   tracer MODE CALLS REPEATS N                         CPU time, of each of N threads at once
 *   tracer exit bare|none|activity CALLS REPEATS        us from the end of main() to the process's
 *                                                       end, one line a process; bare: no pool
 *   tracer memory CALLS                                 KiB resident more than after a tenth
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "now.h"
#include "tandem/tracer.h"

static double calls_ns(clockid_t clock, uint64_t calls)
{
	uint64_t begin = counter_clock_ns(clock);
	cl_uint count;

	for (uint64_t i = 0; i < calls; i++)
		clGetPlatformIDs(0, NULL, &count);
	return (double)(counter_clock_ns(clock) - begin) / (double)calls;
}

static void called(const struct tandem_tracer_call *call, void *arg)
{
	(void)call, (void)arg;
}

static double least_ns(uint64_t calls)
{
	static tandem_tracer_callback_t volatile callback = called;
	static volatile uint64_t ids;
	double begin = now_ns();

	for (uint64_t i = 0; i < calls; i++) {
		uint64_t data = 0, id = ids + 1;
		struct tandem_tracer_call call = {.struct_size = sizeof(call),
						  .domain = 1,
						  .op = 1,
						  .phase = TANDEM_TRACER_ENTER,
						  .correlation_id = id,
						  .data = &data};

		ids = id;
		call.time_ns = counter_read();
		callback(&call, NULL);
		call.phase = TANDEM_TRACER_EXIT;
		call.time_ns = counter_read();
		callback(&call, NULL);
	}
	return (now_ns() - begin) / (double)calls;
}

static _Atomic uint64_t records;
static _Atomic int blocked; /* the tool takes nothing: records are dropped */

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	while (blocked)
		usleep(1000);
	records += (uint64_t)(end - begin);
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
	work->ns = calls_ns(CLOCK_THREAD_CPUTIME_ID, work->calls);
	return NULL;
}

static int threads_run(unsigned count, uint64_t calls)
{
	pthread_t threads[64];
	struct work work[64];
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, count);
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

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		return -1;
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A process of the program itself, which prints when its main() ends. */
static int exit_run(char *program, char *mode, char *calls)
{
	char *words[] = {program, mode, calls, "1", "0", "end", NULL};
	double begin = 0;
	int ends[2], status = 1;
	pid_t child;
	FILE *file;

	if (pipe(ends) || (child = fork()) < 0)
		return 1;
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv("/proc/self/exe", words);
		_exit(1);
	}
	close(ends[1]);
	file = fdopen(ends[0], "r");
	if (!file || fscanf(file, "%*f %lf", &begin) != 1 || waitpid(child, &status, 0) != child ||
	    status)
		return 1;
	printf("%.1f\n", (now_ns() - begin) / 1e3);
	fclose(file);
	return 0;
}

static int end_print(int argc, int status)
{
	if (argc > 5) {
		printf("%.0f\n", now_ns());
		fflush(stdout);
	}
	return status;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "none";
	uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	unsigned repeats = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	unsigned threads = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .buffer_bytes = 4 << 20, .deliver = delivered};
	struct tandem_tracer *tracer;
	tandem_tracer_pool_t pool;
	uint32_t opencl = (uint32_t)tandem_tracer_domain("opencl");
	int memory = !strcmp(mode, "memory");

	if (!strcmp(mode, "exit") && argc > 4) {
		for (int i = atoi(argv[4]); i > 0; i--)
			if (exit_run(argv[0], argv[2], argv[3]))
				return 1;
		return 0;
	}
	calls_ns(CLOCK_MONOTONIC, 100);
	if (!strcmp(mode, "bare")) {
		printf("%.3f\n", calls_ns(CLOCK_MONOTONIC, calls));
		return end_print(argc, 0);
	}
	for (unsigned i = 0; !strcmp(mode, "least") && i < repeats; i++)
		printf("%.3f\n", least_ns(calls));
	if (!strcmp(mode, "least"))
		return 0;
	if (tandem_tracer_create(&tracer) || tandem_tracer_pool_open(&properties, &pool))
		return 1;
	if ((!strcmp(mode, "callback") || !strcmp(mode, "both")) &&
	    tandem_tracer_callback_enable(tracer, opencl, TANDEM_TRACER_ALL, called, NULL))
		return 1;
	blocked = !strcmp(mode, "full");
	if ((memory || blocked || !strcmp(mode, "activity") || !strcmp(mode, "both")) &&
	    tandem_tracer_activity_enable(tracer, opencl, TANDEM_TRACER_API, TANDEM_TRACER_ALL,
					  pool))
		return 1;
	calls_ns(CLOCK_MONOTONIC, 10000);
	if (memory) {
		long before;

		calls_ns(CLOCK_MONOTONIC, calls / 10);
		before = resident_kib();
		calls_ns(CLOCK_MONOTONIC, calls);
		printf("%ld\n", resident_kib() - before);
		return 0;
	}
	for (unsigned i = 0; i < repeats; i++) {
		if (threads && threads_run(threads < 64 ? threads : 64, calls))
			return 1;
		if (!threads)
			printf("%.3f\n", calls_ns(CLOCK_MONOTONIC, calls));
	}
	blocked = 0;
	return end_print(argc, 0);
}
