/* SPDX-License-Identifier: MIT */
/* A range that has begun, until it is handed out (ranges.h): its end, and what devices did of
 * what was enqueued inside. Referred to by the sets of ranges that calls are made in
 * (range_launches.h). One thread.
 */
#ifndef TANDEM_ANALYSIS_RANGES_RANGE_OPEN_H
#define TANDEM_ANALYSIS_RANGES_RANGE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/event_iterator.h"
#include "analysis/ranges/range_names.h"
#include "schema/gen/annotation_records.h"

/* What one device did of what was enqueued inside of a range. */
struct range_projection {
	uint32_t device; /* row of devices */
	uint64_t operations, kernels;
	uint64_t untimed; /* of the operations: not in the times */
	/* From the first operation's start to the last one's end: of placed operations
	 * (EVENT_PLACED) on CLOCK_MONOTONIC, else on the device's own clock. */
	int64_t begin_ns, end_ns;
	uint64_t executing_ns; /* sum of the executions */
};

struct range_instance {
	uint64_t number; /* in the session, from 1, in the order of begins */
	uint64_t parent; /* number of the nested range of the same scope around it; 0: none */
	enum tandem_annotation_kind kind;  /* nested, start_end; marker: begin_ns is its time */
	uint8_t source;			   /* enum tandem_annotation_interface */
	uint32_t process;		   /* index in the session */
	uint32_t stream;		   /* index of its thread's; of start-end: that began it */
	const struct trace_stream *thread; /* that stream */
	uint32_t depth;			   /* of nested ones: how many of its scope are around it */
	int64_t begin_ns, end_ns;	   /* CLOCK_MONOTONIC; end_ns INT64_MIN: not recorded */
	const char *name;		   /* NUL behind; may hold any bytes */
	size_t name_length;
	uint32_t scope; /* number of its domain (NVTX) in the process; 0: the program's own */
	const char *scope_name;	   /* "": of the program's own */
	const char *category_name; /* "": none, or the category's number has no name */
	uint32_t category, color;  /* ARGB; 0: none */
	uint8_t payload_type;	   /* enum tandem_annotation_payload */
	uint64_t payload;
	uint64_t operations, kernels; /* of all devices */
	uint64_t unfinished; /* operations whose end was not recorded: not in `operations` */
	const struct range_projection *projections;
	size_t projection_count;
};

/* nested, start_end, marker. */
const char *range_kind_name(enum tandem_annotation_kind kind);

/* Takes a range, borrowed. Returns 0, or an error that comes back. */
typedef int ranges_emit(void *user, const struct range_instance *range);

struct range_open {
	struct range_instance range;
	struct range_projection *projections;
	size_t projection_capacity;
	struct range_open *below;	    /* of a nested one: the next outer of its thread */
	struct range_open *next, *previous; /* of a start-end one: in its process */
	uint64_t references;		    /* of sets */
	bool ended;
	char name[];
};

struct range_output { /* where ranges go */
	ranges_emit *emit;
	void *user;
	struct range_names names;
};

/* Of a record of its begin. NULL without memory. */
struct range_open *range_open_make(const struct trace_event *event, uint64_t number);

/* Hands it out, and frees it, if nothing more can come. Returns 0 or what `emit` returned. */
int range_open_settle(struct range_output *output, struct range_open *open);

/* An operation that was enqueued inside has ended, or never will. Returns 0 or -ENOMEM. */
int range_open_operation(struct range_open *open, const struct operation *operation);

void range_open_free(struct range_open *open);

#endif
