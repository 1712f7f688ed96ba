/* SPDX-License-Identifier: MIT */
/* What launches of a kernel, and copies, have in common is written once, and each
 * operation names it. A cache of fixed size remembers what was written: one
 * that fell out of it is written again under a new number, so that memory does not
 * grow with a program that makes a new graph for each step. */
#include "domains/cuda/activity/launch_config.h"

#include <string.h>

#include "core/process.h"
#include "core/stream.h"

#define SLOTS 4096u

struct slot {
	uint32_t number, statedump;
	uint64_t hash[2]; /* of all that it says */
};

static struct slot cache[SLOTS];
static uint32_t numbers;

/* Two independent 64-bit sums of a record's words: what collides in 128 bits is
 * taken for the same. */
static void hash_make(uint64_t hash[2], const void *data, uint32_t bytes)
{
	const uint8_t *at = data;

	hash[0] = 0x9ae16a3b2f90404fu ^ bytes;
	hash[1] = 0xc949d7c7509e6557u + bytes;
	while (bytes) {
		uint32_t part = bytes < 8 ? bytes : 8;
		uint64_t word = 0;

		memcpy(&word, at, part);
		hash[0] = (hash[0] ^ word) * 0x9fb21c651e98df25u;
		hash[0] ^= hash[0] >> 29;
		hash[1] = (hash[1] + word) * 0xd6e8feb86659fd93u;
		hash[1] ^= hash[1] >> 32;
		at += part;
		bytes -= part;
	}
}

/* `record` is complete but for head and number; both kinds begin with
 * the number. */
static uint32_t config_number(uint16_t id, void *record, uint32_t bytes)
{
	struct tandem_rec_launch_shape *shape = record;
	uint32_t statedump = tandem_process_statedump();
	struct slot *slot;
	uint64_t hash[2];
	void *out;

	hash_make(hash, (const uint8_t *)record + sizeof(struct tandem_record),
		  bytes - (uint32_t)sizeof(struct tandem_record));
	slot = &cache[(hash[0] ^ id) % SLOTS];
	if (slot->number && slot->statedump == statedump && slot->hash[0] == hash[0] &&
	    slot->hash[1] == hash[1])
		return slot->number;
	out = tandem_record_begin(id, bytes);
	if (!out)
		return 0;
	slot->number = ++numbers;
	slot->statedump = statedump;
	memcpy(slot->hash, hash, sizeof(hash));
	shape->shape = slot->number;
	memcpy((uint8_t *)out + sizeof(struct tandem_record),
	       (const uint8_t *)record + sizeof(struct tandem_record),
	       bytes - sizeof(struct tandem_record));
	tandem_record_commit();
	return slot->number;
}

uint32_t cuda_launch_config(const struct cupti_kernel *kernel, uint32_t number)
{
	struct tandem_rec_launch_shape shape = {
		.domain = TANDEM_DOMAIN_cuda,
		.kernel = number,
		.groups_x = (uint32_t)kernel->grid[0],
		.groups_y = (uint32_t)kernel->grid[1],
		.groups_z = (uint32_t)kernel->grid[2],
		.items_x = (uint32_t)kernel->block[0],
		.items_y = (uint32_t)kernel->block[1],
		.items_z = (uint32_t)kernel->block[2],
		.cluster_x = kernel->cluster[0],
		.cluster_y = kernel->cluster[1],
		.cluster_z = kernel->cluster[2],
		.registers = kernel->registers,
		.static_local_bytes = (uint32_t)kernel->static_shared_bytes,
		.dynamic_local_bytes = (uint32_t)kernel->dynamic_shared_bytes,
		.local_config_bytes = kernel->shared_config_bytes,
		.private_bytes = kernel->local_bytes_per_thread,
		.graph = kernel->graph,
		.node = kernel->node,
	};

	return config_number(TANDEM_EVENT_launch_shape, &shape, sizeof(shape));
}

uint32_t cuda_transfer_config(const struct tandem_rec_transfer_shape *transfer)
{
	struct tandem_rec_transfer_shape shape = *transfer;

	shape.shape = 0;
	shape.domain = TANDEM_DOMAIN_cuda;
	return config_number(TANDEM_EVENT_transfer_shape, &shape, sizeof(shape));
}
