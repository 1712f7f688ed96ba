/* SPDX-License-Identifier: MIT */
#include "recorder/overhead_floor.h"

#include <stdint.h>

/* The fastest of so many: others may take the CPU meanwhile. */
#define BATCHES 5
#define RECORDS 32

static uint64_t batch_ns(enum tandem_clock_source source)
{
	static volatile uint64_t window[4 * RECORDS]; /* as a stream's that is warm */
	uint64_t begin = counter_clock_ns(CLOCK_MONOTONIC);

	for (uint64_t i = 0; i < RECORDS; i++) {
		volatile uint64_t *record = &window[4 * i];

		record[0] = ticks_read(source);
		record[1] = i;
		record[2] = i;
		record[3] = ticks_read(source);
	}
	return counter_clock_ns(CLOCK_MONOTONIC) - begin;
}

double overhead_floor_ns(enum tandem_clock_source source)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < BATCHES; i++) {
		uint64_t took = batch_ns(source);

		if (took < least)
			least = took;
	}
	return (double)least / RECORDS;
}
