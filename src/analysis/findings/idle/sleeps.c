/* SPDX-License-Identifier: MIT */
#include "analysis/findings/idle/sleeps.h"

#include <errno.h>
#include <stdlib.h>

#define REMEMBERED 1024u

int sleeps_add(struct sleeps *sleeps, const struct sleep *sleep)
{
	if (!sleeps->rows) {
		sleeps->rows = calloc(REMEMBERED, sizeof(*sleeps->rows));
		if (!sleeps->rows)
			return -ENOMEM;
	}
	sleeps->rows[sleeps->count++ % REMEMBERED] = *sleep;
	return 0;
}

const struct sleep *sleeps_next(const struct sleeps *sleeps, uint64_t *at, int64_t from_ns,
				int64_t to_ns)
{
	while (*at < sleeps->count && *at < REMEMBERED) {
		const struct sleep *sleep = &sleeps->rows[(sleeps->count - ++*at) % REMEMBERED];

		if (sleep->to_ns <= from_ns)
			return NULL;
		if (sleep->from_ns < to_ns)
			return sleep;
	}
	return NULL;
}

void sleeps_free(struct sleeps *sleeps)
{
	free(sleeps->rows);
}
