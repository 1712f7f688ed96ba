/* SPDX-License-Identifier: MIT */
#include "util/map.h"

#include <errno.h>
#include <stdlib.h>

#define MAP_FIRST_BITS 4u

/* Fibonacci hashing: the upper bits of key * 2^64 / golden ratio. The fold
 * first, as keys are often two numbers side by side. */
static size_t map_home(const struct map *map, uint64_t key)
{
	key ^= key >> 32;
	return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> map->shift);
}

static struct map_slot *map_find(const struct map *map, uint64_t key)
{
	size_t i = map_home(map, key);

	while (map->slots[i].value != MAP_NONE && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

uint64_t map_get(const struct map *map, uint64_t key)
{
	return map->slots ? map_find(map, key)->value : MAP_NONE;
}

static int map_grow(struct map *map)
{
	unsigned bits = map->slots ? 64 - map->shift + 1 : MAP_FIRST_BITS;
	struct map grown = {.mask = ((size_t)1 << bits) - 1, .shift = 64 - bits};

	grown.slots = malloc((grown.mask + 1) * sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	map_clear(&grown);
	for (size_t i = 0; map->slots && i <= map->mask; i++) {
		if (map->slots[i].value != MAP_NONE)
			*map_find(&grown, map->slots[i].key) = map->slots[i];
	}
	grown.count = map->count;
	free(map->slots);
	*map = grown;
	return 0;
}

int map_set(struct map *map, uint64_t key, uint64_t value)
{
	struct map_slot *slot;

	if (map->count >= (map->mask + 1) / 4 * 3 && map_grow(map) < 0)
		return -ENOMEM;
	slot = map_find(map, key);
	map->count += slot->value == MAP_NONE;
	*slot = (struct map_slot){key, value};
	return 0;
}

int map_count(struct map *map, uint64_t key, uint64_t more)
{
	uint64_t known = map_get(map, key);

	return map_set(map, key, (known == MAP_NONE ? 0 : known) + more);
}

uint64_t map_remove(struct map *map, uint64_t key)
{
	struct map_slot *slot;
	uint64_t value;
	size_t hole, i;

	if (!map->slots)
		return MAP_NONE;
	slot = map_find(map, key);
	value = slot->value;
	if (value == MAP_NONE)
		return MAP_NONE;

	/* Close the gap: whatever may not be found across it moves into it. */
	hole = (size_t)(slot - map->slots);
	for (i = (hole + 1) & map->mask; map->slots[i].value != MAP_NONE; i = (i + 1) & map->mask) {
		size_t home = map_home(map, map->slots[i].key);

		if (((i - home) & map->mask) >= ((i - hole) & map->mask)) {
			map->slots[hole] = map->slots[i];
			hole = i;
		}
	}
	map->slots[hole].value = MAP_NONE;
	map->count--;
	return value;
}

void map_clear(struct map *map)
{
	for (size_t i = 0; map->slots && i <= map->mask; i++)
		map->slots[i].value = MAP_NONE;
	map->count = 0;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

bool map_next(const struct map *map, size_t *at, uint64_t *key, uint64_t *value)
{
	for (; map->slots && *at <= map->mask; (*at)++) {
		if (map->slots[*at].value != MAP_NONE) {
			*key = map->slots[*at].key;
			*value = map->slots[*at].value;
			(*at)++;
			return true;
		}
	}
	return false;
}
