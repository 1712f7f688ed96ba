/* SPDX-License-Identifier: MIT */
/* Ranges of the program's that have begun and not ended, from one look at a running session to
 * the next: which range an end is of. Keys are the caller's: of a thread, of a process. At most
 * OPEN_RANGES_MOST; then the oldest is forgotten. One thread.
 *
 *	open_ranges_begin(&ranges, &range, name, length);
 *	if (open_ranges_end(&ranges, owner, scope, number, &range))
 *		... it began at range.begin_ns
 */
#ifndef TANDEM_ANALYSIS_CONDITIONS_OPEN_RANGES_H
#define TANDEM_ANALYSIS_CONDITIONS_OPEN_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPEN_RANGES_MOST 4096u
#define OPEN_RANGE_NAME_BYTES 128u

struct open_range {
	uint64_t owner;	 /* key of a nested one's thread, of a start-end one's process */
	uint64_t number; /* of a start-end one; 0: nested */
	uint32_t scope;
	uint32_t tid;
	uint64_t pid;
	int64_t begin_ns;
	uint32_t reported; /* bits of the conditions that were true of it */
	char name[OPEN_RANGE_NAME_BYTES];
};

struct open_ranges {
	struct open_range *of; /* in the order of begins */
	size_t count, capacity;
};

/* A copy; the name is cut where it is longer. 0 or -ENOMEM. */
int open_ranges_begin(struct open_ranges *ranges, const struct open_range *range, const char *name,
		      size_t length);

/* The innermost nested one of the owner and the scope, or that of the number: takes it out. False:
 * its begin was not seen. */
bool open_ranges_end(struct open_ranges *ranges, uint64_t owner, uint32_t scope, uint64_t number,
		     struct open_range *range);

void open_ranges_clear(struct open_ranges *ranges);
void open_ranges_free(struct open_ranges *ranges);

#endif
