/* SPDX-License-Identifier: MIT */
#include "domains/sycl/table.h"

#include <errno.h>
#include <stddef.h>

#include "core/control.h"
#include "core/sandbox/sandbox.h"

#define FIRST_SLOTS 1024u
#define PROBES_MOST 256u

static uint64_t slot_count(uint32_t at)
{
	return (uint64_t)FIRST_SLOTS << (2 * at);
}

/* The key's slot among those of one table, or NULL. With `take` an empty one is taken. */
static struct sycl_table_slot *slot_find(struct sycl_table *table, uint32_t at, uint64_t key,
					 bool take)
{
	struct sycl_table_slot *slots =
		atomic_load_explicit(&table->slots[at], memory_order_acquire);
	uint64_t mask = slot_count(at) - 1;
	uint64_t first = key * 0x9e3779b97f4a7c15u >> (64 - __builtin_ctzll(mask + 1));

	for (uint64_t i = 0; slots && i < PROBES_MOST; i++) {
		struct sycl_table_slot *slot = &slots[(first + i) & mask];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);

		if (!found && !take)
			return NULL;
		if (!found && atomic_compare_exchange_strong(&slot->key, &found, key)) {
			atomic_fetch_add_explicit(&table->taken[at], 1, memory_order_relaxed);
			return slot;
		}
		if (found == key)
			return slot;
	}
	return NULL;
}

static struct sycl_table_slot *find(struct sycl_table *table, uint64_t key)
{
	uint32_t at = atomic_load_explicit(&table->count, memory_order_acquire);

	while (at--) {
		struct sycl_table_slot *slot = slot_find(table, at, key, false);

		if (slot)
			return slot;
	}
	return NULL;
}

/* One more table; losing the race to make it is as good as winning. */
static bool grow(struct sycl_table *table, uint32_t at)
{
	struct sycl_table_slot *none = NULL, *slots;
	size_t bytes;

	if (at >= SYCL_TABLES)
		return false;
	bytes = slot_count(at) * sizeof(*slots);
	slots = sandbox_map(bytes);
	if (!slots)
		return false;
	if (!atomic_compare_exchange_strong(&table->slots[at], &none, slots))
		sandbox_unmap(slots, bytes);
	atomic_compare_exchange_strong(&table->count, &at, at + 1);
	return true;
}

void sycl_table_set(struct sycl_table *table, uint64_t key, uint64_t value)
{
	struct sycl_table_slot *slot = find(table, key);

	while (!slot) {
		uint32_t count = atomic_load_explicit(&table->count, memory_order_acquire);

		if (count && atomic_load_explicit(&table->taken[count - 1], memory_order_relaxed) <
				     slot_count(count - 1) / 2)
			slot = slot_find(table, count - 1, key, true);
		if (!slot && !grow(table, count)) {
			tandem_lost(TANDEM_LOSS_no_memory, 1);
			return;
		}
	}
	atomic_store_explicit(&slot->value, value, memory_order_release);
}

uint64_t sycl_table_get(struct sycl_table *table, uint64_t key)
{
	struct sycl_table_slot *slot = key ? find(table, key) : NULL;

	return slot ? atomic_load_explicit(&slot->value, memory_order_acquire) : 0;
}
