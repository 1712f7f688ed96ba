/* SPDX-License-Identifier: MIT */
/* Constraints that wait for their turn: the least comes out first. They come nearly in
 * order, so that each has its place near the end of a ring; those that come later than
 * that go into a heap. Ordered by key, then by tie. {0} is an empty queue. One thread.
 *
 *	struct constraint_queue queue = {0};
 *	constraint_queue_push(&queue, (struct heap_item){.key = x, .tie = side, .value = y});
 *	while (constraint_queue_count(&queue))
 *		item = constraint_queue_pop(&queue);
 *	constraint_queue_free(&queue);
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_CONSTRAINT_QUEUE_H
#define TANDEM_ANALYSIS_CLOCKSYNC_CONSTRAINT_QUEUE_H

#include "util/heap.h"

struct constraint_queue {
	struct heap_item *ring; /* a power of two of them */
	size_t begin, count, capacity;
	struct heap late;
};

static inline size_t constraint_queue_count(const struct constraint_queue *queue)
{
	return queue->count + queue->late.count;
}

/* Returns 0 or -ENOMEM (unchanged). */
int constraint_queue_push(struct constraint_queue *queue, struct heap_item item);

/* Removes and returns the least item. The queue is not empty. */
struct heap_item constraint_queue_pop(struct constraint_queue *queue);

/* Adds the item, and makes it the least of all, which is removed. The queue is not empty.
 * Returns 0 or -ENOMEM (then the least is gone). */
int constraint_queue_exchange(struct constraint_queue *queue, struct heap_item *item);

void constraint_queue_free(struct constraint_queue *queue);

#endif
