/* Calls whose operations are known by the runtime's own number only
 * (trace_operation_is_runtime): the operation's record names neither the call nor
 * when it was enqueued, and a graph's launch has many. Remembers the latest
 * LAUNCHES_MOST to twice as many, which is more than any runtime has in flight.
 * Part of the report's pass. One thread.
 *
 *	launches_add(&launches, process, op, api, begin_ns);     the call
 *	launches_find(&launches, process, op, &launch);          its operations
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_LAUNCH_TABLE_H
#define TANDEM_ANALYSIS_OPERATIONS_LAUNCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

#define LAUNCHES_MOST (1u << 18)

struct launch {
	uint16_t api;	   /* event id of the call */
	uint64_t begin_ns; /* of the call, after the session's start */
	bool first;	   /* no operation of it was found before */
};

struct launches {
	struct map recent, older;
};

/* Returns 0 or -ENOMEM. */
int launches_add(struct launches *launches, uint32_t process, uint64_t op, uint16_t api,
		 uint64_t begin_ns);

/* False where the call is not known (any more). */
bool launches_find(struct launches *launches, uint32_t process, uint64_t op,
		   struct launch *launch);

void launches_free(struct launches *launches);

#endif
