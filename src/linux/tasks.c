/* SPDX-License-Identifier: MIT */
#include "linux/tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/array.h"

/* PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h. */
#define FIRST_NAMESPACE 0xEFFFFFFCu

void linux_tasks_init(struct linux_tasks *tasks)
{
	struct stat namespace;

	*tasks = (struct linux_tasks){.tasks = NULL};
	tasks->first_namespace =
		!stat("/proc/self/ns/pid", &namespace) && namespace.st_ino == FIRST_NAMESPACE;
}

void linux_tasks_free(struct linux_tasks *tasks)
{
	free(tasks->tasks);
	map_free(&tasks->by_tid);
	map_free(&tasks->by_local);
}

void linux_tasks_invalidate(struct linux_tasks *tasks)
{
	map_clear(&tasks->by_tid);
	map_clear(&tasks->by_local);
	tasks->count = 0;
}

static struct linux_task *task_find(const struct linux_tasks *tasks, uint32_t tid)
{
	uint64_t index = map_get(&tasks->by_tid, tid);

	return index == MAP_NONE ? NULL : &tasks->tasks[index];
}

static struct linux_task *task_add(struct linux_tasks *tasks, uint32_t tid)
{
	if (array_reserve(&tasks->tasks, &tasks->capacity, tasks->count + 1,
			  sizeof(*tasks->tasks)) ||
	    map_set(&tasks->by_tid, tid, tasks->count))
		return NULL;
	tasks->tasks[tasks->count] = (struct linux_task){.tid = tid};
	return &tasks->tasks[tasks->count++];
}

const struct linux_task *linux_tasks_note(struct linux_tasks *tasks, const struct linux_task *news)
{
	struct linux_task *task = task_find(tasks, news->tid);
	bool changed = !task;

	if (!task)
		task = task_add(tasks, news->tid);
	if (!task)
		return NULL;
	if (news->local_tid && task->local_tid != news->local_tid) {
		task->local_tid = news->local_tid;
		map_set(&tasks->by_local, news->local_tid, news->tid);
		changed = true;
	}
	if (news->pid && task->pid != news->pid) {
		task->pid = news->pid;
		changed = true;
	}
	if (news->name[0] && memcmp(task->name, news->name, sizeof(task->name))) {
		memcpy(task->name, news->name, sizeof(task->name));
		changed = true;
	}
	return changed ? task : NULL;
}

void linux_tasks_remove(struct linux_tasks *tasks, uint32_t tid)
{
	uint64_t index = map_remove(&tasks->by_tid, tid);
	struct linux_task *task, *last;

	if (index == MAP_NONE)
		return;
	task = &tasks->tasks[index];
	if (task->local_tid && map_get(&tasks->by_local, task->local_tid) == tid)
		map_remove(&tasks->by_local, task->local_tid);
	last = &tasks->tasks[--tasks->count];
	if (last != task) {
		*task = *last;
		map_set(&tasks->by_tid, task->tid, index); /* replaces: needs no memory */
	}
}

uint32_t linux_tasks_tid(const struct linux_tasks *tasks, uint32_t local_tid)
{
	uint64_t tid;

	if (tasks->first_namespace)
		return local_tid;
	tid = map_get(&tasks->by_local, local_tid);
	return tid == MAP_NONE ? 0 : (uint32_t)tid;
}

bool linux_tasks_has(const struct linux_tasks *tasks, uint32_t tid)
{
	return map_get(&tasks->by_tid, tid) != MAP_NONE;
}
