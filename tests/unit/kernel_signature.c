/* SPDX-License-Identifier: MIT */
/* What a kernel's signature says of its arguments (analysis/operations/kernel_signature.h). */
#include "analysis/operations/kernel_signature.h"

#include "check.h"

static void test_signature(void)
{
	struct kernel_signature signature;

	CHECK(kernel_signature("add(float const*, float*, int)", &signature));
	CHECK(signature.pointers == 2 && signature.reads == 1);
	CHECK(kernel_signature("void k<float, (int)4>(float*, float const*, unsigned long)",
			       &signature));
	CHECK(signature.pointers == 2 && signature.reads == 2);
	CHECK(kernel_signature("none()", &signature) == false);
	CHECK(kernel_signature("f(std::pair<int, float> const*, float* const*)", &signature));
	CHECK(signature.pointers == 2 && signature.reads == 3);
	CHECK(!kernel_signature("by_value(Parameters, float*)", &signature));
	CHECK(!kernel_signature("plain", &signature));
	CHECK(!kernel_signature("", &signature));
	CHECK(!kernel_signature(")", &signature));
	CHECK(!kernel_signature("f(int", &signature));
}

int main(void)
{
	test_signature();
	return check_status();
}
