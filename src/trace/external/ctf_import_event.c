/* SPDX-License-Identifier: MIT */
#include "trace/external/ctf_import_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* Earlier events are kept (they tell states and names); later ones are not. */
#define AFTER_END_NS 100000000

enum { WAKEUPS, MIGRATIONS, SYSCALLS, KINDS };
_Static_assert(KINDS == CTF_IMPORT_KINDS, "each has a moment of its own");

int ctf_importing_begin(struct ctf_importing *importing, struct trace_session *session,
			const char *folder, const struct hosts *hosts)
{
	size_t count = hosts ? hosts->count + 1 : 1;

	*importing = (struct ctf_importing){.session = session, .folder = folder, .hosts = hosts};
	importing->since = malloc(count * sizeof(*importing->since));
	if (!importing->since)
		return -ENOMEM;
	memset(importing->since, 0xff, count * sizeof(*importing->since));
	return 0;
}

int ctf_importing_trace(struct ctf_importing *importing, size_t host)
{
	return ARRAY_ADD(importing->host_of, importing->trace_capacity, importing->trace_count,
			 (uint32_t)host);
}

static struct ctf_import_stream *stream_of(struct ctf_importing *importing, uint32_t cpu)
{
	if (cpu > UINT16_MAX)
		return NULL;
	if (cpu >= importing->cpu_count) {
		if (array_reserve(&importing->streams, &importing->cpu_capacity, cpu + 1,
				  sizeof(struct ctf_import_stream *)) ||
		    array_reserve(&importing->running, &importing->running_capacity, cpu + 1,
				  sizeof(*importing->running)) ||
		    array_reserve(&importing->told, &importing->told_capacity, cpu + 1,
				  sizeof(*importing->told)))
			return NULL;
		for (size_t i = importing->cpu_count; i <= cpu; i++) {
			importing->streams[i] = NULL;
			importing->running[i] = 0;
			importing->told[i] = 0;
		}
		importing->cpu_count = cpu + 1;
	}
	if (!importing->streams[cpu])
		importing->streams[cpu] =
			ctf_import_stream_create(importing->folder, importing->session, cpu);
	return importing->streams[cpu];
}

