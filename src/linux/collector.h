/* SPDX-License-Identifier: MIT */
/* The collector: records what the operating system does, from within `tandem
 * record`. It opens perf events on the scheduler's tracepoints (and, asked for,
 * on system calls and GPU drivers), and whenever it is polled it moves what the
 * kernel has written to DIR/kernel/. Nothing of it is in the traced program.
 *
 * One thread. The order is start, the program's start, polls, the program's end,
 * stop. Opening a tracepoint takes the kernel a fifth of a millisecond, so start
 * opens only what must be there before the program is; polls open the rest.
 *
 *	struct linux_options options = { .level = LINUX_SCHED, .directory = dir,
 *					  .control = control };
 *	struct linux_collector *collector;
 *	char words[LINUX_NOTE_BYTES];
 *
 *	linux_collector_start(&collector, &options, words);
 *	... start the program ...
 *	do {
 *		int ms = linux_collector_poll(collector);
 *		... wait for the program's end, linux_collector_fd() or ms ...
 *	} while (it runs);
 *	linux_collector_finish(collector);
 *	linux_collector_close(collector);
 */
#ifndef TANDEM_LINUX_COLLECTOR_H
#define TANDEM_LINUX_COLLECTOR_H

#include <stdbool.h>

#include "linux/level.h"
#include "linux/process_tree.h"
#include "schema/control.h"

struct linux_options {
	enum linux_level level;
	bool whole; /* the whole machine or nothing: there is no program to look at alone */
	const char *directory;		/* of the session, made; borrowed during the call */
	struct tandem_control *control; /* filled; borrowed until stop */
	uint32_t sample_hz; /* of the program's stacks; 0: none. Takes a level above OFF */
	bool saved_stacks;  /* keep their content, for the reader to unwind */
	/* Filled with the processes that begin, where they can be seen; borrowed until
	 * stop; may be NULL. */
	struct linux_process_tree *processes;
};

struct linux_collector;

/* Room for a line about what is missing. */
enum { LINUX_NOTE_BYTES = 320 };

/* In a line each, empty: nothing is missing. */
struct linux_notes {
	char scheduler[LINUX_NOTE_BYTES], samples[LINUX_NOTE_BYTES];
};

/* Starts collecting what may be collected. `words` says what can't be, and how to get
 * it. Returns 0, or -errno: nothing is collected
 * and *collector is NULL, which the functions below take too. */
int linux_collector_start(struct linux_collector **collector, const struct linux_options *options,
			  struct linux_notes *words);

/* Becomes readable when a buffer is half full; -1: never. */
int linux_collector_fd(const struct linux_collector *collector);

/* Does what there is to do; never waits. Returns in how many ms to call again at
 * the latest, -1: no need to. */
int linux_collector_poll(struct linux_collector *collector);

/* Writes the rest. Nothing but to close it may follow. */
void linux_collector_finish(struct linux_collector *collector);

/* Ends the events and frees the collector. */
void linux_collector_close(struct linux_collector *collector);

#endif
