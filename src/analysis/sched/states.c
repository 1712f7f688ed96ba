/* SPDX-License-Identifier: MIT */
#include "analysis/sched/states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/kernel_records.h"

/* A thread's own time stamp and the kernel's of the same moment differ by so
 * much at most: the width of the pairs that join the two clocks, with room.
 * Between the two lies a switch of threads, which takes longer. */
#define SKEW_NS 1000

void states_init(struct states *states, int64_t start_ns, states_interval_fn emit, void *user)
{
	*states = (struct states){
		.emit = emit,
		.user = user,
		.start_ns = start_ns,
		.until_ns = INT64_MAX,
		.counted = RANGE_WHOLE,
	};
}

void states_free(struct states *states)
{
	for (size_t i = 0; i < states->thread_count; i++)
		free(states->threads[i]);
	for (size_t i = 0; i < states->cpu_count; i++) {
		free(states->cpus[i].waiting);
		recent_free(&states->cpus[i].idle);
	}
	free(states->threads);
	free(states->cpus);
	intern_free(&states->names);
	map_free(&states->by_tid);
	map_free(&states->by_local);
	map_free(&states->process_names);
	map_free(&states->watched);
}

int states_watch(struct states *states, uint32_t pid)
{
	return map_set(&states->watched, pid, 1);
}

int64_t states_other_idle(const struct states *states, uint32_t cpu_number, int64_t from_ns,
			  int64_t to_ns, bool (*may)(const void *user, uint32_t cpu),
			  const void *user)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < states->cpu_count; i++) {
		const struct states_cpu *cpu = &states->cpus[i];
		int64_t since_ns;

		if (i == cpu_number || cpu->scope != TANDEM_SCOPE_system || !may(user, (uint32_t)i))
			continue;
		sum_ns += recent_within(&cpu->idle, from_ns, to_ns);
		since_ns = cpu->idle_since_ns > from_ns ? cpu->idle_since_ns : from_ns;
		if (cpu->known && !cpu->running && since_ns < to_ns)
			sum_ns += to_ns - since_ns;
	}
	return sum_ns;
}

size_t states_waiting(const struct states *states, uint32_t cpu)
{
	return cpu < states->cpu_count ? states->cpus[cpu].waiting_count : 0;
}

void states_belongs(struct states *states, struct states_thread *thread, uint32_t pid)
{
	states_thread_learn(states, thread, 0, pid);
}

struct states_thread *states_find(const struct states *states, uint32_t local_tid)
{
	uint64_t tid = map_get(&states->by_local, local_tid);

	return tid == MAP_NONE ? NULL : states_thread_find(states, (uint32_t)tid);
}

const struct states_thread *states_of_kernel(const struct states *states, uint32_t tid)
{
	return states_thread_find(states, tid);
}

/* Every record comes by here: until when is the CPU's stream whole? */
/* Between a waking and its wakeup the kernel does little and stores one record: of 2.3 to 2.9 us, 1.6
 * were the record (two threads that wake each other on a virtual machine, with records and without). */
#define PAIR_PART 2
#define PAIRS 64
#define PAIR_MOST_NS 4000 /* more is not the record */

static struct states_cpu *heard(struct states *states, uint32_t number, int64_t ns)
{
	struct states_cpu *cpu = states_cpu_get(states, number);

	if (cpu) {
		cpu->last_ns = ns;
		cpu->waking = 0;
	}
	return cpu;
}

/* Somebody runs here from now on; who waits for this CPU waited for the one
 * before. */
static void cpu_run(struct states *states, struct states_cpu *cpu, struct states_thread *next,
		    int64_t ns)
{
	for (size_t i = 0; i < cpu->waiting_count; i++)
		states_emit(states, cpu->waiting[i], ns, false);
	if (cpu->known && !cpu->running && cpu->scope == TANDEM_SCOPE_system &&
	    recent_add(&cpu->idle, cpu->idle_since_ns, ns))
		states->failed = -ENOMEM;
	cpu->idle_since_ns = ns;
	cpu->running = next;
	cpu->known = true;
}

static bool runs_elsewhere(const struct states_thread *thread, uint32_t cpu)
{
	return thread->state == STATE_RUNNING && thread->cpu != cpu && thread->cpu != STATES_NO_CPU;
}

/* The thread left a record here: it runs, though maybe none told of the switch to it. */
static void seen_on(struct states *states, struct states_cpu *cpu, uint32_t number,
		    struct states_thread *thread, int64_t ns)
{
	if (!cpu || !thread || thread->state == STATE_NONE)
		return;
	if (cpu->running != thread && cpu->scope != TANDEM_SCOPE_program) {
		if (cpu->known && cpu->running)
			states_invalidate(states, cpu->running, ns);
		cpu->known = false;
		cpu_run(states, cpu, thread, ns);
	}
	if (thread->state != STATE_RUNNING || runs_elsewhere(thread, number)) {
		states_invalidate(states, thread, ns);
		thread->state = STATE_RUNNING;
	}
	thread->cpu = number;
	thread->has_run = true;
	thread->seen = ns;
}

