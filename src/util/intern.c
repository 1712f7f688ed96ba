/* SPDX-License-Identifier: MIT */
#include "util/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct intern_entry {
	const char *text;
	uint32_t length;
	uint32_t next; /* with the same hash; 0: none */
};

/* FNV-1a, 64 bits. */
static uint64_t text_hash(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

int intern_add(struct intern *intern, const char *text, size_t length, uint32_t *number)
{
	uint64_t hash, head;
	char *copy;

	length = strnlen(text, length);
	*number = 0;
	if (!length)
		return 0;
	hash = text_hash(text, length);
	head = map_get(&intern->heads, hash);
	for (uint32_t i = head == MAP_NONE ? 0 : (uint32_t)head; i; i = intern->entries[i].next) {
		if (intern->entries[i].length == length &&
		    !memcmp(intern->entries[i].text, text, length)) {
			*number = i;
			return 0;
		}
	}
	if (intern->count >= UINT32_MAX - 1 ||
	    array_reserve(&intern->entries, &intern->capacity, intern->count + 2,
			  sizeof(*intern->entries)))
		return -ENOMEM;
	if (!intern->count)
		intern->entries[intern->count++] = (struct intern_entry){"", 0, 0};
	copy = arena_copy(&intern->arena, text, length);
	if (!copy || map_set(&intern->heads, hash, intern->count))
		return -ENOMEM;
	intern->entries[intern->count] = (struct intern_entry){
		copy, (uint32_t)length, head == MAP_NONE ? 0 : (uint32_t)head};
	*number = (uint32_t)intern->count++;
	return 0;
}

const char *intern_text(const struct intern *intern, uint32_t number)
{
	return number < intern->count ? intern->entries[number].text : "";
}

void intern_free(struct intern *intern)
{
	arena_free(&intern->arena);
	map_free(&intern->heads);
	free(intern->entries);
	*intern = (struct intern){0};
}
