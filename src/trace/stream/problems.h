/* SPDX-License-Identifier: MIT */
/* Damage that was found while reading: file, offset, words. A damaged trace is
 * normal input, so this is no error: the reader keeps what is whole and goes on.
 * Each place is told once, whatever number of passes comes by; after
 * PROBLEMS_PER_FILE of a file the rest is only counted. One thread.
 *
 *	struct trace_problems problems = {.tell = print_warning};
 *	trace_problem(&problems, "DIR/process-1/stream-2", 131072, "cut off");
 */
#ifndef TANDEM_TRACE_PROBLEMS_H
#define TANDEM_TRACE_PROBLEMS_H

#include <stdint.h>

#include "util/map.h"

#define PROBLEMS_PER_FILE 8u
#define PROBLEM_TEXT_BYTES 512u /* of its description, with a NUL */

/* Instead of an offset: a number of something that concerns the whole file. */
#define TRACE_PROBLEM_WHOLE(number) (UINT64_C(1) << 63 | (number))

struct trace_problems {
	/* Called at once; `text` lives only during the call. NULL: silent. */
	void (*tell)(void *user, const char *file, uint64_t offset, const char *text);
	/* Gets every problem instead, and nothing else is done: whoever reads ahead keeps them
	 * until they are due, and passes them on to trace_problem_skip() then. NULL: none does. */
	void (*keep)(void *user, const char *file, uint64_t offset, uint64_t skipped_bytes,
		     const char *text);
	void *user;
	uint64_t count;		/* places, told or not */
	uint64_t skipped_bytes; /* of the trace, that could not be read */
	struct map seen;	/* hash of file and offset -> 1 */
	struct map told;	/* hash of file -> number */
};

/* A NULL `problems` is allowed: they are discarded. Returns whether it was new. */
bool trace_problem(struct trace_problems *problems, const char *file, uint64_t offset,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Same, and counts bytes that could not be read. */
bool trace_problem_skip(struct trace_problems *problems, const char *file, uint64_t offset,
			uint64_t skipped_bytes, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

void trace_problems_free(struct trace_problems *problems);

#endif
