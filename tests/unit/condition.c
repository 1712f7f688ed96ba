/* SPDX-License-Identifier: MIT */
/* What `record --snapshot-when` takes, and where in the text it says that something is wrong. */
#include "analysis/conditions/condition.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static void accepts(const char *text, enum condition_kind kind, const char *name, int64_t bound_ns,
		    double factor)
{
	struct condition_problem problem;
	struct condition condition;

	if (condition_parse(&condition, text, &problem)) {
		printf("%s: %s\n", text, problem.text);
		CHECK(0);
		return;
	}
	CHECK(condition.kind == kind);
	CHECK(!strcmp(condition.name, name));
	CHECK(condition.bound_ns == bound_ns);
	CHECK(condition.factor == factor);
}

static void refuses(const char *text, size_t at, const char *why)
{
	struct condition_problem problem = {.at = 0};
	struct condition condition;

	CHECK(condition_parse(&condition, text, &problem) < 0);
	if (problem.at != at || !strstr(problem.text, why)) {
		printf("%s: %zu: %s\n", text, problem.at, problem.text);
		CHECK(0);
	}
}

int main(void)
{
	struct condition_problem problem;
	struct condition condition;
	char longest[CONDITION_BYTES + 1];

	accepts("call clEnqueueReadBuffer > 5ms", CONDITION_CALL, "clEnqueueReadBuffer", 5000000,
		0);
	accepts("  call  clFinish>1.5 s ", CONDITION_CALL, "clFinish", 1500000000, 0);
	accepts("call clEnqueue* > 2x median", CONDITION_CALL, "clEnqueue*", 0, 2);
	accepts("call cuLaunchKernel > 10us", CONDITION_CALL, "cuLaunchKernel", 10000, 0);
	accepts("kernel void f<int, a<b>>(float*) > 2ms", CONDITION_KERNEL,
		"void f<int, a<b>>(float*)", 2000000, 0);
	accepts("kernel * > 0.5us", CONDITION_KERNEL, "*", 500, 0);
	accepts("range step > 1.2 \xc3\x97 median", CONDITION_RANGE, "step", 0, 1.2);
	accepts("range my step > 3*median", CONDITION_RANGE, "my step", 0, 3);
	accepts("error", CONDITION_ERROR, "", 0, 0);
	accepts("error clBuildProgram", CONDITION_ERROR, "clBuildProgram", 0, 0);
	accepts("loss", CONDITION_LOSS, "", 0, 0);

	refuses("", 1, "expected call, kernel, range, error or loss");
	refuses("calls f > 5ms", 1, "expected call");
	refuses("call clFinish", 14, "expected `> BOUND`");
	refuses("call clFinsh > 5ms", 6, "no runtime that is recorded has a call `clFinsh`");
	refuses("error clFinsh", 7, "no runtime that is recorded has a call `clFinsh`");
	refuses("call > 5ms", 6, "expected a name");
	refuses("call clFinish > ", 16, "expected a time (5ms) or a factor");
	refuses("call clFinish > -5ms", 17, "expected a time");
	refuses("call clFinish > 0", 17, "expected a time");
	refuses("call clFinish > 5 ells", 17, "expected a time");
	refuses("call clFinish > 5ms or more", 17, "expected a time");
	refuses("range \xc3\xa9t\xc3\xa9 > 2 x mean", 17, "expected `median`");
	refuses("range a > 2 x median of it", 15, "expected `median`");
	refuses("range a > 0 x median", 11, "expected a factor above 0");
	refuses("range a > -1 x median", 11, "expected a factor above 0");
	refuses("loss of life", 6, "nothing may follow");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	refuses(longest, 1, "more than");

	CHECK(!condition_parse(&condition, "kernel a[0] > 1s", &problem));
	CHECK(condition_names(&condition, "a[0]") && condition_names(&condition, "a0"));
	CHECK(!condition_names(&condition, "a1"));
	return check_status();
}
