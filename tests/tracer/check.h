/* SPDX-License-Identifier: MIT */
/* TAP of the tracer's tests in C: each check is a line. */
#ifndef TESTS_TRACER_CHECK_H
#define TESTS_TRACER_CHECK_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int tap_done, tap_failed;

#define OK(condition, ...) tap_line((condition), #condition, __LINE__, __VA_ARGS__)

static inline __attribute__((format(printf, 4, 5))) bool tap_line(bool holds, const char *condition,
								  int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("%s %d - ", holds ? "ok" : "not ok", ++tap_done);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	if (!holds) {
		printf("# line %d: %s\n", line, condition);
		tap_failed++;
	}
	fflush(stdout);
	return holds;
}

#define WAIT_FOR(condition)                                                 \
	do {                                                                \
		struct timespec pause_ = {.tv_nsec = 1000000};              \
		for (int turn_ = 0; turn_ < 30000 && !(condition); turn_++) \
			nanosleep(&pause_, NULL);                           \
	} while (0)

static inline int tap_end(void)
{
	return tap_failed || !tap_done;
}

#endif
