/* SPDX-License-Identifier: MIT */
#include "analysis/stats/contention_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void work_off(struct contention_feed *feed, struct contention_block *block)
{
	if (!feed->failed)
		feed->failed =
			contention_add_all(&feed->contention, block->operations, block->count);
	block->count = 0;
}

static void block_run(struct worker_task *task)
{
	struct contention_block *block = (void *)task;

	work_off(block->feed, block);
	free(block);
}

static struct contention_block *block_create(struct contention_feed *feed)
{
	struct contention_block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	block->task.run = block_run;
	block->feed = feed;
	block->count = 0;
	return block;
}

struct contention_feed *contention_feed_create(void)
{
	struct contention_feed *feed =
		aligned_alloc(_Alignof(struct contention_feed), sizeof(*feed));

	if (!feed)
		return NULL;
	memset(feed, 0, sizeof(*feed));
	feed->block = block_create(feed);
	if (feed->block)
		return feed;
	free(feed);
	return NULL;
}

int contention_feed_flush(struct contention_feed *feed, struct worker *worker)
{
	struct contention_block *next = worker ? block_create(feed) : NULL;

	/* Without a worker nobody else writes `failed`. */
	if (!worker) {
		work_off(feed, feed->block);
		return feed->failed;
	}
	if (!next)
		return -ENOMEM;
	worker_add(worker, &feed->block->task);
	feed->block = next;
	return 0;
}

int contention_feed_finish(struct contention_feed *feed)
{
	work_off(feed, feed->block);
	return feed->failed ? feed->failed : contention_settle(&feed->contention);
}

void contention_feed_destroy(struct contention_feed *feed)
{
	if (!feed)
		return;
	contention_free(&feed->contention);
	free(feed->block);
	free(feed);
}
