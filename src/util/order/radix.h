/* SPDX-License-Identifier: MIT */
/* Sorts numbers by some of their bits, keeping the order of those that are alike
 * there. What it costs grows with how many there are and with the bits, not with
 * how they are mixed.
 *
 *	sorted = radix_sort(items, spare, count, 16, 40);	items or spare
 */
#ifndef TANDEM_UTIL_RADIX_H
#define TANDEM_UTIL_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* By bits `low` to `high` - 1; those above are 0. At most 2^32 - 1 items; `spare`
 * has room for as many. Returns the one of the two that holds the result; what is
 * in the other is of no use. */
uint64_t *radix_sort(uint64_t *items, uint64_t *spare, size_t count, unsigned low, unsigned high);

#endif
