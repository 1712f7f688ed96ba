/* SPDX-License-Identifier: MIT */
/* For unit programs: CHECK(condition) says where one did not hold and goes on;
 * main() ends with `return check_status();`. */
#ifndef TANDEM_TESTS_CHECK_H
#define TANDEM_TESTS_CHECK_H

#include <stdio.h>

static int check_failures;

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			check_failures++;                                               \
		}                                                                       \
	} while (0)

static inline int check_status(void)
{
	return check_failures != 0;
}

#endif
