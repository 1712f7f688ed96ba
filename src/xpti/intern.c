/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "spinlock.h"

#define SHARDS 64
#define FIRST_SLOTS 16
#define FIRST_IDS 1024 /* in the first block of the directory; each next has twice as many */
#define BLOCKS 22      /* 2^32 ids */

/*
 * Open addressing, at most five eighths full. Replaced, never changed in size: readers may
 * still look into the one before, so all of them live as long as the table. A slot is an address
 * and, above it, 16 bits of the hash: others are passed over, and most entries moved to a larger
 * table, without a look at them, which would be a cache miss each.
 */
struct slots {
	struct slots *previous;
	uint32_t mask;
	_Atomic uint64_t slot[];
};
#define TAG_SHIFT 48
#define TAG_MASK UINT16_MAX

struct arena {
	struct arena *previous;
	bool block; /* of blocks.h; else of malloc() */
	_Alignas(16) char bytes[];
};

struct shard {
	_Alignas(64) struct spinlock lock;
	_Atomic uint32_t used; /* counted after the slot is set */
	_Atomic(struct slots *) slots;
	struct arena *arena;
	char *free;
	size_t left;
};

struct intern {
	struct shard shard[SHARDS];
	bool numbered;
	_Atomic uint32_t ids;
	_Atomic(_Atomic(struct intern_entry *) *) block[BLOCKS];
	struct intern *next; /* of all tables, for fork */
};

static struct spinlock tables_lock;
static struct intern *tables;

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const unsigned char *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

/* 16 bytes a step, folded by a multiplication. Quality decides speed only: bytes are compared. */
static uint64_t hash_of(const unsigned char *bytes, size_t size, uint32_t kind)
{
	const uint64_t odd1 = UINT64_C(0x9e3779b97f4a7c15), odd2 = UINT64_C(0xd1b54a32d192ed03);
	uint64_t hash = odd1 ^ size ^ (uint64_t)kind << 32;
	size_t left = size;

	for (; left > 16; left -= 16, bytes += 16)
		hash = mix(load(bytes, 8) ^ odd1, load(bytes + 8, 8) ^ hash);
	if (left > 8)
		hash = mix(load(bytes, 8) ^ odd2, load(bytes + left - 8, 8) ^ hash);
	else if (left == 8)
		hash = mix(load(bytes, 8) ^ odd2, hash);
	else
		hash = mix(load(bytes, left) ^ odd2, hash);
	return mix(hash, odd2);
}

/* Splits a number into its block of the directory and the place in there. */
static unsigned block_of(uint32_t id, uint32_t *place)
{
	uint64_t shifted = (uint64_t)id - 1 + FIRST_IDS;
	unsigned top = 63 - (unsigned)__builtin_clzll(shifted);

	*place = (uint32_t)(shifted - (UINT64_C(1) << top));
	return top - 10; /* FIRST_IDS is 2^10 */
}

struct intern *intern_create(bool numbered)
{
	struct intern *table = aligned_alloc(64, (sizeof(*table) + 63) & ~(size_t)63);

	if (!table)
		return NULL;
	memset(table, 0, sizeof(*table));
	table->numbered = numbered;
	spin_lock(&tables_lock);
	table->next = tables;
	tables = table;
	spin_unlock(&tables_lock);
	return table;
}

void intern_destroy(struct intern *table)
{
	if (!table)
		return;
	spin_lock(&tables_lock);
	for (struct intern **link = &tables; *link; link = &(*link)->next)
		if (*link == table) {
			*link = table->next;
			break;
		}
	spin_unlock(&tables_lock);
	for (unsigned s = 0; s < SHARDS; s++) {
		struct shard *shard = &table->shard[s];

		for (struct slots *slots = atomic_load(&shard->slots), *previous; slots;
		     slots = previous) {
			previous = slots->previous;
			free(slots);
		}
		for (struct arena *arena = shard->arena, *previous; arena; arena = previous) {
			previous = arena->previous;
			if (arena->block)
				block_put(arena);
			else
				free(arena);
		}
	}
	for (unsigned b = 0; b < BLOCKS; b++)
		free((void *)atomic_load(&table->block[b]));
	free(table);
}

