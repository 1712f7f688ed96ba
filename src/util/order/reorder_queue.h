/* SPDX-License-Identifier: MIT */
/* Items that wait for their turn: the least comes out first. Most come nearly in order, so
 * that each has its place near the end of a ring; those that come later than that go into
 * a heap. Ordered by key, then by tie; those that are alike in both come out in any order.
 * {0} is an empty queue. One thread.
 *
 *	struct reorder_queue queue = {0};
 *	reorder_queue_push(&queue, (struct heap_item){.key = time, .value = index});
 *	while (reorder_queue_count(&queue))
 *		item = reorder_queue_pop(&queue);
 *	reorder_queue_free(&queue);
 */
#ifndef TANDEM_UTIL_REORDER_QUEUE_H
#define TANDEM_UTIL_REORDER_QUEUE_H

#include "util/order/heap.h"

struct reorder_queue {
	struct heap_item *ring; /* a power of two of them */
	size_t begin, count, capacity;
	struct heap late;
};

static inline size_t reorder_queue_count(const struct reorder_queue *queue)
{
	return queue->count + queue->late.count;
}

/* Returns 0 or -ENOMEM (unchanged). */
int reorder_queue_push(struct reorder_queue *queue, struct heap_item item);

/* The least, borrowed until the queue changes; NULL where it is empty. */
static inline const struct heap_item *reorder_queue_least(const struct reorder_queue *queue)
{
	const struct heap_item *first = queue->count ? &queue->ring[queue->begin] : NULL;

	if (queue->late.count && (!first || heap_item_before(&queue->late.items[0], first)))
		return &queue->late.items[0];
	return first;
}

/* Removes and returns the least item. The queue is not empty. */
static inline struct heap_item reorder_queue_pop(struct reorder_queue *queue)
{
	const struct heap_item *least = reorder_queue_least(queue);

	if (least == queue->late.items)
		return heap_pop(&queue->late);
	queue->begin = (queue->begin + 1) & (queue->capacity - 1);
	queue->count--;
	return *least;
}

/* Adds the item, and makes it the least of all, which is removed. The queue is not empty.
 * Returns 0 or -ENOMEM (then the least is gone). */
int reorder_queue_exchange(struct reorder_queue *queue, struct heap_item *item);

void reorder_queue_free(struct reorder_queue *queue);

#endif
