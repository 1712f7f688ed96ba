/* SPDX-License-Identifier: MIT */
/* Ranges near the ends of time. Built so that an overflow traps. */
#include "analysis/events/range.h"

#include "check.h"

int main(void)
{
	struct range moved, whole = RANGE_WHOLE, some = {-5, 10};
	struct range long_one = {INT64_MIN + 1, INT64_MAX - 1};

	moved = range_since(&whole, 1000);
	CHECK(range_is_whole(&moved));
	moved = range_since(&whole, -1000);
	CHECK(range_is_whole(&moved));
	moved = range_since(&some, 1000);
	CHECK(moved.from_ns == 995 && moved.to_ns == 1010);
	moved = range_since(&some, INT64_MIN);
	CHECK(moved.from_ns == INT64_MIN && moved.to_ns == INT64_MIN + 10);
	moved = range_since(&some, INT64_MAX);
	CHECK(moved.from_ns == INT64_MAX - 5 && moved.to_ns == INT64_MAX);
	moved = range_since(&long_one, 1000);
	CHECK(moved.from_ns == INT64_MIN + 1001 && moved.to_ns == INT64_MAX);
	moved = range_since(&long_one, -1000);
	CHECK(moved.from_ns == INT64_MIN && moved.to_ns == INT64_MAX - 1001);
	return check_status();
}
