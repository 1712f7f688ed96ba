/* SPDX-License-Identifier: MIT */
#include "analysis/sched/states_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

uint32_t states_process_name(const struct states *states, const struct states_thread *thread)
{
	uint64_t name = thread->pid ? map_get(&states->process_names, thread->pid) : MAP_NONE;

	return name == MAP_NONE ? thread->name : (uint32_t)name;
}

struct states_cpu *states_cpu_get(struct states *states, uint32_t number)
{
	if (number < states->cpu_count)
		return &states->cpus[number];
	/* A number that no machine has is damage, not a reason to allocate. */
	if (number > UINT16_MAX || array_reserve(&states->cpus, &states->cpu_capacity, number + 1,
						 sizeof(*states->cpus))) {
		states->failed = number > UINT16_MAX ? states->failed : -ENOMEM;
		return NULL;
	}
	memset(states->cpus + states->cpu_count, 0,
	       (number + 1 - states->cpu_count) * sizeof(*states->cpus));
	states->cpu_count = number + 1;
	return &states->cpus[number];
}

void states_waiting_remove(struct states *states, struct states_thread *thread)
{
	struct states_cpu *cpu = states_cpu_get(states, thread->cpu);

	for (size_t i = 0; cpu && i < cpu->waiting_count; i++) {
		if (cpu->waiting[i] == thread) {
			cpu->waiting[i] = cpu->waiting[--cpu->waiting_count];
			return;
		}
	}
}

void states_waiting_add(struct states *states, struct states_thread *thread)
{
	struct states_cpu *cpu = states_cpu_get(states, thread->cpu);

	if (!cpu)
		return;
	if (array_reserve(&cpu->waiting, &cpu->waiting_capacity, cpu->waiting_count + 1,
			  sizeof(struct states_thread *)))
		states->failed = -ENOMEM;
	else
		cpu->waiting[cpu->waiting_count++] = thread;
}

void states_emit(struct states *states, struct states_thread *thread, int64_t ns, bool last)
{
	struct states_interval interval = {
		.thread = thread,
		.state = thread->state,
		.from = thread->since,
		.to = ns,
		.cpu = thread->cpu,
		.in_syscall = thread->in_syscall,
		.last = last,
	};
	const struct states_cpu *cpu = NULL;

	if (ns <= thread->since)
		return;
	thread->since = ns;
	if (!thread->watched || thread->state == STATE_NONE || states->failed)
		return;
	if (thread->state == STATE_WAIT_CPU && thread->cpu < states->cpu_count)
		cpu = &states->cpus[thread->cpu];
	if (cpu && cpu->known) {
		interval.by = WAKER_THREAD;
		interval.by_tid = cpu->running ? cpu->running->tid : 0;
		interval.by_pid = cpu->running ? cpu->running->pid : 0;
		interval.by_name = cpu->running ? states_process_name(states, cpu->running) : 0;
	} else if (thread->state == STATE_WAIT_BLOCKED && last) {
		interval.by = thread->waker;
		interval.by_tid = thread->waker_tid;
		interval.by_pid = thread->waker_pid;
		interval.by_name = thread->waker_name;
	}
	states->emit(states->user, &interval);
}

void states_change(struct states *states, struct states_thread *thread, int64_t ns,
		   enum state state)
{
	states_emit(states, thread, ns, true);
	if (thread->state == STATE_WAIT_CPU && thread->watched)
		states_waiting_remove(states, thread);
	thread->state = state;
	if (state == STATE_WAIT_CPU && thread->watched)
		states_waiting_add(states, thread);
	if (state == STATE_WAIT_BLOCKED) {
		thread->waker = WAKER_UNKNOWN;
		thread->waker_tid = thread->waker_pid = thread->waker_name = 0;
	}
}

void states_invalidate(struct states *states, struct states_thread *thread, int64_t ns)
{
	if (thread->state == STATE_NONE)
		return;
	if (thread->state == STATE_WAIT_CPU && thread->watched)
		states_waiting_remove(states, thread);
	if (thread->state == STATE_RUNNING && thread->seen < ns)
		states_emit(states, thread, thread->seen, true);
	thread->state = STATE_UNKNOWN;
	states_emit(states, thread, ns, true);
}

struct states_thread *states_thread_add(struct states *states, uint32_t tid, int64_t since,
					enum state state)
{
	struct states_thread *thread = calloc(1, sizeof(*thread));

	if (!thread ||
	    array_reserve(&states->threads, &states->thread_capacity, states->thread_count + 1,
			  sizeof(*states->threads)) ||
	    map_set(&states->by_tid, tid, states->thread_count)) {
		free(thread);
		states->failed = -ENOMEM;
		return NULL;
	}
	thread->tid = tid;
	thread->cpu = STATES_NO_CPU;
	thread->state = state;
	thread->since = since;
	states->threads[states->thread_count++] = thread;
	return thread;
}

struct states_thread *states_thread_find(const struct states *states, uint32_t tid)
{
	uint64_t index = map_get(&states->by_tid, tid);

	return index == MAP_NONE ? NULL : states->threads[index];
}

struct states_thread *states_thread_get(struct states *states, uint32_t tid)
{
	struct states_thread *thread = tid ? states_thread_find(states, tid) : NULL;

	return thread || !tid ? thread
			      : states_thread_add(states, tid, states->start_ns, STATE_UNKNOWN);
}

static void cpu_left(struct states *states, const struct states_thread *thread)
{
	for (size_t i = 0; i < states->cpu_count; i++) {
		if (states->cpus[i].running == thread) {
			states->cpus[i].running = NULL;
			states->cpus[i].known = false;
		}
	}
}

void states_thread_end(struct states *states, struct states_thread *thread, int64_t ns)
{
	uint64_t index = map_get(&states->by_tid, thread->tid);
	struct states_thread *last;

	states_change(states, thread, ns, STATE_NONE);
	cpu_left(states, thread);
	if (index == MAP_NONE || states->threads[index] != thread)
		return;
	map_remove(&states->by_tid, thread->tid);
	if (thread->local_tid && map_get(&states->by_local, thread->local_tid) == thread->tid)
		map_remove(&states->by_local, thread->local_tid);
	if (thread->watched)
		return;
	last = states->threads[--states->thread_count];
	states->threads[index] = last;
	if (last != thread && map_get(&states->by_tid, last->tid) == states->thread_count)
		map_set(&states->by_tid, last->tid, index);
	free(thread);
}

void states_thread_learn(struct states *states, struct states_thread *thread, uint32_t local_tid,
			 uint32_t pid)
{
	if (local_tid && thread->local_tid != local_tid) {
		thread->local_tid = local_tid;
		if (map_set(&states->by_local, local_tid, thread->tid))
			states->failed = -ENOMEM;
	}
	if (!pid || thread->pid == pid)
		return;
	thread->pid = pid;
	if (thread->watched || map_get(&states->watched, pid) == MAP_NONE)
		return;
	thread->watched = true;
	if (thread->state == STATE_WAIT_CPU)
		states_waiting_add(states, thread);
}
