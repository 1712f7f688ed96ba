/* SPDX-License-Identifier: MIT */
/* signals FILE [STORMS]: a storm of SIGALRM whose handler calls OpenCL, over a
 * program that calls it without end. Prints nothing but its own consistency: the
 * counts go to FILE as "main N handler M", because they differ from run to run.
 *
 * The handler runs on a stack of its own, as small as they come, and a thread's
 * very first call is made there.
 */
#include "world.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	cl_uint count = 0;

	(void)signal;
	if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS || count == 0)
		_Exit(3);
	handled++;
}

/* Some room beyond what the kernel itself needs. */
static void small_stack_set(void)
{
	size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + 6144;
	const stack_t stack = {.ss_sp = malloc(bytes), .ss_size = bytes};

	CHECK(stack.ss_sp && !sigaltstack(&stack, NULL));
}

static void *first_call_main(void *unused)
{
	(void)unused;
	small_stack_set();
	CHECK(!raise(SIGALRM));
	return NULL;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = handler,
					 .sa_flags = SA_RESTART | SA_ONSTACK};
	const struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	long storms = argc > 2 ? atol(argv[2]) : 2000, calls = 0;
	cl_uint count;

	CL(clGetPlatformIDs(0, NULL, &count));
	small_stack_set();
	CHECK(!sigaction(SIGALRM, &action, NULL));
	for (int i = 0; i < 4; i++) {
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, first_call_main, NULL));
		CHECK(!pthread_join(thread, NULL));
	}
	CHECK(!setitimer(ITIMER_REAL, &every, NULL));
	while (handled < storms) {
		CL(clGetPlatformIDs(0, NULL, &count));
		calls++;
	}
	CHECK(!setitimer(ITIMER_REAL, &never, NULL));
	if (argc > 1) {
		FILE *file = fopen(argv[1], "w");

		CHECK(file);
		fprintf(file, "main %ld handler %ld\n", calls + 1, (long)handled);
		fclose(file);
	}
	puts("done");
	return 0;
}
