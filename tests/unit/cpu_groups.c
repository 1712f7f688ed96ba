/* SPDX-License-Identifier: MIT */
/* What is left of a kernel's time in groups of a good size, against what was measured (doc/FINDINGS.md, "Work-groups
 * on a CPU"). */
#include "analysis/findings/launch/cpu_groups.h"

#include <stdbool.h>
#include <stdio.h>

#include "check.h"

#define POCL 8u
#define INTEL 128u

/* Within a quarter of the whole. */
static bool is_about(double left, double measured)
{
	if (left > measured - 0.25 && left < measured + 0.25)
		return true;
	fprintf(stderr, "%.2f, not %.2f\n", left, measured);
	return false;
}

static double left(uint64_t items, uint64_t wished, enum tandem_kernel_body body, double item_ns,
		   double units)
{
	return cpu_groups_left(&(struct cpu_groups){items, wished, body, item_ns, units});
}

int main(void)
{
	const enum tandem_kernel_body unknown = TANDEM_KERNEL_BODY_unknown;
	const enum tandem_kernel_body plain = TANDEM_KERNEL_BODY_plain;
	const enum tandem_kernel_body loops = TANDEM_KERNEL_BODY_loops;

	CHECK(is_about(left(1, POCL, plain, 2.2, 1), 0.48 / 2.2));
	CHECK(is_about(left(8, POCL, plain, 2.2, 1), 0.48 / 2.2));
	CHECK(is_about(left(20, POCL, plain, 1.2, 1), 0.48 / 1.2));
	CHECK(is_about(left(3, POCL, loops, 58, 1), 57.0 / 58));
	CHECK(is_about(left(1, INTEL, loops, 78, 2), 2.4 / 39));
	CHECK(is_about(left(20, INTEL, loops, 17, 2), 2.4 / 8.4));
	CHECK(is_about(left(3, INTEL, plain, 7.4, 2), 0.73 / 3.7));
	/* Nothing is known of the text. */
	CHECK(left(1, POCL, unknown, 2.2, 1) == left(1, POCL, plain, 2.2, 1));
	CHECK(left(1, POCL, unknown, 60, 1) == left(1, POCL, loops, 60, 1));
	CHECK(left(1, POCL, unknown, 6.6, 2) == left(1, POCL, plain, 6.6, 2));
	/* Nothing is left to save of whole vectors. */
	CHECK(left(16, POCL, plain, 0.5, 1) == 1 && left(64, INTEL, loops, 5, 2) == 1);
	CHECK(left(4, POCL, TANDEM_KERNEL_BODY_barriers, 27, 1) == 0.25);
	return check_status();
}
