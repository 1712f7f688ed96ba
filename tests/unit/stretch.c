/* SPDX-License-Identifier: MIT */
/* Kernels that take longer beside others' (analysis/findings/shared_device/stretch.c). */
#include "analysis/findings/shared_device/stretch.h"

#include "check.h"

#define ALONE_NS 1000u

/* `count` kernels of a kind, each of `took_ns`, of which others' run for `beside_ns`. */
static void run(struct stretch *stretch, uint64_t kind, unsigned count, uint64_t took_ns,
		uint64_t beside_ns)
{
	static uint64_t operation, clock_ns;

	for (unsigned i = 0; i < count; i++) {
		operation++;
		CHECK(!stretch_begin(stretch, operation, clock_ns));
		clock_ns += beside_ns;
		CHECK(!stretch_end(stretch, operation, kind, took_ns, clock_ns));
	}
}

/* What is found where the kernels beside others' take `took_ns`. */
static double part_of(unsigned alone, unsigned beside, uint64_t took_ns)
{
	struct stretch stretch = {0};
	double part;

	run(&stretch, 1, alone, ALONE_NS, 0);
	run(&stretch, 1, beside, took_ns, took_ns);
	part = stretch_part(&stretch);
	stretch_free(&stretch);
	return part;
}

static void check_turns(void)
{
	CHECK(part_of(10, 40, 2 * ALONE_NS) == 0.5);
	CHECK(part_of(1, 40, 4 * ALONE_NS) == 0.75);
	CHECK(part_of(10, 40, ALONE_NS) == 0);
	CHECK(part_of(10, 40, ALONE_NS + ALONE_NS / 4) == 0); /* memory that both use */
	CHECK(part_of(0, 40, 2 * ALONE_NS) == 0);	      /* nothing that is shorter */
	CHECK(part_of(10, 10, 2 * ALONE_NS) == 0);	      /* too few */
}

/* Kinds are compared with themselves; what runs beside others for a part of its time says nothing. */
static void check_kinds(void)
{
	struct stretch stretch = {0};

	run(&stretch, 1, 40, ALONE_NS, 0);
	run(&stretch, 2, 40, 2 * ALONE_NS, 2 * ALONE_NS);
	run(&stretch, 1, 40, 2 * ALONE_NS, ALONE_NS);
	CHECK(stretch_part(&stretch) == 0);
	run(&stretch, 1, 40, 2 * ALONE_NS, 2 * ALONE_NS - 1);
	CHECK(stretch_part(&stretch) == 0.5);
	CHECK(!stretch_end(&stretch, 0, 1, 1, 1));
	CHECK(stretch_part(&stretch) == 0.5);
	stretch_free(&stretch);
}

/* In its own slice of the device a kernel takes no longer; one that the slice ends in has to wait for the
 * next. Where most are so, the shortest says what one takes; where they differ by themselves, nothing does. */
static void check_slices(void)
{
	struct stretch stretch = {0};

	for (unsigned i = 0; i < 10; i++) {
		run(&stretch, 1, 9, ALONE_NS, ALONE_NS);
		run(&stretch, 1, 1, 11 * ALONE_NS, 11 * ALONE_NS);
	}
	CHECK(stretch_part(&stretch) == 0.5);
	run(&stretch, 1, 1, ALONE_NS, 0);
	CHECK(stretch_part(&stretch) == 0.5);
	stretch_free(&stretch);
	stretch = (struct stretch){0};
	for (unsigned i = 1; i <= 40; i++)
		run(&stretch, 1, 1, i * ALONE_NS, i * ALONE_NS);
	CHECK(stretch_part(&stretch) == 0);
	stretch_free(&stretch);
}

int main(void)
{
	check_turns();
	check_slices();
	check_kinds();
	return check_status();
}
