/* SPDX-License-Identifier: MIT */
#include "analysis/operations/address_ranges.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static uint64_t key_of(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static bool ends_before(const struct address_range *range, uint32_t process, uint64_t address)
{
	return range->process < process || (range->process == process && range->to <= address);
}

/* The first that ends behind the address. */
static size_t place_of(const struct address_ranges *ranges, uint32_t process, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ends_before(&ranges->ranges[middle], process, address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_at(struct address_ranges *ranges, size_t at)
{
	const struct address_range *range = &ranges->ranges[at];

	map_remove(&ranges->from_of, key_of(range->process, range->number));
	ranges->count--;
	memmove(&ranges->ranges[at], &ranges->ranges[at + 1],
		(ranges->count - at) * sizeof(*ranges->ranges));
}

int address_ranges_add(struct address_ranges *ranges, uint32_t process, uint64_t from,
		       uint64_t bytes, uint32_t number)
{
	size_t at = place_of(ranges, process, from);

	while (at < ranges->count && ranges->ranges[at].process == process &&
	       ranges->ranges[at].from < from + bytes)
		remove_at(ranges, at);
	if (!bytes || ranges->count == ADDRESS_RANGES_MOST)
		return 0;
	if (array_reserve(&ranges->ranges, &ranges->capacity, ranges->count + 1,
			  sizeof(*ranges->ranges)))
		return -ENOMEM;
	memmove(&ranges->ranges[at + 1], &ranges->ranges[at],
		(ranges->count - at) * sizeof(*ranges->ranges));
	ranges->ranges[at] = (struct address_range){from, from + bytes, process, number};
	ranges->count++;
	return map_set(&ranges->from_of, key_of(process, number), from);
}

void address_ranges_remove(struct address_ranges *ranges, uint32_t process, uint32_t number)
{
	uint64_t from = map_get(&ranges->from_of, key_of(process, number));

	if (from != MAP_NONE)
		remove_at(ranges, place_of(ranges, process, from));
}

uint32_t address_ranges_find(const struct address_ranges *ranges, uint32_t process,
			     uint64_t address)
{
	size_t at = place_of(ranges, process, address);
	const struct address_range *range = &ranges->ranges[at];

	return at < ranges->count && range->process == process && range->from <= address
		       ? range->number
		       : 0;
}

void address_ranges_free(struct address_ranges *ranges)
{
	free(ranges->ranges);
	map_free(&ranges->from_of);
	memset(ranges, 0, sizeof(*ranges));
}
