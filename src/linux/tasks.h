/* SPDX-License-Identifier: MIT */
/* The threads that the collector has met: what it last wrote of each, so that a
 * record `task` is written only when there is something new. Grows with the
 * threads that are alive. One thread.
 */
#ifndef TANDEM_LINUX_TASKS_H
#define TANDEM_LINUX_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/stream.h"
#include "util/map.h"

struct linux_task {
	uint32_t tid;	    /* as the kernel counts */
	uint32_t local_tid; /* as this namespace counts; 0: not known */
	uint32_t pid;
	char name[16]; /* may fill it; else zeroes behind */
};

struct linux_tasks {
	struct linux_task *tasks;
	size_t count, capacity;
	struct map by_tid;    /* -> index */
	struct map by_local;  /* local tid -> tid */
	bool first_namespace; /* both count alike */
	bool system;	      /* scope: everybody, not only the program's threads */
};

void linux_tasks_init(struct linux_tasks *tasks);
void linux_tasks_free(struct linux_tasks *tasks);

/* Forgets all: what was written of them did not reach the file. */
void linux_tasks_invalidate(struct linux_tasks *tasks);

/* Takes what is now known of a thread: 0 and NULL, where nothing is, leave what
 * was. Returns it when something is new and has to be written, else NULL (also
 * when memory runs out). */
const struct linux_task *linux_tasks_note(struct linux_tasks *tasks, const struct linux_task *news);

/* The thread is gone; its numbers may be another's from now on. */
void linux_tasks_remove(struct linux_tasks *tasks, uint32_t tid);

/* The kernel's number of a thread of this namespace; 0: not known. */
uint32_t linux_tasks_tid(const struct linux_tasks *tasks, uint32_t local_tid);

bool linux_tasks_has(const struct linux_tasks *tasks, uint32_t tid);

void linux_task_put(struct linux_stream *stream, uint64_t ticks, const struct linux_task *task,
		    enum tandem_known_by how);

/* Writes what is new of a thread (linux_tasks_note()), and its process's name. One that no record
 * has named gets /proc's name. */
void linux_tasks_learn(struct linux_tasks *tasks, struct linux_stream *stream, uint64_t ticks,
		       struct linux_task *known, enum tandem_known_by how);

#endif
