/* SPDX-License-Identifier: MIT */
/* A hash map of 64-bit keys to 64-bit values, open addressing, 16 bytes a slot
 * at a load of at most 3/4. Any key; any value but MAP_NONE. One thread.
 *
 *	struct map map = {0};
 *	map_set(&map, key, 12);
 *	uint64_t value = map_get(&map, key);    12, or MAP_NONE
 *	map_free(&map);
 */
#ifndef TANDEM_UTIL_MAP_H
#define TANDEM_UTIL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT64_MAX

struct map_slot {
	uint64_t key;
	uint64_t value; /* MAP_NONE: free */
};

struct map {
	struct map_slot *slots;
	size_t count;
	size_t mask; /* slots - 1; 0 while there are none */
	unsigned shift;
};

/* The value, or MAP_NONE. */
uint64_t map_get(const struct map *map, uint64_t key);

/* Adds or replaces. Returns 0 or -ENOMEM (unchanged). */
int map_set(struct map *map, uint64_t key, uint64_t value);

/* Adds to the value; one that is not there counts as 0. Returns 0 or -ENOMEM (unchanged). */
int map_count(struct map *map, uint64_t key, uint64_t more);

/* Removes and returns the value that it had, or MAP_NONE. */
uint64_t map_remove(struct map *map, uint64_t key);

/* Removes all, keeps the memory. */
void map_clear(struct map *map);
void map_free(struct map *map);

/* Visits every entry in no order. `at` starts at 0. False at the end. */
bool map_next(const struct map *map, size_t *at, uint64_t *key, uint64_t *value);

#endif
