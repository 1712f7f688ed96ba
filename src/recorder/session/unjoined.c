/* SPDX-License-Identifier: MIT */
#include "recorder/session/unjoined.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* The loader runs between the two: a program that has joined did so after its exec. */
static bool has_joined(const struct tandem_control *control, const struct linux_process *process)
{
	return atomic_load(&control->joined_ticks[process->pid % TANDEM_JOIN_PLACES]) >
	       process->exec_ticks;
}

void unjoined_find(const struct session *session, struct unjoined *unjoined)
{
	const struct linux_process_tree *tree = session->processes;
	uint64_t execs = 0, joins = atomic_load(&session->control->joins);

	*unjoined = (struct unjoined){.count = 0};
	if (!tree || !strcmp(session->inject, "layer"))
		return;
	for (size_t i = 0; i < tree->count; i++) {
		const struct linux_process *process = &tree->processes[i];

		execs += process->execs;
		if (!process->execs || !process->end_ticks || has_joined(session->control, process))
			continue;
		if (!unjoined->count++)
			unjoined->first = process;
	}
	/* All have joined, by other numbers: those of a pid namespace. */
	if (execs < joins + unjoined->count)
		unjoined->count = 0;
}
