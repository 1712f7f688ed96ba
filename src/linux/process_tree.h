/* SPDX-License-Identifier: MIT */
/* Processes that began while the collector ran, and whose children they are: which of
 * them the recorded program started. Records of several CPUs come in no common order, so
 * that ancestry is decided at the end. Grows with the processes that began, up to
 * LINUX_PROCESSES_MOST. One thread.
 *
 *	linux_process_tree_fork(&tree, ticks, pid, ppid);
 *	linux_process_tree_exec(&tree, ticks, pid);
 *	linux_process_tree_name(&tree, pid, "ls", 2);
 *	linux_process_tree_finish(&tree, getpid());
 *	for (size_t i = 0; i < tree.count; i++)      descendants, by their begin
 *		... tree.processes[i]
 */
#ifndef TANDEM_LINUX_PROCESS_TREE_H
#define TANDEM_LINUX_PROCESS_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define LINUX_PROCESSES_MOST 65536u

struct linux_process {
	uint64_t ticks;	     /* when it began */
	uint64_t end_ticks;  /* 0: it was not seen to end */
	uint64_t exec_ticks; /* when it became the program that it is; 0: its parent's */
	uint32_t pid, ppid;
	uint32_t execs;	   /* how many programs it was */
	char name[16 + 1]; /* of its first thread */
};

struct linux_process_tree {
	struct linux_process *processes;
	size_t count, capacity;
	struct map by_pid; /* -> index of the latest */
};

void linux_process_tree_fork(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid,
			     uint32_t ppid);

/* It runs another program from now on. */
void linux_process_tree_exec(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid);

/* What its first thread is called from now on, by an exec or otherwise; `length` up to 16. */
void linux_process_tree_name(struct linux_process_tree *tree, uint32_t pid, const char *name,
			     size_t length);
void linux_process_tree_exit(struct linux_process_tree *tree, uint64_t ticks, uint32_t pid);

/* Keeps the descendants of a process only, without itself. */
void linux_process_tree_finish(struct linux_process_tree *tree, uint32_t ancestor);

void linux_process_tree_free(struct linux_process_tree *tree);

#endif
