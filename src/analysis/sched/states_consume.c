/* SPDX-License-Identifier: MIT */
#include "analysis/sched/states_consume.h"

#include "schema/gen/core_records.h"
#include "schema/gen/kernel_records.h"

#define RECORD(name) const struct tandem_kernel_##name *record = (const void *)event->record

static void feed_collecting(struct states *states, const struct trace_event *event)
{
	RECORD(collecting);

	states_collecting(states, event->ns, event->tid, record->scope, record->anew,
			  record->wakeups, record->syscalls);
}

static void feed_task(struct states *states, const struct trace_event *event)
{
	RECORD(task);

	states_task(states, event->ns, event->tid, record->tid, record->local_tid, record->pid,
		    record->how == TANDEM_KNOWN_BY_exec, (const char *)(record + 1),
		    record->name_count);
}

static void feed_task_new(struct states *states, const struct trace_event *event)
{
	RECORD(task_new);

	states_task_new(states, event->ns, event->tid, record->tid, record->local_tid, record->pid,
			record->parent_tid);
}

static void feed_switch(struct states *states, const struct trace_event *event)
{
	RECORD(sched_switch);

	states_switch(states, event->ns, event->tid, record->prev_tid, record->prev_state,
		      record->next_tid);
}

static void feed_waking(struct states *states, const struct trace_event *event)
{
	RECORD(sched_waking);

	states_waking(states, event->ns, event->tid, record->tid,
		      record->waker == TANDEM_WAKER_thread ? WAKER_THREAD : WAKER_INTERRUPT,
		      record->by, record->target_cpu);
}

static void feed_wakeup(struct states *states, const struct trace_event *event)
{
	RECORD(sched_wakeup);

	states_wakeup(states, event->ns, event->tid, record->tid, record->target_cpu);
}

static void feed_wakeup_new(struct states *states, const struct trace_event *event)
{
	RECORD(sched_wakeup_new);

	states_wakeup_new(states, event->ns, event->tid, record->tid, record->by,
			  record->target_cpu);
}

static void feed_out(struct states *states, const struct trace_event *event)
{
	RECORD(sched_out);

	states_out(states, event->ns, event->tid, record->tid, record->preempted);
}

void states_reach(struct states *states, struct trace_session *session)
{
	uint64_t last = 0;

	for (size_t i = 0; i < session->process_count; i++) {
		const struct trace_process *process = &session->processes[i];

		for (size_t j = 0; process->kernel && j < process->stream_count; j++) {
			if (process->streams[j].last_ticks > last)
				last = process->streams[j].last_ticks;
		}
	}
	if (last)
		states->until_ns = trace_clock_ns(&session->clock, last);
}

/* What was drained together with the end. */
static bool is_over(const struct states *states, const struct trace_event *event)
{
	return event->tid < states->cpu_count && states->cpus[event->tid].over &&
	       event->record->id != TANDEM_KERNEL_EVENT_collecting;
}

int states_consume(struct states *states, const struct trace_event *event)
{
	if (is_over(states, event))
		return 0;
	switch (event->record->id) {
	case TANDEM_EVENT_lost:
		states_lost(states, event->ns, event->tid);
		break;
	case TANDEM_KERNEL_EVENT_collecting:
		feed_collecting(states, event);
		break;
	case TANDEM_KERNEL_EVENT_task:
		feed_task(states, event);
		break;
	case TANDEM_KERNEL_EVENT_task_new:
		feed_task_new(states, event);
		break;
	case TANDEM_KERNEL_EVENT_task_exit: {
		RECORD(task_exit);
		states_task_exit(states, event->ns, event->tid, record->tid);
		break;
	}
	case TANDEM_KERNEL_EVENT_sched_switch:
		feed_switch(states, event);
		break;
	case TANDEM_KERNEL_EVENT_sched_in: {
		RECORD(sched_in);
		states_in(states, event->ns, event->tid, record->tid);
		break;
	}
	case TANDEM_KERNEL_EVENT_sched_out:
		feed_out(states, event);
		break;
	case TANDEM_KERNEL_EVENT_sched_waking:
		feed_waking(states, event);
		break;
	case TANDEM_KERNEL_EVENT_sched_wakeup:
		feed_wakeup(states, event);
		break;
	case TANDEM_KERNEL_EVENT_sched_wakeup_new:
		feed_wakeup_new(states, event);
		break;
	case TANDEM_KERNEL_EVENT_sched_migrate_task: {
		RECORD(sched_migrate_task);
		states_migrate(states, event->ns, event->tid, record->tid, record->dest_cpu);
		break;
	}
	case TANDEM_KERNEL_EVENT_syscall_entry: {
		RECORD(syscall_entry);
		states_syscall(states, event->ns, event->tid, record->tid, true);
		break;
	}
	case TANDEM_KERNEL_EVENT_syscall_exit: {
		RECORD(syscall_exit);
		states_syscall(states, event->ns, event->tid, record->tid, false);
		break;
	}
	default:
		break;
	}
	return states->failed;
}
