/* SPDX-License-Identifier: MIT */
/* What both clients for CUDA programs count: of the driver's API and the runtime's, calls by
 * function, and the correlation ids that there were. */
#ifndef TANDEM_TESTS_CUDA_COUNTS_H
#define TANDEM_TESTS_CUDA_COUNTS_H

#include <stdint.h>
#include <stdio.h>

#define FUNCTIONS 1024u
#define CALLS 262144u /* a hash of correlation ids */
#define MAGIC 0x5eed5eedu

static uint64_t entries[2][FUNCTIONS], exits[2][FUNCTIONS], records[2][FUNCTIONS],
	failed[2][FUNCTIONS];
static uint64_t strays, wrong;
static _Atomic uint64_t ids[CALLS];

#define CHECK(condition)                                                                  \
	do {                                                                              \
		if (!(condition) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10) \
			fprintf(stderr, "wrong: line %d: %s\n", __LINE__, #condition);    \
	} while (0)
#define COUNT(counter) __atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED)

static _Atomic uint64_t *place(uint64_t id)
{
	uint64_t at = id * 0x9e3779b97f4a7c15u >> 46;

	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t found = ids[(at + i) % CALLS];

		if (!found || found == id)
			return &ids[(at + i) % CALLS];
	}
	return &ids[at % CALLS];
}

#endif