void states_collecting(struct states *states, int64_t ns, uint32_t cpu_number, uint8_t scope,
		       bool anew, bool wakeups, bool syscalls)
{
	struct states_cpu *cpu = states_cpu_get(states, cpu_number);

	if (!cpu)
		return;
	cpu->over = scope == TANDEM_SCOPE_nothing;
	/* Nothing was left out until then. */
	if (cpu->over && !anew)
		cpu->last_ns = ns;
	if (anew || cpu->over)
		states_lost(states, ns, cpu_number);
	cpu->scope = scope;
	cpu->wakeups = wakeups;
	cpu->syscalls = syscalls;
}

/* From its latest record on, everything may have happened on this CPU: to the
 * thread that ran here, and to all that ran nowhere. Those that run elsewhere
 * leave their records there. */
void states_lost(struct states *states, int64_t ns, uint32_t cpu_number)
{
	struct states_cpu *cpu = states_cpu_get(states, cpu_number);
	int64_t from;

	if (!cpu)
		return;
	from = cpu->last_ns;
	for (size_t i = 0; i < states->thread_count; i++) {
		struct states_thread *thread = states->threads[i];

		if (thread->state == STATE_NONE || runs_elsewhere(thread, cpu_number))
			continue;
		if (from > thread->since)
			states_emit(states, thread, from, false);
		states_invalidate(states, thread, ns);
	}
	cpu->known = false;
	cpu->running = NULL;
	cpu->last_ns = ns;
}

void states_task(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		 uint32_t local_tid, uint32_t pid, bool exec, const char *name, size_t length)
{
	/* Who becomes another program runs. */
	struct states_thread *thread = exec && tid && !states_thread_find(states, tid)
					       ? states_thread_add(states, tid, ns, STATE_RUNNING)
					       : states_thread_get(states, tid);

	if (!thread)
		return;
	states_thread_learn(states, thread, local_tid, pid);
	if (exec)
		seen_on(states, states_cpu_get(states, cpu_number), cpu_number, thread, ns);
	if (!length)
		return;
	if (intern_add(&states->names, name, length, &thread->name) ||
	    (pid && pid == thread->local_tid && map_set(&states->process_names, pid, thread->name)))
		states->failed = -ENOMEM;
}

/* Called as its parent is, until it is named. */
static void thread_born(struct states *states, struct states_thread *thread, uint32_t parent_tid)
{
	const struct states_thread *parent = states_thread_find(states, parent_tid);

	if (parent && !thread->name)
		thread->name = parent->name;
}

void states_task_new(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		     uint32_t local_tid, uint32_t pid, uint32_t parent_tid)
{
	struct states_cpu *cpu = heard(states, cpu_number, ns);
	struct states_thread *thread;

	if (!cpu || !tid)
		return;
	thread = states_thread_find(states, tid);
	/* Both the switches' and the samples' records say that it began: the same one. */
	if (thread && !thread->has_run && thread->state != STATE_UNKNOWN && pid &&
	    thread->pid == pid)
		return;
	/* The number was another's: its end was not recorded. */
	if (thread)
		states_thread_end(states, thread, ns);
	thread = states_thread_add(states, tid, ns, STATE_NONE);
	if (!thread)
		return;
	seen_on(states, cpu, cpu_number, states_thread_get(states, parent_tid), ns);
	states_thread_learn(states, thread, local_tid, pid);
	thread_born(states, thread, parent_tid);
	/* No wake-up will come: it waits from the start. */
	if (cpu->scope == TANDEM_SCOPE_program || !cpu->wakeups)
		states_change(states, thread, ns, STATE_WAIT_CPU);
}

void states_task_exit(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid)
{
	const struct states_cpu *cpu = heard(states, cpu_number, ns);
	struct states_thread *thread = states_thread_find(states, tid);

	/* System-wide, its last switch is still to come. */
	if (cpu && thread && cpu->scope == TANDEM_SCOPE_program)
		states_thread_end(states, thread, ns);
}

static bool state_ready(uint8_t prev_state)
{
	return prev_state == TANDEM_TASK_STATE_preempted ||
	       prev_state == TANDEM_TASK_STATE_runnable;
}

static bool state_over(uint8_t prev_state)
{
	return prev_state == TANDEM_TASK_STATE_dead || prev_state == TANDEM_TASK_STATE_zombie;
}

