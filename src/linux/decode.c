/* SPDX-License-Identifier: MIT */
#include "linux/decode.h"

#include <stddef.h>
#include <string.h>

#include "schema/gen/kernel_records.h"

void linux_decoder_init(struct linux_decoder *decoder, const struct perf_clock *clock)
{
	*decoder = (struct linux_decoder){.clock = clock};
	linux_tasks_init(&decoder->tasks);
}

void linux_decoder_free(struct linux_decoder *decoder)
{
	linux_tasks_free(&decoder->tasks);
	linux_drivers_free(&decoder->drivers);
	linux_mappings_free(&decoder->mappings);
	map_free(&decoder->syscalls.named);
}

void linux_decoder_invalidate(struct linux_decoder *decoder)
{
	linux_tasks_invalidate(&decoder->tasks);
	linux_drivers_invalidate(&decoder->drivers);
	map_clear(&decoder->syscalls.named);
}

#define PUT(stream, name, ticks)                                                                   \
	(struct tandem_kernel_##name *)linux_stream_put(stream, TANDEM_KERNEL_EVENT_##name, ticks, \
							sizeof(struct tandem_kernel_##name))

/* The thread that ran when the record was made. */
static struct linux_task current_task(const struct linux_decoder *decoder, uint32_t tid,
				      const struct perf_who_when *current)
{
	struct linux_task task = {.tid = tid};

	/* ~0: it is on its way out, its numbers are gone. */
	if (current->tid && current->tid != UINT32_MAX) {
		task.local_tid = current->tid;
		task.pid = current->pid;
	} else if (decoder->tasks.first_namespace) {
		task.local_tid = tid;
	}
	return task;
}

static void read_comm(struct linux_task *task, const uint8_t *raw, struct linux_field field)
{
	memcpy(task->name, raw + field.offset,
	       field.bytes < sizeof(task->name) ? field.bytes : sizeof(task->name));
	/* Behind the NUL the kernel leaves what was there before. */
	for (size_t i = strnlen(task->name, sizeof(task->name)); i < sizeof(task->name); i++)
		task->name[i] = '\0';
}

static void decode_switch(struct linux_decoder *decoder, struct linux_stream *stream,
			  uint64_t ticks, const struct perf_sample *sample)
{
	const struct linux_field *fields = decoder->formats.of[LINUX_SWITCH].fields;
	const uint8_t *raw = sample->raw;
	uint32_t prev_tid = (uint32_t)linux_field(raw, fields[LINUX_SWITCH_PREV]);
	struct linux_task prev = current_task(decoder, prev_tid, &sample->current);
	struct linux_task next = {
		.tid = (uint32_t)linux_field(raw, fields[LINUX_SWITCH_NEXT]),
	};
	uint8_t state = linux_formats_state(&decoder->formats,
					    linux_field(raw, fields[LINUX_SWITCH_STATE]));
	struct tandem_kernel_sched_switch *record;

	if (decoder->tasks.first_namespace)
		next.local_tid = next.tid;
	read_comm(&prev, raw, fields[LINUX_SWITCH_PREV_COMM]);
	read_comm(&next, raw, fields[LINUX_SWITCH_NEXT_COMM]);
	linux_tasks_learn(&decoder->tasks, stream, ticks, &prev, TANDEM_KNOWN_BY_seen);
	linux_tasks_learn(&decoder->tasks, stream, ticks, &next, TANDEM_KNOWN_BY_seen);
	if (stream->running != UINT32_MAX && stream->running != prev.tid)
		stream->gaps++;
	stream->running = next.tid;
	record = PUT(stream, sched_switch, ticks);
	if (record) {
		record->prev_tid = prev.tid;
		record->next_tid = next.tid;
		record->prev_state = state;
		record->prev_prio = (uint8_t)linux_field(raw, fields[LINUX_SWITCH_PREV_PRIO]);
		record->next_prio = (uint8_t)linux_field(raw, fields[LINUX_SWITCH_NEXT_PRIO]);
	}
	if (state == TANDEM_TASK_STATE_dead || state == TANDEM_TASK_STATE_zombie)
		linux_tasks_remove(&decoder->tasks, prev.tid);
}

/* There are kernels whose idle threads leave no sched_switch (6.18 in some virtual
 * machines, on all CPUs but the first; some threads of pid 1 there, too). Perf's own record of a switch comes from
 * the thread that was switched to, so it tells what the tracepoint did not. */
static void decode_missed_switch(struct linux_decoder *decoder, struct linux_stream *stream,
				 uint64_t ticks, const struct perf_switch *record)
{
	struct linux_task next = {.tid = linux_tasks_tid(&decoder->tasks, record->current.tid),
				  .local_tid = record->current.tid,
				  .pid = record->current.pid};
	struct tandem_kernel_sched_switch *missed;

	if (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT ||
	    record->current.tid == UINT32_MAX || next.tid == stream->running)
		return;
	/* Of another namespace's threads no number is known, so 0 may be any. */
	if (!next.tid && !decoder->tasks.first_namespace)
		return;
	linux_tasks_learn(&decoder->tasks, stream, ticks, &next, TANDEM_KNOWN_BY_seen);
	missed = PUT(stream, sched_switch, ticks);
	if (missed) {
		missed->prev_tid = linux_tasks_tid(&decoder->tasks, record->other_tid);
		missed->next_tid = next.tid;
		missed->prev_state =
			missed->prev_tid ? TANDEM_TASK_STATE_unknown : TANDEM_TASK_STATE_runnable;
	}
	stream->running = next.tid;
}

/* common_flags: TRACE_FLAG_HARDIRQ, _SOFTIRQ and _NMI of the kernel's
 * include/linux/trace_events.h. */
static enum tandem_waker waker_of(uint64_t flags)
{
	return flags & 0x40   ? TANDEM_WAKER_nmi
	       : flags & 0x08 ? TANDEM_WAKER_hardirq
	       : flags & 0x10 ? TANDEM_WAKER_softirq
			      : TANDEM_WAKER_thread;
}

static void decode_wake(struct linux_decoder *decoder, struct linux_stream *stream, uint64_t ticks,
			const struct perf_sample *sample, enum linux_tracepoint tracepoint)
{
	const struct linux_field *fields = decoder->formats.of[tracepoint].fields;
	uint32_t tid = (uint32_t)linux_field(sample->raw, fields[LINUX_WAKE_TID]);
	uint16_t cpu = (uint16_t)linux_field(sample->raw, fields[LINUX_WAKE_CPU]);
	uint32_t by = (uint32_t)linux_field(sample->raw, decoder->formats.tid);
	uint64_t flags = linux_field(sample->raw, decoder->formats.flags);

	if (tracepoint == LINUX_WAKING) {
		struct tandem_kernel_sched_waking *waking = PUT(stream, sched_waking, ticks);

		if (waking) {
			waking->tid = tid;
			waking->by = by;
			waking->target_cpu = cpu;
			waking->waker = (uint8_t)waker_of(flags);
		}
	} else if (tracepoint == LINUX_WAKEUP) {
		struct tandem_kernel_sched_wakeup *wakeup = PUT(stream, sched_wakeup, ticks);

		if (wakeup) {
			wakeup->tid = tid;
			wakeup->target_cpu = cpu;
		}
	} else {
		struct tandem_kernel_sched_wakeup_new *fresh = PUT(stream, sched_wakeup_new, ticks);

		if (fresh) {
			fresh->tid = tid;
			fresh->by = by;
			fresh->target_cpu = cpu;
		}
	}
}

static void decode_migrate(struct linux_decoder *decoder, struct linux_stream *stream,
			   uint64_t ticks, const struct perf_sample *sample)
{
	const struct linux_field *fields = decoder->formats.of[LINUX_MIGRATE].fields;
	struct tandem_kernel_sched_migrate_task *record = PUT(stream, sched_migrate_task, ticks);

	if (!record)
		return;
	record->tid = (uint32_t)linux_field(sample->raw, fields[LINUX_MIGRATE_TID]);
	record->orig_cpu = (uint16_t)linux_field(sample->raw, fields[LINUX_MIGRATE_FROM]);
	record->dest_cpu = (uint16_t)linux_field(sample->raw, fields[LINUX_MIGRATE_TO]);
}

static enum linux_tracepoint tracepoint_of(const struct linux_formats *formats, uint32_t id)
{
	enum linux_tracepoint tracepoint = 0;

	while (tracepoint < LINUX_TRACEPOINT_COUNT && formats->of[tracepoint].id != id)
		tracepoint++;
	return tracepoint;
}

static bool fields_in(const struct linux_format *format, uint32_t bytes)
{
	for (int i = 0; i < LINUX_FIELDS; i++) {
		if (format->fields[i].bytes && !linux_field_in(format->fields[i], bytes))
			return false;
	}
	return true;
}

static void decode_sample(struct linux_decoder *decoder, struct linux_stream *stream,
			  uint64_t ticks, const struct perf_sample *sample)
{
	const struct linux_formats *formats = &decoder->formats;
	enum linux_tracepoint tracepoint;
	uint32_t id, tid;

	if (sample->raw_bytes + offsetof(struct perf_sample, raw) > sample->header.size ||
	    !linux_field_in(formats->type, sample->raw_bytes) ||
	    !linux_field_in(formats->tid, sample->raw_bytes))
		return;
	id = (uint32_t)linux_field(sample->raw, formats->type);
	tid = (uint32_t)linux_field(sample->raw, formats->tid);
	tracepoint = tracepoint_of(formats, id);
	if (tracepoint == LINUX_TRACEPOINT_COUNT) {
		linux_drivers_put(&decoder->drivers, stream, ticks, id, tid, sample->raw,
				  sample->raw_bytes);
		return;
	}
	if (!fields_in(&formats->of[tracepoint], sample->raw_bytes))
		return;
	switch (tracepoint) {
	case LINUX_SWITCH:
		decode_switch(decoder, stream, ticks, sample);
		break;
	case LINUX_WAKING:
	case LINUX_WAKEUP:
	case LINUX_WAKEUP_NEW:
		decode_wake(decoder, stream, ticks, sample, tracepoint);
		break;
	case LINUX_MIGRATE:
		decode_migrate(decoder, stream, ticks, sample);
		break;
	case LINUX_SYS_ENTER:
		linux_syscall_entry_put(&decoder->syscalls, formats, stream, ticks, sample->raw);
		break;
	case LINUX_SYS_EXIT:
		linux_syscall_exit_put(formats, stream, ticks, sample->raw);
		break;
	case LINUX_TRACEPOINT_COUNT:
		break;
	}
}

static void decode_comm(struct linux_decoder *decoder, struct linux_stream *stream, uint64_t ticks,
			const struct perf_comm *comm)
{
	struct linux_task task = {.tid = linux_tasks_tid(&decoder->tasks, comm->tid),
				  .local_tid = comm->tid,
				  .pid = comm->pid};
	bool exec = comm->header.misc & PERF_RECORD_MISC_COMM_EXEC;

	memcpy(task.name, comm->name, strnlen(comm->name, sizeof(task.name)));
	if (decoder->processes && exec)
		linux_process_tree_exec(decoder->processes, ticks, comm->pid);
	if (decoder->processes && comm->tid == comm->pid)
		linux_process_tree_name(decoder->processes, comm->pid, task.name,
					strnlen(task.name, sizeof(task.name)));
	if (!task.tid)
		return;
	/* An exec is told even where the name stays. */
	if (linux_tasks_note(&decoder->tasks, &task) || exec)
		linux_task_put(stream, ticks, &task,
			       exec ? TANDEM_KNOWN_BY_exec : TANDEM_KNOWN_BY_renamed);
}

/* The kernel reports tasks to each event that asks for mappings, as the sampler does:
 * a ring that has it gets each record twice, one after the other. */
static bool is_repeated(struct linux_stream *stream, const struct perf_task *task)
{
	bool repeated = task->header.type == stream->task_type && task->tid == stream->task_tid;

	stream->task_type = task->header.type;
	stream->task_tid = task->tid;
	return repeated;
}

static void decode_task(struct linux_decoder *decoder, struct linux_stream *stream, uint64_t ticks,
			const struct perf_task *task)
{
	const struct linux_tasks *tasks = &decoder->tasks;

	/* Threads of another namespace are 0 or ~0 in these. */
	if (!task->tid || task->tid == UINT32_MAX || is_repeated(stream, task))
		return;
	if (task->header.type == PERF_RECORD_FORK && decoder->processes && task->pid != task->ppid)
		linux_process_tree_fork(decoder->processes, ticks, task->pid, task->ppid);
	if (task->header.type != PERF_RECORD_FORK && decoder->processes && task->pid == task->tid)
		linux_process_tree_exit(decoder->processes, ticks, task->pid);
	if (task->header.type == PERF_RECORD_FORK) {
		struct tandem_kernel_task_new *record = PUT(stream, task_new, ticks);

		if (!record)
			return;
		record->tid = tasks->first_namespace ? task->tid : 0;
		record->local_tid = task->tid;
		record->pid = task->pid;
		record->parent_tid = linux_tasks_tid(tasks, task->ptid);
		record->parent_pid = task->ppid;
	} else {
		struct tandem_kernel_task_exit *record = PUT(stream, task_exit, ticks);

		if (!record)
			return;
		record->tid = linux_tasks_tid(tasks, task->tid);
		record->local_tid = task->tid;
		record->pid = task->pid;
		/* With switches of everybody, its last one is still to come. */
		if (!decoder->tasks.system)
			linux_tasks_remove(&decoder->tasks, task->tid);
	}
}

/* Without privileges: one of the program's threads came or went. */
static void decode_in_out(struct linux_decoder *decoder, struct linux_stream *stream,
			  uint64_t ticks, const struct perf_event_header *header)
{
	const struct perf_who_when *current = perf_current(header);

	if (!current->tid || current->tid == UINT32_MAX)
		return;
	linux_tasks_learn(&decoder->tasks, stream, ticks,
			  &(struct linux_task){.tid = current->tid,
					       .local_tid = current->tid,
					       .pid = current->pid},
			  TANDEM_KNOWN_BY_seen);
	if (header->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		struct tandem_kernel_sched_out *out = PUT(stream, sched_out, ticks);

		if (out) {
			out->tid = current->tid;
			out->preempted = !!(header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
		}
	} else {
		struct tandem_kernel_sched_in *in = PUT(stream, sched_in, ticks);

		if (in)
			in->tid = current->tid;
	}
}

static void put_faults(struct linux_stream *stream, uint64_t ticks, const struct perf_who_when *who)
{
	struct tandem_kernel_page_faults *record;

	/* Another namespace's, or the kernel's own. */
	if (!who->pid || who->pid == UINT32_MAX)
		return;
	record = linux_stream_put(stream, TANDEM_KERNEL_EVENT_page_faults, ticks, sizeof(*record));
	if (!record)
		return;
	record->local_tid = who->tid;
	record->pid = who->pid;
	record->count = PERF_FAULTS;
}

void linux_decode(struct linux_decoder *decoder, struct linux_stream *stream,
		  const struct perf_event_header *record)
{
	uint64_t ticks;

	if (record->size < sizeof(*record) + sizeof(struct perf_who_when))
		return;
	ticks = perf_clock_ticks(decoder->clock, perf_current(record)->ns);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (perf_is_faults(record))
			put_faults(stream, ticks, perf_current(record));
		else if (linux_sample_is(record))
			linux_sample_put(&decoder->sampling, stream, ticks, record);
		else if (record->size >= sizeof(struct perf_sample))
			decode_sample(decoder, stream, ticks, (const struct perf_sample *)record);
		break;
	case PERF_RECORD_SWITCH:
		decode_in_out(decoder, stream, ticks, record);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (record->size >= sizeof(struct perf_switch))
			decode_missed_switch(decoder, stream, ticks,
					     (const struct perf_switch *)record);
		break;
	case PERF_RECORD_MMAP2:
		linux_mapping_put(stream, ticks, record);
		break;
	case PERF_RECORD_COMM:
		/* Names are padded to 8 bytes, and read up to 16. */
		if (record->size >= sizeof(struct perf_comm) + 16 + 8)
			decode_comm(decoder, stream, ticks, (const struct perf_comm *)record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (record->size >= sizeof(struct perf_task))
			decode_task(decoder, stream, ticks, (const struct perf_task *)record);
		break;
	case PERF_RECORD_LOST:
		linux_stream_lost(stream, TANDEM_LOSS_kernel_buffer,
				  ((const struct perf_lost *)record)->count);
		break;
	default:
		break;
	}
}
