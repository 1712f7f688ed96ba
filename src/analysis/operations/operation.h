/* SPDX-License-Identifier: MIT */
/* An operation: a command that a program gave to a device, as its call and the
 * record of its end say together (operation_matcher.h puts it together). Any thread.
 *
 *	operation_span(operation, session_end_ns, &from_ns, &to_ns);
 *	printf("%s %s", operation_kind_name(operation->kind), operation->name);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_OPERATION_H
#define TANDEM_ANALYSIS_OPERATIONS_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/gen/core_records.h"
#include "trace/operation.h"

struct trace_session;

/* Up to so many bytes are moved in no time next to what a transfer takes to begin. */
#define OPERATION_TINY_BYTES 4096u

struct launch_size {		  /* of a kernel's launch */
	uint8_t dimensions;	  /* 0: not known */
	uint8_t local_dimensions; /* 0: the runtime chose */
	uint64_t global[3], local[3];
};

/* Where the four times lie on the host's clock (clock_sync.h). */
struct operation_times {
	int64_t queued_ns, submitted_ns, start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t bound_ns;				   /* each is at most this far off */
	bool causal; /* false: breaks "queued after the call began, ended before seen" */
};

struct operation {
	uint64_t op;
	uint32_t process; /* index in the session */

	/* The call; `call` is 0 where it is not in the trace. */
	uint64_t call;			    /* its number */
	uint32_t stream;		    /* index of its thread's stream */
	int64_t call_begin_ns, call_end_ns; /* call_end_ns is 0 where it has not returned */
	struct launch_size size;
	uint16_t api;  /* event id */
	uint32_t node; /* of the task graph, whose task it is of; 0: none */

	/* Of the queue. */
	uint8_t domain;
	uint32_t queue_number, queue; /* in the process; in objects.queues or TRACE_NONE */
	uint32_t device;	      /* row of devices */

	/* The end, its times in ns; NULL: it was not recorded. */
	const struct tandem_rec_operation *record;
	struct trace_operation_times device_times; /* as recorded, where record->time_domain */
	int64_t seen_ns;
	uint8_t kind;	  /* enum tandem_operation_kind */
	const char *name; /* of the kernel, else of the call without its prefix */
	bool further;	  /* its call had others before */
	bool synchronous; /* its call returned when a copy to the host was complete */
	bool timed;	  /* the device gave four times, in their order */
	bool on_host;	  /* ... on the session's clock: nothing to fit */
	bool placed;	  /* ... and `times` holds them */
	struct operation_times times;
};

/* A map's key of an operation: its number is its process's (its index) alone. */
static inline uint64_t operation_key(uint32_t process, uint64_t op)
{
	return op ^ (uint64_t)(process + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Where an operation is shown, on CLOCK_MONOTONIC: its execution; without device times
 * from its call to when its end was seen, or, where that was not recorded, to
 * `end_ns`. */
void operation_span(const struct operation *operation, int64_t end_ns, int64_t *from_ns,
		    int64_t *to_ns);

/* What an operation that is no kernel is called: after its call (an event id; 0: none
 * made it), without what the domain's row says that all such calls begin with. */
const char *operation_name(const struct trace_session *session, uint16_t api, uint8_t kind);

/* "kernel", "copy_h2d"... */
const char *operation_kind_name(uint8_t kind);

#endif
