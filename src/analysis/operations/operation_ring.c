/* SPDX-License-Identifier: MIT */
#include "analysis/operations/operation_ring.h"

#include <errno.h>
#include <stdlib.h>

#define RING_FIRST 16u
#define RING_MOST (1u << 20)

void operation_ring_destroy(struct operation_ring *ring)
{
	uint64_t op, address;
	size_t at = 0;

	while (map_next(&ring->displaced, &at, &op, &address))
		free((void *)(uintptr_t)address);
	map_free(&ring->displaced);
	free(ring->slots);
	free(ring->sizes);
	free(ring);
}

struct operation_ring *operation_ring_create(uint32_t process, uint64_t thread, bool sizes)
{
	struct operation_ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->process = process;
	ring->thread = thread;
	ring->repeats = trace_operation_thread_is_runtime(thread);
	ring->mask = RING_FIRST - 1;
	ring->slots = calloc(RING_FIRST, sizeof(*ring->slots));
	if (sizes)
		ring->sizes = calloc(RING_FIRST, sizeof(*ring->sizes));
	if (ring->slots && (!sizes || ring->sizes))
		return ring;
	operation_ring_destroy(ring);
	return NULL;
}

/* Twice as many slots: each number that is there has a place of its own again. */
static int ring_grow(struct operation_ring *ring)
{
	size_t mask = ring->mask * 2 + 1;
	struct operation_slot *slots = calloc(mask + 1, sizeof(*slots));
	struct launch_size *sizes = ring->sizes ? calloc(mask + 1, sizeof(*sizes)) : NULL;

	if (!slots || (ring->sizes && !sizes)) {
		free(slots);
		free(sizes);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= ring->mask; i++) {
		size_t place = trace_operation_number(ring->slots[i].op) & mask;

		if (!ring->slots[i].op)
			continue;
		slots[place] = ring->slots[i];
		if (sizes)
			sizes[place] = ring->sizes[i];
	}
	free(ring->slots);
	free(ring->sizes);
	ring->slots = slots;
	ring->sizes = sizes;
	ring->mask = mask;
	return 0;
}

static int slot_displace(struct operation_ring *ring, size_t place)
{
	struct operation_displaced *displaced = malloc(sizeof(*displaced));

	if (!displaced)
		return -ENOMEM;
	displaced->slot = ring->slots[place];
	if (ring->sizes)
		displaced->size = ring->sizes[place];
	if (map_set(&ring->displaced, displaced->slot.op, (uint64_t)(uintptr_t)displaced)) {
		free(displaced);
		return -ENOMEM;
	}
	return 0;
}

int operation_ring_make_room(struct operation_ring *ring, uint64_t op)
{
	uint64_t number = trace_operation_number(op);

	while (operation_slot_is_taken(ring, number & ring->mask, op)) {
		size_t place = number & ring->mask;
		bool crowded = ring->open > ring->mask / 4 ||
			       (ring->repeats && ring->mask + 1 < 2 * OPERATIONS_KEPT);

		if (!crowded || ring->mask + 1 >= RING_MOST)
			return slot_displace(ring, place);
		if (ring_grow(ring))
			return -ENOMEM;
	}
	return 0;
}

struct operation_slot *operation_ring_find(const struct operation_ring *ring, uint64_t op)
{
	struct operation_slot *slot = &ring->slots[trace_operation_number(op) & ring->mask];
	uint64_t address;

	if (slot->op == op)
		return slot;
	address = map_get(&ring->displaced, op);
	if (address == MAP_NONE)
		return NULL;
	return &((struct operation_displaced *)(uintptr_t)address)->slot;
}

void operation_ring_trim(struct operation_ring *ring)
{
	uint64_t op, address;
	size_t at = 0;

	while (map_next(&ring->displaced, &at, &op, &address)) {
		struct operation_displaced *displaced = (void *)(uintptr_t)address;

		if (operation_slot_is_known(ring, &displaced->slot))
			continue;
		map_remove(&ring->displaced, op);
		free(displaced);
		at--; /* another may have come to its place */
	}
}

int operation_ring_open(const struct operation_ring *ring, operation_open_fn *each, void *user)
{
	uint64_t op, address;
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; !status && ring->open && i <= ring->mask; i++) {
		struct operation_open open = {ring, &ring->slots[i],
					      ring->sizes ? &ring->sizes[i] : NULL};

		if (open.slot->op && open.slot->open)
			status = each(user, &open);
	}
	while (!status && map_next(&ring->displaced, &at, &op, &address)) {
		const struct operation_displaced *displaced = (const void *)(uintptr_t)address;
		struct operation_open open = {ring, &displaced->slot,
					      ring->sizes ? &displaced->size : NULL};

		if (open.slot->open)
			status = each(user, &open);
	}
	return status;
}
