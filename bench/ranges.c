/* SPDX-License-Identifier: MIT */
/* What a range of the program's own (NVTX, pushed and popped) costs, and what two time stamps
 * do that nothing is done with, in turn: the machine's pace meets both.
 *
 *   ranges PAIRS REPEATS      one line a repeat: nanoseconds for a pair, and for two stamps
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/stubs/annotation/nvtx.h"
#include "now.h"

static double pair_ns(uint64_t pairs)
{
	double begin = now_ns();

	for (uint64_t i = 0; i < pairs; i++) {
		push("step");
		pop();
	}
	return (now_ns() - begin) / (double)pairs;
}

static double stamps_ns(uint64_t pairs)
{
	static uint64_t window[4096];
	double begin = now_ns();

	for (uint64_t i = 0; i < pairs; i++) {
		volatile uint64_t *at = &window[2 * i & 4094];

		at[0] = counter_read();
		at[1] = counter_read();
	}
	return (now_ns() - begin) / (double)pairs;
}

int main(int argc, char **argv)
{
	uint64_t pairs = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t repeats = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (!pairs || !repeats) {
		fprintf(stderr, "usage: ranges PAIRS REPEATS\n");
		return 2;
	}
	inject("");
	pair_ns(pairs);
	for (uint64_t i = 0; i < repeats; i++) {
		double stamps = stamps_ns(pairs);

		printf("%.2f %.2f\n", pair_ns(pairs), stamps);
	}
	return 0;
}
