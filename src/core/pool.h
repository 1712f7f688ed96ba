/* SPDX-License-Identifier: MIT */
/* A pool of equal items for the traced process: no malloc, no lock, any
 * thread may take and any may give. Memory comes in pages from the system and
 * is kept for the process's life; it grows with the most items ever out at
 * once.
 *
 *   static struct tandem_pool pool = TANDEM_POOL(sizeof(struct thing));
 *   struct thing *thing = tandem_pool_take(&pool);   // NULL: no memory
 *   tandem_pool_give(&pool, thing);
 *
 * An item's first word belongs to the pool while it is in it.
 */
#ifndef TANDEM_CORE_POOL_H
#define TANDEM_CORE_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct tandem_pool {
	uint32_t item_bytes;
	_Atomic uint32_t taking; /* one thread at a time pops, so there is no ABA */
	void *_Atomic free;
};

#define TANDEM_POOL(bytes)            \
	{                             \
		.item_bytes = (bytes) \
	}

void *tandem_pool_take(struct tandem_pool *pool);
void tandem_pool_give(struct tandem_pool *pool, void *item);

#endif
