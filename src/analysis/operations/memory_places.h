/* SPDX-License-Identifier: MIT */
/* Parts of memory that lies at addresses, of which no more is known than where they begin: a program that
 * gives each queue a part of one allocation gives the kernels of that queue an address that no other
 * queue's are given. Such a part is taken to end where the next one begins; that kernels do not
 * look beyond it is not known. The same is taken to be so of four addresses and more at equal distances that one queue's
 * kernels are given equally often: elements of an array. Of the first MEMORY_PLACES_MOST that kernels are given it is noted where. One
 * thread.
 *
 *	struct memory_places places = {0};
 *
 *	memory_places_used(&places, key, address, queue)	each time that a kernel is given it
 *	id = memory_places_find(&places, key, address, queue);	the part, for such a kernel
 *	id = memory_places_within(&places, key, from, bytes);	the part in which a transfer's bytes lie
 *	if (memory_places_is_part(&places, id))			later, as more is known
 *	memory_places_free(&places);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_MEMORY_PLACES_H
#define TANDEM_ANALYSIS_OPERATIONS_MEMORY_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define MEMORY_PLACES_MOST 4096u

/* No memory object has such a number. */
#define MEMORY_PLACE UINT32_C(0x80000000)

struct memory_places_row;

struct memory_places {
	struct map row_of; /* key of the memory -> row */
	struct memory_places_row *rows;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM. */
int memory_places_used(struct memory_places *places, uint64_t key, uint64_t address,
		       uint32_t queue);

/* Numbers of what may be parts, MEMORY_PLACE and up; 0: it counts as all of the memory. */
uint32_t memory_places_find(const struct memory_places *places, uint64_t key, uint64_t address,
			    uint32_t queue);
uint32_t memory_places_within(const struct memory_places *places, uint64_t key, uint64_t from,
			      uint64_t bytes);

/* Whether it is one: it was used three times, or there are four, each of another queue, and hardly ever is one
 * another queue's; or it is an element, used eight times. */
bool memory_places_is_part(const struct memory_places *places, uint32_t id);

void memory_places_free(struct memory_places *places);

#endif
