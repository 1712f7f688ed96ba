/* SPDX-License-Identifier: MIT */
/* A thread that does tasks one after another, in the order in which they were given, while
 * the caller goes on. A task is part of what its owner allocated; from worker_add() until its
 * `run` begins it is the worker's, afterwards that function's, which may free it. One thread
 * calls.
 *
 *	struct worker *worker = worker_create();
 *
 *	worker_add(worker, &block->task);
 *	worker_wait(worker);      all that was given is done, and seen by the caller
 *	worker_destroy(worker);
 */
#ifndef TANDEM_UTIL_WORKER_H
#define TANDEM_UTIL_WORKER_H

/* So many tasks may wait for their turn; whoever gives more waits as well. */
#define WORKER_WAITING_MOST 16u

struct worker;

struct worker_task {
	void (*run)(struct worker_task *task);
};

/* NULL where there is no memory, or no thread can be started. */
struct worker *worker_create(void);

void worker_add(struct worker *worker, struct worker_task *task);

void worker_wait(struct worker *worker);

/* Does what was given first. NULL is fine. */
void worker_destroy(struct worker *worker);

#endif
