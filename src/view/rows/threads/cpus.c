/* SPDX-License-Identifier: MIT */
#include "view/rows/threads/cpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"
#include "util/array.h"

/* A number that no machine has is damage. */
#define CPUS_MOST 65536u

void view_cpus_init(struct view_cpus *cpus, struct index_writer *writer,
		    struct view_resources *resources, struct trace_session *session)
{
	memset(cpus, 0, sizeof(*cpus));
	cpus->writer = writer;
	cpus->resources = resources;
	cpus->session = session;
}

static int cpu_get(struct view_cpus *cpus, uint32_t number, struct view_cpu **cpu)
{
	uint32_t row;
	int status = 0;

	if (array_reserve(&cpus->cpus, &cpus->capacity, (size_t)number + 1, sizeof(*cpus->cpus)))
		return -ENOMEM;
	while (cpus->count <= number)
		cpus->cpus[cpus->count++] = (struct view_cpu){.track = NULL};
	*cpu = &cpus->cpus[number];
	if (!(*cpu)->track) {
		status = view_resources_cpu(cpus->resources, number, &row);
		if (!status)
			status = index_writer_track(cpus->writer, row, VIEW_TRACK_spans,
						    &(*cpu)->track);
	}
	return status;
}

/* "stress (4242)": the name that the thread has now. */
static int task_label(struct view_cpus *cpus, const struct states *states, uint32_t tid,
		      uint32_t *label)
{
	uint64_t index = map_get(&states->by_tid, tid);
	const struct states_thread *thread =
		index < states->thread_count ? states->threads[index] : NULL;
	const char *name = thread ? intern_text(&states->names, thread->name) : "";
	struct text text = TEXT_INIT;
	int status;

	text_format(&text, "%s (%" PRIu32 ")", *name ? name : "thread",
		    thread && thread->local_tid ? thread->local_tid : tid);
	status = text.failed
			 ? -ENOMEM
			 : index_writer_label(cpus->writer, text.data, VIEW_SPAN_task, 0, label);
	text_free(&text);
	return status;
}

static int task_draw(struct view_cpus *cpus, struct view_cpu *cpu, const struct states *states,
		     int64_t end_ns)
{
	uint32_t label;
	int status;

	if (!cpu->tid || end_ns <= cpu->since_ns)
		return 0;
	status = task_label(cpus, states, cpu->tid, &label);
	if (!status)
		status = track_writer_span(cpu->track, cpu->since_ns, end_ns, label);
	cpu->since_ns = end_ns;
	return status;
}

/* Ends what ran up to now. */
static int cpu_leave(struct view_cpus *cpus, struct view_cpu *cpu, const struct states *states,
		     int64_t now_ns)
{
	return cpu->known ? task_draw(cpus, cpu, states, now_ns) : 0;
}

static void cpu_enter(struct view_cpu *cpu, uint32_t tid, int64_t now_ns)
{
	cpu->known = true;
	cpu->tid = tid;
	cpu->since_ns = cpu->seen_ns = now_ns;
}

/* What happened since it was last seen is not known. */
static int cpu_lose(struct view_cpus *cpus, struct view_cpu *cpu, const struct states *states,
		    int64_t now_ns)
{
	uint32_t label;
	int status;

	if (!cpu->known)
		return 0;
	cpu->known = false;
	status = task_draw(cpus, cpu, states, cpu->seen_ns);
	if (status || now_ns <= cpu->since_ns)
		return status;
	status =
		index_writer_label(cpus->writer, "unknown task", VIEW_SPAN_task_unknown, 0, &label);
	if (!status)
		status = track_writer_span(cpu->track, cpu->since_ns, now_ns, label);
	cpu->since_ns = now_ns;
	return status;
}

