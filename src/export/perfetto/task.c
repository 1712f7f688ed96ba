/* SPDX-License-Identifier: MIT */
#include "export/perfetto/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/packet.h"
#include "schema/gen/kernel_records.h"
#include "util/keyed_row.h"

/* Field numbers of perfetto.dev's protos/perfetto/trace/ps/process_tree.proto. */
enum {
	PACKET_PROCESS_TREE = 2,

	TREE_PROCESS = 1,
	TREE_THREAD = 2,
	TREE_PROCESS_PID = 1,
	TREE_PROCESS_COMMAND = 3,
	TREE_THREAD_TID = 1,
	TREE_THREAD_NAME = 2,
	TREE_THREAD_PROCESS = 3,
};

/* Kernel threads of another namespace are put where no local number is. */
#define EXTERNAL_TIDS (UINT32_C(1) << 29)

struct perfetto_task *perfetto_task_get(struct perfetto_tasks *tasks, uint32_t tid)
{
	const struct perfetto_task fresh = {.tid = tid};

	return keyed_row(&tasks->by_tid, tid, &tasks->items, &tasks->capacity, &tasks->count,
			 &fresh, sizeof(fresh));
}

uint32_t perfetto_task_number(const struct perfetto_tasks *tasks, uint32_t tid)
{
	uint64_t known = map_get(&tasks->by_tid, tid);
	uint32_t local = known == MAP_NONE ? 0 : tasks->items[known].local_tid;

	if (local)
		return local;
	return tid && tasks->namespaced ? tid + EXTERNAL_TIDS : tid;
}

const char *perfetto_task_name(const struct perfetto_tasks *tasks, uint32_t tid)
{
	uint64_t known = map_get(&tasks->by_tid, tid);

	if (!tid)
		return "swapper";
	return known == MAP_NONE ? "" : intern_text(&tasks->names, tasks->items[known].name);
}

int perfetto_task_learn(struct perfetto_tasks *tasks, const struct trace_event *event)
{
	const struct tandem_kernel_task *record = (const void *)event->record;
	struct perfetto_task *task = perfetto_task_get(tasks, record->tid);

	if (!task)
		return -ENOMEM;
	if (record->local_tid)
		task->local_tid = record->local_tid;
	if (record->pid)
		task->pid = record->pid;
	tasks->namespaced |= task->local_tid && task->local_tid != task->tid;
	return intern_add(&tasks->names, (const char *)(record + 1), record->name_count,
			  &task->name);
}

int perfetto_task_learn_new(struct perfetto_tasks *tasks, const struct trace_event *event)
{
	const struct tandem_kernel_task_new *record = (const void *)event->record;
	uint64_t parent = map_get(&tasks->by_tid, record->parent_tid);
	struct perfetto_task *task = record->tid ? perfetto_task_get(tasks, record->tid) : NULL;

	if (!task)
		return record->tid ? -ENOMEM : 0;
	/* A number that is used again is another thread's. */
	*task = (struct perfetto_task){.tid = record->tid,
				       .local_tid = record->local_tid,
				       .pid = record->pid,
				       .name = parent == MAP_NONE ? 0 : tasks->items[parent].name};
	tasks->namespaced |= task->local_tid && task->local_tid != task->tid;
	return 0;
}

int perfetto_task_tell(struct perfetto_tasks *tasks, struct export *export,
		       struct perfetto_writer *writer, int64_t ns, uint32_t tid)
{
	struct perfetto_task *task = tid ? perfetto_task_get(tasks, tid) : NULL;
	struct text *packet = &writer->packet;
	const char *name = perfetto_task_name(tasks, tid);
	size_t tree, entry;
	uint64_t known;
	uint32_t pid;
	bool renamed;

	if (!tid)
		return 0;
	if (!task)
		return -ENOMEM;
	if (!task->pid ||
	    (task->told && task->sent_pid == task->pid && task->sent_name == task->name))
		return 0;
	renamed = task->sent_name != task->name;
	task->told = true;
	task->sent_pid = task->pid;
	task->sent_name = task->name;
	pid = task->pid;
	perfetto_packet_begin(writer, ns);
	tree = proto_begin(packet, PACKET_PROCESS_TREE);
	/* Those that were traced have their track with all that is known of them. */
	known = map_get(&tasks->processes, pid);
	if (task->local_tid == task->pid &&
	    (known == MAP_NONE || (known == PERFETTO_TOLD && renamed))) {
		entry = proto_begin(packet, TREE_PROCESS);
		proto_number(packet, TREE_PROCESS_PID, pid);
		proto_string(packet, TREE_PROCESS_COMMAND, name, strlen(name));
		proto_end(packet, entry);
		if (map_set(&tasks->processes, pid, PERFETTO_TOLD))
			return -ENOMEM;
	}
	entry = proto_begin(packet, TREE_THREAD);
	proto_number(packet, TREE_THREAD_TID, perfetto_task_number(tasks, tid));
	proto_number(packet, TREE_THREAD_PROCESS, pid);
	proto_string(packet, TREE_THREAD_NAME, name, strlen(name));
	proto_end(packet, entry);
	proto_end(packet, tree);
	perfetto_packet_end(writer, &export->output);
	return 0;
}

void perfetto_task_session(struct perfetto_tasks *tasks)
{
	map_clear(&tasks->by_tid);
	map_clear(&tasks->processes);
	tasks->count = 0;
	tasks->namespaced = false;
}

void perfetto_task_free(struct perfetto_tasks *tasks)
{
	free(tasks->items);
	map_free(&tasks->by_tid);
	map_free(&tasks->processes);
	intern_free(&tasks->names);
	memset(tasks, 0, sizeof(*tasks));
}
