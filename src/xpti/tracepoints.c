/* SPDX-License-Identifier: MIT */
#include "tracepoints.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi.h"
#include "blocks.h"
#include "intern.h"
#include "spinlock.h"
#include "string_table.h"

_Static_assert(sizeof(struct tracepoint) == 256, "what an event costs (doc/XPTI.md)");
_Static_assert(offsetof(struct tracepoint, event.instance_id) + 8 <= 64, "one cache line");

/* An ID: bit 62, then how often the slot was used before, then the slot's number. Numbers of
 * xptiGetUniqueId() are below bit 62. */
#define UID_BASE (UINT64_C(1) << 62)
#define SLOT_BITS 28
#define SLOT_MASK ((UINT64_C(1) << SLOT_BITS) - 1)
#define UID_STEP (UINT64_C(1) << SLOT_BITS)
#define UID_LAST (UID_BASE << 1)

#define CHUNK (BLOCK_BYTES / sizeof(struct tracepoint)) /* slots that are allocated together */
#define PART 1024					/* chunks a part of the directory */
#define PARTS ((SLOT_MASK + 1) / CHUNK / PART)
#define STRIPES 16
#define QUARANTINE_MS 1000

/* A place: the key, then what intern_extra() keeps. Strings are equal where their IDs are. */
struct place_key {
	uint32_t name;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	uint32_t stack;
	uint32_t reserved;
	uint64_t code;
};

struct place {
	_Atomic uint64_t visits;
	_Atomic(struct tracepoint *) shared; /* SHARED: the event of all visits */
};

/* Threads allocate from different stripes. */
struct stripe {
	_Alignas(64) struct spinlock lock;
	struct tracepoint *free_first, *free_last; /* oldest first; linked by `place` */
	uint32_t next, end;			   /* slots never used yet */
};

struct quarantined {
	struct tracepoint *slot;
	uint64_t since_ms;
};

static struct {
	struct intern *places;
	enum tracepoint_mode mode;
	_Atomic(_Atomic(struct tracepoint *) *) part[PARTS];
	_Atomic uint32_t chunks;
	struct stripe stripe[STRIPES];
	struct spinlock release_lock;
	/* SHARED: others may still hold a released event; it is readable for a while longer. A ring,
	 * oldest first, of which `size` is a power of 2. */
	struct quarantined *quarantine;
	size_t quarantine_size, quarantine_first, quarantine_count;
} all;

static struct spinlock metadata_lock[64];

int tracepoints_init(void)
{
	all.places = intern_create(false);
	return all.places ? 0 : -ENOMEM;
}

void tracepoints_set_mode(enum tracepoint_mode mode)
{
	all.mode = mode;
}

enum tracepoint_mode tracepoints_mode(void)
{
	return all.mode;
}

static struct stripe *stripe_of_thread(void)
{
	static _Atomic unsigned next;
	static _Thread_local unsigned mine;

	if (!mine)
		mine = 1 + atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % STRIPES;
	return &all.stripe[mine - 1];
}

static struct tracepoint *chunk_at(uint32_t number)
{
	_Atomic(struct tracepoint *) *part =
		atomic_load_explicit(&all.part[number / PART], memory_order_acquire);

	return part ? atomic_load_explicit(&part[number % PART], memory_order_acquire) : NULL;
}

/* The slot of an ID, whatever it holds. NULL: there is no such slot. */
static struct tracepoint *slot_at(uint64_t uid)
{
	uint32_t slot = uid & SLOT_MASK;
	struct tracepoint *chunk;

	if (uid < UID_BASE || uid >= UID_LAST)
		return NULL;
	chunk = chunk_at(slot / CHUNK);
	return chunk ? chunk + slot % CHUNK : NULL;
}

