/* SPDX-License-Identifier: MIT */
/* Whether what a cycle of a thread computes goes on in the next one, in memory of the device: an iteration
 * that begins with what the one before left there can't be given to another queue. Of memory that kernels
 * use and no transfer fills first in that cycle, it is so where
 *
 *	a kernel only reads what a kernel of an earlier cycle wrote, or
 *	a kernel reads, by its source, what it writes then, and one of the cycle before wrote, or
 *	kernels wrote it in an earlier cycle, and nothing of that cycle took it: neither a transfer to the
 *	host nor, where the kernel uses other memory as well, a kernel that only reads it. So it is no
 *	result, and no scratch.
 *
 * What a kernel reads is known where arguments were recorded, by its source (used_memory.h); else
 * nothing is carried. Memory grows with lanes and the memory objects that each uses. One thread.
 *
 *	struct carried carried = {0};
 *
 *	carried_cycle(&carried);				it begins
 *	carried_command(&carried, lane, kind, &memory, &is);	each of its commands, in their order
 *	if (is)							it needs what an earlier cycle of that lane left
 *	carried_free(&carried);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_CARRIED_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_CARRIED_H

#include "analysis/operations/used_memory.h"

struct carried_row;

struct carried {
	uint64_t cycle;
	struct map row_of; /* lane and memory -> row */
	struct carried_row *rows;
	size_t count, capacity;
};

void carried_cycle(struct carried *carried);

/* `kind`: the operation's. `is` is set where it needs what an earlier cycle left, and is else as before.
 * Returns 0 or -ENOMEM. */
int carried_command(struct carried *carried, size_t lane, uint8_t kind,
		    const struct used_memory_list *memory, bool *is);

void carried_free(struct carried *carried);

#endif
