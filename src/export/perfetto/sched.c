/* SPDX-License-Identifier: MIT */
#include "export/perfetto/sched.h"

#include <errno.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"

/* Field numbers of perfetto.dev's protos/perfetto/trace/ftrace/ and
 * system_info.proto. */
enum {
	PACKET_SYSTEM_INFO = 45,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,

	EVENT_TIME = 1,
	EVENT_THREAD = 2,
	EVENT_SWITCH = 4,
	EVENT_FLAGS = 5,
	EVENT_WAKEUP = 17,
	EVENT_WAKING = 20,
	EVENT_WAKEUP_NEW = 114,
	EVENT_SYSCALL_ENTRY = 329,
	EVENT_SYSCALL_EXIT = 330,

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

	SYSCALL_NUMBER = 1,
	SYSCALL_ARGUMENT = 2,
	SYSCALL_RETURNED = 2,

	SYSTEM_NAMES = 1,
	SYSTEM_HOST = 17,
	NAMES_SYSTEM = 1,
	NAMES_RELEASE = 3,
	NAMES_MACHINE = 4,
};

/* An event of the kernel's: where and when, and in which thread. */
struct place {
	int64_t ns;
	uint32_t cpu, thread, flags;
};

static size_t bundle_begin(struct perfetto_sched *sched, struct perfetto_writer *writer,
			   const struct place *place, size_t *bundle)
{
	struct text *packet = &writer->packet;
	size_t begun;

	perfetto_packet_begin(writer, place->ns);
	*bundle = proto_begin(packet, PERFETTO_FTRACE_EVENTS);
	proto_number(packet, BUNDLE_CPU, place->cpu);
	if (sched->lost)
		proto_number(packet, BUNDLE_LOST, 1);
	sched->lost = false;
	begun = proto_begin(packet, BUNDLE_EVENT);
	proto_number(packet, EVENT_TIME, (uint64_t)place->ns);
	proto_number(packet, EVENT_THREAD, perfetto_task_number(&sched->tasks, place->thread));
	if (place->flags)
		proto_number(packet, EVENT_FLAGS, place->flags);
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

/* Of a record's common_flags (Linux, include/linux/trace_events.h). */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10 };

struct change { /* who gave a CPU to whom */
	uint32_t prev, next;
	uint8_t prev_state, prev_priority, next_priority;
};

static bool waits(uint8_t state)
{
	return state != TANDEM_TASK_STATE_runnable && state != TANDEM_TASK_STATE_preempted &&
	       state != TANDEM_TASK_STATE_dead && state != TANDEM_TASK_STATE_zombie;
}

/* What is to be known of a thread when it is woken. */
static int follow(struct perfetto_sched *sched, const struct change *change)
{
	struct perfetto_task *prev =
		change->prev ? perfetto_task_get(&sched->tasks, change->prev) : NULL;
	struct perfetto_task *next;

	if (prev) {
		prev->runs = false;
		prev->blocked = waits(change->prev_state);
	}
	next = change->next ? perfetto_task_get(&sched->tasks, change->next) : NULL;
	if (next) {
		next->runs = true;
		next->blocked = next->woken_early = false;
	}
	return (change->prev && !prev) || (change->next && !next) ? -ENOMEM : 0;
}

static int write_switch(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event,
			const struct change *change)
{
	const struct place place = {
		.ns = export_time(export, event->ns), .cpu = event->tid, .thread = change->prev};
	struct perfetto_tasks *tasks = &sched->tasks;
	struct text *packet = &writer->packet;
	size_t bundle, begun, fields;
	int status = perfetto_task_tell(tasks, export, writer, place.ns, change->prev);

	if (!status)
		status = perfetto_task_tell(tasks, export, writer, place.ns, change->next);
	if (!status)
		status = follow(sched, change);
	if (status)
		return status;
	begun = bundle_begin(sched, writer, &place, &bundle);
	fields = proto_begin(packet, EVENT_SWITCH);
	add_name(packet, SWITCH_PREV_NAME, perfetto_task_name(tasks, change->prev));
	proto_number(packet, SWITCH_PREV, perfetto_task_number(tasks, change->prev));
	proto_number(packet, SWITCH_PREV_PRIORITY, change->prev_priority);
	proto_number(packet, SWITCH_PREV_STATE, raw_state(change->prev_state));
	add_name(packet, SWITCH_NEXT_NAME, perfetto_task_name(tasks, change->next));
	proto_number(packet, SWITCH_NEXT, perfetto_task_number(tasks, change->next));
	proto_number(packet, SWITCH_NEXT_PRIORITY, change->next_priority);
	proto_end(packet, fields);
	bundle_end(export, writer, begun, bundle);
	return 0;
}

