/* SPDX-License-Identifier: MIT */
/* Room in a growable array: the owner keeps `items`, `count` and `capacity` in
 * its own struct and its own types, and frees `items`.
 *
 *	if (array_reserve(&rows->items, &rows->capacity, rows->count + 1, sizeof(*rows->items)))
 *		return -ENOMEM;
 *	rows->items[rows->count++] = row;
 */
#ifndef TANDEM_UTIL_ARRAY_H
#define TANDEM_UTIL_ARRAY_H

#include <stddef.h>

/* Makes room for `need` items of item_bytes; `items` is the address of the
 * owner's pointer. Grows by half as much again. Returns 0 or -ENOMEM (nothing
 * changed). */
int array_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes);

#endif
