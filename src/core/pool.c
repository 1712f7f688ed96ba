/* SPDX-License-Identifier: MIT */
#include "core/pool.h"

#include "core/sandbox/sandbox.h"

#define CHUNK_BYTES (64u * 1024u)

static void push(struct tandem_pool *pool, void *first, void **last_next)
{
	void *head = atomic_load_explicit(&pool->free, memory_order_relaxed);

	do
		*last_next = head;
	while (!atomic_compare_exchange_weak_explicit(&pool->free, &head, first,
						      memory_order_release, memory_order_relaxed));
}

/* A fresh chunk: its first item is returned, the rest is given. */
static void *grow(struct tandem_pool *pool)
{
	uint8_t *chunk = sandbox_map(CHUNK_BYTES);
	uint32_t bytes = pool->item_bytes;
	uint32_t count = CHUNK_BYTES / bytes;

	if (!chunk)
		return NULL;
	for (uint32_t i = 1; i + 1 < count; i++)
		*(void **)(chunk + i * bytes) = chunk + (i + 1) * bytes;
	if (count > 1)
		push(pool, chunk + bytes, (void **)(chunk + (count - 1) * bytes));
	return chunk;
}

void *tandem_pool_take(struct tandem_pool *pool)
{
	void *item;

	/* Another thread is popping, or a signal came while this one was: a new
	 * chunk serves as well, and nobody waits. */
	if (atomic_exchange_explicit(&pool->taking, 1, memory_order_acquire)) {
		for (int spins = 0; spins < 64; spins++)
			if (!atomic_exchange_explicit(&pool->taking, 1, memory_order_acquire))
				goto taken;
		return grow(pool);
	}
taken:
	item = atomic_load_explicit(&pool->free, memory_order_acquire);
	while (item &&
	       !atomic_compare_exchange_weak_explicit(&pool->free, &item, *(void **)item,
						      memory_order_acquire, memory_order_acquire)) {
	}
	atomic_store_explicit(&pool->taking, 0, memory_order_release);
	return item ? item : grow(pool);
}

void tandem_pool_give(struct tandem_pool *pool, void *item)
{
	push(pool, item, item);
}