static void gives_up(struct states *states, struct states_thread *thread, int64_t ns, uint32_t cpu,
		     uint8_t prev_state)
{
	/* It ran until now, but since when? */
	if (thread->state != STATE_RUNNING || runs_elsewhere(thread, cpu))
		states_invalidate(states, thread, ns);
	thread->cpu = cpu;
	thread->has_run = true;
	thread->switches += range_holds(&states->counted, ns);
	if (state_over(prev_state))
		states_thread_end(states, thread, ns);
	else if (prev_state == TANDEM_TASK_STATE_unknown)
		states_change(states, thread, ns, STATE_UNKNOWN);
	else
		states_change(states, thread, ns,
			      state_ready(prev_state) ? STATE_WAIT_CPU : STATE_WAIT_BLOCKED);
}

/* from_idle: nobody ran here before. */
static void gets_cpu(struct states *states, struct states_thread *thread, int64_t ns,
		     const struct states_cpu *cpu, uint32_t cpu_number, bool from_idle)
{
	/* Blocked until it ran: without a record of its waking that is sure only
	 * while the CPU was idle, which would have taken it, or where no wakings are
	 * recorded at all (scope `program`: doc/KERNEL.md says what a wait is there). */
	if (thread->state == STATE_WAIT_BLOCKED && !from_idle &&
	    cpu->scope != TANDEM_SCOPE_program) {
		states_emit(states, thread, cpu->idle_ns, true);
		states_invalidate(states, thread, ns);
	} else if (thread->state == STATE_RUNNING) {
		states_invalidate(states, thread, ns);
	}
	if (thread->has_run && thread->cpu != cpu_number && thread->cpu != STATES_NO_CPU)
		thread->migrations += range_holds(&states->counted, ns);
	if (thread->state == STATE_NONE)
		thread->since = ns;
	states_change(states, thread, ns, STATE_RUNNING);
	thread->cpu = cpu_number;
	thread->has_run = true;
}

/* Where wake-ups are not recorded, a new thread's CPU is the one that it gets: who had that since the
 * switch before kept it waiting. Of the time before that switch nothing is known, as it may have
 * been another CPU's. */
static void waited_here(struct states *states, struct states_thread *thread,
			const struct states_cpu *cpu, uint32_t cpu_number)
{
	if (thread->state != STATE_WAIT_CPU || thread->cpu != STATES_NO_CPU)
		return;
	if (cpu->switch_ns > thread->since)
		states_emit(states, thread, cpu->switch_ns, false);
	thread->cpu = cpu_number;
	if (thread->watched)
		states_waiting_add(states, thread);
}

void states_switch(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t prev_tid,
		   uint8_t prev_state, uint32_t next_tid)
{
	struct states_thread *prev = states_thread_get(states, prev_tid);
	struct states_thread *next = states_thread_get(states, next_tid);
	struct states_cpu *cpu = heard(states, cpu_number, ns);

	if (!cpu)
		return;
	/* A switch in between has left no record. */
	if (cpu->known && cpu->running && cpu->running != prev)
		states_invalidate(states, cpu->running, ns);
	if (cpu->running != prev)
		cpu->known = false;
	if (next)
		waited_here(states, next, cpu, cpu_number);
	cpu_run(states, cpu, next, ns);
	cpu->switch_ns = ns;
	if (!prev || !next)
		cpu->idle_ns = ns;
	if (prev && prev != next)
		gives_up(states, prev, ns, cpu_number, prev_state);
	if (next)
		gets_cpu(states, next, ns, cpu, cpu_number, !prev_tid);
}

void states_in(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid)
{
	struct states_thread *thread = states_thread_get(states, tid);
	struct states_cpu *cpu = heard(states, cpu_number, ns);

	if (!cpu || !thread)
		return;
	gets_cpu(states, thread, ns, cpu, cpu_number, false);
	cpu->running = thread;
}

void states_out(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		bool preempted)
{
	struct states_thread *thread = states_thread_get(states, tid);
	struct states_cpu *cpu = heard(states, cpu_number, ns);

	if (!cpu || !thread)
		return;
	gives_up(states, thread, ns, cpu_number,
		 preempted ? TANDEM_TASK_STATE_preempted : TANDEM_TASK_STATE_sleeping);
	cpu->running = NULL;
}

static void waits_for(struct states *states, struct states_thread *thread, int64_t ns,
		      uint32_t target_cpu)
{
	if (thread->state == STATE_WAIT_CPU || thread->state == STATE_RUNNING)
		return;
	states_emit(states, thread, ns, true);
	if (thread->has_run && thread->cpu != target_cpu && thread->cpu != STATES_NO_CPU)
		thread->migrations += range_holds(&states->counted, ns);
	if (thread->state == STATE_NONE)
		thread->since = ns;
	thread->cpu = target_cpu;
	states_change(states, thread, ns, STATE_WAIT_CPU);
}

