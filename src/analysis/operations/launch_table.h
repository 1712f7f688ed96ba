/* Calls whose operations are known by the runtime's own number only
 * (trace_operation_is_runtime): the operation's record names neither the call nor
 * when it was enqueued, and a graph's launch has many. Remembers the latest
 * LAUNCH_TABLE_MOST to twice as many, which is more than any runtime has in flight.
 * Part of the report's pass. One thread.
 *
 *	launch_table_add(&launch_table, process, op, api, begin_ns);     the call
 *	launch_table_find(&launch_table, process, op, &launch);          its operations
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_LAUNCH_TABLE_H
#define TANDEM_ANALYSIS_OPERATIONS_LAUNCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

#define LAUNCH_TABLE_MOST (1u << 18)

struct launch {
	uint16_t api;	   /* event id of the call */
	uint64_t begin_ns; /* of the call, after the session's start */
	bool first;	   /* no operation of it was found before */
};

struct launch_table {
	struct map recent, older;
};

/* Returns 0 or -ENOMEM. */
int launch_table_add(struct launch_table *launch_table, uint32_t process, uint64_t op, uint16_t api,
		     uint64_t begin_ns);

/* False where the call is not known (any more). */
bool launch_table_find(struct launch_table *launch_table, uint32_t process, uint64_t op,
		       struct launch *launch);

void launch_table_free(struct launch_table *launch_table);

#endif
