/* SPDX-License-Identifier: MIT */
#include "core/object.h"

#include <errno.h>
#include <stdatomic.h>

#include "core/domain.h"
#include "core/process.h"
#include "core/sandbox/sandbox.h"
#include "core/stream/stream.h"

/* Tables of slots, each four times the one before; new handles go to the
 * newest. A slot once taken keeps its key: drivers hand out the same addresses
 * again and again, so the tables grow with the objects alive, not with those
 * ever made. */
struct slot {
	_Atomic uint64_t key;
	_Atomic uint64_t value;
};

_Static_assert(TANDEM_OBJECT_COUNT <= TANDEM_KIND_TYPES, "a kind has six bits for the type");

#define FIRST_SLOTS 2048u
#define TABLES 12u

static struct slot first_table[FIRST_SLOTS];
static struct slot *_Atomic tables[TABLES] = {first_table};
static _Atomic uint32_t newest;
static _Atomic uint64_t taken[TABLES];
static _Atomic uint32_t numbers[TANDEM_OBJECT_COUNT];

/* Objects met in a record under way, described after it. */
#define PENDING 16u
static __thread struct {
	void *handle;
	uint32_t number;
	uint8_t domain, type;
} pending[PENDING] __attribute__((tls_model("initial-exec")));

static uint64_t table_slots(uint32_t table)
{
	return (uint64_t)FIRST_SLOTS << (2 * table);
}

static uint64_t key_of(struct tandem_kind kind, const void *handle)
{
	return (uint64_t)(uintptr_t)handle ^ kind.bits;
}

static uint64_t slot_of(uint64_t key, uint64_t slots)
{
	return (key * 0x9e3779b97f4a7c15u) >> (64 - __builtin_ctzll(slots));
}

/* The slot of the key in this table, or NULL. With `take`, an empty one is
 * taken for it. */
static struct slot *table_find(uint32_t table, uint64_t key, int take)
{
	struct slot *slots = atomic_load_explicit(&tables[table], memory_order_acquire);
	uint64_t count = table_slots(table);
	uint64_t at = slot_of(key, count);

	for (uint64_t probes = 0; slots && probes < 256; probes++) {
		struct slot *slot = &slots[(at + probes) & (count - 1)];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);

		if (found == key)
			return slot;
		if (found)
			continue;
		if (!take)
			return NULL;
		if (atomic_compare_exchange_strong(&slot->key, &found, key)) {
			atomic_fetch_add_explicit(&taken[table], 1, memory_order_relaxed);
			return slot;
		}
		if (found == key)
			return slot;
	}
	return NULL;
}

static struct slot *find_far(uint64_t key)
{
	for (uint32_t table = atomic_load_explicit(&newest, memory_order_acquire) + 1; table--;) {
		struct slot *slot = table_find(table, key, 0);

		if (slot)
			return slot;
	}
	return NULL;
}

/* Nearly every handle is where its key says, in the only table. */
static inline struct slot *find(uint64_t key)
{
	struct slot *slot = &first_table[slot_of(key, FIRST_SLOTS)];

	if (tandem_likely(atomic_load_explicit(&slot->key, memory_order_acquire) == key &&
			  !atomic_load_explicit(&newest, memory_order_relaxed)))
		return slot;
	return find_far(key);
}

/* A larger table behind the newest. Losing the race is as good as winning. */
static int grow(uint32_t table)
{
	struct slot *none = NULL;
	size_t bytes = table_slots(table + 1) * sizeof(struct slot);
	void *slots;

	if (table + 1 >= TABLES)
		return -ENOMEM;
	slots = sandbox_map(bytes);
	if (!slots)
		return -ENOMEM;
	if (!atomic_compare_exchange_strong(&tables[table + 1], &none, slots))
		sandbox_unmap(slots, bytes);
	atomic_compare_exchange_strong(&newest, &table, table + 1);
	return 0;
}

static struct slot *find_or_take(uint64_t key)
{
	struct slot *slot = find(key);

	while (!slot) {
		uint32_t table = atomic_load_explicit(&newest, memory_order_acquire);

		if (atomic_load_explicit(&taken[table], memory_order_relaxed) <
		    table_slots(table) / 2)
			slot = table_find(table, key, 1);
		if (!slot && grow(table))
			return NULL;
	}
	return slot;
}

static uint64_t stamped(uint32_t number)
{
	return (uint64_t)tandem_process_statedump() << 32 | number;
}

uint32_t tandem_object_assign(struct tandem_kind kind, const void *handle)
{
	struct slot *slot;
	uint32_t number;

	if (!handle)
		return 0;
	slot = find_or_take(key_of(kind, handle));
	if (!slot) {
		tandem_lost(TANDEM_LOSS_no_memory, 1);
		return TANDEM_OBJECT_UNKNOWN;
	}
	number = atomic_fetch_add_explicit(&numbers[tandem_kind_type(kind)], 1,
					   memory_order_relaxed) +
		 1;
	atomic_store_explicit(&slot->value, stamped(number), memory_order_release);
	return number;
}

