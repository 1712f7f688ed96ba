/* SPDX-License-Identifier: MIT */
/* How many of something a process held over its calls: who keeps what it allocated to use it again
 * (a pool) comes to an end with that, who leaks does not. Memory: a bounded number of samples. One
 * thread.
 *
 *	struct growth growth = {.now = 0};
 *
 *	growth.now++;
 *	growth_sample(&growth);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_GROWTH_H
#define TANDEM_ANALYSIS_FINDINGS_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#define GROWTH_SAMPLES 64u

struct growth {
	uint32_t now, sample[GROWTH_SAMPLES];
	uint64_t calls, step; /* a sample is taken after each so many calls */
	unsigned count;
};

/* With each call. */
void growth_sample(struct growth *growth);

/* Whether it held the more the longer it ran: over the second half of its calls, it came to hold a
 * quarter more. */
bool growth_is_there(const struct growth *growth);

#endif
