/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <string.h>
#include <time.h>

#include "config.h"

static int64_t clock_read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t stub_clock_device_ns(void)
{
	clockid_t clock = CLOCK_MONOTONIC;

	if (!strcmp(stub_config.clock, "raw"))
		clock = CLOCK_MONOTONIC_RAW;
	else if (!strcmp(stub_config.clock, "realtime"))
		clock = CLOCK_REALTIME;

	__int128 now = clock_read_ns(clock);

	now += now * stub_config.drift_ppm / 1000000 + stub_config.offset_ns;
	now -= now % stub_config.resolution_ns;
	return (uint64_t)now;
}

uint64_t stub_clock_host_ns(void)
{
	return (uint64_t)clock_read_ns(CLOCK_MONOTONIC);
}
