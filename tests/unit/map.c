/* SPDX-License-Identifier: MIT */
/* The hash map, and names as numbers, against what they must hold. */
#include "util/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/intern.h"
#include "util/keyed_row.h"

#define KEYS 5000u

/* Keys that collide in their lower halves, added and removed in another order. */
static uint64_t key_of(uint64_t i)
{
	return i % 2 ? i << 32 | 7 : i * UINT64_C(0x100000001);
}

static void map_holds(void)
{
	struct map map = {0};
	size_t at = 0, visited = 0;
	uint64_t key, value;

	CHECK(map_get(&map, 1) == MAP_NONE && map_remove(&map, 1) == MAP_NONE);
	for (uint64_t i = 0; i < KEYS; i++)
		CHECK(map_set(&map, key_of(i), i) == 0);
	CHECK(map.count == KEYS);
	CHECK(map_set(&map, key_of(3), 33) == 0 && map.count == KEYS);
	CHECK(map_get(&map, key_of(3)) == 33);
	for (uint64_t i = 0; i < KEYS; i += 3)
		CHECK(map_remove(&map, key_of(i)) == (i == 3 ? 33 : i));
	for (uint64_t i = 0; i < KEYS; i++)
		CHECK(map_get(&map, key_of(i)) == (i % 3 ? i : MAP_NONE));
	while (map_next(&map, &at, &key, &value)) {
		CHECK(key == key_of(value));
		visited++;
	}
	CHECK(visited == map.count);
	map_clear(&map);
	CHECK(map.count == 0 && map_get(&map, key_of(1)) == MAP_NONE);
	map_free(&map);
}

static void names_are_numbers(void)
{
	struct intern names = {0};
	uint32_t first, second, number;
	char text[32];

	CHECK(intern_add(&names, "", 0, &number) == 0 && number == 0);
	CHECK(intern_add(&names, "clFlush", 7, &first) == 0 && first != 0);
	CHECK(intern_add(&names, "clFlush\0x", 9, &second) == 0 && second == first);
	CHECK(intern_add(&names, "clFlushed", 7, &second) == 0 && second == first);
	CHECK(intern_add(&names, "clFlushed", 9, &second) == 0 && second != first);
	for (int i = 0; i < 2000; i++) {
		int length = snprintf(text, sizeof(text), "name %d", i);

		CHECK(intern_add(&names, text, (size_t)length, &number) == 0);
		CHECK(!strcmp(intern_text(&names, number), text));
	}
	CHECK(!strcmp(intern_text(&names, first), "clFlush"));
	CHECK(!strcmp(intern_text(&names, 123456), ""));
	intern_free(&names);
}

/* A key has the row that it was given, and a new one lies behind all others. */
static void rows_are_keyed(void)
{
	struct map map = {0};
	uint64_t *rows = NULL;
	size_t count = 0, capacity = 0;

	for (uint64_t i = 0; i < KEYS; i++) {
		uint64_t *row = keyed_row(&map, key_of(i), &rows, &capacity, &count, &i, sizeof(i));

		CHECK(row == rows + i && *row == i && count == i + 1);
	}
	for (uint64_t i = 0; i < KEYS; i++) {
		uint64_t other = i + 1, *row = keyed_row(&map, key_of(i), &rows, &capacity, &count,
							 &other, sizeof(other));

		CHECK(row == rows + i && *row == i);
	}
	CHECK(count == KEYS);
	free(rows);
	map_free(&map);
}

int main(void)
{
	map_holds();
	rows_are_keyed();
	names_are_numbers();
	return check_status();
}
