#include "export/perfetto_sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* Field numbers of perfetto.dev's protos/perfetto/trace/ftrace/ and ps/. */
enum {
	PACKET_PROCESS_TREE = 2,
	PACKET_SYSTEM_INFO = 45,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,

	EVENT_TIME = 1,
	EVENT_THREAD = 2,
	EVENT_SWITCH = 4,
	EVENT_WAKEUP = 17,
	EVENT_WAKING = 20,
	EVENT_WAKEUP_NEW = 114,

	SWITCH_PREV_NAME = 1,
	SWITCH_PREV = 2,
	SWITCH_PREV_PRIORITY = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_NAME = 5,
	SWITCH_NEXT = 6,
	SWITCH_NEXT_PRIORITY = 7,

	WAKE_NAME = 1,
	WAKE_THREAD = 2,
	WAKE_SUCCESS = 4,
	WAKE_CPU = 5,

	TREE_PROCESS = 1,
	TREE_THREAD = 2,
	PROCESS_PID = 1,
	PROCESS_COMMAND = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_PROCESS = 3,

	SYSTEM_NAMES = 1,
	NAMES_SYSTEM = 1,
	NAMES_RELEASE = 3,
};

/* Kernel threads of another namespace are put where no local number is. */
#define FOREIGN_TIDS (UINT32_C(1) << 29)

static struct perfetto_task *task_get(struct perfetto_sched *sched, uint32_t tid)
{
	uint64_t known = map_get(&sched->by_tid, tid);

	if (known != MAP_NONE)
		return &sched->tasks[known];
	if (array_reserve(&sched->tasks, &sched->task_capacity, sched->task_count + 1,
			  sizeof(*sched->tasks)) ||
	    map_set(&sched->by_tid, tid, sched->task_count))
		return NULL;
	sched->tasks[sched->task_count] = (struct perfetto_task){.tid = tid};
	return &sched->tasks[sched->task_count++];
}

static uint32_t number_of(const struct perfetto_sched *sched, const struct export *export,
			  uint32_t tid)
{
	uint64_t known = map_get(&sched->by_tid, tid);
	uint32_t local = known == MAP_NONE ? 0 : sched->tasks[known].local_tid;

	if (local)
		return (uint32_t)export_pid(export, local);
	return tid && sched->namespaced ? tid + FOREIGN_TIDS : tid;
}

static const char *name_of(const struct perfetto_sched *sched, uint32_t tid)
{
	uint64_t known = map_get(&sched->by_tid, tid);

	if (!tid)
		return "swapper";
	return known == MAP_NONE ? "" : intern_text(&sched->names, sched->tasks[known].name);
}

static int learn_task(struct perfetto_sched *sched, const struct trace_event *event)
{
	const struct tandem_kernel_task *record = (const void *)event->record;
	struct perfetto_task *task = task_get(sched, record->tid);

	if (!task)
		return -ENOMEM;
	if (record->local_tid)
		task->local_tid = record->local_tid;
	if (record->pid)
		task->pid = record->pid;
	sched->namespaced |= task->local_tid && task->local_tid != task->tid;
	return intern_add(&sched->names, (const char *)(record + 1), record->name_count,
			  &task->name);
}

static int learn_new_task(struct perfetto_sched *sched, const struct trace_event *event)
{
	const struct tandem_kernel_task_new *record = (const void *)event->record;
	uint64_t parent = map_get(&sched->by_tid, record->parent_tid);
	struct perfetto_task *task = record->tid ? task_get(sched, record->tid) : NULL;

	if (!task)
		return record->tid ? -ENOMEM : 0;
	/* A number that is used again is another thread's. */
	*task = (struct perfetto_task){.tid = record->tid,
				       .local_tid = record->local_tid,
				       .pid = record->pid,
				       .name = parent == MAP_NONE ? 0 : sched->tasks[parent].name};
	sched->namespaced |= task->local_tid && task->local_tid != task->tid;
	return 0;
}

static size_t bundle_begin(struct perfetto_sched *sched, struct export *export,
			   struct perfetto_writer *writer, const struct trace_event *event,
			   uint32_t thread, size_t *bundle)
{
	uint64_t ns = (uint64_t)export_time(export, event->ns);
	size_t begun;

	perfetto_packet_begin(writer, (int64_t)ns);
	*bundle = proto_begin(&writer->packet, PERFETTO_FTRACE_EVENTS);
	proto_number(&writer->packet, BUNDLE_CPU, event->tid);
	if (sched->lost)
		proto_number(&writer->packet, BUNDLE_LOST, 1);
	sched->lost = false;
	begun = proto_begin(&writer->packet, BUNDLE_EVENT);
	proto_number(&writer->packet, EVENT_TIME, ns);
	proto_number(&writer->packet, EVENT_THREAD, number_of(sched, export, thread));
	return begun;
}

