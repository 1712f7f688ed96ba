/* SPDX-License-Identifier: MIT */
/* Rows in a growable array (array.h), of which each has a key: the owner keeps the map beside
 * `rows`, `count` and `capacity`, and frees both. One thread.
 *
 *	size_t index;
 *	int made = keyed_row(&table->row_of, key, &table->rows, &table->capacity, &table->count,
 *			     sizeof(*table->rows), &index);
 *
 *	if (made > 0)
 *		table->rows[index] = (struct row){.name = name};
 */
#ifndef TANDEM_UTIL_KEYED_ROW_H
#define TANDEM_UTIL_KEYED_ROW_H

#include "util/map.h"

/* Index of the key's row; `rows` is the address of the owner's pointer. Returns 0; 1 where it
 * is new, and holds nothing; or -ENOMEM. */
int keyed_row(struct map *map, uint64_t key, void *rows, size_t *capacity, size_t *count,
	      size_t row_bytes, size_t *index);

#endif
