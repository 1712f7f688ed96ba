/* SPDX-License-Identifier: MIT */
/* The threads and CPUs of the states: who is there, and the one way in which a thread's state
 * changes, so that no time of it is told twice or not at all. Part of the states (states.h),
 * which says what each record means. One thread.
 *
 *	thread = states_thread_get(states, tid);
 *	states_change(states, thread, ns, STATE_WAIT_CPU);
 */
#ifndef TANDEM_ANALYSIS_SCHED_STATES_THREAD_H
#define TANDEM_ANALYSIS_SCHED_STATES_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/range.h"
#include "analysis/sched/recent.h"
#include "util/intern.h"
#include "util/map.h"
#include "util/usual.h"

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
	bool over;		       /* nothing is recorded here from now on */
	bool wakeups, syscalls;	       /* are recorded */
	uint8_t scope;		       /* enum tandem_scope */
	struct states_thread *running; /* NULL: the idle thread */
	int64_t last_ns;	       /* of the latest record */
	uint32_t waking;	       /* if that was a waking: of this thread; else 0 */
	int64_t switch_ns;	       /* of the latest switch */
	int64_t idle_ns;	       /* when it was idle, as far as is known, for the last time */
	int64_t idle_since_ns;	       /* known, and nobody runs: since when */
	struct recent idle;	       /* before */
	struct states_thread **waiting; /* for this CPU, of those that are watched */
	size_t waiting_count, waiting_capacity;
};

struct states {
	states_interval_fn emit;
	void *user;
	int64_t start_ns;
	int64_t until_ns;     /* so far the records reach: the program may go on */
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
	struct usual pair; /* ns from a waking to its wakeup, where nothing else was recorded */
	int failed;	   /* 0, or -ENOMEM: then nothing more is told */
};

/* NULL: no machine has such a number, or memory ran out (states->failed). */
struct states_cpu *states_cpu_get(struct states *states, uint32_t number);

/* Of those that wait for the CPU that the thread was on last. */
void states_waiting_remove(struct states *states, struct states_thread *thread);

void states_waiting_add(struct states *states, struct states_thread *thread);

/* Tells what the thread did up to now. */
void states_emit(struct states *states, struct states_thread *thread, int64_t ns, bool last);

/* Tells, and is in the other state from then on. */
void states_change(struct states *states, struct states_thread *thread, int64_t ns,
		   enum state state);

/* What it did since it was last heard of did not leave the records that it must
 * have left. */
void states_invalidate(struct states *states, struct states_thread *thread, int64_t ns);

/* NULL: memory ran out (states->failed). */
struct states_thread *states_thread_add(struct states *states, uint32_t tid, int64_t since,
					enum state state);

/* The living one, by the kernel's number; NULL: none. */
struct states_thread *states_thread_find(const struct states *states, uint32_t tid);

/* The same, or a new one: what it did before its first record, nobody knows. NULL: memory ran
 * out, or `tid` is 0, the idle thread. */
struct states_thread *states_thread_get(struct states *states, uint32_t tid);

/* The number is free for another thread. Those that are watched stay, without
 * their number; others go, and the last one takes the place. */
void states_thread_end(struct states *states, struct states_thread *thread, int64_t ns);

/* Its number in the recorder's namespace and its process; 0: not known. */
void states_thread_learn(struct states *states, struct states_thread *thread, uint32_t local_tid,
			 uint32_t pid);

/* What a process is called: as its first thread is. */
uint32_t states_process_name(const struct states *states, const struct states_thread *thread);

#endif