static bool add_chunk(struct stripe *stripe)
{
	uint32_t number = atomic_fetch_add(&all.chunks, 1);
	_Atomic(struct tracepoint *) *part, *mine;
	struct tracepoint *chunk;

	if (number >= PARTS * PART) {
		atomic_fetch_sub(&all.chunks, 1);
		return false;
	}
	part = atomic_load_explicit(&all.part[number / PART], memory_order_acquire);
	if (!part) {
		mine = calloc(PART, sizeof(*mine));
		if (!mine)
			return false;
		if (atomic_compare_exchange_strong(&all.part[number / PART], &part, mine))
			part = mine;
		else
			free((void *)mine);
	}
	chunk = block_get();
	if (!chunk)
		return false;
	for (uint32_t i = 0; i < CHUNK; i++)
		abi_create_faces(&chunk[i]);
	atomic_store_explicit(&part[number % PART], chunk, memory_order_release);
	stripe->next = number * CHUNK;
	stripe->end = stripe->next + CHUNK;
	return true;
}

/* A slot, with its ID in data_id, which a free slot keeps there. */
static struct tracepoint *take_slot(void)
{
	struct stripe *stripe = stripe_of_thread();
	struct tracepoint *slot = NULL;

	spin_lock(&stripe->lock);
	if (stripe->free_first) {
		slot = stripe->free_first;
		stripe->free_first = (struct tracepoint *)slot->place;
		slot->event.data_id += UID_STEP;
	} else if (stripe->next < stripe->end || add_chunk(stripe)) {
		slot = chunk_at(stripe->next / CHUNK) + stripe->next % CHUNK;
		slot->event.data_id = UID_BASE | stripe->next++;
	}
	spin_unlock(&stripe->lock);
	return slot;
}

static void free_slot(struct tracepoint *slot)
{
	struct stripe *stripe = stripe_of_thread();
	uint64_t uid = slot->event.unique_id;

	abi_destroy_metadata(&slot->event.reserved.metadata);
	__atomic_store_n(&slot->event.unique_id, XPTI_INVALID_UID, __ATOMIC_RELEASE);
	slot->event.data_id = uid;
	slot->place = NULL;
	if (uid + UID_STEP >= UID_LAST)
		return; /* used up: its next ID would be another's */
	spin_lock(&stripe->lock);
	if (stripe->free_first)
		stripe->free_last->place = (struct place *)slot;
	else
		stripe->free_first = slot;
	stripe->free_last = slot;
	spin_unlock(&stripe->lock);
}

/* The string's ID; 0: there is none. False: no memory. */
static bool known(const xpti_payload_data_t *payload, uint64_t flag, const char *string,
		  uint32_t *id)
{
	struct intern_entry *entry;

	*id = 0;
	if (!(payload->flags & flag) || !string)
		return true;
	entry = strings_add(string);
	*id = entry ? entry->id : 0;
	return entry != NULL;
}

/* Fills what of `slot` does not change from visit to visit. */
static void describe(struct tracepoint *slot, const xpti_payload_data_t *payload,
		     const struct place_key *key)
{
	uint64_t uid = slot->event.data_id;

	slot->payload = *payload;
	slot->payload.name = key->name ? strings_get(key->name) : NULL;
	slot->payload.source_file = key->file ? strings_get(key->file) : NULL;
	slot->payload.stack_trace = key->stack ? strings_get(key->stack) : NULL;
	slot->payload.internal = uid;
	slot->payload.flags |= xpti_payload_PayloadRegistered | xpti_payload_HashAvailable;
	if (all.mode == TRACEPOINT_EACH && !key->name) {
		slot->payload.name = UNKNOWN_FUNCTION;
		slot->payload.flags |= xpti_payload_NameAvailable;
	}
	if (all.mode == TRACEPOINT_EACH && !key->file) {
		slot->payload.source_file = UNKNOWN_FILE;
		slot->payload.flags |= xpti_payload_SourceFileAvailable;
	}
	slot->payload.uid.p1 = (uint64_t)key->file << 32 | (key->file ? payload->line_no : 0);
	slot->payload.uid.p2 = (uint64_t)key->stack << 32 | key->name;
	slot->payload.uid.p3 = (uintptr_t)payload->code_ptr_va;

	slot->event.source_id = XPTI_INVALID_UID;
	slot->event.target_id = XPTI_INVALID_UID;
	slot->event.event_type = xpti_event_algorithm;
	slot->event.activity_type = xpti_activity_active;
	slot->event.unused = 0;
	slot->event.reserved.payload = &slot->payload;
	slot->event.global_user_data = NULL;
	slot->event.flags = xpti_flag_UIDAvailable | xpti_flag_PayloadAvailable |
			    xpti_flag_EventTypeAvailable | xpti_flag_ActivityTypeAvailable;
	abi_create_metadata(&slot->event.reserved.metadata);
	slot->metadata_cursor = NULL;
}