static void bundle_end(struct export *export, struct perfetto_writer *writer, size_t begun,
		       size_t bundle)
{
	proto_end(&writer->packet, begun);
	proto_end(&writer->packet, bundle);
	perfetto_packet_end(writer, &export->output);
}

static void add_name(struct text *packet, uint32_t field, const char *name)
{
	proto_string(packet, field, name, strlen(name));
}

/* Once, and again when more is known. */
static int tell_task(struct perfetto_sched *sched, struct export *export,
		     struct perfetto_writer *writer, const struct trace_event *event, uint32_t tid)
{
	struct perfetto_task *task = tid ? task_get(sched, tid) : NULL;
	struct text *packet = &writer->packet;
	const char *name = name_of(sched, tid);
	size_t tree, entry;
	uint32_t pid;

	if (!tid)
		return 0;
	if (!task)
		return -ENOMEM;
	if (!task->pid || (task->told && task->sent_pid == task->pid &&
			   task->sent_name == task->name))
		return 0;
	task->told = true;
	task->sent_pid = task->pid;
	task->sent_name = task->name;
	pid = (uint32_t)export_pid(export, task->pid);
	perfetto_packet_begin(writer, export_time(export, event->ns));
	tree = proto_begin(packet, PACKET_PROCESS_TREE);
	/* Those that were traced have their track with all that is known of them. */
	if (map_get(&sched->processes, pid) == MAP_NONE && task->local_tid == task->pid) {
		entry = proto_begin(packet, TREE_PROCESS);
		proto_number(packet, PROCESS_PID, pid);
		add_name(packet, PROCESS_COMMAND, name);
		proto_end(packet, entry);
		if (map_set(&sched->processes, pid, 1))
			return -ENOMEM;
	}
	entry = proto_begin(packet, TREE_THREAD);
	proto_number(packet, THREAD_TID, number_of(sched, export, tid));
	proto_number(packet, THREAD_PROCESS, pid);
	add_name(packet, THREAD_NAME, name);
	proto_end(packet, entry);
	proto_end(packet, tree);
	perfetto_packet_end(writer, &export->output);
	return 0;
}

/* prev_state as the tracepoint has it since Linux 4.14. */
static uint64_t raw_state(uint8_t state)
{
	static const uint16_t bits[] = {
		[TANDEM_TASK_STATE_runnable] = 0,  [TANDEM_TASK_STATE_preempted] = 0x100,
		[TANDEM_TASK_STATE_sleeping] = 1,  [TANDEM_TASK_STATE_disk] = 2,
		[TANDEM_TASK_STATE_stopped] = 4,   [TANDEM_TASK_STATE_traced] = 8,
		[TANDEM_TASK_STATE_dead] = 0x10,   [TANDEM_TASK_STATE_zombie] = 0x20,
		[TANDEM_TASK_STATE_parked] = 0x40, [TANDEM_TASK_STATE_idle] = 0x80,
		[TANDEM_TASK_STATE_unknown] = 1,
	};

	return state < sizeof(bits) / sizeof(*bits) ? bits[state] : 1;
}

struct change { /* who gave a CPU to whom */
	uint32_t prev, next;
	uint8_t prev_state, prev_priority, next_priority;
};

static int write_switch(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event,
			const struct change *change)
{
	struct text *packet = &writer->packet;
	size_t bundle, begun, fields;
	int status = tell_task(sched, export, writer, event, change->prev);

	if (!status)
		status = tell_task(sched, export, writer, event, change->next);
	if (status)
		return status;
	begun = bundle_begin(sched, export, writer, event, change->prev, &bundle);
	fields = proto_begin(packet, EVENT_SWITCH);
	add_name(packet, SWITCH_PREV_NAME, name_of(sched, change->prev));
	proto_number(packet, SWITCH_PREV, number_of(sched, export, change->prev));
	proto_number(packet, SWITCH_PREV_PRIORITY, change->prev_priority);
	proto_number(packet, SWITCH_PREV_STATE, raw_state(change->prev_state));
	add_name(packet, SWITCH_NEXT_NAME, name_of(sched, change->next));
	proto_number(packet, SWITCH_NEXT, number_of(sched, export, change->next));
	proto_number(packet, SWITCH_NEXT_PRIORITY, change->next_priority);
	proto_end(packet, fields);
	bundle_end(export, writer, begun, bundle);
	return 0;
}

