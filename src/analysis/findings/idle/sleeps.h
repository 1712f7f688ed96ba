/* SPDX-License-Identifier: MIT */
/* A thread's latest sleeps: so many that those can be looked up that were when a command ended, of which the
 * record comes later than the kernel's. One thread.
 *
 *	struct sleeps sleeps = {0};
 *	sleeps_add(&sleeps, &(struct sleep){.from_ns = from_ns, .to_ns = to_ns});
 *	for (uint64_t at = 0; (sleep = sleeps_next(&sleeps, &at, from_ns, to_ns));)
 *		...
 *	sleeps_free(&sleeps);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_SLEEPS_H
#define TANDEM_ANALYSIS_FINDINGS_SLEEPS_H

#include "analysis/findings/idle/wakers.h"

struct sleep {
	int64_t from_ns, to_ns;
	struct waker waker; /* who ended it */
	uint32_t by; /* same, a thread of the program's that makes calls: its stream, + 1; or 0 */
};

struct sleeps {
	struct sleep *rows; /* a ring, made at the first */
	uint64_t count;
};

/* They come in the order of their ends. Returns 0 or -ENOMEM. */
int sleeps_add(struct sleeps *sleeps, const struct sleep *sleep);

/* The next one, backwards, of which some was within that time; NULL: no more. `*at` is 0 at first. */
const struct sleep *sleeps_next(const struct sleeps *sleeps, uint64_t *at, int64_t from_ns,
				int64_t to_ns);

void sleeps_free(struct sleeps *sleeps);

#endif
