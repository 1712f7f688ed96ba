/* SPDX-License-Identifier: MIT */
/* Room in a growable array: the owner keeps `items`, `count` and `capacity` in
 * its own struct and its own types, and frees `items`.
 *
 *	return ARRAY_ADD(rows->items, rows->capacity, rows->count, row);
 */
#ifndef TANDEM_UTIL_ARRAY_H
#define TANDEM_UTIL_ARRAY_H

#include <errno.h>
#include <stddef.h>

/* Makes room for `need` items of item_bytes; `items` is the address of the
 * owner's pointer. Grows by half as much again. Returns 0 or -ENOMEM (nothing
 * changed). */
int array_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes);

/* Adds an item, the last argument: 0 or -ENOMEM. */
#define ARRAY_ADD(items, capacity, count, ...)                               \
	(array_reserve(&(items), &(capacity), (count) + 1, sizeof(*(items))) \
		 ? -ENOMEM                                                   \
		 : ((items)[(count)++] = (__VA_ARGS__), 0))

#endif