static int write_wake(struct perfetto_sched *sched, struct export *export,
		      struct perfetto_writer *writer, const struct place *place, uint32_t kind,
		      uint32_t tid, uint32_t cpu)
{
	struct text *packet = &writer->packet;
	size_t bundle, begun, fields;
	int status = perfetto_task_tell(&sched->tasks, export, writer, place->ns, tid);

	if (status)
		return status;
	begun = bundle_begin(sched, writer, place, &bundle);
	fields = proto_begin(packet, kind);
	add_name(packet, WAKE_NAME, perfetto_task_name(&sched->tasks, tid));
	proto_number(packet, WAKE_THREAD, perfetto_task_number(&sched->tasks, tid));
	proto_number(packet, WAKE_SUCCESS, 1);
	proto_number(packet, WAKE_CPU, cpu);
	proto_end(packet, fields);
	bundle_end(export, writer, begun, bundle);
	return 0;
}

#define RECORD(name) const struct tandem_kernel_##name *record = (const void *)event->record

/* As the kernel's own records say that they come from an interrupt. */
static uint32_t waker_flags(uint8_t waker)
{
	return waker == TANDEM_WAKER_softirq  ? FLAG_SOFTIRQ
	       : waker == TANDEM_WAKER_thread ? 0
					      : FLAG_HARDIRQ;
}

static int write_waking(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event)
{
	RECORD(sched_waking);
	const struct place place = {.ns = export_time(export, event->ns),
				    .cpu = event->tid,
				    .thread = record->by,
				    .flags = waker_flags(record->waker)};
	struct perfetto_task *task =
		record->tid ? perfetto_task_get(&sched->tasks, record->tid) : NULL;

	if (task) {
		task->woken_early = task->runs;
		task->woken_by = record->by;
		task->woken_flags = place.flags;
	}
	return write_wake(sched, export, writer, &place, EVENT_WAKING, record->tid,
			  record->target_cpu);
}

static int write_wakeup(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event)
{
	RECORD(sched_wakeup);
	struct place place = {.ns = export_time(export, event->ns), .cpu = event->tid};
	struct perfetto_task *task =
		record->tid ? perfetto_task_get(&sched->tasks, record->tid) : NULL;
	int status = 0;

	if (task && task->woken_early && task->blocked) {
		task->woken_early = false;
		place.thread = task->woken_by;
		place.flags = task->woken_flags;
		status = write_wake(sched, export, writer, &place, EVENT_WAKING, record->tid,
				    record->target_cpu);
		place.thread = place.flags = 0;
	}
	return status ? status
		      : write_wake(sched, export, writer, &place, EVENT_WAKEUP, record->tid,
				   record->target_cpu);
}

static int write_wakeup_new(struct perfetto_sched *sched, struct export *export,
			    struct perfetto_writer *writer, const struct trace_event *event)
{
	RECORD(sched_wakeup_new);
	const struct place place = {
		.ns = export_time(export, event->ns), .cpu = event->tid, .thread = record->by};

	return write_wake(sched, export, writer, &place, EVENT_WAKEUP_NEW, record->tid,
			  record->target_cpu);
}

static int write_syscall(struct perfetto_sched *sched, struct export *export,
			 struct perfetto_writer *writer, const struct trace_event *event)
{
	RECORD(syscall_entry);
	const struct tandem_kernel_syscall_exit *after = (const void *)event->record;
	const char *args = (const char *)(record + 1); /* aligned to nothing */
	const struct place place = {
		.ns = export_time(export, event->ns), .cpu = event->tid, .thread = record->tid};
	bool enters = event->record->id == TANDEM_KERNEL_EVENT_syscall_entry;
	struct text *packet = &writer->packet;
	size_t bundle, begun, fields;
	int status = perfetto_task_tell(&sched->tasks, export, writer, place.ns, record->tid);

