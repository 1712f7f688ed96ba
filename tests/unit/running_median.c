/* SPDX-License-Identifier: MIT */
/* The median of the latest values against a sort of them. */
#include "analysis/stats/running_median.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define VALUES 5000u

static int compare(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Of values below `most`: small ones come up again and again. */
static void is_as_sorted(unsigned most)
{
	static int64_t values[VALUES], sorted[RUNNING_MEDIAN_MOST];
	static struct running_median median;

	memset(&median, 0, sizeof(median));
	CHECK(running_median_get(&median) == 0 && running_median_low(&median, 10) == 0);
	for (size_t i = 0; i < VALUES; i++) {
		size_t count = i + 1 < RUNNING_MEDIAN_MOST ? i + 1 : RUNNING_MEDIAN_MOST;

		values[i] = rand() % (int)most;
		running_median_add(&median, values[i]);
		memcpy(sorted, &values[i + 1 - count], count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), compare);
		CHECK(median.count == count);
		CHECK(running_median_get(&median) == sorted[(count - 1) / 2]);
		CHECK(running_median_low(&median, 10) == sorted[(count - 1) / 10]);
	}
}

int main(void)
{
	is_as_sorted(3);
	is_as_sorted(100);
	is_as_sorted(1000000);
	return check_status();
}
