/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits: to tell contents apart, not to withstand an attacker. */
#ifndef TANDEM_UTIL_HASH_H
#define TANDEM_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static inline void hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i++)
		*hash = (*hash ^ at[i]) * HASH_PRIME;
}

static inline void hash_string(uint64_t *hash, const char *string)
{
	hash_bytes(hash, string, strlen(string) + 1);
}

static inline void hash_number(uint64_t *hash, uint64_t number)
{
	hash_bytes(hash, &number, sizeof(number));
}

#endif