/* From here on, its ID finds it. */
static void publish(struct tracepoint *slot, uint64_t instance)
{
	uint64_t uid = slot->event.data_id;

	slot->event.instance_id = instance;
	slot->event.data_id = instance;
	__atomic_store_n(&slot->event.unique_id, uid, __ATOMIC_RELEASE);
}

/* The place's event, made by whoever comes first. */
static struct tracepoint *shared_event(struct place *place, const xpti_payload_data_t *payload,
				       const struct place_key *key)
{
	struct tracepoint *slot = atomic_load_explicit(&place->shared, memory_order_acquire), *mine;

	if (slot)
		return slot;
	mine = take_slot();
	if (!mine)
		return NULL;
	describe(mine, payload, key);
	mine->place = place;
	publish(mine, 0);
	if (atomic_compare_exchange_strong(&place->shared, &slot, mine))
		return mine;
	free_slot(mine);
	return slot;
}

struct tracepoint *tracepoint_make(xpti_payload_data_t *payload, bool event, uint64_t *instance)
{
	struct intern_entry *entry;
	struct place_key key = {0};
	struct tracepoint *slot;
	struct place *place;
	uint64_t visit = 0;

	if (!payload_is_valid(payload))
		return NULL;
	if (!known(payload, xpti_payload_NameAvailable, payload->name, &key.name) ||
	    !known(payload, xpti_payload_SourceFileAvailable, payload->source_file, &key.file) ||
	    !known(payload, xpti_payload_StackTraceAvailable, payload->stack_trace, &key.stack))
		return NULL;
	if (all.mode == TRACEPOINT_EACH) {
		key.line = payload->line_no;
		key.column = payload->column_no;
	} else if (key.file) {
		key.line = payload->line_no;
	}
	/* In the later generation the address belongs to the visit, unless nothing else is known. */
	if ((payload->flags & xpti_payload_CodePointerAvailable) &&
	    (all.mode == TRACEPOINT_SHARED || (!key.name && !key.file)))
		key.code = (uintptr_t)payload->code_ptr_va;
	entry = intern_add(all.places, &key, sizeof(key), 0, sizeof(struct place));
	if (!entry)
		return NULL;
	place = intern_extra(entry);
	if (all.mode == TRACEPOINT_SHARED) {
		slot = shared_event(place, payload, &key);
		if (!slot)
			return NULL;
		if (event) {
			visit = atomic_fetch_add_explicit(&place->visits, 1, memory_order_relaxed) +
				1;
			__atomic_store_n(&slot->event.instance_id, 1, __ATOMIC_RELAXED);
		}
	} else {
		slot = take_slot();
		if (!slot)
			return NULL;
		visit = atomic_fetch_add_explicit(&place->visits, 1, memory_order_relaxed) + 1;
		describe(slot, payload, &key);
		slot->place = place;
		publish(slot, visit);
	}
	payload->internal = slot->payload.internal;
	payload->flags |= xpti_payload_PayloadRegistered | xpti_payload_HashAvailable;
	payload->uid = slot->payload.uid;
	if (instance)
		*instance = visit;
	return slot;
}

struct tracepoint *tracepoint_find(uint64_t uid, bool event)
{
	struct tracepoint *slot = slot_at(uid);

