/* SPDX-License-Identifier: MIT */
/* Which kernel a program launches each time when a call has failed, and at no other time: the way that
 * it takes instead. One thread.
 *
 *	other_way_failed(&ways, item, row);	each call that failed; `row` is the caller's
 *	other_way_call(&ways, item);		each other call
 *	other_way_command(&ways, operation);	each command
 *	kernel = other_way_of(&ways, row, failures);
 *	other_way_free(&ways);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OTHER_WAY_H
#define TANDEM_ANALYSIS_FINDINGS_OTHER_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

struct event_item;
struct operation;

struct other_way_kernel {
	const char *name; /* lives as the session */
	uint32_t process;
	size_t row;		  /* the error after which it was launched first */
	uint64_t after, launches; /* after that error; all */
	uint64_t ns;		  /* that they ran */
};

struct other_way_thread { /* of a stream */
	bool failed;	  /* its latest calls, and it has launched nothing since */
	size_t row;
	unsigned calls; /* that it made since */
};

struct other_ways {
	struct other_way_thread *threads; /* by stream */
	struct map after;     /* operation_key() of launches after an error -> its row */
	struct map kernel_of; /* name and process -> kernel */
	struct other_way_kernel *kernels;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int other_ways_open(struct other_ways *ways, size_t stream_count);

void other_way_failed(struct other_ways *ways, const struct event_item *item, size_t row);

/* Returns 0 or -ENOMEM. */
int other_way_call(struct other_ways *ways, const struct event_item *item);

/* Same. */
int other_way_command(struct other_ways *ways, const struct operation *operation);

/* NULL: there is none. `failures`: of the row. */
const struct other_way_kernel *other_way_of(const struct other_ways *ways, size_t row,
					    uint64_t failures);

void other_ways_free(struct other_ways *ways);

#endif
