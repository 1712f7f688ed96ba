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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/range.h"
#include "util/intern.h"
#include "util/map.h"

/* X(constant, word) */
#define STATES(X)                       \
	X(UNKNOWN, "unknown")           \
	X(RUNNING, "running")           \
	X(WAIT_CPU, "wait_cpu")         \
	X(WAIT_BLOCKED, "wait_blocked") \
	X(NONE, "none") /* not yet, or no longer, there */

enum state {
#define X(constant, word) STATE_##constant,
	STATES(X) STATE_COUNT
#undef X
};

#define STATES_NO_CPU UINT32_MAX

enum states_waker { WAKER_UNKNOWN, WAKER_THREAD, WAKER_INTERRUPT };

struct states_thread {
	uint32_t tid;	    /* as the kernel counts */
	uint32_t local_tid; /* as the recorder's namespace counts; 0: not known */
	uint32_t pid;	    /* its process, same; 0: not known */
	uint32_t name;	    /* in states->names */
	enum state state;
	bool watched; /* of a process that is watched: its intervals are told */
	bool has_run; /* on `cpu` */
	bool in_syscall;
	uint32_t cpu;  /* where it runs, waits, or ran last; or STATES_NO_CPU: not known */
	int64_t since; /* told up to here */
	int64_t seen;  /* RUNNING: at this time at least it did, as it left a record */
	enum states_waker waker;		   /* of the latest waking; then ... */
	uint32_t waker_tid, waker_pid, waker_name; /* ... who it was */
	uint64_t switches, migrations;
	void *user; /* the caller's */
};

struct states_interval {
	struct states_thread *thread; /* its `user` is the callee's */
	enum state state;
	int64_t from, to;
	uint32_t cpu;	 /* RUNNING, WAIT_CPU */
	bool in_syscall; /* RUNNING: on the system's behalf, where that is recorded */
	/* WAIT_CPU: who had the CPU meanwhile. WAIT_BLOCKED: who ended it, in the
	 * last interval of the wait. */
	enum states_waker by;
	uint32_t by_tid, by_pid, by_name; /* of a thread; tid 0: nobody, it was idle */
	bool last;			  /* the wait is over at `to` */
};

typedef void (*states_interval_fn)(void *user, const struct states_interval *interval);

struct states_cpu {
	bool known;		       /* who runs here */
	bool wakeups, syscalls;	       /* are recorded */
	uint8_t scope;		       /* enum tandem_scope */
	struct states_thread *running; /* NULL: the idle thread */
	int64_t last_ns;	       /* of the latest record */
	int64_t idle_ns;	       /* when it was idle, as far as is known, for the last time */
	struct states_thread **waiting; /* for this CPU, of those that are watched */
	size_t waiting_count, waiting_capacity;
};

struct states {
	states_interval_fn emit;
	void *user;
	int64_t start_ns;
	struct range counted; /* where switches and migrations count: all, if not set */
	struct intern names;
	struct states_thread **threads; /* alive, and watched ones that are no more */
	size_t thread_count, thread_capacity;
	struct map by_tid;	  /* -> index of the living one */
	struct map by_local;	  /* local tid -> kernel's tid */
	struct map process_names; /* pid -> name */
	struct map watched;	  /* pids */
	struct states_cpu *cpus;
	size_t cpu_count, cpu_capacity;
	int failed; /* 0, or -ENOMEM: then nothing more is told */
};

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

/* The caller knows of which process it is. */
void states_belongs(struct states *states, struct states_thread *thread, uint32_t pid);

/* The thread itself recorded something: it runs now, whatever else is known. */
void states_runs(struct states *states, struct states_thread *thread, int64_t ns);

/* What a process is called: as its first thread is. */
uint32_t states_process_name(const struct states *states, const struct states_thread *thread);

/* Tells what is left. */
void states_finish(struct states *states, int64_t end_ns);

#endif
