/* SPDX-License-Identifier: MIT */
#include "util/order/radix.h"

#include <string.h>

/* Of one pass: as many heaps as the second cache bears (measured: two passes of 12
 * bits take less than three of 8). */
#define DIGIT_MOST_BITS 12u

/* So few are sooner put in their places one by one than the heaps are counted. */
#define FEW 64u

static void sort_few(uint64_t *items, size_t count, unsigned low)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t item = items[i];
		size_t at = i;

		for (; at && items[at - 1] >> low > item >> low; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift,
		       unsigned bits)
{
	uint32_t places[1u << DIGIT_MOST_BITS];
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint32_t place = 0;

	memset(places, 0, (mask + 1) * sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[from[i] >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		uint32_t of_this = places[i];

		places[i] = place;
		place += of_this;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i] >> shift & mask]++] = from[i];
}

uint64_t *radix_sort(uint64_t *items, uint64_t *spare, size_t count, unsigned low, unsigned high)
{
	unsigned bits = high - low, passes = (bits + DIGIT_MOST_BITS - 1) / DIGIT_MOST_BITS;
	unsigned digit = passes ? (bits + passes - 1) / passes : 0;

	if (count <= FEW) {
		sort_few(items, count, low);
		return items;
	}
	for (unsigned pass = 0; pass < passes; pass++) {
		uint64_t *sorted = spare;

		sort_digit(items, sorted, count, low + pass * digit, digit);
		spare = items;
		items = sorted;
	}
	return items;
}
