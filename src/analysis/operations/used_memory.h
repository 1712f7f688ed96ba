/* SPDX-License-Identifier: MIT */
/* Which memory objects a command uses: those that its call names and, of a kernel, those that
 * are its arguments. Arguments are recorded with all arguments only; of a kernel without them,
 * with one that is an address, or with more than USED_MEMORY_MOST, it is unknown. Where a kernel is given
 * addresses (CUDA), a record behind its call says so: of memory that lies there, unless one lies in none that is known. A part of an
 * object (a sub-buffer) is one of its own as long as the parts of that object that are made lie apart or
 * are the same bytes; else it counts as the whole. Of memory at addresses it is taken to be one what lies from an
 * address on that kernels of one queue only are given, up to the next such (memory_places.h). What a
 * kernel only reads, by its source (`kernel_reads`) or its signature (C++), two commands can use at the same time. Memory
 * grows with kernels and memory objects.
 * One thread.
 *
 *	struct used_memory used = {0};
 *
 *	used_memory_item(&used, item);		each item
 *	used_memory_find(&used, event, &list);	of a call that enqueues
 *	op = used_memory_op(event)		of another record: the operation whose addresses it has, or 0
 *	used_memory_addresses(&used, event, kernel, queue, &list)	what it uses, then
 *	used_memory_settle(&used, &list);	before it is compared
 *	if (used_memory_is_apart(&one, &other))	they can run in any order
 *	used_memory_free(&used);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_USED_MEMORY_H
#define TANDEM_ANALYSIS_OPERATIONS_USED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/operations/address_ranges.h"
#include "analysis/operations/memory_places.h"
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
	uint32_t reads; /* bit i: that one is only read */
	uint32_t keeps; /* same: what it held before counts, by the kernel's source */
	bool unknown;
	bool by_places; /* it is taken to use parts only, by where they begin */
};

struct used_memory {
	struct map memory_of;	      /* handle, mixed with its process -> number */
	struct address_ranges ranges; /* what lies at addresses */
	struct memory_places places;  /* where kernels work in it */
	struct map parents;	      /* process and number -> number of the whole object */
	struct map part_of;  /* same, of a part -> number of the first that is the same bytes */
	struct map whole_of; /* same, of one that has parts -> whole */
	struct used_memory_whole *wholes;
	size_t whole_count, whole_capacity;
	struct map reads_of;  /* kernel_source_key() -> arguments that are only read, or kept */
	struct map kernel_of; /* process and number -> kernel */
	struct used_memory_kernel *kernels;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM. */
int used_memory_item(struct used_memory *used, const struct event_item *item);

void used_memory_find(const struct used_memory *used, const struct trace_event *event,
		      struct used_memory_list *list);

/* The operation, whose call came before it, of which the record has the addresses; 0: it is another one. */
uint64_t used_memory_op(const struct trace_event *event);

/* What it uses, of that kernel and queue. Returns 0 or -ENOMEM. */
int used_memory_addresses(struct used_memory *used, const struct trace_event *event,
			  uint32_t kernel, uint32_t queue, struct used_memory_list *list);

/* Parts of memory at addresses (memory_places.h) that are none, by what is known now, become all of it. */
void used_memory_settle(const struct used_memory *used, struct used_memory_list *list);

/* Whether both are known and have nothing in common. One that uses nothing is not known. */
bool used_memory_is_apart(const struct used_memory_list *a, const struct used_memory_list *b);

void used_memory_free(struct used_memory *used);

#endif
