/* SPDX-License-Identifier: MIT */
#include "util/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES 16384u

struct arena_block {
	struct arena_block *next;
	_Alignas(8) char data[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_block *block;
	size_t room;
	void *memory;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + 7) & ~(size_t)7;
	if (!arena->blocks || bytes > arena->room - arena->used) {
		room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->used = 0;
		arena->room = room;
	}
	memory = arena->blocks->data + arena->used;
	arena->used += bytes;
	return memset(memory, 0, bytes);
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	*arena = (struct arena){0};
}