	if (status)
		return status;
	begun = bundle_begin(sched, writer, &place, &bundle);
	fields = proto_begin(packet, enters ? EVENT_SYSCALL_ENTRY : EVENT_SYSCALL_EXIT);
	proto_number(packet, SYSCALL_NUMBER, record->number);
	for (uint32_t i = 0; enters && i < record->args_count; i++) {
		uint64_t value;

		memcpy(&value, args + i * sizeof(value), sizeof(value));
		proto_number(packet, SYSCALL_ARGUMENT, value);
	}
	if (!enters)
		proto_number(packet, SYSCALL_RETURNED, (uint64_t)after->ret);
	proto_end(packet, fields);
	bundle_end(export, writer, begun, bundle);
	return 0;
}

/* The states' numbers depend on the kernel, those of system calls on the machine. */
static void tell_system(struct perfetto_sched *sched, struct export *export,
			struct perfetto_writer *writer, const struct trace_event *event)
{
	const struct trace_run *run = &export->iterator->session->run;
	struct text *packet = &writer->packet;
	size_t system, names;

	if (sched->system_told || !*run->release)
		return;
	sched->system_told = true;
	perfetto_packet_begin(writer, export_time(export, event->ns));
	system = proto_begin(packet, PACKET_SYSTEM_INFO);
	names = proto_begin(packet, SYSTEM_NAMES);
	add_name(packet, NAMES_SYSTEM, "Linux");
	add_name(packet, NAMES_RELEASE, run->release);
	if (*run->machine)
		add_name(packet, NAMES_MACHINE, run->machine);
	proto_end(packet, names);
	if (*run->host)
		add_name(packet, SYSTEM_HOST, run->host);
	proto_end(packet, system);
	perfetto_packet_end(writer, &export->output);
}

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
		return write_switch(
			sched, export, writer, event,
			&(struct change){.prev = record->tid,
					 .prev_state = record->preempted
							       ? TANDEM_TASK_STATE_preempted
							       : TANDEM_TASK_STATE_sleeping});
	}
	case TANDEM_KERNEL_EVENT_sched_waking:
		return write_waking(sched, export, writer, event);
	case TANDEM_KERNEL_EVENT_sched_wakeup:
		return write_wakeup(sched, export, writer, event);
	case TANDEM_KERNEL_EVENT_sched_wakeup_new:
		return write_wakeup_new(sched, export, writer, event);
	case TANDEM_KERNEL_EVENT_syscall_entry:
	case TANDEM_KERNEL_EVENT_syscall_exit:
		return write_syscall(sched, export, writer, event);
	default:
		return 0;
	}
}

int perfetto_sched_session(struct perfetto_sched *sched, uint32_t machine)
{
	uint64_t end;

	if (sched->last_ns && map_set(&sched->ends, sched->machine, (uint64_t)sched->last_ns))
		return -ENOMEM;
	end = map_get(&sched->ends, machine);
	perfetto_task_session(&sched->tasks);
	sched->lost = false;
	sched->machine = machine;
	sched->system_told = end != MAP_NONE;
	sched->since_ns = sched->last_ns = end == MAP_NONE ? 0 : (int64_t)end;
	return 0;
}

int perfetto_sched_event(struct perfetto_sched *sched, struct export *export,
			 struct perfetto_writer *writer, const struct trace_event *event)
{
	int64_t ns = export_time(export, event->ns);

	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_task:
		return perfetto_task_learn(&sched->tasks, event);
	case TANDEM_KERNEL_EVENT_task_new:
		return perfetto_task_learn_new(&sched->tasks, event);
	case TANDEM_EVENT_lost:
		sched->lost = true;
		return 0;
	default:
		break;
	}
	if (!export_holds(export, event->ns) || (sched->since_ns && ns <= sched->since_ns))
		return 0;
	if (ns > sched->last_ns)
		sched->last_ns = ns;
	tell_system(sched, export, writer, event);
	return write_event(sched, export, writer, event);
}

void perfetto_sched_free(struct perfetto_sched *sched)
{
	perfetto_task_free(&sched->tasks);
	map_free(&sched->ends);
	memset(sched, 0, sizeof(*sched));
}
