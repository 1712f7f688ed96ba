/* SPDX-License-Identifier: MIT */
/* All CPUs of the machine with the events of a plan on each; CPUs may come and
 * go. One thread.
 */
#ifndef TANDEM_LINUX_MACHINE_H
#define TANDEM_LINUX_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "linux/cpu.h"
#include "linux/cpus.h"
#include "linux/decode.h"
#include "linux/perf/plan.h"

struct linux_machine {
	struct linux_folder *folder; /* borrowed */
	struct linux_plan *plan;     /* borrowed; NULL: the program's own switches */
	struct linux_cpus online;
	struct linux_cpu *cpus;
	size_t count, capacity;
	size_t opened; /* events of the plan that are open on every CPU */
	bool gaps_filled;
	size_t ring_bytes; /* of each CPU */
	int epoll;	   /* readable when a ring is half full; -1: none */
};

/* Opens the first event of the plan on every CPU that is on-line. Returns 0 or
 * -errno: then nothing is open. */
int linux_machine_open(struct linux_machine *machine, struct linux_folder *folder,
		       struct linux_plan *plan, size_t ring_bytes);

/* Adds samples of the program's stacks everywhere. Returns 0 or -errno: then
 * nowhere. */
int linux_machine_add_samples(struct linux_machine *machine, struct linux_sampling *sampling);

/* Opens the next event of the plan everywhere; one that can't be opened is taken
 * out of the plan. False: there is none left. */
bool linux_machine_open_next(struct linux_machine *machine);

/* Where the tracepoint was seen to leave out switches, adds perf's own records. */
void linux_machine_fill_gaps(struct linux_machine *machine);

/* Says in every stream what it holds from these ticks on. */
void linux_machine_announce(struct linux_machine *machine, bool fresh, uint64_t ticks);

/* Says in every stream, at the next drain, that it holds nothing from these ticks on. */
void linux_machine_announce_end(struct linux_machine *machine, uint64_t ticks);

/* Reads every ring, and writes what was in it unless it is to be thrown away. Returns
 * how full the fullest was, in percent. */
unsigned linux_machine_drain(struct linux_machine *machine, struct linux_decoder *decoder,
			     bool keep);

/* Looks for CPUs that came or went, or did both, begins with those and ends with these.
 * Asked at intervals, not more often than 10 times a second. */
void linux_machine_update(struct linux_machine *machine, struct linux_decoder *decoder);

/* Ends all events without waiting for the kernel, and closes `mount` (-1: none) with them: a
 * mount that is nowhere waits for all CPUs when it is closed. Where `ends`, this process does, and
 * its rings need not be unmapped. */
void linux_machine_close(struct linux_machine *machine, int mount, bool ends);

#endif
