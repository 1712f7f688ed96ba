/* SPDX-License-Identifier: MIT */
#include "recorder/overhead_floor.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* More than the kernel keeps at hand, and so that it takes less than a millisecond. */
#define PAGES 256

static uint64_t pages_ns(size_t page_bytes)
{
	volatile char *pages = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t begin, ns;

	if (pages == MAP_FAILED)
		return 0;
	begin = counter_clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < PAGES; i++)
		pages[i * page_bytes] = 1;
	ns = counter_clock_ns(CLOCK_MONOTONIC) - begin;
	munmap((char *)pages, PAGES * page_bytes);
	return ns;
}

/* Of three the one in the middle: whoever has the CPU meanwhile makes one longer. */
double overhead_page_fault_ns(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t a = pages_ns(page_bytes), b = pages_ns(page_bytes), c = pages_ns(page_bytes);
	uint64_t least = a < b ? a : b, most = a < b ? b : a;

	return (double)(c < least ? least : c > most ? most : c) / PAGES;
}