int64_t states_record_ns(const struct states *states)
{
	int64_t ns = states->pair.value < PAIR_MOST_NS ? states->pair.value : PAIR_MOST_NS;

	return states->pair.count < PAIRS ? 0 : ns / PAIR_PART;
}

void states_waking(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		   enum states_waker waker, uint32_t by_tid, uint32_t target_cpu)
{
	struct states_thread *thread = states_thread_get(states, tid);
	struct states_thread *by = states_thread_get(states, by_tid);
	struct states_cpu *cpu = heard(states, cpu_number, ns);

	seen_on(states, cpu, cpu_number, by, ns);
	if (cpu)
		cpu->waking = tid;
	if (!thread)
		return;
	thread->waker = waker;
	thread->waker_tid = waker == WAKER_THREAD && by ? by->tid : 0;
	thread->waker_pid = waker == WAKER_THREAD && by ? by->pid : 0;
	thread->waker_name = waker == WAKER_THREAD && by ? states_process_name(states, by) : 0;
	/* Of one that is about to sleep its switch comes after this; then the
	 * wake-up proper tells. */
	if (thread->state == STATE_WAIT_BLOCKED || thread->state == STATE_UNKNOWN)
		waits_for(states, thread, ns, target_cpu);
}

void states_wakeup(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		   uint32_t target_cpu)
{
	struct states_thread *thread = states_thread_get(states, tid);
	struct states_cpu *cpu = states_cpu_get(states, cpu_number);

	if (cpu && tid && cpu->waking == tid)
		usual_add(&states->pair, ns - cpu->last_ns);
	heard(states, cpu_number, ns);
	if (thread)
		waits_for(states, thread, ns, target_cpu);
}

void states_wakeup_new(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		       uint32_t by_tid, uint32_t target_cpu)
{
	struct states_thread *thread = states_thread_find(states, tid);

	seen_on(states, heard(states, cpu_number, ns), cpu_number,
		states_thread_get(states, by_tid), ns);
	/* Of other namespaces no task_new comes. */
	if (thread && thread->has_run) {
		states_thread_end(states, thread, ns);
		thread = NULL;
	}
	if (!thread && tid)
		thread = states_thread_add(states, tid, ns, STATE_NONE);
	if (!thread)
		return;
	thread_born(states, thread, by_tid);
	if (thread->state != STATE_WAIT_CPU)
		waits_for(states, thread, ns, target_cpu);
}

void states_migrate(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		    uint32_t dest_cpu)
{
	struct states_thread *thread = states_thread_get(states, tid);

	heard(states, cpu_number, ns);
	/* Of one that runs its next switch tells. */
	if (!thread || thread->cpu == dest_cpu || thread->state == STATE_RUNNING)
		return;
	thread->migrations += thread->has_run && thread->cpu != STATES_NO_CPU &&
			      range_holds(&states->counted, ns);
	if (thread->state == STATE_WAIT_CPU) {
		states_emit(states, thread, ns, false);
		if (thread->watched)
			states_waiting_remove(states, thread);
		thread->cpu = dest_cpu;
		if (thread->watched)
			states_waiting_add(states, thread);
	} else {
		thread->cpu = dest_cpu;
	}
}

void states_syscall(struct states *states, int64_t ns, uint32_t cpu_number, uint32_t tid,
		    bool enters)
{
	struct states_thread *thread = states_thread_get(states, tid);

	seen_on(states, heard(states, cpu_number, ns), cpu_number, thread, ns);
	if (!thread)
		return;
	states_emit(states, thread, ns, false);
	thread->in_syscall = enters;
}

void states_runs(struct states *states, struct states_thread *thread, int64_t ns)
{
	if (thread->state == STATE_NONE || ns > states->until_ns)
		return;
	if (thread->state != STATE_RUNNING && ns - thread->since >= SKEW_NS) {
		states_invalidate(states, thread, ns);
		thread->state = STATE_RUNNING;
		thread->cpu = STATES_NO_CPU;
	}
	if (thread->state == STATE_RUNNING)
		thread->seen = ns;
}

/* So near to the end the last record mostly is. */
#define END_NS 1000000

void states_finish(struct states *states, int64_t end_ns)
{
	bool ends_before = end_ns - END_NS > states->until_ns;

	for (size_t i = 0; i < states->thread_count; i++) {
		struct states_thread *thread = states->threads[i];

		if (ends_before) {
			states_emit(states, thread, states->until_ns, false);
			states_invalidate(states, thread, end_ns);
		} else {
			states_emit(states, thread, end_ns, false);
		}
	}
}
