/* SPDX-License-Identifier: MIT */
/* What a thread's cycles carry on in memory of the device (analysis/findings/overlap/carried.h). */
#include "analysis/findings/overlap/carried.h"

#include "check.h"
#include "schema/gen/core_records.h"

enum { GIVEN = 1, STATE, OUT, NEXT };

static struct used_memory_list uses(uint32_t one, uint32_t other, uint32_t reads)
{
	return (struct used_memory_list){
		.whole = {one, other}, .count = other ? 2 : 1, .reads = reads};
}

static void step(struct carried *carried, uint8_t kind, struct used_memory_list memory, bool *is)
{
	CHECK(!carried_command(carried, 0, kind, &memory, is));
}

#define KERNEL TANDEM_OPERATION_KIND_kernel
#define GIVE TANDEM_OPERATION_KIND_copy_h2d
#define TAKE TANDEM_OPERATION_KIND_copy_d2h

/* Requests: what comes from the host makes what goes to the host. */
static void test_requests(void)
{
	struct carried carried = {0};
	bool is = false;

	for (int i = 0; i < 3; i++) {
		carried_cycle(&carried);
		step(&carried, GIVE, uses(GIVEN, 0, 0), &is);
		step(&carried, KERNEL, uses(GIVEN, OUT, 1), &is);
		step(&carried, TAKE, uses(OUT, 0, 0), &is);
	}
	CHECK(!is);
	carried_free(&carried);
}

/* The same through memory that is for the device alone. */
static void test_scratch(void)
{
	struct carried carried = {0};
	bool is = false;

	for (int i = 0; i < 3; i++) {
		carried_cycle(&carried);
		step(&carried, GIVE, uses(GIVEN, 0, 0), &is);
		step(&carried, KERNEL, uses(GIVEN, NEXT, 1), &is);
		step(&carried, KERNEL, uses(NEXT, OUT, 1), &is);
		step(&carried, TAKE, uses(OUT, 0, 0), &is);
	}
	CHECK(!is);
	carried_free(&carried);
}

/* A field that takes a step in each cycle, in place, and a norm of it. */
static void test_state(void)
{
	struct carried carried = {0};

	for (int i = 0; i < 3; i++) {
		bool is = false;

		carried_cycle(&carried);
		step(&carried, KERNEL, uses(STATE, 0, 0), &is);
		step(&carried, KERNEL, uses(STATE, OUT, 1), &is);
		step(&carried, TAKE, uses(OUT, 0, 0), &is);
		CHECK(is == (i > 0));
	}
	carried_free(&carried);
}

/* A field that takes a step in place, and goes to the host each time; one of two that take turns can be given
 * to another queue. */
static void test_kept(void)
{
	for (unsigned fields = 1; fields <= 2; fields++) {
		struct carried carried = {0};

		for (unsigned i = 0; i < 6; i++) {
			struct used_memory_list field = uses(STATE + i % fields, 0, 0);
			bool is = false, kept = false;

			carried_cycle(&carried);
			field.keeps = 1;
			step(&carried, KERNEL, field, &kept);
			step(&carried, TAKE, field, &is);
			CHECK(!is && kept == (i > 0 && fields == 1));
		}
		carried_free(&carried);
	}
}

/* Two fields that take turns. */
static void test_turns(void)
{
	struct carried carried = {0};

	for (int i = 0; i < 4; i++) {
		uint32_t from = i % 2 ? NEXT : STATE, to = i % 2 ? STATE : NEXT;
		bool is = false;

		carried_cycle(&carried);
		step(&carried, KERNEL, uses(from, to, 1), &is);
		step(&carried, TAKE, uses(to, 0, 0), &is);
		CHECK(is == (i > 0));
	}
	carried_free(&carried);
}

/* What one kernel made for all that follow, and what is not known. */
static void test_others(void)
{
	struct carried carried = {0};
	struct used_memory_list unknown = uses(STATE, 0, 0);

	unknown.unknown = true;
	for (int i = 0; i < 4; i++) {
		bool is = false;

		carried_cycle(&carried);
		if (i == 0)
			step(&carried, KERNEL, uses(GIVEN, 0, 0), &is);
		step(&carried, KERNEL, uses(GIVEN, OUT, 1), &is);
		step(&carried, KERNEL, unknown, &is);
		step(&carried, TAKE, uses(OUT, 0, 0), &is);
		CHECK(is == (i == 1));
	}
	carried_free(&carried);
}

int main(void)
{
	test_requests();
	test_scratch();
	test_state();
	test_kept();
	test_turns();
	test_others();
	return check_status();
}
