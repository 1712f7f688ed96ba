/* SPDX-License-Identifier: MIT */
/* Memory that is read to the host again though no command has written it since: by the memory that each
 * command is given. Of transfers that wait, their contents say so (copies/unchanged.h): these are left
 * to them. Memory grows with memory objects and places that are read. One thread.
 *
 *	untouched_command(&untouched, place, process, command);	each, in the order of calls
 *	untouched_add(&untouched, findings);
 *	untouched_free(&untouched);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_ORDERING_UNTOUCHED_H
#define TANDEM_ANALYSIS_FINDINGS_ORDERING_UNTOUCHED_H

#include "analysis/findings/finding.h"
#include "analysis/findings/ordering/apart.h"

struct untouched_process;

struct untouched {
	struct map
		written; /* process and memory -> place of the latest command that may have written it */
	struct map read; /* what and to where, of a process -> place of the latest such read */
	struct map process_of;
	struct untouched_process *processes;
	size_t count, capacity;
};

/* `place`: of the command among those of its process; where one is left out, anything may have been
 * written. Returns 0 or -ENOMEM; untouched_free() is called either way. */
int untouched_command(struct untouched *untouched, uint64_t place, uint32_t process,
		      const struct apart_command *command);
int untouched_add(const struct untouched *untouched, struct findings *findings);
void untouched_free(struct untouched *untouched);

#endif
