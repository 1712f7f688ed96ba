/* SPDX-License-Identifier: MIT */
/* Memory that lies at addresses of its own, while it is there: which of it an address belongs to.
 * No more than ADDRESS_RANGES_MOST are known at a time: finding takes a binary search, adding and
 * removing a move of those behind. One thread.
 *
 *	struct address_ranges ranges = {0};
 *
 *	address_ranges_add(&ranges, process, address, bytes, number);
 *	number = address_ranges_find(&ranges, process, address);
 *	address_ranges_remove(&ranges, process, number);
 *	address_ranges_free(&ranges);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_ADDRESS_RANGES_H
#define TANDEM_ANALYSIS_OPERATIONS_ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define ADDRESS_RANGES_MOST 16384u

struct address_range {
	uint64_t from, to;
	uint32_t process, number;
};

struct address_ranges {
	struct address_range *ranges; /* by process and address */
	size_t count, capacity;
	struct map from_of; /* process and number -> where it begins */
};

/* Takes the place of what overlaps with it: that was freed without our hearing of it. Returns 0 or
 * -ENOMEM. */
int address_ranges_add(struct address_ranges *ranges, uint32_t process, uint64_t from,
		       uint64_t bytes, uint32_t number);

void address_ranges_remove(struct address_ranges *ranges, uint32_t process, uint32_t number);

/* 0: none that is known. */
uint32_t address_ranges_find(const struct address_ranges *ranges, uint32_t process,
			     uint64_t address);

void address_ranges_free(struct address_ranges *ranges);

#endif
