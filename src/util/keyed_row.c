/* SPDX-License-Identifier: MIT */
#include "util/keyed_row.h"

#include <errno.h>

#include "util/array.h"

int keyed_row(struct map *map, uint64_t key, void *rows, size_t *capacity, size_t *count,
	      size_t row_bytes, size_t *index)
{
	uint64_t known = map_get(map, key);

	*index = known;
	if (known != MAP_NONE)
		return 0;
	if (array_reserve(rows, capacity, *count + 1, row_bytes) || map_set(map, key, *count))
		return -ENOMEM;
	*index = (*count)++;
	return 1;
}
