/* SPDX-License-Identifier: MIT */
#include "util/order/heap.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

/* Puts an item into the hole at `at`, or further up. */
static void rise(struct heap *heap, size_t at, struct heap_item item)
{
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!heap_item_before(&item, &heap->items[parent]))
			break;
		heap->items[at] = heap->items[parent];
		at = parent;
	}
	heap->items[at] = item;
}

int heap_push(struct heap *heap, struct heap_item item)
{
	if (heap->count == heap->capacity &&
	    array_reserve(&heap->items, &heap->capacity, heap->count + 1, sizeof(item)) < 0)
		return -ENOMEM;
	rise(heap, heap->count++, item);
	return 0;
}

/* Puts an item where the least was, or further down. It mostly belongs near the
 * bottom: the hole goes there first, at one comparison a level. */
static void sink(struct heap *heap, struct heap_item item)
{
	size_t at = 0, child;

	for (; (child = 2 * at + 2) < heap->count; at = child) {
		child -= heap_item_before(&heap->items[child - 1], &heap->items[child]);
		heap->items[at] = heap->items[child];
	}
	if (child == heap->count) {
		heap->items[at] = heap->items[child - 1];
		at = child - 1;
	}
	rise(heap, at, item);
}

struct heap_item heap_pop(struct heap *heap)
{
	struct heap_item least = heap->items[0];
	struct heap_item last = heap->items[--heap->count];

	if (heap->count)
		sink(heap, last);
	return least;
}

struct heap_item heap_replace(struct heap *heap, struct heap_item item)
{
	struct heap_item least = heap->items[0];

	sink(heap, item);
	return least;
}

void heap_free(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){0};
}
