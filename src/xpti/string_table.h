/* SPDX-License-Identifier: MIT */
/* The table of strings: bytes to ID and back (intern.h). Bytes need not be UTF-8. */
#ifndef XPTI_STRING_TABLE_H
#define XPTI_STRING_TABLE_H

#include <stddef.h>
#include <string.h>

#include "intern.h"

extern struct intern *strings __attribute__((visibility("hidden")));

/* One byte more than the key, which stays 0. NULL: no memory. */
static inline struct intern_entry *strings_add(const char *string)
{
	return intern_add(strings, string, strlen(string), 0, 1);
}

/* NULL: no such ID */
static inline const char *strings_get(uint32_t id)
{
	struct intern_entry *entry = intern_get(strings, id);

	return entry ? entry->bytes : NULL;
}

#endif
