/* SPDX-License-Identifier: MIT */
/* Threads of the command's own, next to the one that has the user's request. Any thread.
 *
 *	if (thread_two_cpus() && !thread_start(&thread, run, user))
 *		... pthread_join(thread, NULL);
 */
#ifndef TANDEM_UTIL_THREAD_H
#define TANDEM_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* The new thread gets no signals: they are for the others. Returns 0 or -errno. */
int thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Whether this process may use more than one CPU. */
bool thread_two_cpus(void);

#endif
