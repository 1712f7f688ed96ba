/* SPDX-License-Identifier: MIT */
#include "analysis/findings/leaks/growth.h"

void growth_sample(struct growth *growth)
{
	if (++growth->calls < growth->step)
		return;
	growth->calls = 0;
	/* When they are too many, each second one stays. */
	if (growth->count == GROWTH_SAMPLES) {
		for (unsigned i = 0; i < GROWTH_SAMPLES / 2; i++)
			growth->sample[i] = growth->sample[2 * i + 1];
		growth->count /= 2;
		growth->step = 2 * (growth->step ? growth->step : 1);
	}
	growth->sample[growth->count++] = growth->now;
}

bool growth_is_there(const struct growth *growth)
{
	unsigned middle = growth->count / 2;

	return !growth->count || 5 * (uint64_t)growth->sample[middle] <= 4 * (uint64_t)growth->now;
}
