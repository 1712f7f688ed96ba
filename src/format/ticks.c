/* SPDX-License-Identifier: MIT */
#include "format/ticks.h"

void ticks_pair_read(struct ticks_pair *pair, uint32_t source, unsigned tries)
{
	uint64_t best = UINT64_MAX;

	if (source == TANDEM_CLOCK_MONOTONIC) {
		pair->ticks = pair->monotonic_ns = counter_clock_ns(CLOCK_MONOTONIC);
		pair->error = 0;
		return;
	}
	while (tries--) {
		uint64_t before = counter_read();
		uint64_t ns = counter_clock_ns(CLOCK_MONOTONIC);
		uint64_t after = counter_read();

		if (after - before < best) {
			best = after - before;
			pair->ticks = before + best / 2;
			pair->monotonic_ns = ns;
		}
	}
	pair->error = best > UINT32_MAX ? UINT32_MAX : (uint32_t)best;
}
