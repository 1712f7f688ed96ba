/* Who had a device while commands waited for it. While a command waits (from
 * when it was queued until it starts) the device works on other commands, or on
 * none: each moment of the wait is put down in equal shares to the processes
 * whose commands were executing. Times are in the device's own clock, which all
 * processes share.
 *
 * Commands come in any order. They are gathered, and worked off from the earliest
 * when none is in flight and many have gathered (sharing_rest), or when there are
 * SHARING_MOST: then up to the start of all but SHARING_KEPT; what comes later for
 * that time counts no more (`late`). One thread.
 *
 *	struct sharing sharing = {0};
 *	sharing_add(&sharing, process, queued_ns, start_ns, end_ns);
 *	sharing_settle(&sharing);
 *	ns = sharing_pair(&sharing, i)->waited_ns;
 *	sharing_free(&sharing);
 */
#ifndef TANDEM_ANALYSIS_STATS_CONTENTION_H
#define TANDEM_ANALYSIS_STATS_CONTENTION_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define SHARING_MOST (1u << 15)
#define SHARING_KEPT (SHARING_MOST / 8)
#define SHARING_NOBODY UINT32_MAX

struct sharing_command {
	uint32_t process;
	uint64_t queued, start, end;
};

struct sharing_pair { /* commands of one process, and those of another, or itself */
	uint32_t process, other; /* SHARING_NOBODY: the device was idle */
	double waited_ns; /* sum over the commands that waited */
	double beside_ns; /* while commands of both were executing */
};

struct sharing_process { /* while working off */
	uint32_t process;
	uint32_t waiting, executing; /* commands */
};

struct sharing_sum { /* not in the pairs yet */
	uint64_t alone_ns; /* waited while no other process executed */
	double waited_ns, beside_ns; /* while several did */
};

struct sharing {
	struct sharing_command *commands;
	size_t count, capacity;
	uint64_t frontier; /* everything before is worked off */
	uint64_t busy_ns;  /* with commands executing, anyone's */
	uint64_t late;
	struct sharing_pair *pairs;
	size_t pair_count, pair_capacity;
	struct map pair_of;
	/* While working off: */
	struct sharing_process *active;
	size_t active_count, active_capacity;
	uint32_t *place_of; /* by process: its place in `active`, + 1 */
	size_t process_capacity;
	size_t executing; /* processes of which commands are */
	size_t executing_places; /* sum of their places: if it is one, its place */
	struct sharing_sum *sums; /* sum_side for each other, one for each that waits */
	size_t sum_side;
	uint64_t *moments; /* and as many to sort with */
	size_t moment_capacity;
};

/* queued <= start <= end; without a known wait, queued = start. Returns 0 or
 * -ENOMEM. */
int sharing_add(struct sharing *sharing, uint32_t process, uint64_t queued, uint64_t start,
		uint64_t end);

/* All commands to come were queued after these ended: a good moment to work them
 * off. Returns 0 or -ENOMEM. */
int sharing_rest(struct sharing *sharing);

/* Works off all of them. Returns 0 or -ENOMEM. */
int sharing_settle(struct sharing *sharing);

void sharing_free(struct sharing *sharing);

#endif
