/* SPDX-License-Identifier: MIT */
/* Which memory objects a command uses: those that its call names and, of a kernel, those that
 * are its arguments. Arguments are recorded with all arguments only; of a kernel without them,
 * with one that is an address, or with more than USED_MEMORY_MOST, it is unknown. A part of an
 * object (a sub-buffer) is one of its own as long as the parts of that object that are made lie apart or
 * are the same bytes; else it counts as the whole. Memory grows with kernels and memory objects.
 * One thread.
 *
 *	struct used_memory used = {0};
 *
 *	used_memory_item(&used, item);		each item
 *	used_memory_find(&used, event, &list);	of a call that enqueues
 *	if (used_memory_is_apart(&one, &other))	they can run in any order
 *	used_memory_free(&used);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_USED_MEMORY_H
#define TANDEM_ANALYSIS_OPERATIONS_USED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define USED_MEMORY_MOST 16u

struct event_item;
struct trace_event;
struct used_memory_kernel;
struct used_memory_whole;

struct used_memory_list {
	uint32_t memory
		[USED_MEMORY_MOST]; /* numbers in the process: of a part, the first that ... */
	uint32_t whole[USED_MEMORY_MOST]; /* ... is the same bytes; of what it is of, or itself */
	uint32_t count;
	bool unknown;
};

struct used_memory {
	struct map memory_of; /* handle, mixed with its process -> number */
	struct map parents;   /* process and number -> number of the whole object */
	struct map part_of;   /* same, of a part -> number of the first that is the same bytes */
	struct map whole_of;  /* same, of one that has parts -> whole */
	struct used_memory_whole *wholes;
	size_t whole_count, whole_capacity;
	struct map kernel_of; /* process and number -> kernel */
	struct used_memory_kernel *kernels;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM. */
int used_memory_item(struct used_memory *used, const struct event_item *item);

void used_memory_find(const struct used_memory *used, const struct trace_event *event,
		      struct used_memory_list *list);

/* Whether both are known and have nothing in common. One that uses nothing is not known. */
bool used_memory_is_apart(const struct used_memory_list *a, const struct used_memory_list *b);

void used_memory_free(struct used_memory *used);

#endif