/* Where the search begins, from a tag or from the whole hash; and the tag of a hash. */
static uint32_t start_of(uint64_t hash)
{
	return (uint32_t)(hash >> 6);
}

static uint64_t tag_of(uint64_t hash)
{
	return start_of(hash) & TAG_MASK;
}

static struct intern_entry *entry_of(uint64_t slot)
{
	return (struct intern_entry *)(uintptr_t)(slot & ((UINT64_C(1) << TAG_SHIFT) - 1));
}

static struct intern_entry *find(const struct slots *slots, uint64_t hash, const void *bytes,
				 size_t size, uint32_t kind)
{
	if (!slots)
		return NULL;
	for (uint32_t at = start_of(hash);; at++) {
		uint64_t slot =
			atomic_load_explicit(&slots->slot[at & slots->mask], memory_order_acquire);
		struct intern_entry *entry = entry_of(slot);

		if (!slot)
			return NULL;
		if (slot >> TAG_SHIFT == tag_of(hash) && entry->hash == (uint32_t)(hash >> 32) &&
		    entry->size == size && entry->kind == kind &&
		    !memcmp(entry->bytes, bytes, size))
			return entry;
	}
}

static void put(struct slots *slots, uint32_t start, uint64_t slot)
{
	uint32_t at = start;

	while (atomic_load_explicit(&slots->slot[at & slots->mask], memory_order_relaxed))
		at++;
	atomic_store_explicit(&slots->slot[at & slots->mask], slot, memory_order_release);
}

/* Room for one entry more. */
static int grow(struct shard *shard)
{
	struct slots *old = atomic_load_explicit(&shard->slots, memory_order_relaxed), *slots;
	uint32_t count = old ? 2 * (old->mask + 1) : FIRST_SLOTS;

	if (old &&
	    atomic_load_explicit(&shard->used, memory_order_relaxed) < (old->mask + 1) / 8 * 5)
		return 0;
	slots = calloc(1, sizeof(*slots) + count * sizeof(slots->slot[0]));
	if (!slots)
		return -1;
	slots->previous = old;
	slots->mask = count - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++) {
		uint64_t slot = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
		struct intern_entry *entry = entry_of(slot);

		if (!slot)
			continue;
		if (slots->mask <= TAG_MASK)
			put(slots, (uint32_t)(slot >> TAG_SHIFT), slot);
		else
			put(slots,
			    start_of(hash_of((unsigned char *)entry->bytes, entry->size,
					     entry->kind)),
			    slot);
	}
	atomic_store_explicit(&shard->slots, slots, memory_order_release);
	return 0;
}

static void *allocate(struct shard *shard, size_t bytes)
{
	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > shard->left) {
		/* Small tables stay small: the first piece of a shard is a sixteenth. */
		size_t room = shard->arena ? BLOCK_BYTES : BLOCK_BYTES / 16;
		bool alone = bytes > room / 4, block = !alone && shard->arena;
		struct arena *arena =
			block ? block_get() : malloc(alone ? sizeof(*arena) + bytes : room);

		if (!arena)
			return NULL;
		arena->block = block;
		arena->previous = shard->arena;
		shard->arena = arena;
		if (alone)
			return arena->bytes;
		shard->free = arena->bytes;
		shard->left = room - sizeof(*arena);
	}
	shard->free += bytes;
	shard->left -= bytes;
	return shard->free - bytes;
}

/* Makes the directory's block if it is not there: by whoever comes first. */
static _Atomic(struct intern_entry *) *directory(struct intern *table, unsigned number)
{
	_Atomic(struct intern_entry *) *block = atomic_load_explicit(&table->block[number],
								     memory_order_acquire),
				       *mine;

	if (block)
		return block;
	mine = calloc((size_t)FIRST_IDS << number, sizeof(*mine));
	if (!mine)
		return NULL;
	if (atomic_compare_exchange_strong(&table->block[number], &block, mine))
		return mine;
	free((void *)mine);
	return block;
}

