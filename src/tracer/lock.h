/* SPDX-License-Identifier: MIT */
/* A lock of a few instructions that a signal handler may leave by siglongjmp(): who comes later
 * takes it all the same. So what it protects is changed in an order that is sound at each store.
 * In traced calls: no system call.
 *
 *	if (!lock_try(&busy))
 *		return;
 *	...
 *	lock_give(&busy);
 */
#ifndef TANDEM_TRACER_LOCK_H
#define TANDEM_TRACER_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/ticks.h"
#include "sinks/sink.h"
#include "tracer/thread.h"

#define LOCK_LEFT_NS 1000000000u /* after so long its holder has left it */

/* Who holds it: a thread, in a sink's function or not; 0: nobody. */
typedef _Atomic uint32_t tracer_lock_t;

/* In a sink's function a thread does not meet itself: functions of sinks do not nest, and who
 * finds that it has the lock already has left what took it. */
static inline bool lock_try(tracer_lock_t *lock)
{
	struct tracer_thread *thread = tracer_thread();
	uint32_t in_sink = tandem_sink_in_here();
	uint32_t me = (thread ? thread->tid : 1) << 1 | in_sink, holder = 0;

	return atomic_compare_exchange_strong(lock, &holder, me) || (holder == me && in_sink);
}

static inline void lock_take(tracer_lock_t *lock)
{
	uint64_t until = 0;

	while (!lock_try(lock)) {
		uint64_t now = counter_clock_ns(CLOCK_MONOTONIC);

		if (!until)
			until = now + LOCK_LEFT_NS;
		if (now > until)
			atomic_store(lock, 0);
	}
}

static inline void lock_give(tracer_lock_t *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

#endif
