/* SPDX-License-Identifier: MIT */
/* What a program launches in place of what failed. One thread.
 *
 *	other_way_failed(&ways, item, row);	each call that failed; `row` is the caller's
 *	other_way_call(&ways, item);		each other call
 *	other_way_command(&ways, operation);	each command
 *	if (other_way_find(&ways, row, failures, &way))
 *		cost_ns = other_way_ns(&way, units);
 *	other_ways_free(&ways);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OTHER_WAY_H
#define TANDEM_ANALYSIS_FINDINGS_OTHER_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

struct event_item;
struct operation;
struct tandem_event;

struct other_way_kernel {
	const char *name; /* lives as the session */
	uint32_t process, number, device;
	uint16_t api;		  /* that launched it */
	int64_t since_ns;	  /* its first launch */
	size_t row;		  /* the error after which that was; OTHER_WAY_NONE */
	uint64_t after, launches; /* right after that error; all */
	uint64_t ns;		  /* that they ran */
	uint64_t in_a_row;	  /* with no error and no other kernel in between ... */
	uint64_t gap_ns;	  /* ... between these */
	uint64_t items;
	int64_t end_ns; /* of the latest */
};

#define OTHER_WAY_NONE SIZE_MAX

struct other_way_thread { /* of a stream */
	bool failed;	  /* its latest calls, and it has launched nothing since */
	size_t row;
	unsigned calls; /* that it made since */
};

struct other_way_error {		/* a row of the caller's */
	const struct tandem_event *api; /* NULL: no way failed with it */
	uint32_t process;
	int64_t since_ns;
	bool launch, memory;  /* of a kernel; shared memory for one */
	bool granted;	      /* the same call, later */
	uint64_t kernel;      /* of the first launch; 0: none */
	uint64_t items;	      /* of all its launches that failed */
	uint64_t group_items; /* 0: not known */
};

struct other_ways {
	struct other_way_thread *threads; /* by stream */
	struct other_way_error *errors;	  /* by row */
	size_t error_count, error_capacity;
	struct map after;     /* operation_key() of launches after an error -> its row */
	struct map kernel_of; /* name and process -> kernel */
	struct other_way_kernel *kernels;
	size_t count, capacity;
	size_t latest; /* kernel that was launched, + 1 */
};

enum other_way_how {
	OTHER_WAY_EACH_TIME,	/* the call has failed */
	OTHER_WAY_IN_PIECES,	/* same, of the kernel that was refused */
	OTHER_WAY_IN_PHASES,	/* same, of another kernel, several times in a row */
	OTHER_WAY_FROM_THEN_ON, /* it failed once or a few times */
};

struct other_way {
	const struct other_way_kernel *kernel;
	const struct other_way_error *error;
	enum other_way_how how;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int other_ways_open(struct other_ways *ways, size_t stream_count);

/* Returns 0 or -ENOMEM. */
int other_way_failed(struct other_ways *ways, const struct event_item *item, size_t row);

/* Same. */
int other_way_call(struct other_ways *ways, const struct event_item *item);

/* Same. */
int other_way_command(struct other_ways *ways, const struct operation *operation);

/* False: there is none. `failures`: of the row. */
bool other_way_find(const struct other_ways *ways, size_t row, uint64_t failures,
		    struct other_way *way);

/* What it costs; `units`: compute units of the kernel's device, 0: not known. */
uint64_t other_way_ns(const struct other_way *way, uint64_t units);

void other_ways_free(struct other_ways *ways);

#endif
