/* SPDX-License-Identifier: MIT */
/* Operations: their ids, and their times on a clock that one can read.
 *
 * Ids (core/stream/stream.h makes them) hold the thread that enqueued the command and its
 * count of commands, and are unique in a process. Where the runtime itself gives its
 * commands numbers, those count, under a number of the domain's that no thread has
 * (TANDEM_OP_RUNTIME, schema/record.h). */
#ifndef TANDEM_TRACE_OPERATION_H
#define TANDEM_TRACE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/record.h"

struct tandem_rec_operation;
struct trace_session;

static inline uint64_t trace_operation_thread(uint64_t op)
{
	return op >> 40;
}

static inline uint64_t trace_operation_number(uint64_t op)
{
	return op & TANDEM_OP_COUNT_MASK;
}

/* No thread's, but a runtime's own numbers. */
static inline bool trace_operation_thread_is_runtime(uint64_t thread)
{
	return thread >= TANDEM_OP_RUNTIME_THREAD && thread <= TANDEM_OP_RUNTIME_THREAD_BEFORE;
}

/* Whether the runtime gave it: then its record does not name the call, and several
 * records may have it. */
static inline bool trace_operation_is_runtime(uint64_t op)
{
	return trace_operation_thread_is_runtime(trace_operation_thread(op));
}

struct trace_operation_times { /* ns; 0: not known */
	uint64_t queued, submitted, start, end;
	bool waits;   /* queued and submitted are known */
	bool on_host; /* CLOCK_MONOTONIC, and nothing to fit; else the device's clock */
};

/* False, and all is 0, where the record has no times. */
bool trace_operation_times(struct trace_session *session, const struct tandem_rec_operation *record,
			   struct trace_operation_times *times);

#endif
