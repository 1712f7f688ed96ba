/* SPDX-License-Identifier: MIT */
#include "util/thread/thread.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>

int thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(thread, NULL, run, user);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -status;
}

bool thread_two_cpus(void)
{
	cpu_set_t cpus;

	/* Fails where there are more than fit in. */
	return sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > 1;
}
