/* SPDX-License-Identifier: MIT */
/* A thread's tap: what it has for the sinks that are attached while it records. By it records
 * reach their `record` and calls their `end` (sink_record.c). It outlives the thread: the next
 * one takes it.
 *
 * Here as well is what threads read of the sinks; attach.c alone writes it. Who takes a sink
 * away waits for all that may still use it (tandem_sinks_wait()).
 */
#ifndef TANDEM_SINKS_TAP_H
#define TANDEM_SINKS_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/call/call.h"
#include "core/stream/stream.h"
#include "sinks/sink.h"

struct sink_slot {
	struct tandem_sink *_Atomic sink;
	_Atomic uint32_t generation;
	_Atomic uint64_t domains; /* that it wants */
};

#pragma GCC visibility push(hidden)
extern struct sink_slot sink_slots[TANDEM_SINKS];
extern _Atomic uint32_t sinks_attached; /* 1 << slot */
extern atomic_flag sinks_changing;	/* somebody computes what all of them want */
extern _Atomic bool taps_fence;		/* threads order `active`, for want of membarrier(2) */
#pragma GCC visibility pop

#define OPEN_CALLS 64u
#define SCRATCH_BYTES (192u * 1024)

/* Whose end somebody waits for. */
struct open_call {
	struct tandem_call_record *record;
	uintptr_t pointer; /* the stack's, where it began */
	const void *args;
	uint64_t stream; /* of a record in the trace; STREAM_TAP: it is in the scratch space */
	uint32_t scratch_used; /* when it began */
	uint32_t mask;	       /* of the sinks that got it */
	uint32_t args_bytes, returned_at, returned_bytes;
	uint32_t generations[TANDEM_SINKS];
	uint64_t words[TANDEM_SINKS][TANDEM_SINK_WORDS];
	_Alignas(16) uint8_t space[TANDEM_CALL_ARGS_MOST];
} __attribute__((aligned(1024))); /* found by a shift */

/* What a thread has for sinks. It outlives the thread: the next one takes it. */
struct tap {
	struct tap *next;
	_Atomic bool taken;

	/* Odd: the thread uses a sink. */
	_Atomic uint32_t active;

	/* The record being made, and where it is kept: of a call, until the call's end. */
	uint32_t mask;
	bool in_scratch, is_call;
	struct open_call *call;
	uintptr_t pointer;
	uintptr_t call_pointer;
	struct tandem_record *record;
	uint64_t stream;		     /* the thread's, meanwhile */
	uint8_t *cursor;		     /* ... */
	struct tandem_packet_header *packet; /* ... */

	uintptr_t in_sink; /* the frame that called it; 0: in none */
	int *error_number; /* the thread's errno */
	struct call_prepared prepared;
	uint32_t depth, scratch_used;
	struct open_call open[OPEN_CALLS + 1];
	struct tandem_packet_header header; /* of the scratch space */
	uint8_t scratch[SCRATCH_BYTES];
};

/* Before the first sink. Any thread; again: nothing. */
void taps_begin(void);

/* The thread's, which is made where it has none; NULL without memory. */
struct tap *tap_of(struct tandem_thread *thread);

/* The thread is in no sink, and nobody waits for it. */
void tap_rest(struct tap *tap);

/* What the thread reads of sinks between use and leave stays valid: who takes a sink away
 * waits until `active` has changed. */
static inline void tap_use(struct tap *tap)
{
	uint32_t next = atomic_load_explicit(&tap->active, memory_order_relaxed) + 1;

	if (tandem_unlikely(atomic_load_explicit(&taps_fence, memory_order_relaxed)))
		atomic_exchange(&tap->active, next);
	else
		atomic_store_explicit(&tap->active, next, memory_order_relaxed);
	tandem_barrier();
}

static inline void tap_leave(struct tap *tap)
{
	atomic_store_explicit(&tap->active,
			      atomic_load_explicit(&tap->active, memory_order_relaxed) + 1,
			      memory_order_release);
}

#endif
