/* SPDX-License-Identifier: MIT */
#include "util/keyed_row.h"

#include "util/array.h"

void *keyed_row_make(struct map *map, uint64_t key, void *rows, size_t *capacity, size_t *count,
		     const void *fresh, size_t row_bytes)
{
	size_t index = *count;
	uint8_t *first;

	if (array_reserve(rows, capacity, index + 1, row_bytes) || map_set(map, key, index))
		return NULL;
	++*count;
	memcpy(&first, rows, sizeof(first));
	return memcpy(first + index * row_bytes, fresh, row_bytes);
}
