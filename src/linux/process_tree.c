/* SPDX-License-Identifier: MIT */
#include "linux/process_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static struct linux_process *process_find(const struct linux_process_tree *tree, uint32_t pid)
{
	uint64_t known = map_get(&tree->by_pid, pid);

	return known == MAP_NONE ? NULL : &tree->processes[known];
}

/* NULL: there is no room. */
static struct linux_process *process_add(struct linux_process_tree *tree, uint32_t pid)
{
	struct linux_process *process;

	if (tree->count == LINUX_PROCESSES_MOST ||
	    array_reserve(&tree->processes, &tree->capacity, tree->count + 1,
			  sizeof(*tree->processes)) ||
	    map_set(&tree->by_pid, pid, tree->count))
		return NULL;
	process = &tree->processes[tree->count++];
	*process = (struct linux_process){.pid = pid};
	return process;
}

void linux_process_tree_fork(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid,
			     uint32_t ppid)
{
	struct linux_process *process = process_find(tree, pid);

	/* Its name or its end may have come before it, from another CPU; else the number is used again. */
	if (!process || process->ticks)
		process = process_add(tree, pid);
	if (!process)
		return;
	process->ticks = ticks;
	process->ppid = ppid;
	/* That of an earlier process of this number. */
	if (process->end_ticks < ticks)
		process->end_ticks = 0;
}

void linux_process_tree_exit(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid)
{
	struct linux_process *process = process_find(tree, pid);

	/* A child of a moment may be seen to end, on its CPU, before it is seen to begin. */
	if (!process)
		process = process_add(tree, pid);
	if (process)
		process->end_ticks = ticks;
}

void linux_process_tree_exec(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid)
{
	struct linux_process *process = process_find(tree, pid);

	if (!process)
		process = process_add(tree, pid);
	if (!process)
		return;
	process->execs++;
	if (process->exec_ticks < ticks)
		process->exec_ticks = ticks;
}

void linux_process_tree_name(struct linux_process_tree *tree, uint32_t pid, const char *name,
			     size_t length)
{
	struct linux_process *process = process_find(tree, pid);

	if (!process)
		process = process_add(tree, pid);
	if (process)
		snprintf(process->name, sizeof(process->name), "%.*s", (int)length, name);
}

static int process_compare(const void *a, const void *b)
{
	const struct linux_process *left = a, *right = b;

	return left->ticks < right->ticks ? -1 : left->ticks > right->ticks;
}

void linux_process_tree_finish(struct linux_process_tree *tree, uint32_t ancestor)
{
	struct map ours = {.count = 0}; /* pid -> index */
	size_t kept = 0;

	if (tree->count)
		qsort(tree->processes, tree->count, sizeof(*tree->processes), process_compare);
	for (size_t i = 0; i < tree->count; i++) {
		struct linux_process *process = &tree->processes[i];
		uint64_t parent = map_get(&ours, process->ppid);

		if (!process->ticks || (process->ppid != ancestor && parent == MAP_NONE)) {
			/* The number may be another's now. */
			if (process->ticks)
				map_remove(&ours, process->pid);
			continue;
		}
		/* Until it is called otherwise it is as its parent. */
		if (!*process->name && parent != MAP_NONE)
			memcpy(process->name, tree->processes[parent].name, sizeof(process->name));
		if (map_set(&ours, process->pid, kept))
			break;
		tree->processes[kept++] = *process;
	}
	tree->count = kept;
	map_clear(&tree->by_pid);
	map_free(&ours);
}

void linux_process_tree_free(struct linux_process_tree *tree)
{
	free(tree->processes);
	map_free(&tree->by_pid);
	memset(tree, 0, sizeof(*tree));
}
