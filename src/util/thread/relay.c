/* SPDX-License-Identifier: MIT */
#include "util/thread/relay.h"

#include <stdlib.h>

static void run(struct worker_task *task)
{
	struct relay_block *block = (struct relay_block *)(void *)task;
	const uint8_t *end = block->end;
	/* What the caller writes at every entry is next to these. */
	relay_take *take = block->relay->take;
	void *user = block->relay->user;
	const struct relay_entry *entry;

	for (const uint8_t *at = block->entries; at < end; at += entry->bytes) {
		entry = (const void *)at;
		/* Another CPU has just written it. */
		__builtin_prefetch(at + RELAY_PREFETCH_BYTES);
		__builtin_prefetch(at + RELAY_PREFETCH_BYTES + 64);
		__builtin_prefetch(at + RELAY_PREFETCH_BYTES + 128);
		take(user, entry);
	}
}

static void block_begin(struct relay *relay)
{
	struct relay_block *block = &relay->blocks[relay->filling];

	block->task.run = run;
	block->relay = relay;
	relay->at = block->entries;
	relay->full = block->entries + RELAY_BLOCK_BYTES;
}

struct relay *relay_create(relay_take *take, void *user)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
	relay->take = take;
	relay->user = user;
	relay->blocks = malloc(RELAY_BLOCKS * sizeof(*relay->blocks));
	relay->worker = relay->blocks ? worker_create() : NULL;
	if (!relay->worker) {
		free(relay->blocks);
		free(relay);
		return NULL;
	}
	block_begin(relay);
	return relay;
}

void relay_flush(struct relay *relay)
{
	struct relay_block *block = &relay->blocks[relay->filling];

	if (relay->at == block->entries)
		return;
	block->end = relay->at;
	/* Waits while RELAY_BLOCKS - 1 others do: then the next one is free. */
	worker_add(relay->worker, &block->task);
	relay->filling = (relay->filling + 1) % RELAY_BLOCKS;
	block_begin(relay);
}

void relay_wait(struct relay *relay)
{
	relay_flush(relay);
	worker_wait(relay->worker);
}

void relay_destroy(struct relay *relay)
{
	if (!relay)
		return;
	worker_destroy(relay->worker);
	free(relay->blocks);
	free(relay);
}
