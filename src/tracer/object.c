/* SPDX-License-Identifier: MIT */
#include "tracer/object.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/lock.h"

/* A table by number: 4,096 parts of 4,096 values, made when the first of one is met. */
#define PART 4096u
#define PARTS 4096u
#define BLOCK_BYTES (256u * 1024)
#define NAME_SLOTS 8192u /* of the hash; names beyond are kept once for each kernel */

struct table {
	_Atomic uint64_t *_Atomic part[PARTS];
};

static struct table devices, names, clocks;

static void *map(size_t bytes)
{
	int saved = errno;
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

static _Atomic uint64_t *table_place(struct table *table, uint32_t number, int make)
{
	_Atomic uint64_t *_Atomic *place = &table->part[number / PART % PARTS];
	_Atomic uint64_t *part = atomic_load(place), *none = NULL;

	if (number >= PART * PARTS)
		return NULL;
	if (!part && make) {
		part = map(PART * sizeof(*part));
		if (part && !atomic_compare_exchange_strong(place, &none, part)) {
			munmap((void *)part, PART * sizeof(*part));
			part = none;
		}
	}
	return part ? &part[number % PART] : NULL;
}

static void table_set(struct table *table, uint32_t number, uint64_t value)
{
	_Atomic uint64_t *place = table_place(table, number, 1);

	if (place)
		atomic_store(place, value);
}

static uint64_t table_get(struct table *table, uint32_t number)
{
	_Atomic uint64_t *place = table_place(table, number, 0);

	return place ? atomic_load(place) : 0;
}

void object_queue(uint32_t queue, uint32_t device)
{
	table_set(&devices, queue, device);
}

uint32_t object_queue_device(uint32_t queue)
{
	return (uint32_t)table_get(&devices, queue);
}

/* What each clock is of; 0: of none yet. */
static _Atomic uint64_t clock_handles[OBJECT_CLOCKS];

void object_device(uint32_t device, uint32_t domain, uint64_t handle)
{
	uint64_t key = (handle << 6 | handle >> 58) ^ (domain + 1);

	for (uint32_t i = 1; i < OBJECT_CLOCKS; i++) {
		uint64_t found = 0;

		if (!atomic_compare_exchange_strong(&clock_handles[i], &found, key) && found != key)
			continue;
		table_set(&clocks, device, i);
		return;
	}
}

uint32_t object_device_clock(uint32_t device)
{
	return (uint32_t)table_get(&clocks, device);
}

static struct {
	tracer_lock_t busy;
	char *at;
	uint32_t left; /* bytes */
	const char *_Atomic slots[NAME_SLOTS];
} kept;

static uint32_t hash_of(const char *name, uint32_t bytes)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	return hash;
}

static char *name_copy(const char *name, uint32_t bytes)
{
	char *copy;

	if (kept.left < bytes + 1u) {
		kept.left = 0;
		store_order();
		kept.at = map(BLOCK_BYTES);
		store_order();
		kept.left = kept.at ? BLOCK_BYTES : 0;
		if (!kept.at)
			return NULL;
	}
	kept.left -= bytes + 1;
	store_order();
	copy = kept.at;
	kept.at += bytes + 1;
	memcpy(copy, name, bytes);
	copy[bytes] = '\0';
	return copy;
}

static const char *name_keep(const char *name, uint32_t bytes)
{
	uint32_t hash = hash_of(name, bytes);
	const char *found = NULL;

	lock_take(&kept.busy);
	for (uint32_t i = 0; i < 16; i++) {
		const char *_Atomic *slot = &kept.slots[(hash + i) % NAME_SLOTS];

		found = atomic_load(slot);
		if (found && !strncmp(found, name, bytes) && !found[bytes])
			break;
		if (!found) {
			found = name_copy(name, bytes);
			atomic_store(slot, found);
			break;
		}
		found = NULL;
	}
	if (!found)
		found = name_copy(name, bytes);
	lock_give(&kept.busy);
	return found;
}

void object_kernel(uint32_t kernel, const char *name, uint32_t bytes)
{
	table_set(&names, kernel, (uint64_t)(uintptr_t)name_keep(name, bytes));
}

const char *object_kernel_name(uint32_t kernel)
{
	const char *name = (const char *)(uintptr_t)table_get(&names, kernel);

	return name ? name : "";
}

void objects_forked(void)
{
	lock_give(&kept.busy);
}
