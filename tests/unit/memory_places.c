/* SPDX-License-Identifier: MIT */
/* Parts of memory by where kernels work in it (analysis/operations/memory_places.h). */
#include "analysis/operations/memory_places.h"

#include "check.h"

static void use(struct memory_places *places, uint64_t address, uint32_t queue, int times)
{
	for (int i = 0; i < times; i++)
		CHECK(!memory_places_used(places, 7, address, queue));
}

static bool is_part(const struct memory_places *places, uint64_t address, uint32_t queue)
{
	return memory_places_is_part(places, memory_places_find(places, 7, address, queue));
}

static void test_parts(void)
{
	struct memory_places places = {0};
	uint32_t first, second;

	CHECK(!memory_places_is_part(&places, MEMORY_PLACE));
	use(&places, 0x1000, 1, 3);
	CHECK(!is_part(&places, 0x1000, 1)); /* the only one */
	use(&places, 0x2000, 2, 2);
	CHECK(is_part(&places, 0x1000, 1));
	CHECK(!is_part(&places, 0x2000, 2)); /* not often */
	use(&places, 0x2000, 2, 1);
	CHECK(is_part(&places, 0x2000, 2));
	first = memory_places_find(&places, 7, 0x1000, 1);
	second = memory_places_find(&places, 7, 0x2000, 2);
	CHECK(first >= MEMORY_PLACE && second >= MEMORY_PLACE && first != second);
	CHECK(memory_places_find(&places, 7, 0x1000, 2) == 0); /* another queue's */
	CHECK(memory_places_find(&places, 8, 0x1000, 1) == 0);
	CHECK(memory_places_within(&places, 7, 0x1000, 0x1000) == first);
	CHECK(memory_places_within(&places, 7, 0x1800, 0x10) == first);
	CHECK(memory_places_within(&places, 7, 0x1800, 0x1000) == 0); /* of both */
	CHECK(memory_places_within(&places, 7, 0x2000, 0x100000) == second);
	CHECK(memory_places_within(&places, 7, 0x800, 0x10) == 0);
	memory_places_free(&places);
}

/* A part that is another queue's now and then is none. */
static void test_shared(void)
{
	struct memory_places places = {0};

	use(&places, 0x1000, 1, 8);
	use(&places, 0x2000, 2, 8);
	use(&places, 0x1000, 2, 2);
	CHECK(is_part(&places, 0x1000, 1));
	use(&places, 0x1000, 2, 2);
	CHECK(!is_part(&places, 0x1000, 1));
	memory_places_free(&places);
}

/* Four queues that are given one each. */
static void test_once_each(void)
{
	struct memory_places places = {0};

	for (uint32_t i = 0; i < 4; i++) {
		CHECK(!i || !is_part(&places, 0x1000, 0));
		use(&places, 0x1000 + 8 * i, i, 1);
	}
	CHECK(is_part(&places, 0x1000, 0) && is_part(&places, 0x1018, 3));
	use(&places, 0x1000, 9, 1); /* adds them up */
	CHECK(is_part(&places, 0x1000, 0));
	use(&places, 0x1020, 3, 1); /* one of them has two */
	CHECK(!is_part(&places, 0x1000, 0));
	memory_places_free(&places);
}

static void test_many(void)
{
	struct memory_places places = {0};

	for (uint32_t i = 0; i < 1000; i++)
		use(&places, 0x1000 + i, i, 4);
	CHECK(!is_part(&places, 0x1000, 0));
	memory_places_free(&places);
}

/* No more memory is told apart. */
static void test_most(void)
{
	struct memory_places places = {0};

	for (uint32_t i = 0; i < MEMORY_PLACES_MOST + 10; i++)
		CHECK(!memory_places_used(&places, i, 0x1000, 1));
	CHECK(places.count == MEMORY_PLACES_MOST);
	CHECK(memory_places_find(&places, 5, 0x1000, 1) != 0);
	CHECK(memory_places_find(&places, MEMORY_PLACES_MOST + 5, 0x1000, 1) == 0);
	CHECK(!memory_places_used(&places, 5, 0x2000, 2));
	CHECK(memory_places_find(&places, 5, 0x2000, 2) != 0);
	memory_places_free(&places);
}

int main(void)
{
	test_parts();
	test_shared();
	test_once_each();
	test_many();
	test_most();
	return check_status();
}
