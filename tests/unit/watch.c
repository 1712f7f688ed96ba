/* SPDX-License-Identifier: MIT */
/* A child that is stuck ends by itself; one that shows signs of life does not. */
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "trace/watch.h"

#define WORK_S 3

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int status_of(bool shows)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		watch_begin(1);
		while (cpu_s() < WORK_S)
			if (shows)
				watch_alive();
		_exit(7);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return status;
}

int main(void)
{
	int stuck = status_of(false), alive = status_of(true);

	CHECK(WIFSIGNALED(stuck) && WTERMSIG(stuck) == SIGPROF);
	CHECK(WIFEXITED(alive) && WEXITSTATUS(alive) == 7);
	return check_status();
}