/* Gives the entry the next number. */
static int give_number(struct intern *table, struct intern_entry *entry)
{
	_Atomic(struct intern_entry *) *block;
	uint32_t place;

	entry->id = atomic_fetch_add_explicit(&table->ids, 1, memory_order_relaxed) + 1;
	if (entry->id >= INT32_MAX) { /* object numbers are signed */
		atomic_fetch_sub_explicit(&table->ids, 1, memory_order_relaxed);
		return -1;
	}
	block = directory(table, block_of(entry->id, &place));
	if (!block)
		return -1;
	atomic_store_explicit(&block[place], entry, memory_order_release);
	return 0;
}

static struct intern_entry *make(struct intern *table, struct shard *shard, uint64_t hash,
				 const void *bytes, size_t size, uint32_t kind, size_t extra)
{
	size_t key = (size + 7) & ~(size_t)7;
	struct intern_entry *entry;

	if (grow(shard))
		return NULL;
	entry = allocate(shard, sizeof(*entry) + key + extra);
	if (!entry)
		return NULL;
	entry->id = 0;
	entry->hash = (uint32_t)(hash >> 32);
	entry->size = (uint32_t)size;
	entry->kind = kind;
	memcpy(entry->bytes, bytes, size);
	memset(entry->bytes + size, 0, key - size + extra);
	if (table->numbered && give_number(table, entry))
		return NULL;
	put(atomic_load_explicit(&shard->slots, memory_order_relaxed), start_of(hash),
	    tag_of(hash) << TAG_SHIFT | (uintptr_t)entry);
	atomic_fetch_add_explicit(&shard->used, 1, memory_order_release);
	return entry;
}

struct intern_entry *intern_add(struct intern *table, const void *bytes, size_t size, uint32_t kind,
				size_t extra)
{
	uint64_t hash = hash_of(bytes, size, kind);
	struct shard *shard;
	struct intern_entry *entry;
	uint32_t used;

	if (!table)
		return NULL;
	shard = &table->shard[hash % SHARDS];
	used = atomic_load_explicit(&shard->used, memory_order_acquire);
	entry = find(atomic_load_explicit(&shard->slots, memory_order_acquire), hash, bytes, size,
		     kind);
	if (entry || size > UINT32_MAX)
		return entry;
	spin_lock(&shard->lock);
	/* Unless nobody added one meanwhile, look again. */
	if (atomic_load_explicit(&shard->used, memory_order_relaxed) != used)
		entry = find(atomic_load_explicit(&shard->slots, memory_order_relaxed), hash, bytes,
			     size, kind);
	if (!entry)
		entry = make(table, shard, hash, bytes, size, kind, extra);
	spin_unlock(&shard->lock);
	return entry;
}

struct intern_entry *intern_get(const struct intern *table, uint32_t id)
{
	const _Atomic(struct intern_entry *) *block;
	uint32_t place;
	unsigned number;

	if (!table || !id || id > INT32_MAX)
		return NULL;
	number = block_of(id, &place);
	block = atomic_load_explicit(&table->block[number], memory_order_acquire);
	return block ? atomic_load_explicit(&block[place], memory_order_acquire) : NULL;
}

void intern_lock_all(void)
{
	spin_lock(&tables_lock);
	for (struct intern *table = tables; table; table = table->next)
		for (unsigned s = 0; s < SHARDS; s++)
			spin_lock(&table->shard[s].lock);
	blocks_lock();
}

void intern_unlock_all(void)
{
	blocks_unlock();
	for (struct intern *table = tables; table; table = table->next)
		for (unsigned s = 0; s < SHARDS; s++)
			spin_unlock(&table->shard[s].lock);
	spin_unlock(&tables_lock);
}
