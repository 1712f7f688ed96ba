/* SPDX-License-Identifier: MIT */
/* What the tracer keeps of a thread. */
#ifndef TANDEM_TRACER_THREAD_H
#define TANDEM_TRACER_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_EXTERNAL_MOST 128u
#define THREAD_POOLS 64u

struct pool_slot;

/* Slots of a pool's buffer that the thread alone fills. */
struct thread_chunk {
	uint64_t pool; /* its number */
	struct pool_slot *next, *end;
	uint64_t generation; /* of the buffer */
};

struct tracer_thread {
	uint32_t tid;
	uint32_t range_level;
	bool delivers; /* it is a pool's: what it calls is nobody's event */
	uint32_t external_count;
	uint64_t external[THREAD_EXTERNAL_MOST];
	struct thread_chunk chunk[THREAD_POOLS];
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

/* In the child of a fork. */
void tracer_thread_forked(void);

#endif
