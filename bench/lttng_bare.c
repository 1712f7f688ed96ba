/* SPDX-License-Identifier: MIT */
/* The floor of LTTng's sink: two bare tracepoints with what it writes of a call.
 *
 *   lttng_bare CALLS REPEATS   nanoseconds for a pair, one line a repeat
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_bare.h"

#include <stdio.h>
#include <stdlib.h>

#include "now.h"

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000, repeats = argc > 2 ? atol(argv[2]) : 1;

	for (long r = 0; r < repeats; r++) {
		double begin = now_ns();

		for (long i = 0; i < calls; i++) {
			lttng_ust_tracepoint(bare, entry);
			lttng_ust_tracepoint(bare, exit, 0);
		}
		printf("%.2f\n", (now_ns() - begin) / (double)calls);
	}
	return 0;
}
