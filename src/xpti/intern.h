/* SPDX-License-Identifier: MIT */
/*
 * A table that gives equal bytes the same number, and the bytes of a number back.
 *
 *	struct intern *strings = intern_create(true);
 *	struct intern_entry *entry = intern_add(strings, "main", 5, 0, 0);
 *	intern_get(strings, entry->id) == entry
 *
 * Looking up what is there takes no lock, in either direction; adding takes one of 64 locks,
 * chosen by the hash. Numbers count from 1. Entries stay where they are until the table is
 * destroyed, and cost their bytes, 24 more, and at most 52 of slots. A table that could not be
 * made, NULL, has nothing and takes nothing.
 * fork: a child may use a table that other threads were adding to (intern_lock_all()).
 */
#ifndef XPTI_INTERN_H
#define XPTI_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern_entry {
	uint32_t id;
	uint32_t hash; /* its upper half: the slots are compared by it first */
	uint32_t size;
	uint32_t kind; /* part of the key */
	__attribute__((
		aligned(8))) char bytes[]; /* the key, then `extra` bytes that begin as zeros */
};

/* Not numbered: entries have no number. NULL: no memory */
struct intern *intern_create(bool numbered);
/* Nobody may use it any more. */
void intern_destroy(struct intern *table);

/* The entry of these bytes, made if it is new. NULL: no memory, or the numbers are used up. */
struct intern_entry *intern_add(struct intern *table, const void *bytes, size_t size, uint32_t kind,
				size_t extra);
/* NULL: no such number */
struct intern_entry *intern_get(const struct intern *table, uint32_t id);

/* Where `extra` begins in an entry whose key has that size. */
static inline void *intern_extra(struct intern_entry *entry)
{
	return entry->bytes + ((entry->size + 7) & ~(size_t)7);
}

/* Around fork(): holds every lock of every table. */
void intern_lock_all(void);
void intern_unlock_all(void);

#endif
