/* SPDX-License-Identifier: MIT */
/* Percentiles against a sort, and the union of busy intervals against a plain
 * count of moments. */
#include "analysis/stats/histogram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats/utilization.h"
#include "check.h"

#define VALUES 20000u

static uint64_t state = 88172645463325252u;

static uint64_t random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Values of all sizes: the exponent is random too. */
static void percentiles_are_near(unsigned most_bits)
{
	static const double parts[] = {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1};
	static uint64_t values[VALUES];
	struct histogram histogram = {0};

	for (size_t i = 0; i < VALUES; i++) {
		values[i] = random_next() >> (64 - 1 - random_next() % most_bits);
		CHECK(histogram_add(&histogram, values[i]) == 0);
	}
	qsort(values, VALUES, sizeof(*values), compare);
	CHECK(histogram.min == values[0] && histogram.max == values[VALUES - 1]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t rank = (size_t)(parts[i] * VALUES + 0.999999);
		double exact = (double)values[rank ? rank - 1 : 0];
		double near = (double)histogram_percentile(&histogram, parts[i]);

		CHECK(near >= exact * (1 - 0.016) && near <= exact * (1 + 0.016));
	}
	histogram_free(&histogram);
}

static void edges(void)
{
	struct histogram histogram = {0};

	CHECK(histogram_percentile(&histogram, 0.5) == 0);
	CHECK(histogram_mean(&histogram) < 1e-9);
	CHECK(histogram_add(&histogram, UINT64_MAX) == 0);
	CHECK(histogram_percentile(&histogram, 0.5) == UINT64_MAX);
	CHECK(histogram_add(&histogram, 0) == 0);
	CHECK(histogram.min == 0 && histogram_percentile(&histogram, 0.5) == 0);
	histogram_free(&histogram);
}

/* Operations of several queues that overlap and come in any order, now and then
 * with none in flight. */
static void union_is_exact(unsigned spread, bool settle)
{
	enum { MOMENTS = 400000 };
	static unsigned char busy_at[MOMENTS];
	struct utilization busy = {0};
	uint64_t base = 0, count = 0;

	memset(busy_at, 0, sizeof(busy_at));
	while (base + spread + 200 < MOMENTS) {
		uint64_t end_of_all = 0;

		for (int i = 0; i < 50; i++) {
			uint64_t start = base + random_next() % spread;
			uint64_t end = start + random_next() % 20;

			CHECK(utilization_add(&busy, start, end) == 0);
			memset(busy_at + start, 1, end - start);
			end_of_all = end > end_of_all ? end : end_of_all;
		}
		base = settle ? end_of_all : base + spread / 2;
		if (settle)
			CHECK(utilization_flush(&busy) == 0);
	}
	for (size_t i = 0; i < MOMENTS; i++)
		count += busy_at[i];
	CHECK(busy.late == 0);
	CHECK(utilization_sum(&busy) == count);
	CHECK(utilization_sum(&busy) == count);
	utilization_free(&busy);
}

static void memory_is_bounded(void)
{
	struct utilization busy = {0};
	uint64_t count = UTILIZATION_MOST * UINT64_C(3);

	for (uint64_t i = 0; i < count; i++)
		CHECK(utilization_add(&busy, i * 10, i * 10 + 4) == 0);
	CHECK(busy.joined.count + busy.strays.count <= UTILIZATION_MOST);
	CHECK(utilization_sum(&busy) == count * 4);
	CHECK(utilization_add(&busy, 0, 5) == 0 && busy.late == 1);
	CHECK(utilization_sum(&busy) == count * 4);
	utilization_free(&busy);
}

int main(void)
{
	percentiles_are_near(60);
	percentiles_are_near(8);
	edges();
	union_is_exact(300, false);
	union_is_exact(300, true);
	union_is_exact(20000, false);
	memory_is_bounded();
	return check_status();
}
