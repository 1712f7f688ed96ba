/* SPDX-License-Identifier: MIT */
#include "util/order/reorder_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RING_FIRST 64u
/* So many places an item moves to the front at most. */
#define RING_STEPS 24u

static int ring_grow(struct reorder_queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : RING_FIRST;
	struct heap_item *ring = malloc(capacity * sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	for (size_t i = 0; i < queue->count; i++)
		ring[i] = queue->ring[(queue->begin + i) & (queue->capacity - 1)];
	free(queue->ring);
	queue->ring = ring;
	queue->capacity = capacity;
	queue->begin = 0;
	return 0;
}

/* Moves the ring's items from `at` to `end` by one place. */
static void make_room(struct reorder_queue *queue, size_t at, size_t end)
{
	size_t mask = queue->capacity - 1, from = at & mask, moved = end - at;

	if (from + moved <= mask) {
		memmove(&queue->ring[from + 1], &queue->ring[from], moved * sizeof(*queue->ring));
		return;
	}
	for (; end > at; end--)
		queue->ring[end & mask] = queue->ring[(end - 1) & mask];
}

int reorder_queue_push(struct reorder_queue *queue, struct heap_item item)
{
	size_t mask, at, end;

	if (queue->count == queue->capacity && ring_grow(queue))
		return -ENOMEM;
	mask = queue->capacity - 1;
	end = at = queue->begin + queue->count;
	if (queue->count > RING_STEPS &&
	    heap_item_before(&item, &queue->ring[(at - RING_STEPS) & mask]))
		return heap_push(&queue->late, item);
	while (at > queue->begin && heap_item_before(&item, &queue->ring[(at - 1) & mask]))
		at--;
	if (at < end)
		make_room(queue, at, end);
	queue->ring[at & mask] = item;
	queue->count++;
	return 0;
}

int reorder_queue_exchange(struct reorder_queue *queue, struct heap_item *item)
{
	struct heap_item added = *item;

	if (!heap_item_before(reorder_queue_least(queue), item))
		return 0;
	*item = reorder_queue_pop(queue);
	return reorder_queue_push(queue, added);
}

void reorder_queue_free(struct reorder_queue *queue)
{
	free(queue->ring);
	heap_free(&queue->late);
	*queue = (struct reorder_queue){0};
}
