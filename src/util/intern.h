/* SPDX-License-Identifier: MIT */
/* Strings as small numbers: equal strings have equal numbers, so that a row can
 * be keyed by name. Number 0 is the empty string. Borrowed strings live as long
 * as the table. One thread.
 *
 *	uint32_t name;
 *	if (intern_add(&names, text, length, &name))
 *		return -ENOMEM;
 *	puts(intern_text(&names, name));
 */
#ifndef TANDEM_UTIL_INTERN_H
#define TANDEM_UTIL_INTERN_H

#include "util/arena.h"
#include "util/map.h"

struct intern_entry;

struct intern {
	struct arena arena;
	struct map heads; /* hash -> first number of that hash */
	struct intern_entry *entries;
	size_t count, capacity;
};

/* Bytes behind a NUL in the text are dropped. Returns 0 or -ENOMEM. */
int intern_add(struct intern *intern, const char *text, size_t length, uint32_t *number);

const char *intern_text(const struct intern *intern, uint32_t number);

void intern_free(struct intern *intern);

#endif
