/* SPDX-License-Identifier: MIT */
/* What the tracer keeps of a thread. */
#ifndef TANDEM_TRACER_THREAD_H
#define TANDEM_TRACER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_EXTERNAL_MOST 128u
#define THREAD_POOLS 64u

struct buffers;
struct pool_slot;

/* Slots of a pool's buffer that the thread alone fills. */
struct thread_chunk {
	uint64_t pool; /* its number */
	struct buffers *buffers;
	struct pool_slot *next;
	uint64_t generation; /* of the buffer */
	uint32_t left;	     /* slots from `next` on */
	uint32_t text_bytes; /* of the one before it */
};

/* The thread's copy of the line by which ticks become ns (tracer/clock/time.h), up to `due` ticks. */
struct thread_line {
	uint64_t due, ticks, ns;
	double rate;
};

struct tracer_thread {
	uint32_t tid;
	uint32_t range_level;
	bool delivers; /* it is a pool's: what it calls is nobody's event */
	uint32_t external_count;
	struct thread_line line;
	uint64_t external[THREAD_EXTERNAL_MOST];
	struct thread_chunk chunk[THREAD_POOLS];
	struct thread_chunk text;    /* that of the last record with a text */
	struct thread_chunk *making; /* the record before its `next` is being made; NULL: none */
	char error[256];
};

extern __thread struct tracer_thread *tracer_thread_here
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct tracer_thread *tracer_thread_make(void);

/* This thread's; NULL without memory. No malloc, no lock. */
static inline struct tracer_thread *tracer_thread(void)
{
	struct tracer_thread *thread = tracer_thread_here;

	return __builtin_expect(thread != NULL, 1) ? thread : tracer_thread_make();
}

/* What is stored before and after it is in that order for a signal handler. */
static inline void store_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* Called when a thread ends in the middle of a record: it was left by siglongjmp(). */
void tracer_thread_at_end(void (*leave)(struct tracer_thread *thread));

/* In the child of a fork. */
void tracer_thread_forked(void);

#endif