	if (!slot || __atomic_load_n(&slot->event.unique_id, __ATOMIC_ACQUIRE) != uid)
		return NULL;
	/* Without a place it is in quarantine; without a visit nobody made the event. */
	if (!__atomic_load_n(&slot->place, __ATOMIC_RELAXED) ||
	    (event && !__atomic_load_n(&slot->event.instance_id, __ATOMIC_RELAXED)))
		return NULL;
	return slot;
}

static uint64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Takes the slot in; what may be used again meanwhile, or NULL. With release_lock. */
static struct tracepoint *quarantine(struct tracepoint *slot)
{
	size_t count = all.quarantine_count, size = all.quarantine_size,
	       first = all.quarantine_first;
	struct tracepoint *oldest = NULL;
	uint64_t now = now_ms();

	if (count && all.quarantine[first].since_ms + QUARANTINE_MS < now) {
		oldest = all.quarantine[first].slot;
		first = (first + 1) & (size - 1);
		count--;
	}
	if (count == size) {
		size_t larger = size ? 2 * size : 256;
		__typeof__(all.quarantine) ring = malloc(larger * sizeof(*ring));

		if (!ring)
			return oldest; /* `slot` is never used again */
		for (size_t i = 0; i < count; i++)
			ring[i] = all.quarantine[(first + i) & (size - 1)];
		free(all.quarantine);
		all.quarantine = ring;
		all.quarantine_size = size = larger;
		first = 0;
	}
	all.quarantine[(first + count) & (size - 1)].slot = slot;
	all.quarantine[(first + count) & (size - 1)].since_ms = now;
	all.quarantine_first = first;
	all.quarantine_count = count + 1;
	return oldest;
}

bool tracepoint_release(uint64_t uid)
{
	struct tracepoint *slot, *unused;
	struct place *place;

	spin_lock(&all.release_lock);
	slot = tracepoint_find(uid, false);
	unused = slot;
	if (slot) {
		place = slot->place;
		__atomic_store_n(&slot->place, NULL, __ATOMIC_RELAXED);
		if (all.mode == TRACEPOINT_SHARED) {
			/* The next visit of the place is a first one again. */
			struct tracepoint *expected = slot;

			atomic_store_explicit(&place->visits, 0, memory_order_relaxed);
			atomic_compare_exchange_strong(&place->shared, &expected, NULL);
			unused = quarantine(slot);
		}
	}
	spin_unlock(&all.release_lock);
	if (unused)
		free_slot(unused);
	return slot != NULL;
}

int tracepoint_add_metadata(xpti_event_data_t *event, xpti_string_id_t key, xpti_object_id_t value)
{
	struct spinlock *lock = &metadata_lock[(uintptr_t)event / 256 % 64];
	int result;

	spin_lock(lock);
	result = abi_set_metadata(&event->reserved.metadata, key, value);
	spin_unlock(lock);
	return result;
}

void tracepoints_reset(void)
{
	uint32_t chunks = atomic_load(&all.chunks);

	for (uint32_t number = 0; number < chunks; number++) {
		struct tracepoint *chunk = chunk_at(number);

		for (uint32_t i = 0; chunk && i < CHUNK; i++)
			if (chunk[i].event.unique_id)
				free_slot(&chunk[i]);
	}
	all.quarantine_count = 0;
	intern_destroy(all.places);
	all.places = intern_create(false);
}

void tracepoints_lock_all(void)
{
	spin_lock(&all.release_lock);
	for (unsigned i = 0; i < STRIPES; i++)
		spin_lock(&all.stripe[i].lock);
	for (unsigned i = 0; i < 64; i++)
		spin_lock(&metadata_lock[i]);
}

void tracepoints_unlock_all(void)
{
	for (unsigned i = 0; i < 64; i++)
		spin_unlock(&metadata_lock[i]);
	for (unsigned i = 0; i < STRIPES; i++)
		spin_unlock(&all.stripe[i].lock);
	spin_unlock(&all.release_lock);
}
