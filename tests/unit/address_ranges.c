/* SPDX-License-Identifier: MIT */
/* Which memory an address belongs to (analysis/operations/address_ranges.h). */
#include "analysis/operations/address_ranges.h"

#include "check.h"

static void test_find(void)
{
	struct address_ranges ranges = {0};

	CHECK(address_ranges_find(&ranges, 0, 0x1000) == 0);
	CHECK(!address_ranges_add(&ranges, 0, 0x3000, 0x100, 3));
	CHECK(!address_ranges_add(&ranges, 0, 0x1000, 0x100, 1));
	CHECK(!address_ranges_add(&ranges, 0, 0x2000, 0x100, 2));
	CHECK(!address_ranges_add(&ranges, 1, 0x1000, 0x1000, 9));
	CHECK(address_ranges_find(&ranges, 0, 0x1000) == 1);
	CHECK(address_ranges_find(&ranges, 0, 0x10ff) == 1);
	CHECK(address_ranges_find(&ranges, 0, 0x1100) == 0);
	CHECK(address_ranges_find(&ranges, 0, 0xfff) == 0);
	CHECK(address_ranges_find(&ranges, 0, 0x2080) == 2);
	CHECK(address_ranges_find(&ranges, 0, 0x3080) == 3);
	CHECK(address_ranges_find(&ranges, 1, 0x1080) == 9);
	CHECK(address_ranges_find(&ranges, 2, 0x1080) == 0);
	address_ranges_remove(&ranges, 0, 2);
	address_ranges_remove(&ranges, 0, 77);
	CHECK(address_ranges_find(&ranges, 0, 0x2080) == 0);
	CHECK(address_ranges_find(&ranges, 0, 0x3080) == 3);
	address_ranges_free(&ranges);
}

/* A free that was not heard of: what is made there takes the place of all that it covers. */
static void test_replaced(void)
{
	struct address_ranges ranges = {0};

	CHECK(!address_ranges_add(&ranges, 0, 0x1000, 0x100, 1));
	CHECK(!address_ranges_add(&ranges, 0, 0x1100, 0x100, 2));
	CHECK(!address_ranges_add(&ranges, 0, 0x1080, 0x100, 3));
	CHECK(ranges.count == 1);
	CHECK(address_ranges_find(&ranges, 0, 0x1000) == 0);
	CHECK(address_ranges_find(&ranges, 0, 0x1080) == 3);
	address_ranges_remove(&ranges, 0, 1);
	CHECK(ranges.count == 1);
	CHECK(!address_ranges_add(&ranges, 0, 0x5000, 0, 4));
	CHECK(address_ranges_find(&ranges, 0, 0x5000) == 0);
	address_ranges_free(&ranges);
}

static void test_many(void)
{
	struct address_ranges ranges = {0};

	for (uint32_t i = 0; i < ADDRESS_RANGES_MOST + 10; i++)
		CHECK(!address_ranges_add(&ranges, 0, 0x1000 + UINT64_C(0x100) * i, 0x100, i + 1));
	CHECK(ranges.count == ADDRESS_RANGES_MOST);
	for (uint32_t i = 0; i < ADDRESS_RANGES_MOST; i++)
		CHECK(address_ranges_find(&ranges, 0, 0x10ff + UINT64_C(0x100) * i) == i + 1);
	CHECK(address_ranges_find(&ranges, 0, 0x1000 + UINT64_C(0x100) * ADDRESS_RANGES_MOST) == 0);
	address_ranges_free(&ranges);
}

int main(void)
{
	test_find();
	test_replaced();
	test_many();
	return check_status();
}
