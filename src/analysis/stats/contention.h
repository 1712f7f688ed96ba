/* SPDX-License-Identifier: MIT */
/* Who had a device while commands waited for it. While a command waits (from
 * when it was queued until it starts) the device works on other commands, or on
 * none: each moment of the wait is put down in equal shares to the processes
 * whose commands were executing. Times are in the device's own clock, which all
 * processes share.
 *
 * Commands come in any order. They are gathered, and worked off from the earliest
 * when none is in flight and many have gathered (contention_rest), or when there are
 * CONTENTION_MOST: then up to the start of all but CONTENTION_KEPT; what comes later for
 * that time counts no more (`late`). One thread.
 *
 *	struct contention sharing = {0};
 *	contention_add(&contention, process, queued_ns, start_ns, end_ns);
 *	contention_settle(&contention);
 *	ns = contention_pair(&contention, i)->waited_ns;
 *	contention_free(&contention);
 */
#ifndef TANDEM_ANALYSIS_STATS_CONTENTION_H
#define TANDEM_ANALYSIS_STATS_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define CONTENTION_MOST (1u << 15)
#define CONTENTION_KEPT (CONTENTION_MOST / 8)
#define CONTENTION_NOBODY UINT32_MAX

struct contention_operation {
	uint32_t process;
	bool rest; /* contention_rest() comes before it */
	uint64_t queued, start, end;
};

struct contention_pair {	 /* commands of one process, and those of another, or itself */
	uint32_t process, other; /* CONTENTION_NOBODY: the device was idle */
	double waited_ns;	 /* sum over the commands that waited */
	double beside_ns;	 /* while commands of both were executing */
};

struct contention_process { /* while working off */
	uint32_t process;
	uint32_t waiting, executing; /* commands */
};

struct contention_sum {		     /* not in the pairs yet */
	uint64_t alone_ns;	     /* waited while no other process executed */
	double waited_ns, beside_ns; /* while several did */
};

struct contention {
	struct contention_operation *operations;
	size_t count, capacity;
	uint64_t frontier; /* everything before is worked off */
	uint64_t busy_ns;  /* with commands executing, anyone's */
	uint64_t late;
	struct contention_pair *pairs;
	size_t pair_count, pair_capacity;
	struct map pair_of;
	/* While working off: */
	struct contention_process *active;
	size_t active_count, active_capacity;
	uint32_t *place_of; /* by process: its place in `active`, + 1 */
	size_t process_capacity;
	struct contention_sum *sums; /* sum_side for each other, one for each that waits */
	size_t sum_side;
	uint64_t *moments; /* and as many to sort with */
	size_t moment_capacity;
};

/* queued <= start <= end; without a known wait, queued = start. Returns 0 or
 * -ENOMEM. */
int contention_add(struct contention *contention, uint32_t process, uint64_t queued, uint64_t start,
		   uint64_t end);

/* The same of several, one after another. */
int contention_add_all(struct contention *contention, const struct contention_operation *operations,
		       size_t count);

/* All commands to come were queued after these ended: a good moment to work them
 * off. Returns 0 or -ENOMEM. */
int contention_rest(struct contention *contention);

/* Works off all of them. Returns 0 or -ENOMEM. */
int contention_settle(struct contention *contention);

void contention_free(struct contention *contention);

#endif
