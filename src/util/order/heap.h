/* SPDX-License-Identifier: MIT */
/* A heap: the least item is on top. Items are ordered by key, then by tie; items
 * that are alike in both come out in any order. The value is the owner's.
 * {0} is an empty heap. One thread.
 *
 *	struct heap heap = {0};
 *	heap_push(&heap, (struct heap_item){.key = time, .value = index});
 *	while (heap.count && heap.items[0].key <= now)
 *		item = heap_pop(&heap);
 *	heap_free(&heap);
 */
#ifndef TANDEM_UTIL_HEAP_H
#define TANDEM_UTIL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_item {
	int64_t key;
	uint64_t tie;
	uint64_t value;
};

static inline bool heap_item_before(const struct heap_item *a, const struct heap_item *b)
{
	return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

struct heap {
	struct heap_item *items; /* items[0] is the least */
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM (unchanged). */
int heap_push(struct heap *heap, struct heap_item item);

/* Removes and returns the least item. The heap is not empty. */
struct heap_item heap_pop(struct heap *heap);

/* Puts an item in the place of the least and returns that: one heap_pop() and
 * one heap_push(). The heap is not empty. */
struct heap_item heap_replace(struct heap *heap, struct heap_item item);

void heap_free(struct heap *heap);

#endif
