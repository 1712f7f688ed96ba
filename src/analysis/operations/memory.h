/* SPDX-License-Identifier: MIT */
/* Device memory that the program asked for: allocated, freed, and the most at
 * one moment, by domain and device. Part of the report's pass. One thread.
 *
 *	memory_add(&memory, event);       each record `memory` and `memory_free`
 *	memory_settle(&memory);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_MEMORY_H
#define TANDEM_ANALYSIS_OPERATIONS_MEMORY_H

#include "analysis/events/range.h"
#include "analysis/operations/devices.h"
#include "trace/event.h"

struct memory_row {
	uint8_t domain;
	/* Where it lies: a device; all `shared` devices of a context; or, with
	 * neither, the host. */
	uint32_t device; /* row of devices, or TRACE_NONE */
	uint32_t shared;
	uint64_t allocated, freed, live, peak; /* bytes */
	uint64_t allocations, frees;
};

struct memory_live { /* an allocation, while it lives */
	uint32_t row;
	uint32_t next_free;
	uint64_t bytes;
};

struct memory {
	struct devices *devices; /* borrowed */
	struct memory_row *rows;
	size_t row_count, row_capacity;
	struct memory_live *live;
	size_t live_count, live_capacity;
	uint32_t free_list; /* + 1; 0: empty */
	struct map known;   /* process and number -> live */
	struct range range; /* what is counted: all, where the caller sets nothing else */
	bool inside;	    /* the range has begun */
	uint32_t latest;    /* row that the latest record changed, or TRACE_NONE */
};

void memory_init(struct memory *memory, struct devices *devices);

/* Returns 0 or -ENOMEM. */
int memory_add(struct memory *memory, const struct trace_event *event);

/* No more records come: a range that none of them reached has begun all the same. */
void memory_settle(struct memory *memory);

void memory_free(struct memory *memory);

#endif
