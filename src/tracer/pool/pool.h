/* SPDX-License-Identifier: MIT */
/* A pool: where records of a tool are kept until they are delivered: buffers that traced threads
 * fill (tracer/pool/buffers.h) and a thread that delivers them (tracer/pool/consumer.h).
 *
 *	struct pool_slot *slot = pool_take(pool, 0);
 *	if (slot) { slot->domain = ...; buffers_put(slot); }
 *
 * Slots hold ticks and device times; they become ns when they are delivered, by pairs of
 * clocks from before and after.
 */
#ifndef TANDEM_TRACER_POOL_H
#define TANDEM_TRACER_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tandem/tracer.h"
#include "tracer/pool/slot.h"

#define POOLS 64u

struct pool;

/* The open pool of that number; NULL: there is none. */
struct pool *pool_find(tandem_tracer_pool_t number);

/* A slot to fill, with room for so many bytes of text after it; NULL: dropped, and counted.
 * In a traced call. */
struct pool_slot *pool_take(struct pool *pool, uint32_t text_bytes);

/* Who is to record into no pool any more when one is closed. */
void pool_at_close(void (*leave)(struct pool *pool));

/* At the exit. */
void pools_close(void);

/* In the child of a fork: they are the parent's. */
void pools_forked(void);

#endif
