/* SPDX-License-Identifier: MIT */
#include "util/thread/worker.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/thread/thread.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t given, done;
	struct worker_task *tasks[WORKER_WAITING_MOST]; /* a ring */
	unsigned first, count;				/* the first of them is being done */
	bool ending;
};

static void *run(void *user)
{
	struct worker *worker = user;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		struct worker_task *task;

		while (!worker->count && !worker->ending)
			pthread_cond_wait(&worker->given, &worker->lock);
		if (!worker->count)
			break;
		task = worker->tasks[worker->first];
		pthread_mutex_unlock(&worker->lock);
		task->run(task);
		pthread_mutex_lock(&worker->lock);
		worker->first = (worker->first + 1) % WORKER_WAITING_MOST;
		worker->count--;
		/* Whoever waits for room waits for half of it: waking takes longer than a task may. */
		if (!worker->count || worker->count == WORKER_WAITING_MOST / 2)
			pthread_cond_signal(&worker->done);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static void worker_free(struct worker *worker)
{
	pthread_cond_destroy(&worker->given);
	pthread_cond_destroy(&worker->done);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

struct worker *worker_create(void)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->given, NULL);
	pthread_cond_init(&worker->done, NULL);
	if (!thread_start(&worker->thread, run, worker))
		return worker;
	worker_free(worker);
	return NULL;
}

void worker_add(struct worker *worker, struct worker_task *task)
{
	pthread_mutex_lock(&worker->lock);
	while (worker->count == WORKER_WAITING_MOST)
		pthread_cond_wait(&worker->done, &worker->lock);
	worker->tasks[(worker->first + worker->count) % WORKER_WAITING_MOST] = task;
	if (!worker->count++)
		pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
}

void worker_wait(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	while (worker->count)
		pthread_cond_wait(&worker->done, &worker->lock);
	pthread_mutex_unlock(&worker->lock);
}

void worker_destroy(struct worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->ending = true;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	worker_free(worker);
}
