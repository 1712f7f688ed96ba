/* A storm of SIGALRM whose handler calls OpenCL, over a program that calls it
 * without end. Prints nothing but its own consistency: the counts go to FILE as
 * "main N handler M", because they differ from run to run.
 */
#include "world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	cl_uint count = 0;

	(void)signal;
	if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS || count == 0)
		_Exit(3);
	handled++;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	const struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	long storms = argc > 2 ? atol(argv[2]) : 2000, calls = 0;
	cl_uint count;

	CL(clGetPlatformIDs(0, NULL, &count));
	CHECK(!sigaction(SIGALRM, &action, NULL));
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