static int write_wake(struct perfetto_sched *sched, struct export *export,
		      struct perfetto_writer *writer, const struct trace_event *event,
		      uint32_t kind, uint32_t by, uint32_t tid, uint32_t cpu)
{
	struct text *packet = &writer->packet;
	size_t bundle, begun, fields;
	int status = tell_task(sched, export, writer, event, tid);

	if (status)
		return status;
	begun = bundle_begin(sched, export, writer, event, by, &bundle);
	fields = proto_begin(packet, kind);
	add_name(packet, WAKE_NAME, name_of(sched, tid));
	proto_number(packet, WAKE_THREAD, number_of(sched, export, tid));
	proto_number(packet, WAKE_SUCCESS, 1);
	proto_number(packet, WAKE_CPU, cpu);
	proto_end(packet, fields);
	bundle_end(export, writer, begun, bundle);
	return 0;
}

/* The states' numbers depend on the kernel. */
static void tell_system(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event)
{
	const char *release = export->walk->session->run.release;
	struct text *packet = &writer->packet;
	size_t system, names;

	if (sched->system_told || !*release)
		return;
	sched->system_told = true;
	perfetto_packet_begin(writer, export_time(export, event->ns));
	system = proto_begin(packet, PACKET_SYSTEM_INFO);
	names = proto_begin(packet, SYSTEM_NAMES);
	add_name(packet, NAMES_SYSTEM, "Linux");
	add_name(packet, NAMES_RELEASE, release);
	proto_end(packet, names);
	proto_end(packet, system);
	perfetto_packet_end(writer, &export->output);
}

#define RECORD(name) const struct tandem_kernel_##name *record = (const void *)event->record

static int write_event(struct perfetto_sched *sched, struct export *export,
		       struct perfetto_writer *writer, const struct trace_event *event)
{
	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_sched_switch: {
		RECORD(sched_switch);
		return write_switch(sched, export, writer, event,
				    &(struct change){record->prev_tid, record->next_tid,
						     record->prev_state, record->prev_prio,
						     record->next_prio});
	}
	/* Where only the program's threads were seen, others look like nobody. */
	case TANDEM_KERNEL_EVENT_sched_in: {
		RECORD(sched_in);
		return write_switch(sched, export, writer, event,
				    &(struct change){.next = record->tid});
	}
	case TANDEM_KERNEL_EVENT_sched_out: {
		RECORD(sched_out);
		return write_switch(sched, export, writer, event,
				    &(struct change){.prev = record->tid,
						     .prev_state = record->preempted
									   ? TANDEM_TASK_STATE_preempted
									   : TANDEM_TASK_STATE_sleeping});
	}
	case TANDEM_KERNEL_EVENT_sched_waking: {
		RECORD(sched_waking);
		return write_wake(sched, export, writer, event, EVENT_WAKING, record->by,
				  record->tid, record->target_cpu);
	}
	case TANDEM_KERNEL_EVENT_sched_wakeup: {
		RECORD(sched_wakeup);
		return write_wake(sched, export, writer, event, EVENT_WAKEUP, 0, record->tid,
				  record->target_cpu);
	}
	case TANDEM_KERNEL_EVENT_sched_wakeup_new: {
		RECORD(sched_wakeup_new);
		return write_wake(sched, export, writer, event, EVENT_WAKEUP_NEW, record->by,
				  record->tid, record->target_cpu);
	}
	default:
		return 0;
	}
}

void perfetto_sched_session(struct perfetto_sched *sched)
{
	map_clear(&sched->by_tid);
	map_clear(&sched->processes);
	sched->task_count = 0;
	sched->lost = sched->namespaced = false;
	sched->since_ns = sched->last_ns;
}

int perfetto_sched_event(struct perfetto_sched *sched, struct export *export,
			 struct perfetto_writer *writer, const struct trace_event *event)
{
	int64_t ns = export_time(export, event->ns);

	if (export->apart)
		return 0;
	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_task:
		return learn_task(sched, event);
	case TANDEM_KERNEL_EVENT_task_new:
		return learn_new_task(sched, event);
	case TANDEM_EVENT_lost:
		sched->lost = true;
		return 0;
	default:
		break;
	}
	if (export->session && ns <= sched->since_ns)
		return 0;
	if (ns > sched->last_ns)
		sched->last_ns = ns;
	tell_system(sched, export, writer, event);
	return write_event(sched, export, writer, event);
}

void perfetto_sched_free(struct perfetto_sched *sched)
{
	free(sched->tasks);
	map_free(&sched->by_tid);
	map_free(&sched->processes);
	intern_free(&sched->names);
	memset(sched, 0, sizeof(*sched));
}
