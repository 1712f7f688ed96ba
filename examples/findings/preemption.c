/* SPDX-License-Identifier: MIT */
/* A program that shares its CPU with a process that is busy all the time: where it
 * computes, in a call or between calls, it waits for the CPU every few milliseconds.
 * Mended, the busy process does its work before. Both are kept on one CPU.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "common.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void keep_to_one_cpu(void)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_SET(cpu, &one);
		break;
	}
	sched_setaffinity(0, sizeof(one), &one);
}

/* Mended, the parent waits for it: until that has come so far, it does not compete. */
#define REACH_WAIT_US 50000

/* So much work in a process of its own, which is called after its parent and ends
 * with it. */
static pid_t busy_start(double milliseconds, bool mended)
{
	pid_t child = fork();
	char name[16];

	if (child < 0) {
		perror("fork");
		exit(1);
	}
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* So that it counts beside whatever else runs; only root may. */
	setpriority(PRIO_PROCESS, 0, -10);
	snprintf(name, sizeof(name), "busy-%d", (int)getppid());
	prctl(PR_SET_NAME, name);
	if (mended)
		usleep(REACH_WAIT_US);
	host_work(milliseconds);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct setup setup;
	pid_t child;

	/* PoCL's basic device computes in the thread that calls. */
	setenv("POCL_DEVICES", "basic", 0);
	keep_to_one_cpu();
	setup = setup_open(argc, argv);
	child = busy_start(setup.mended ? 200 : 60000, setup.mended);
	if (setup.mended)
		waitpid(child, NULL, 0);
	for (int i = 0; i < 20; i++) {
		setup_work(&setup, 200);
		must(clFinish(setup.queue), "clFinish");
		host_work(10);
	}
	if (!setup.mended) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	setup_close(&setup);
	return 0;
}
