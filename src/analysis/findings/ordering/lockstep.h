/* SPDX-License-Identifier: MIT */
/* Lines of work that take turns, as each command waits, by an event, for the one enqueued before it: of
 * queues that keep their order each is a line, if all run the same kernel; in a queue that need not keep it,
 * what is enqueued from a transfer to a place of its own in a buffer on. Whether they need each other is
 * not seen: all of them were given the same memory. What would be saved is what a schedule takes less in
 * which each line keeps its order, and no other. Memory grows with lines. One thread.
 *
 *	lockstep_command(&lockstep, process, command, &relaxed, slots, in_order);	each, in the order of calls
 *	lockstep_waited(&lockstep, process, ns);				the host had waited by then
 *	lockstep_add(&lockstep, findings);
 *	lockstep_free(&lockstep);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_ORDERING_LOCKSTEP_H
#define TANDEM_ANALYSIS_FINDINGS_ORDERING_LOCKSTEP_H

#include "analysis/findings/finding.h"
#include "analysis/findings/ordering/apart.h"
#include "analysis/findings/ordering/relaxed_schedule.h"

struct lockstep_process;

struct lockstep {
	struct map process_of;
	struct lockstep_process *processes;
	size_t count, capacity;
};

/* `relaxed`: as the command is scheduled otherwise, on so many slots; `in_order`: its queue keeps the order. Return 0 or -ENOMEM;
 * lockstep_free() is called either way. */
int lockstep_command(struct lockstep *lockstep, uint32_t process,
		     const struct apart_command *command, const struct relaxed_command *relaxed,
		     unsigned slot_count, bool in_order);
int lockstep_add(const struct lockstep *lockstep, struct findings *findings);

int lockstep_waited(struct lockstep *lockstep, uint32_t process, int64_t ns);
void lockstep_free(struct lockstep *lockstep);

#endif
