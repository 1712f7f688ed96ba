/* SPDX-License-Identifier: MIT */
#include "linux/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/array.h"
#include "util/system.h"

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

void linux_task_put(struct linux_stream *stream, uint64_t ticks, const struct linux_task *task,
		    enum tandem_known_by how)
{
	uint32_t length = (uint32_t)strnlen(task->name, sizeof(task->name));
	struct tandem_kernel_task *record = linux_stream_put(
		stream, TANDEM_KERNEL_EVENT_task, ticks, (uint32_t)sizeof(*record) + length);

	if (!record)
		return;
	record->tid = task->tid;
	record->local_tid = task->local_tid;
	record->pid = task->pid;
	record->how = (uint8_t)how;
	record->name_count = (uint16_t)length;
	memcpy(record + 1, task->name, length);
}

/* What /proc calls a thread, for those that no record has named. */
static void name_look_up(struct linux_task *task)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", task->pid, task->local_tid);
	system_read_text(path, task->name, sizeof(task->name));
}

/* A process is called as its first thread is, which may not have run yet. */
static void process_learn(struct linux_tasks *tasks, struct linux_stream *stream, uint64_t ticks,
			  uint32_t pid)
{
	struct linux_task first = {
		.tid = linux_tasks_tid(tasks, pid), .local_tid = pid, .pid = pid};
	const struct linux_task *news;

	if (!first.tid || linux_tasks_has(tasks, first.tid))
		return;
	name_look_up(&first);
	news = first.name[0] ? linux_tasks_note(tasks, &first) : NULL;
	if (news)
		linux_task_put(stream, ticks, news, TANDEM_KNOWN_BY_seen);
}

void linux_tasks_learn(struct linux_tasks *tasks, struct linux_stream *stream, uint64_t ticks,
		       struct linux_task *known, enum tandem_known_by how)
{
	const struct linux_task *news;

	if (!known->tid)
		return;
	if (!tasks->system && !linux_tasks_has(tasks, known->tid))
		name_look_up(known);
	news = linux_tasks_note(tasks, known);
	if (!news)
		return;
	linux_task_put(stream, ticks, news, how);
	if (news->pid && news->pid != news->local_tid)
		process_learn(tasks, stream, ticks, news->pid);
}
