/* Sorts by 64-bit keys, keeping the order of equal ones. What it costs grows with
 * the number of items and the width of the range that the keys lie in, not with
 * how they are mixed.
 *
 *	sorted = radix_sort(items, spare, count);	items or spare
 */
#ifndef TANDEM_UTIL_RADIX_H
#define TANDEM_UTIL_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint64_t value; /* the caller's */
};

/* At most 2^32 - 1 items; `spare` has room for as many. Returns the one of the two that holds the result;
 * what is in the other is of no use. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t count);

#endif
