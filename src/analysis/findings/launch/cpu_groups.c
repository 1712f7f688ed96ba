/* SPDX-License-Identifier: MIT */
#include "analysis/findings/launch/cpu_groups.h"

#include <stdbool.h>

#define LANES 16u

/* A driver that wants so many makes vectors whatever the kernel has. */
#define WISH_OF_VECTORS 64u

/* How much faster an item is in a vector. */
#define GAIN_OF_WISHED 10.0
#define GAIN 8.0

/* Where its text is not known, one that takes an item less has no loop: by one thread, and by several, which
 * fetch the groups. */
#define PLAIN_NS 3.0
#define PLAIN_SHARED_NS 7.0

/* Of other kernels, groups of one take so much for themselves: by one thread, and by several. */
#define START 0.33
#define START_SHARED 0.4

static double vectors_left(uint64_t items, double gain)
{
	double whole = (double)(items / LANES * LANES), rest = (double)(items % LANES);

	return (double)items / (whole + rest * gain);
}

static bool is_plain(const struct cpu_groups *groups)
{
	if (groups->body != TANDEM_KERNEL_BODY_unknown)
		return groups->body == TANDEM_KERNEL_BODY_plain;
	return groups->item_ns < (groups->units > 1 ? PLAIN_SHARED_NS : PLAIN_NS);
}

double cpu_groups_left(const struct cpu_groups *groups)
{
	double start = groups->units > 1 ? START_SHARED : START;

	if (groups->wished >= WISH_OF_VECTORS)
		return vectors_left(groups->items, GAIN_OF_WISHED);
	if (is_plain(groups))
		return vectors_left(groups->items, GAIN);
	/* Who waits for each other fills memory that they share, once for each group. */
	if (groups->body == TANDEM_KERNEL_BODY_barriers && groups->items < LANES)
		return (double)groups->items / LANES;
	return 1 - start / (double)groups->items;
}
