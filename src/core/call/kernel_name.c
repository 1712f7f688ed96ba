/* SPDX-License-Identifier: MIT */
/* Kernels by their names, as the linker knows them: the file side makes them
 * readable. A runtime gives a pointer that is the same for every launch of a kernel as
 * long as its module is loaded, and perhaps another kernel's afterwards. So a small
 * cache by pointer answers nearly always, after a comparison of the text, and behind
 * it stands a table by text, which grows with the number of different kernels. */
#include "core/call/kernel_name.h"

#include <string.h>

#include "core/object.h"
#include "core/process.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"

#define CACHE_SLOTS 4096u
#define FIRST_SLOTS 1024u
#define NAME_BYTES_MOST 32768u
#define ARENA_BYTES (256u * 1024)

struct name {
	uint64_t hash;
	uint32_t number, statedump;
	uint32_t bytes;
	uint32_t domain;
	char text[]; /* with its end */
};

static struct {
	const char *_Atomic pointer;
	struct name *_Atomic name;
} cache[CACHE_SLOTS];

/* All of this belongs to who holds `taken`. */
static _Atomic uint32_t taken;
static struct name **table;
static uint32_t slots, used;
static uint8_t *arena;
static size_t arena_left;

/* FNV-1a. */
static uint64_t hash_of(const char *text, uint32_t bytes)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (uint32_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
	return hash;
}

static struct name *name_new(unsigned domain, const char *text, uint32_t bytes, uint64_t hash)
{
	size_t need = (sizeof(struct name) + bytes + 1 + 7) & ~(size_t)7;
	struct name *name;

	if (need > arena_left) {
		arena = sandbox_map(ARENA_BYTES);
		arena_left = arena ? ARENA_BYTES : 0;
	}
	if (!arena)
		return NULL;
	name = (struct name *)(void *)arena;
	arena += need;
	arena_left -= need;
	name->hash = hash;
	name->number = 0;
	name->statedump = 0;
	name->bytes = bytes;
	name->domain = domain;
	memcpy(name->text, text, bytes);
	name->text[bytes] = 0;
	return name;
}

static struct name **slot_find(struct name **from, uint32_t count, const char *text, uint32_t bytes,
			       uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (count - 1);

	while (from[at] && (from[at]->hash != hash || from[at]->bytes != bytes ||
			    memcmp(from[at]->text, text, bytes) != 0))
		at = (at + 1) & (count - 1);
	return &from[at];
}

static bool table_grow(void)
{
	uint32_t count = slots ? slots * 2 : FIRST_SLOTS;
	struct name **larger = sandbox_map(count * sizeof(*larger));

	if (!larger)
		return false;
	for (uint32_t i = 0; i < slots; i++)
		if (table[i])
			*slot_find(larger, count, table[i]->text, table[i]->bytes, table[i]->hash) =
				table[i];
	if (table)
		sandbox_unmap(table, slots * sizeof(*table));
	table = larger;
	slots = count;
	return true;
}

static struct name *name_intern(unsigned domain, const char *text)
{
	uint32_t bytes = (uint32_t)strnlen(text, NAME_BYTES_MOST);
	uint64_t hash = hash_of(text, bytes) ^ domain * 0x9e3779b97f4a7c15u;
	struct name **slot;

	if (used * 2 >= slots && !table_grow())
		return NULL;
	slot = slot_find(table, slots, text, bytes, hash);
	if (!*slot) {
		*slot = name_new(domain, text, bytes, hash);
		used += !!*slot;
	}
	return *slot;
}

static void name_describe(const struct name *name)
{
	struct tandem_rec_kernel *record =
		tandem_record_begin(TANDEM_EVENT_kernel, (uint32_t)sizeof(*record) + name->bytes);

	if (!record)
		return;
	memset(&record->kernel, 0, sizeof(*record) - sizeof(record->head));
	record->kernel = name->number;
	record->domain = (uint8_t)name->domain;
	record->handle = (uintptr_t)name;
	record->name_count = (uint16_t)name->bytes;
	memcpy(record + 1, name->text, name->bytes);
	tandem_record_commit();
}

static uint32_t name_number(struct name *name)
{
	uint32_t statedump = tandem_process_statedump();

	if (!name->number || name->statedump != statedump) {
		name->number =
			tandem_object_assign(tandem_kind(name->domain, TANDEM_OBJECT_kernel), name);
		name->statedump = statedump;
		name_describe(name);
	}
	return name->number;
}

static uint32_t kernel_lookup(unsigned domain, const char *pointer, uint32_t slot)
{
	struct name *name;
	uint32_t number = TANDEM_OBJECT_UNKNOWN;

	/* Held for a table look-up, at a kernel's first launch. A signal handler
	 * that launches one in the middle of that gets no name. */
	for (int tries = 0; atomic_exchange(&taken, 1); tries++)
		if (tries == 1 << 16)
			return number;
	name = name_intern(domain, pointer);
	if (name) {
		number = name_number(name);
		atomic_store(&cache[slot].pointer, NULL);
		atomic_store(&cache[slot].name, name);
		atomic_store(&cache[slot].pointer, pointer);
	}
	atomic_store(&taken, 0);
	return number;
}

uint32_t tandem_kernel_named(unsigned domain, const char *pointer)
{
	uint32_t slot = (uint32_t)(((uintptr_t)pointer * 0x9e3779b97f4a7c15u) >> 52) % CACHE_SLOTS;
	const struct name *name;

	if (!pointer)
		return 0;
	if (tandem_likely(atomic_load(&cache[slot].pointer) == pointer)) {
		name = atomic_load(&cache[slot].name);
		if (tandem_likely(name && name->domain == domain &&
				  name->statedump == tandem_process_statedump() &&
				  !strcmp(name->text, pointer)))
			return name->number;
	}
	return kernel_lookup(domain, pointer, slot);
}
