/* SPDX-License-Identifier: MIT */
/* Items come out in their order, whether they came nearly in it or far behind. */
#include "util/order/reorder_queue.h"

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

enum { ITEMS = 20000, MOST_WAITING = 1000 };

static uint64_t any(uint64_t below)
{
	static uint64_t seed = 11;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Most are up to `near` out of place, one in `rarely` anywhere before. */
static struct heap_item item_make(int64_t i, uint64_t near, uint64_t rarely)
{
	int64_t back = any(rarely) ? (int64_t)any(near) : (int64_t)any((uint64_t)i + 1);

	return (struct heap_item){.key = i - back, .tie = any(2), .value = (uint64_t)i};
}

static bool before(struct heap_item a, struct heap_item b)
{
	return a.key != b.key ? a.key < b.key : a.tie < b.tie;
}

/* The same as a heap says, but for the order of those that are alike. */
static void check_against_heap(uint64_t near, uint64_t rarely)
{
	struct reorder_queue queue = {0};
	struct heap heap = {0};
	uint64_t put = 0, got = 0;

	for (int64_t i = 0; i < ITEMS; i++) {
		struct heap_item item = item_make(i, near, rarely), least;

		put += item.value;
		if (reorder_queue_count(&queue) < MOST_WAITING) {
			CHECK(!reorder_queue_push(&queue, item) && !heap_push(&heap, item));
			continue;
		}
		least = before(heap.items[0], item) ? heap_replace(&heap, item) : item;
		CHECK(!reorder_queue_exchange(&queue, &item));
		CHECK(item.key == least.key && item.tie == least.tie);
		got += item.value;
	}
	CHECK(reorder_queue_count(&queue) == MOST_WAITING);
	while (heap.count) {
		struct heap_item least = heap_pop(&heap), item = reorder_queue_pop(&queue);

		CHECK(item.key == least.key && item.tie == least.tie);
		got += item.value;
	}
	CHECK(!reorder_queue_count(&queue) && put == got);
	reorder_queue_free(&queue);
	heap_free(&heap);
}

int main(void)
{
	check_against_heap(1, 1000000);
	check_against_heap(40, 1000000);
	check_against_heap(40, 50);
	check_against_heap(300, 3);
	check_against_heap(5000, 2);
	return check_status();
}
