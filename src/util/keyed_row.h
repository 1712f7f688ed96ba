/* SPDX-License-Identifier: MIT */
/* Rows in a growable array (array.h), of which each has a key: the owner keeps the map beside
 * `rows`, `count` and `capacity`, and frees both. One thread.
 *
 *	const struct row fresh = {.name = name};
 *	struct row *row = keyed_row(&table->row_of, key, &table->rows, &table->capacity,
 *				    &table->count, &fresh, sizeof(fresh));
 *
 *	if (!row)
 *		return -ENOMEM;
 *	row->count++;
 */
#ifndef TANDEM_UTIL_KEYED_ROW_H
#define TANDEM_UTIL_KEYED_ROW_H

#include <string.h>

#include "util/map.h"

/* One that is made, and is a copy of `fresh`. NULL without memory. */
void *keyed_row_make(struct map *map, uint64_t key, void *rows, size_t *capacity, size_t *count,
		     const void *fresh, size_t row_bytes);

/* The key's row, until the next one is made; NULL without memory. One that is new is a copy of
 * `fresh`, and `*count` has grown. `rows` is the address of the owner's pointer. */
static inline void *keyed_row(struct map *map, uint64_t key, void *rows, size_t *capacity,
			      size_t *count, const void *fresh, size_t row_bytes)
{
	uint64_t index = map_get(map, key);
	uint8_t *first;

	if (index == MAP_NONE)
		return keyed_row_make(map, key, rows, capacity, count, fresh, row_bytes);
	/* `rows` points to a pointer of another type: copy, do not alias. */
	memcpy(&first, rows, sizeof(first));
	return first + index * row_bytes;
}

#endif
