/* SPDX-License-Identifier: MIT */
#include "util/keyed_row.h"

#include <string.h>

#include "util/array.h"

void *keyed_row(struct map *map, uint64_t key, void *rows, size_t *capacity, size_t *count,
		const void *fresh, size_t row_bytes)
{
	uint64_t index = map_get(map, key);
	bool is_new = index == MAP_NONE;
	uint8_t *first;

	if (is_new) {
		index = *count;
		if (array_reserve(rows, capacity, *count + 1, row_bytes) ||
		    map_set(map, key, index))
			return NULL;
		++*count;
	}
	/* `rows` points to a pointer of another type: copy, do not alias. */
	memcpy(&first, rows, sizeof(first));
	return is_new ? memcpy(first + index * row_bytes, fresh, row_bytes)
		      : first + index * row_bytes;
}
