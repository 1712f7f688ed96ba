/* How long a device was busy: length of the union of intervals that come in any
 * order. What lies before a moment that no later interval can reach is summed up
 * and forgotten; the caller says when (busy_settle). Between two such moments
 * memory holds the intervals of the commands in flight, joined where they touch,
 * BUSY_MOST at most: beyond that the earlier half is forgotten, and an interval
 * that comes for it later counts no more (`late`). One thread.
 *
 *	struct busy busy = {0};
 *	busy_add(&busy, start_ns, end_ns);
 *	busy_settle(&busy);                  no command is in flight
 *	uint64_t ns = busy_sum(&busy);
 *	busy_free(&busy);
 */
#ifndef TANDEM_ANALYSIS_STATS_UTILIZATION_H
#define TANDEM_ANALYSIS_STATS_UTILIZATION_H

#include <stddef.h>
#include <stdint.h>

#define BUSY_MOST (1u << 19)

struct busy_interval {
	uint64_t start, end;
};

struct busy_list {
	struct busy_interval *items;
	size_t count, capacity;
};

struct busy {
	struct busy_list joined; /* in order, apart from each other */
	struct busy_list strays; /* too far back to be put in order at once */
	uint64_t settled_ns;
	uint64_t frontier; /* everything before is settled */
	uint64_t late;	   /* intervals that came for what was settled */
};

/* start <= end. Returns 0 or -ENOMEM. */
int busy_add(struct busy *busy, uint64_t start, uint64_t end);

/* All intervals to come begin after the ones that came. Returns 0 or -ENOMEM. */
int busy_settle(struct busy *busy);

/* Length of the union so far. */
uint64_t busy_sum(struct busy *busy);

void busy_free(struct busy *busy);

#endif
