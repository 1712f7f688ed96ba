/* SPDX-License-Identifier: MIT */
/* The way of a device's commands into its contention, in blocks. Full ones are worked off by
 * a worker where the caller has one, and by the caller otherwise; what comes out is the same.
 * Memory: CONTENTION_BLOCK commands, and as many for each block that waits for its turn. One
 * thread calls. `contention` is the worker's until contention_feed_finish(), before which the
 * caller waits for it.
 *
 *	struct contention_feed *feed = contention_feed_create();
 *
 *	if (contention_feed_add(feed, process, queued_ns, start_ns, end_ns))
 *		status = contention_feed_flush(feed, worker);
 *	contention_feed_rest(feed);
 *	worker_wait(worker);
 *	status = contention_feed_finish(feed);
 *	ns = feed->contention.busy_ns;
 *	contention_feed_destroy(feed);
 */
#ifndef TANDEM_ANALYSIS_STATS_CONTENTION_FEED_H
#define TANDEM_ANALYSIS_STATS_CONTENTION_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/stats/contention.h"
#include "util/thread/worker.h"

#define CONTENTION_BLOCK 1024u

struct contention_feed;

struct contention_block {
	struct worker_task task; /* first: it is the block's address */
	struct contention_feed *feed;
	size_t count;
	struct contention_operation operations[CONTENTION_BLOCK];
};

struct contention_feed {
	struct contention_block *block; /* that is being filled */
	bool rest;			/* before the next command */
	/* Not in a cache line with what the caller writes at each command. */
	struct contention contention __attribute__((aligned(128)));
	int failed; /* 0 or -ENOMEM */
};

/* NULL: out of memory. */
struct contention_feed *contention_feed_create(void);

/* As contention_add(). Returns whether the block is full: contention_feed_flush() comes
 * before the next one then. */
static inline bool contention_feed_add(struct contention_feed *feed, uint32_t process,
				       uint64_t queued, uint64_t start, uint64_t end)
{
	struct contention_block *block = feed->block;

	block->operations[block->count++] =
		(struct contention_operation){process, feed->rest, queued, start, end};
	feed->rest = false;
	return block->count == CONTENTION_BLOCK;
}

/* As contention_rest(). */
static inline void contention_feed_rest(struct contention_feed *feed)
{
	feed->rest = true;
}

/* Gives the block to the worker; NULL: there is none. Returns 0 or -ENOMEM. */
int contention_feed_flush(struct contention_feed *feed, struct worker *worker);

/* Works off the rest. Returns 0 or -ENOMEM, also of a block before. */
int contention_feed_finish(struct contention_feed *feed);

/* NULL is fine. */
void contention_feed_destroy(struct contention_feed *feed);

#endif
