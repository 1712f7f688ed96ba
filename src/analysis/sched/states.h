/* SPDX-License-Identifier: MIT */
/* What each thread was doing, from what the kernel recorded (schema/events/kernel.events):
 * running, waiting for a CPU, waiting for something else. Input in the order of
 * time, output as intervals; memory grows with the threads that are alive at once
 * (and with those that are watched), not with the trace.
 *
 * Only what follows from the records is said. Where records are lost, or of
 * events that must have been there is no record, a thread is in state UNKNOWN
 * until its next record. All times are CLOCK_MONOTONIC in ns. One thread.
 *
 *	struct states states;
 *	states_init(&states, start_ns, on_interval, user);
 *	states_watch(&states, pid);                     before any other input
 *	states_switch(&states, ns, cpu, ...); ...       or states_consume(), states_consume.h
 *	states_finish(&states, end_ns);
 *	states_free(&states);
 */
#ifndef TANDEM_ANALYSIS_SCHED_STATES_H
#define TANDEM_ANALYSIS_SCHED_STATES_H

#include "analysis/sched/states_thread.h"

void states_init(struct states *states, int64_t start_ns, states_interval_fn emit, void *user);
void states_free(struct states *states);

/* Threads of this process are to be told about. Returns 0 or -ENOMEM. */
int states_watch(struct states *states, uint32_t pid);

/* The records, each with its time and the CPU in whose stream it stands. Their
 * fields are those of schema/events/kernel.events. */
void states_collecting(struct states *states, int64_t ns, uint32_t cpu, uint8_t scope, bool anew,
		       bool wakeups, bool syscalls);
void states_lost(struct states *states, int64_t ns, uint32_t cpu);
void states_task(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid, uint32_t local_tid,
		 uint32_t pid, bool exec, const char *name, size_t length);
void states_task_new(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid,
		     uint32_t local_tid, uint32_t pid, uint32_t parent_tid);
void states_task_exit(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid);
void states_switch(struct states *states, int64_t ns, uint32_t cpu, uint32_t prev_tid,
		   uint8_t prev_state, uint32_t next_tid);
void states_in(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid);
void states_out(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid, bool preempted);
void states_waking(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid,
		   enum states_waker waker, uint32_t by_tid, uint32_t target_cpu);
void states_wakeup(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid,
		   uint32_t target_cpu);
void states_wakeup_new(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid,
		       uint32_t by_tid, uint32_t target_cpu);
void states_migrate(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid,
		    uint32_t dest_cpu);
void states_syscall(struct states *states, int64_t ns, uint32_t cpu, uint32_t tid, bool enters);

/* The living thread with this number in the recorder's namespace, or NULL. */
struct states_thread *states_find(const struct states *states, uint32_t local_tid);

/* The living thread with this number of the kernel's, or NULL. */
const struct states_thread *states_of_kernel(const struct states *states, uint32_t tid);

/* For how long of this time, which ended just now, CPUs other than this had nothing to do, summed up
 * over them; of those of which all is recorded, and `may` says that they count. */
int64_t states_other_idle(const struct states *states, uint32_t cpu, int64_t from_ns, int64_t to_ns,
			  bool (*may)(const void *user, uint32_t cpu), const void *user);

/* What storing a record takes of a CPU, at the least; 0: not known. */
int64_t states_record_ns(const struct states *states);

/* So many threads that are watched wait for it. */
size_t states_waiting(const struct states *states, uint32_t cpu);

/* The caller knows of which process it is. */
void states_belongs(struct states *states, struct states_thread *thread, uint32_t pid);

/* The thread itself recorded something: it runs now, whatever else is known. */
void states_runs(struct states *states, struct states_thread *thread, int64_t ns);

/* Tells what is left; behind until_ns as not known. */
void states_finish(struct states *states, int64_t end_ns);

#endif
