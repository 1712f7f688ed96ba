/* SPDX-License-Identifier: MIT */
#ifndef TANDEM_BENCH_NOW_H
#define TANDEM_BENCH_NOW_H

#include "util/counter.h"

static inline double now_ns(void)
{
	return (double)counter_clock_ns(CLOCK_MONOTONIC);
}

#endif