void tandem_object_alias(struct tandem_kind kind, const void *handle, uint32_t number)
{
	tandem_handle_set(kind, handle, stamped(number));
}

uint32_t tandem_object_find(struct tandem_kind kind, const void *handle)
{
	struct slot *slot = handle ? find(key_of(kind, handle)) : NULL;
	uint64_t value;

	if (!slot)
		return 0;
	value = atomic_load_explicit(&slot->value, memory_order_acquire);
	return value >> 32 == tandem_process_statedump() ? (uint32_t)value : 0;
}

void tandem_object_forget(struct tandem_kind kind, const void *handle)
{
	struct slot *slot = find(key_of(kind, handle));

	if (slot)
		atomic_store_explicit(&slot->value, 0, memory_order_release);
}

static uint32_t number_unannounced(struct tandem_kind kind, const void *handle)
{
	struct tandem_thread *thread = &tandem_thread;
	uint32_t number = tandem_object_assign(kind, handle);
	uint32_t count = thread->after & TANDEM_AFTER_OBJECTS;

	if (number != TANDEM_OBJECT_UNKNOWN && count < PENDING) {
		pending[count].handle = (void *)(uintptr_t)handle;
		pending[count].number = number;
		pending[count].domain = (uint8_t)tandem_kind_domain(kind);
		pending[count].type = (uint8_t)tandem_kind_type(kind);
		thread->after++;
	}
	return number;
}

uint32_t tandem_object_number(struct tandem_kind kind, const void *handle)
{
	uint32_t number;

	if (!handle)
		return 0;
	number = tandem_object_find(kind, handle);
	return tandem_likely(number) ? number : number_unannounced(kind, handle);
}

int tandem_handle_set(struct tandem_kind kind, const void *handle, uint64_t value)
{
	struct slot *slot = find_or_take(key_of(kind, handle));

	if (!slot) {
		tandem_lost(TANDEM_LOSS_no_memory, 1);
		return -ENOMEM;
	}
	atomic_store_explicit(&slot->value, value, memory_order_release);
	return 0;
}

uint64_t tandem_handle_get(struct tandem_kind kind, const void *handle)
{
	struct slot *slot = find(key_of(kind, handle));

	return slot ? atomic_load_explicit(&slot->value, memory_order_acquire) : 0;
}

uint64_t tandem_handle_add(struct tandem_kind kind, const void *handle, int64_t delta)
{
	struct slot *slot = find(key_of(kind, handle));
	uint64_t value = slot ? atomic_load_explicit(&slot->value, memory_order_acquire) : 0;

	while (value &&
	       !atomic_compare_exchange_weak(&slot->value, &value, value + (uint64_t)delta))
		;
	return value ? value + (uint64_t)delta : 0;
}

void tandem_event_assign(struct tandem_kind kind, const void *event, uint64_t op)
{
	tandem_handle_set(kind, event, op);
}

uint64_t tandem_event_op(struct tandem_kind kind, const void *event)
{
	uint64_t op;

	if (!event)
		return 0;
	op = tandem_handle_get(kind, event) & ~TANDEM_EVENT_HELD;
	return op ? op : TANDEM_OP_UNKNOWN;
}

int tandem_event_held(struct tandem_kind kind, const void *event)
{
	return !!(tandem_handle_get(kind, event) & TANDEM_EVENT_HELD);
}

void tandem_objects_each(void (*found)(unsigned type, uint32_t number))
{
	for (uint32_t table = 0; table <= atomic_load(&newest); table++) {
		struct slot *slots = atomic_load(&tables[table]);

		for (uint64_t i = 0; slots && i < table_slots(table); i++) {
			unsigned type =
				tandem_kind_type((struct tandem_kind){atomic_load(&slots[i].key)});
			uint64_t value = atomic_load(&slots[i].value);

			/* Events stand for operations, and domains keep values of their own. */
			if (type != TANDEM_OBJECT_none && type != TANDEM_OBJECT_event &&
			    value >> 32 == tandem_process_statedump() && (uint32_t)value)
				found(type, (uint32_t)value);
		}
	}
}

void tandem_objects_describe(struct tandem_thread *thread)
{
	/* Describing one may meet another (a queue's context): it joins the end. */
	while (thread->after & TANDEM_AFTER_OBJECTS) {
		uint32_t last = (--thread->after) & TANDEM_AFTER_OBJECTS;
		const struct domain *domain = domain_get(pending[last].domain);

		if (domain && domain->describe)
			domain->describe(pending[last].type, pending[last].handle,
					 pending[last].number);
	}
}
