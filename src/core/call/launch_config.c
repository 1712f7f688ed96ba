/* SPDX-License-Identifier: MIT */
/* A cache of fixed size remembers what was written: one that fell out of it is written again
 * under a new number, so that memory does not grow with a program that makes a new graph for
 * each step. */
#include "core/call/launch_config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/process.h"
#include "core/stream/stream.h"
#include "schema/gen/core_records.h"
#include "schema/schema.h"

#define SLOTS 4096u

struct slot {
	atomic_flag busy; /* who finds it so does without the cache */
	uint32_t number, statedump;
	uint64_t hash[2]; /* of all that it says */
};

static struct slot cache[SLOTS];
static _Atomic uint32_t numbers;

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

static uint32_t config_write(uint16_t id, void *record, uint32_t bytes)
{
	struct tandem_rec_launch_config *config = record; /* both kinds begin with the number */
	void *out = tandem_record_begin(id, bytes);

	if (!out)
		return 0;
	config->launch_config = atomic_fetch_add(&numbers, 1) + 1;
	memcpy((uint8_t *)out + sizeof(struct tandem_record),
	       (const uint8_t *)record + sizeof(struct tandem_record),
	       bytes - sizeof(struct tandem_record));
	tandem_record_commit();
	return config->launch_config;
}

void launch_configs_each(void (*found)(unsigned type, uint32_t number))
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (cache[i].number)
			found(TANDEM_OBJECT_launch_config, cache[i].number);
}

uint32_t launch_config_number(uint16_t id, void *record, uint32_t bytes)
{
	uint32_t statedump = tandem_process_statedump(), number;
	struct slot *slot;
	uint64_t hash[2];

	((struct tandem_rec_launch_config *)record)->launch_config = 0;
	hash_make(hash, (const uint8_t *)record + sizeof(struct tandem_record),
		  bytes - (uint32_t)sizeof(struct tandem_record));
	hash[0] ^= id;
	slot = &cache[hash[0] % SLOTS];
	if (atomic_flag_test_and_set_explicit(&slot->busy, memory_order_acquire))
		return config_write(id, record, bytes);
	number =
		slot->statedump == statedump && slot->hash[0] == hash[0] && slot->hash[1] == hash[1]
			? slot->number
			: 0;
	if (!number) {
		number = config_write(id, record, bytes);
		slot->number = number;
		slot->statedump = statedump;
		memcpy(slot->hash, hash, sizeof(hash));
	}
	atomic_flag_clear_explicit(&slot->busy, memory_order_release);
	return number;
}