/* It runs here now. Where what ran before is unknown, it may have run longer. */
static int cpu_sees(struct view_cpus *cpus, struct view_cpu *cpu, const struct states *states,
		    uint32_t number, uint32_t tid, int64_t now_ns)
{
	const struct states_thread *thread = states_of_kernel(states, tid);
	int64_t since_ns = now_ns;
	int status = 0;

	if (cpu->known && cpu->tid != tid)
		status = cpu_lose(cpus, cpu, states, now_ns);
	if (!cpu->known) {
		if (thread && thread->state == STATE_RUNNING && thread->cpu == number)
			since_ns = thread->since - cpus->session->start_ns;
		cpu_enter(cpu, tid, since_ns > cpu->since_ns ? since_ns : cpu->since_ns);
	}
	cpu->seen_ns = now_ns;
	return status;
}

/* The thread that this record shows on its CPU; 0: none. */
static uint32_t seen_in(const struct tandem_record *record)
{
	const struct tandem_kernel_task *task = (const void *)record;

	switch (record->id) {
	case TANDEM_KERNEL_EVENT_task:
		return task->how == TANDEM_KNOWN_BY_exec ? task->tid : 0;
	case TANDEM_KERNEL_EVENT_task_new:
		return ((const struct tandem_kernel_task_new *)(const void *)record)->parent_tid;
	case TANDEM_KERNEL_EVENT_sched_waking:
		return ((const struct tandem_kernel_sched_waking *)(const void *)record)->by;
	case TANDEM_KERNEL_EVENT_sched_wakeup_new:
		return ((const struct tandem_kernel_sched_wakeup_new *)(const void *)record)->by;
	case TANDEM_KERNEL_EVENT_syscall_entry:
		return ((const struct tandem_kernel_syscall_entry *)(const void *)record)->tid;
	case TANDEM_KERNEL_EVENT_syscall_exit:
		return ((const struct tandem_kernel_syscall_exit *)(const void *)record)->tid;
	default:
		return 0;
	}
}

int view_cpus_event(struct view_cpus *cpus, const struct states *states,
		    const struct trace_event *event)
{
	const struct tandem_kernel_sched_switch *change = (const void *)event->record;
	const struct tandem_kernel_sched_in *in = (const void *)event->record;
	const struct tandem_kernel_collecting *collecting = (const void *)event->record;
	int64_t now_ns = event->ns - cpus->session->start_ns;
	struct view_cpu *cpu;
	int status;

	if (event->tid >= CPUS_MOST)
		return 0;
	status = cpu_get(cpus, event->tid, &cpu);
	if (status)
		return status;
	cpu->last_ns = now_ns;
	switch (event->record->id) {
	case TANDEM_KERNEL_EVENT_sched_switch:
		status = cpu_sees(cpus, cpu, states, event->tid, change->prev_tid, now_ns);
		if (!status)
			status = cpu_leave(cpus, cpu, states, now_ns);
		cpu_enter(cpu, change->next_tid, now_ns);
		break;
	case TANDEM_KERNEL_EVENT_sched_in:
		cpu_enter(cpu, in->tid, now_ns);
		break;
	case TANDEM_KERNEL_EVENT_sched_out:
		status = cpu_leave(cpus, cpu, states, now_ns);
		cpu->known = false;
		break;
	case TANDEM_EVENT_lost:
		status = cpu_lose(cpus, cpu, states, now_ns);
		break;
	case TANDEM_KERNEL_EVENT_collecting:
		if (collecting->scope == TANDEM_SCOPE_nothing) {
			status = cpu_leave(cpus, cpu, states, now_ns);
			cpu->known = false;
		} else if (collecting->anew) {
			status = cpu_lose(cpus, cpu, states, now_ns);
		}
		break;
	default:
		if (seen_in(event->record))
			status = cpu_sees(cpus, cpu, states, event->tid, seen_in(event->record),
					  now_ns);
		break;
	}
	return status;
}

int view_cpus_finish(struct view_cpus *cpus, const struct states *states)
{
	int status = 0;

	for (size_t i = 0; i < cpus->count && !status; i++)
		if (cpus->cpus[i].track)
			status = cpu_leave(cpus, &cpus->cpus[i], states, cpus->cpus[i].last_ns);
	return status;
}

void view_cpus_free(struct view_cpus *cpus)
{
	free(cpus->cpus);
	memset(cpus, 0, sizeof(*cpus));
}