#define PUT(stream, record, ns)                                 \
	(struct tandem_kernel_##record *)ctf_import_stream_put( \
		stream, TANDEM_KERNEL_EVENT_##record, ns,       \
		(uint32_t)sizeof(struct tandem_kernel_##record), 0)

static int put_collecting(struct ctf_importing *importing, uint32_t cpu, uint64_t ns, bool anew)
{
	struct tandem_kernel_collecting *record = PUT(importing->streams[cpu], collecting, ns);
	uint8_t told = importing->told[cpu];

	if (!record)
		return -ENOMEM;
	record->scope = TANDEM_SCOPE_system;
	record->anew = anew;
	record->switches = 1;
	record->wakeups = told >> WAKEUPS & 1;
	record->migrations = told >> MIGRATIONS & 1;
	record->syscalls = told >> SYSCALLS & 1;
	return 0;
}

/* What is recorded on one CPU is recorded on all. But CPUs are handed out one after
 * another: so each stream is told at its own next event from then on. */
static int stream_at(struct ctf_importing *importing, uint32_t cpu, uint64_t ns, bool anew)
{
	uint8_t told = importing->told[cpu];

	for (int kind = 0; kind < KINDS; kind++) {
		if (importing->since[importing->host][kind] <= ns)
			told |= (uint8_t)(1u << kind);
	}
	if (told == importing->told[cpu] && !anew)
		return 0;
	importing->told[cpu] = told;
	return put_collecting(importing, cpu, ns, anew);
}

static int holds(struct ctf_importing *importing, int kind, const struct external_event *event)
{
	uint64_t *since = &importing->since[importing->host][kind];

	if (event->ns < *since)
		*since = event->ns;
	return stream_at(importing, event->cpu, event->ns, false);
}

static int put_task(struct ctf_importing *importing, struct ctf_import_stream *stream, uint64_t ns,
		    uint32_t tid, uint32_t pid, const char *name)
{
	struct tandem_kernel_task *record;
	uint64_t known = map_get(&importing->names, tid);
	uint32_t text, length = (uint32_t)strnlen(name, 15);

	if (!tid || intern_add(&importing->texts, name, length, &text))
		return tid ? -ENOMEM : 0;
	if (known == text && !pid)
		return 0;
	if (map_set(&importing->names, tid, text))
		return -ENOMEM;
	record = ctf_import_stream_put(stream, TANDEM_KERNEL_EVENT_task, ns, sizeof(*record),
				       length);
	if (!record)
		return -ENOMEM;
	record->tid = tid;
	record->local_tid = tid;
	record->pid = pid;
	record->name_count = (uint16_t)length;
	memcpy(record + 1, name, length);
	return 0;
}

static int handle_switch(struct ctf_importing *importing, struct ctf_import_stream *stream,
			 const struct external_event *event)
{
	struct tandem_kernel_sched_switch *record;
	uint8_t state = event->state;
	int status = 0;

	if (event->name)
		status = put_task(importing, stream, event->ns, event->tid, 0, event->name);
	if (!status && event->other_name)
		status = put_task(importing, stream, event->ns, event->other_tid, 0,
				  event->other_name);
	record = status ? NULL : PUT(stream, sched_switch, event->ns);
	if (!record)
		return -ENOMEM;
	/* Old kernels name its last state by a bit that newer ones use otherwise. */
	if (map_remove(&importing->exited, event->tid) != MAP_NONE &&
	    state != TANDEM_TASK_STATE_runnable && state != TANDEM_TASK_STATE_preempted) {
		state = TANDEM_TASK_STATE_dead;
		map_remove(&importing->names, event->tid);
	}
	record->prev_tid = event->tid;
	record->next_tid = event->other_tid;
	record->prev_state = state;
	record->prev_prio = event->prio;
	record->next_prio = event->other_prio;
	importing->running[event->cpu] = event->other_tid;
	if (!importing->switches++)
		importing->first_ns = event->ns;
	importing->last_ns = event->ns;
	return 0;
}

static int handle_wake(struct ctf_importing *importing, struct ctf_import_stream *stream,
		       const struct external_event *event)
{
	int status = holds(importing, WAKEUPS, event);

	if (status)
		return status;
	if (event->kind == EXTERNAL_WAKING) {
		struct tandem_kernel_sched_waking *record = PUT(stream, sched_waking, event->ns);

		if (!record)
			return -ENOMEM;
		record->tid = event->tid;
		record->by = importing->running[event->cpu];
		record->target_cpu = (uint16_t)event->cpu_to;
		/* Whether an interrupt did it is not told; idle threads wake nobody. */
		record->waker = record->by ? TANDEM_WAKER_thread : TANDEM_WAKER_hardirq;
	} else if (event->kind == EXTERNAL_WAKEUP) {
		struct tandem_kernel_sched_wakeup *record = PUT(stream, sched_wakeup, event->ns);

		if (!record)
			return -ENOMEM;
		record->tid = event->tid;
		record->target_cpu = (uint16_t)event->cpu_to;
	} else {
		struct tandem_kernel_sched_wakeup_new *record =
			PUT(stream, sched_wakeup_new, event->ns);

		if (!record)
			return -ENOMEM;
		record->tid = event->tid;
		record->by = importing->running[event->cpu];
		record->target_cpu = (uint16_t)event->cpu_to;
	}
	return 0;
}

static int handle_fork(struct ctf_importing *importing, struct ctf_import_stream *stream,
		       const struct external_event *event)
{
	struct tandem_kernel_task_new *record = PUT(stream, task_new, event->ns);

	if (!record)
		return -ENOMEM;
	record->tid = record->local_tid = event->tid;
	record->pid = event->pid;
	record->parent_tid = event->other_tid;
	map_remove(&importing->names, event->tid);
	map_remove(&importing->exited, event->tid);
	return event->name
		       ? put_task(importing, stream, event->ns, event->tid, event->pid, event->name)
		       : 0;
}

static int handle_exit(struct ctf_importing *importing, struct ctf_import_stream *stream,
		       const struct external_event *event)
{
	struct tandem_kernel_task_exit *record = PUT(stream, task_exit, event->ns);

	if (!record || map_set(&importing->exited, event->tid, 1))
		return -ENOMEM;
	record->tid = record->local_tid = event->tid;
	return 0;
}

/* By number: each name gets one of our own, in the order in which they come. */
static int syscall_number(struct ctf_importing *importing, struct ctf_import_stream *stream,
			  const struct external_event *event, uint32_t *number)
{
	struct tandem_kernel_syscall_name *record;
	uint32_t text, length = (uint32_t)strlen(event->name);
	uint64_t known;

	if (intern_add(&importing->texts, event->name, length, &text))
		return -ENOMEM;
	known = map_get(&importing->syscalls, text);
	*number = known == MAP_NONE ? (uint32_t)importing->syscalls.count : (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	record = ctf_import_stream_put(stream, TANDEM_KERNEL_EVENT_syscall_name, event->ns,
				       sizeof(*record), length);
	if (!record || map_set(&importing->syscalls, text, *number))
		return -ENOMEM;
	record->number = *number;
	record->name_count = (uint16_t)length;
	memcpy(record + 1, event->name, length);
	return 0;
}

static int handle_syscall(struct ctf_importing *importing, struct ctf_import_stream *stream,
			  const struct external_event *event)
{
	uint32_t tid = event->tid ? event->tid : importing->running[event->cpu], number;
	int status = holds(importing, SYSCALLS, event);

	if (!status)
		status = syscall_number(importing, stream, event, &number);
	if (status || !tid)
		return status;
	if (event->kind == EXTERNAL_ENTRY) {
		struct tandem_kernel_syscall_entry *record = PUT(stream, syscall_entry, event->ns);

		if (!record)
			return -ENOMEM;
		record->tid = tid;
		record->number = number;
	} else {
		struct tandem_kernel_syscall_exit *record = PUT(stream, syscall_exit, event->ns);

		if (!record)
			return -ENOMEM;
		record->tid = tid;
		record->number = number;
		record->ret = event->value;
	}
	return 0;
}

static int put_format(struct ctf_import_stream *stream, uint64_t ns,
		      const struct external_format *format)
{
	const char *texts[] = {format->system, format->name, format->text};
	struct tandem_kernel_format *record;
	uint32_t lengths[3], bytes = 0;
	char *at;

	for (int i = 0; i < 3; i++) {
		lengths[i] = (uint32_t)strnlen(texts[i], 20000);
		bytes += lengths[i];
	}
	record = ctf_import_stream_put(stream, TANDEM_KERNEL_EVENT_format, ns, sizeof(*record),
				       bytes);
	if (!record)
		return -ENOMEM;
	record->format = format->id;
	record->system_count = (uint16_t)lengths[0];
	record->name_count = (uint16_t)lengths[1];
	record->text_count = (uint16_t)lengths[2];
	at = (char *)(record + 1);
	for (int i = 0; i < 3; i++) {
		memcpy(at, texts[i], lengths[i]);
		at += lengths[i];
	}
	return 0;
}

static int handle_driver(struct ctf_importing *importing, struct ctf_import_stream *stream,
			 const struct external_event *event)
{
	uint64_t key = (uint64_t)event->cpu << 32 | event->format->id;
	struct tandem_kernel_tracepoint *record;

	if (event->bytes > 60000)
		return 0;
	if (map_get(&importing->formats, key) == MAP_NONE &&
	    (put_format(stream, event->ns, event->format) || map_set(&importing->formats, key, 1)))
		return -ENOMEM;
	record = ctf_import_stream_put(stream, TANDEM_KERNEL_EVENT_tracepoint, event->ns,
				       sizeof(*record), event->bytes);
	if (!record)
		return -ENOMEM;
	record->tid = event->tid;
	record->format = event->format->id;
	record->data_count = (uint16_t)event->bytes;
	memcpy(record + 1, event->data, event->bytes);
	return 0;
}

static int handle_migrate(struct ctf_importing *importing, struct ctf_import_stream *stream,
			  const struct external_event *event)
{
	int status = holds(importing, MIGRATIONS, event);
	struct tandem_kernel_sched_migrate_task *record =
		status ? NULL : PUT(stream, sched_migrate_task, event->ns);

	if (!record)
		return -ENOMEM;
	record->tid = event->tid;
	record->orig_cpu = (uint16_t)event->cpu_from;
	record->dest_cpu = (uint16_t)event->cpu_to;
	return 0;
}

/* ~0: of which CPU is not known, so of every one. */
static int handle_lost(struct ctf_importing *importing, const struct external_event *event)
{
	for (size_t i = 0; i < importing->cpu_count; i++) {
		struct tandem_rec_lost *record;

		if (!importing->streams[i] || (event->cpu != UINT32_MAX && event->cpu != i))
			continue;
		record = ctf_import_stream_put(importing->streams[i], TANDEM_EVENT_lost, event->ns,
					       sizeof(*record), 0);
		if (!record)
			return -ENOMEM;
		record->reason = TANDEM_LOSS_kernel_buffer;
		record->count = (uint64_t)event->value;
	}
	return 0;
}

static int take(struct ctf_importing *importing, const struct external_event *event)
{
	const struct trace_session *session = importing->session;
	int64_t end = session->start_ns + (int64_t)trace_session_duration_ns(importing->session) +
		      AFTER_END_NS;
	struct ctf_import_stream *stream;
	bool fresh;

	if (event->ns > INT64_MAX || (int64_t)event->ns > end)
		return 0;
	if (event->kind == EXTERNAL_LOST)
		return handle_lost(importing, event);
	fresh = event->cpu >= importing->cpu_count || !importing->streams[event->cpu];
	stream = stream_of(importing, event->cpu);
	if (!stream || stream_at(importing, event->cpu, event->ns, fresh))
		return -ENOMEM;
	importing->events++;
	importing->in_session |= (int64_t)event->ns >= session->start_ns;
	switch (event->kind) {
	case EXTERNAL_SWITCH:
		return handle_switch(importing, stream, event);
	case EXTERNAL_WAKING:
	case EXTERNAL_WAKEUP:
	case EXTERNAL_WAKEUP_NEW:
		return handle_wake(importing, stream, event);
	case EXTERNAL_MIGRATE:
		return handle_migrate(importing, stream, event);
	case EXTERNAL_FORK:
		return handle_fork(importing, stream, event);
	case EXTERNAL_EXIT:
		return handle_exit(importing, stream, event);
	case EXTERNAL_TASK:
		return event->name ? put_task(importing, stream, event->ns, event->tid, event->pid,
					      event->name)
				   : 0;
	case EXTERNAL_ENTRY:
	case EXTERNAL_LEAVE:
		return handle_syscall(importing, stream, event);
	case EXTERNAL_DRIVER:
		return handle_driver(importing, stream, event);
	case EXTERNAL_LOST:
	case EXTERNAL_SENT:
	case EXTERNAL_RECEIVED:
		break;
	}
	return 0;
}

/* By the numbers and the clock that the session has for this host. */
static void host_move(struct ctf_importing *importing, struct external_event *event)
{
	size_t host = event->trace < importing->trace_count ? importing->host_of[event->trace] : 0;
	uint32_t cpu = importing->hosts->list[host].first_cpu;
	uint64_t bound_ns; /* hosts_use() was told of its first and its last event */

	importing->host = host;
	event->ns = hosts_ns(importing->hosts, host, event->ns, &bound_ns);
	event->tid = hosts_id(host, event->tid);
	event->other_tid = hosts_id(host, event->other_tid);
	event->pid = hosts_id(host, event->pid);
	if (event->cpu != UINT32_MAX)
		event->cpu += cpu;
	event->cpu_to += cpu;
	event->cpu_from += cpu;
}

int ctf_import_event(struct ctf_importing *importing, const struct external_event *event)
{
	struct external_event moved = *event;

	if (event->kind == EXTERNAL_SENT || event->kind == EXTERNAL_RECEIVED)
		return 0;
	if (importing->hosts)
		host_move(importing, &moved);
	return take(importing, &moved);
}

int ctf_importing_finish(struct ctf_importing *importing)
{
	int status = 0;

	for (size_t i = 0; i < importing->cpu_count; i++) {
		int closed = ctf_import_stream_destroy(importing->streams[i]);

		status = status ? status : closed;
	}
	free(importing->streams);
	free(importing->running);
	free(importing->told);
	free(importing->since);
	free(importing->host_of);
	map_free(&importing->exited);
	map_free(&importing->names);
	map_free(&importing->syscalls);
	map_free(&importing->formats);
	intern_free(&importing->texts);
	return status;
}
