/* SPDX-License-Identifier: MIT */
/* PROGRAM CASE [repaired]: a program that is several, each with one fault or, repaired, without. */
#ifndef TANDEM_TESTS_HW_CUDA_CASES_H
#define TANDEM_TESTS_HW_CUDA_CASES_H

#include <string>

#include "common.h"

static bool repaired;

struct Case {
	const char *name;
	void (*run)();
};

#define CASE(name)          \
	{                   \
#name, name \
	}

template <size_t COUNT> static int case_run(const Case (&cases)[COUNT], int count, char **words)
{
	repaired = count > 2 && std::string(words[2]) == "repaired";
	for (const auto &one : cases)
		if (count > 1 && std::string(words[1]) == one.name) {
			one.run();
			CHECK(cudaDeviceSynchronize());
			return 0;
		}
	fprintf(stderr, "%s CASE [repaired], where CASE is one of\n", words[0]);
	for (const auto &one : cases)
		fprintf(stderr, "  %s\n", one.name);
	return 2;
}

#endif
