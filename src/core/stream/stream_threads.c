/* SPDX-License-Identifier: MIT */
#include "core/stream/stream_threads.h"

#include <sched.h>
#include <stdatomic.h>

/* A thread that finds no place asks when its reserved space is used up. */
#define THREADS 1024u

static struct tandem_thread *_Atomic threads[THREADS];
static _Atomic uint32_t looking;
static _Atomic uint32_t asking; /* for how many reasons all threads ask */

void tandem_record_limit(struct tandem_thread *thread, uint8_t *end)
{
	thread->reserved_end = end;
	__atomic_store_n(&thread->end, end, __ATOMIC_SEQ_CST);
	if (atomic_load(&asking))
		__atomic_store_n(&thread->end, NULL, __ATOMIC_SEQ_CST);
}

void stream_thread_add(struct tandem_thread *thread)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t place = (thread->number + i) % THREADS;
		struct tandem_thread *none = NULL;

		if (atomic_compare_exchange_strong(&threads[place], &none, thread))
			return;
	}
}

void stream_thread_remove(struct tandem_thread *thread)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t place = (thread->number + i) % THREADS;
		struct tandem_thread *expected = thread;

		if (atomic_compare_exchange_strong(&threads[place], &expected, NULL))
			break;
	}
	/* Its memory goes with it. */
	while (atomic_load(&looking))
		sched_yield();
}

void tandem_threads_ask(bool ask)
{
	if (!ask) {
		atomic_fetch_sub(&asking, 1);
		return;
	}
	atomic_fetch_add(&asking, 1);
	atomic_fetch_add(&looking, 1);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct tandem_thread *thread = atomic_load(&threads[i]);

		if (thread)
			__atomic_store_n(&thread->end, NULL, __ATOMIC_SEQ_CST);
	}
	atomic_fetch_sub(&looking, 1);
}

void stream_threads_forget(void)
{
	for (uint32_t i = 0; i < THREADS; i++)
		atomic_store(&threads[i], NULL);
	atomic_store(&looking, 0);
}
