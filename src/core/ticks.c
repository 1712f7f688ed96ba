/* SPDX-License-Identifier: MIT */
#include "core/ticks.h"

void tandem_ticks_pair(uint64_t *ticks, uint64_t *monotonic_ns, uint32_t *error)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t before = tandem_ticks();
		uint64_t ns = tandem_monotonic_ns();
		uint64_t after = tandem_ticks();

		if (after - before < best) {
			best = after - before;
			*ticks = before + best / 2;
			*monotonic_ns = ns;
		}
	}
	*error = best > UINT32_MAX ? UINT32_MAX : (uint32_t)best;
}
