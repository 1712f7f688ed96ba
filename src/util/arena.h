/* SPDX-License-Identifier: MIT */
/* Memory that is freed all at once: names and other small things that live as
 * long as their owner. One thread.
 *
 *	struct arena arena = {0};
 *	char *name = arena_copy(&arena, text, length);
 *	...
 *	arena_free(&arena);
 */
#ifndef TANDEM_UTIL_ARENA_H
#define TANDEM_UTIL_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used, room; /* bytes of the first block */
};

/* `bytes` bytes, zeroed, aligned to 8, or NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* A copy of `length` bytes with a NUL behind, or NULL. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* Frees everything; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#endif
