/* SPDX-License-Identifier: MIT */
/* When the calls began that asked devices for operations, until those have ended: a bound of
 * the devices' clocks. A table of fixed size, in which the latest stay. Any thread. */
#ifndef TANDEM_TRACER_ENQUEUE_H
#define TANDEM_TRACER_ENQUEUE_H

#include <stdatomic.h>
#include <stdint.h>

#define ENQUEUES 8192u

struct enqueue {
	_Atomic uint64_t op, ticks;
};

extern struct enqueue enqueues[ENQUEUES] __attribute__((visibility("hidden")));

static inline struct enqueue *enqueue_place(uint64_t op)
{
	return &enqueues[(op * 0x9e3779b97f4a7c15u) >> 51];
}

static inline void enqueue_note(uint64_t op, uint64_t ticks)
{
	struct enqueue *place = enqueue_place(op);

	atomic_store_explicit(&place->op, 0, memory_order_relaxed);
	atomic_store_explicit(&place->ticks, ticks, memory_order_release);
	atomic_store_explicit(&place->op, op, memory_order_release);
}

/* 0: not known any more. */
static inline uint64_t enqueue_ticks(uint64_t op)
{
	struct enqueue *place = enqueue_place(op);
	uint64_t ticks;

	if (atomic_load_explicit(&place->op, memory_order_acquire) != op)
		return 0;
	ticks = atomic_load_explicit(&place->ticks, memory_order_acquire);
	return atomic_load_explicit(&place->op, memory_order_relaxed) == op ? ticks : 0;
}

#endif
