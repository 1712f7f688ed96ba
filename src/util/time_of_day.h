/* SPDX-License-Identifier: MIT */
/* How right the host's time of day is, as its kernel says: adjtimex(2). Any thread. */
#ifndef TANDEM_UTIL_TIME_OF_DAY_H
#define TANDEM_UTIL_TIME_OF_DAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/timex.h>

struct time_of_day {
	uint64_t max_error_ns;
	int64_t frequency_ppb; /* by which the clock is corrected */
	uint32_t status;       /* STA_* of linux/timex.h */
	uint32_t state;	       /* TIME_* */
};

/* False where the kernel does not say. */
static inline bool time_of_day_read(struct time_of_day *time)
{
	struct timex kernel = {.modes = 0};
	int state = adjtimex(&kernel);

	if (state < 0)
		return false;
	time->max_error_ns = kernel.maxerror > 0 ? (uint64_t)kernel.maxerror * 1000 : 0;
	/* The frequency has 16 bits behind the point, in ppm. */
	time->frequency_ppb = (int64_t)kernel.freq * 1000 / 65536;
	time->status = (uint32_t)kernel.status;
	time->state = (uint32_t)state;
	return true;
}

#endif
