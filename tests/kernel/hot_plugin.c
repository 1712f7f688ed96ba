/* SPDX-License-Identifier: MIT */
/* What `hot` opens. */
#include <time.h>

void plugin_work(double ms);

static volatile double sink;

void plugin_work(double ms)
{
	struct timespec now;
	double x = 0, until = 0;

	do {
		for (int i = 0; i < 200000; i++)
			x = x * 1.0000001 + i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		if (!until)
			until = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 + ms;
	} while ((double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 < until);
	sink = x;
}
