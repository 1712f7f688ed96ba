/* SPDX-License-Identifier: MIT */
/* The folders of a flight recorder's processes that have ended, kept within a bound: those that
 * wrote last stay, whole, with the names of their objects; the oldest are removed. What a folder's
 * process still records into, whatever its pid namespace, is not touched. The recorder's; one thread.
 *
 *	ended_processes_init(&ended, "/tmp/run", 64 << 20);
 *	ms = ended_processes_trim(&ended);      again after so long
 */
#ifndef TANDEM_RECORDER_ENDED_PROCESSES_H
#define TANDEM_RECORDER_ENDED_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Of the bytes of a ring: what all that have ended may take on disk. */
#define ENDED_PROCESSES_RINGS 16u

struct ended_processes {
	const char *directory; /* borrowed; NULL: nothing is removed */
	uint64_t most_bytes;
	uint64_t removed;     /* so far */
	uint64_t next_ns;     /* CLOCK_MONOTONIC: not before */
	struct timespec seen; /* when the directory had changed, at the last look */
	bool again;	      /* more is to be removed than could be */
};

void ended_processes_init(struct ended_processes *ended, const char *directory,
			  uint64_t most_bytes);

/* Removes what is too much. Returns in how many ms to call again; -1: no need to. Cheap where no
 * process has begun since. */
int ended_processes_trim(struct ended_processes *ended);

#endif
