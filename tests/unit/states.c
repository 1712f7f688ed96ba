/* SPDX-License-Identifier: MIT */
/* The states of threads: what each record makes of them, what missing records
 * leave unknown, and that no time is told twice or left out. */
#include "analysis/sched/states.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "schema/gen/kernel_records.h"
#include "util/text.h"

enum { START = 1000, A = 10, B = 20, C = 30 }; /* A, and what has its pid, is watched */

static struct states states;
static struct text told;

static void tell_text(void *user, const struct states_interval *i)
{
	static const char *const words[] = {
#define X(constant, word) word,
		STATES(X)
#undef X
	};

	(void)user;
	CHECK(i->by != WAKER_UNKNOWN || (!i->by_tid && !i->by_pid && !i->by_name));
	text_format(&told, "%" PRIu32 " %s %" PRId64 "-%" PRId64, i->thread->tid, words[i->state],
		    i->from, i->to);
	if ((i->state == STATE_RUNNING || i->state == STATE_WAIT_CPU) && i->cpu != STATES_NO_CPU)
		text_format(&told, " cpu%" PRIu32, i->cpu);
	if (i->by == WAKER_INTERRUPT)
		text_add_string(&told, " by irq");
	else if (i->by == WAKER_THREAD && i->state == STATE_WAIT_CPU && !i->by_tid)
		text_add_string(&told, " by idle");
	else if (i->by == WAKER_THREAD)
		text_format(&told, " by %s/%" PRIu32, intern_text(&states.names, i->by_name),
			    i->by_pid);
	text_add_char(&told, '\n');
}

static void begin(void)
{
	text_clear(&told);
	states_init(&states, START, tell_text, NULL);
	states_watch(&states, A);
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		states_collecting(&states, START, cpu, TANDEM_SCOPE_system, true, true, false);
	states_task(&states, START, 0, A, A, A, false, "app", 3);
	states_task(&states, START, 0, B, B, B, false, "busy", 4);
	states_task(&states, START, 0, C, C, C, false, "waker", 5);
}

static void end(const char *what, int64_t ns, const char *expected)
{
	states_finish(&states, ns);
	if (strcmp(told.data ? told.data : "", expected)) {
		fprintf(stderr, "%s:\n%s\ninstead of:\n%s\n", what, told.data ? told.data : "",
			expected);
		check_failures++;
	}
	CHECK(!states.failed);
	states_free(&states);
}

#define SLEEPS TANDEM_TASK_STATE_sleeping
#define PREEMPTED TANDEM_TASK_STATE_preempted
#define READY TANDEM_TASK_STATE_runnable
#define ZOMBIE TANDEM_TASK_STATE_zombie

static void test_preempted(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, PREEMPTED, B);
	states_switch(&states, 5000, 0, B, SLEEPS, C);
	states_switch(&states, 6000, 0, C, READY, A);
	end("preempted", 7000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_cpu 3000-5000 cpu0 by busy/20\n"
	    "10 wait_cpu 5000-6000 cpu0 by waker/30\n"
	    "10 running 6000-7000 cpu0\n");
}

static void test_woken(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, SLEEPS, B);
	states_waking(&states, 4000, 1, A, WAKER_THREAD, C, 0);
	states_wakeup(&states, 4010, 0, A, 0);
	states_switch(&states, 5000, 0, B, PREEMPTED, A);
	states_switch(&states, 6000, 0, A, SLEEPS, 0);
	states_waking(&states, 7000, 0, A, WAKER_INTERRUPT, 0, 0);
	states_wakeup(&states, 7005, 0, A, 0);
	states_switch(&states, 7100, 0, 0, READY, A);
	end("woken", 8000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_blocked 3000-4000 by waker/30\n"
	    "10 wait_cpu 4000-5000 cpu0 by busy/20\n"
	    "10 running 5000-6000 cpu0\n"
	    "10 wait_blocked 6000-7000 by irq\n"
	    "10 wait_cpu 7000-7100 cpu0 by idle\n"
	    "10 running 7100-8000 cpu0\n");
}

/* The waking of a thread that is on its way to sleep stands before its switch. */
static void test_woken_early(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_waking(&states, 2990, 1, A, WAKER_THREAD, C, 0);
	states_switch(&states, 3000, 0, A, SLEEPS, B);
	states_wakeup(&states, 3200, 1, A, 0);
	states_switch(&states, 4000, 0, B, READY, A);
	end("woken early", 5000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_blocked 3000-3200\n"
	    "10 wait_cpu 3200-4000 cpu0 by busy/20\n"
	    "10 running 4000-5000 cpu0\n");
}

static void test_migrated(void)
{
	begin();
	states_switch(&states, 1500, 1, 0, READY, C);
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, PREEMPTED, B);
	states_migrate(&states, 4000, 1, A, 1);
	states_switch(&states, 5000, 1, C, SLEEPS, A);
	CHECK(states_find(&states, A)->migrations == 1);
	CHECK(states_find(&states, A)->switches == 1);
	end("migrated", 6000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_cpu 3000-4000 cpu0 by busy/20\n"
	    "10 wait_cpu 4000-5000 cpu1 by waker/30\n"
	    "10 running 5000-6000 cpu1\n");
}

/* Without a record of its waking, one that displaces another may have waited. */
static void test_waking_missing(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, SLEEPS, B);
	states_switch(&states, 4000, 0, B, PREEMPTED, A);
	states_switch(&states, 5000, 0, A, SLEEPS, 0);
	states_switch(&states, 6000, 0, 0, READY, A);
	end("waking missing", 7000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 unknown 3000-4000\n"
	    "10 running 4000-5000 cpu0\n"
	    "10 wait_blocked 5000-6000\n"
	    "10 running 6000-7000 cpu0\n");
}

/* Who woke it before has nothing to do with that. */
static void test_waking_missing_once(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, SLEEPS, B);
	states_waking(&states, 4000, 1, A, WAKER_THREAD, C, 0);
	states_switch(&states, 5000, 0, B, SLEEPS, A);
	states_switch(&states, 6000, 0, A, SLEEPS, 0);
	states_switch(&states, 7000, 0, 0, READY, A);
	end("waking missing once", 8000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_blocked 3000-4000 by waker/30\n"
	    "10 wait_cpu 4000-5000 cpu0 by busy/20\n"
	    "10 running 5000-6000 cpu0\n"
	    "10 wait_blocked 6000-7000\n"
	    "10 running 7000-8000 cpu0\n");
}

static void test_switch_missing(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	/* A left the CPU somewhere in between. */
	states_switch(&states, 3000, 0, B, SLEEPS, 0);
	states_switch(&states, 4000, 0, 0, READY, A);
	states_switch(&states, 5000, 0, A, SLEEPS, 0);
	/* ... and came back somewhere in between. */
	states_switch(&states, 6000, 0, A, PREEMPTED, B);
	end("switch missing", 7000,
	    "10 unknown 1000-2000\n"
	    "10 unknown 2000-3000\n"
	    "10 unknown 3000-4000\n"
	    "10 running 4000-5000 cpu0\n"
	    "10 unknown 5000-6000\n"
	    "10 wait_cpu 6000-7000 cpu0 by busy/20\n");
}

static void test_lost(void)
{
	begin();
	states_task(&states, START, 0, A + 1, A + 1, A, false, "app2", 4);
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 2100, 1, 0, READY, A + 1);
	states_switch(&states, 3000, 0, A, SLEEPS, B);
	states_switch(&states, 4000, 0, B, SLEEPS, 0);
	states_lost(&states, 6000, 0);
	states_switch(&states, 7000, 0, 0, READY, A);
	/* What runs elsewhere leaves its records there. */
	end("lost", 8000,
	    "10 unknown 1000-2000\n"
	    "11 unknown 1000-2100\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_blocked 3000-4000\n"
	    "10 unknown 4000-6000\n"
	    "10 unknown 6000-7000\n"
	    "10 running 7000-8000 cpu0\n"
	    "11 running 2100-8000 cpu1\n");
}

static void test_cpu_gone(void)
{
	begin();
	states_switch(&states, 2000, 1, 0, READY, A);
	states_collecting(&states, 3000, 1, TANDEM_SCOPE_nothing, true, false, false);
	states_switch(&states, 4000, 0, 0, READY, A);
	end("CPU gone", 5000,
	    "10 unknown 1000-2000\n"
	    "10 unknown 2000-3000\n"
	    "10 unknown 3000-4000\n"
	    "10 running 4000-5000 cpu0\n");
}

/* Recording ends while the program goes on: all is known until then, and nothing later. */
static void test_recording_ended(void)
{
	begin();
	states_switch(&states, 2000, 1, 0, READY, A);
	states_collecting(&states, 3000, 0, TANDEM_SCOPE_nothing, false, false, false);
	states_collecting(&states, 3000, 1, TANDEM_SCOPE_nothing, false, false, false);
	end("recording ended", 5000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu1\n"
	    "10 unknown 3000-5000\n");

	/* Nobody said so, as of a recorder that was killed; its program goes on and records calls. */
	begin();
	states.until_ns = 3000;
	states_switch(&states, 2000, 1, 0, READY, A);
	states_runs(&states, states_find(&states, A), 4000);
	end("recorder gone", 5000000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu1\n"
	    "10 unknown 3000-5000000\n");
}

static void test_number_reused(void)
{
	const struct states_thread *first;

	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	first = states_find(&states, A);
	states_task_exit(&states, 2900, 0, A);
	states_switch(&states, 3000, 0, A, ZOMBIE, 0);
	CHECK(!states_find(&states, A));
	CHECK(first->state == STATE_NONE);
	states_task_new(&states, 5000, 1, A, A, B, C);
	states_wakeup_new(&states, 5010, 1, A, C, 1);
	CHECK(states_find(&states, A) && states_find(&states, A) != first);
	CHECK(states_find(&states, A)->pid == B);
	CHECK(!states_find(&states, A)->watched);
	/* The next one comes without the end of this one. */
	states_task_new(&states, 6000, 1, A, A, A, C);
	states_wakeup_new(&states, 6010, 1, A, C, 1);
	states_switch(&states, 6500, 1, 0, READY, A);
	end("number reused", 7000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_cpu 6010-6500 cpu1\n"
	    "10 running 6500-7000 cpu1\n");
}

/* Its beginning comes twice where stacks are sampled. */
static void test_begun_twice(void)
{
	const struct states_thread *first;

	begin();
	states_task_new(&states, 2000, 0, A, A, A, C);
	first = states_find(&states, A);
	states_task_new(&states, 2001, 0, A, A, A, C);
	CHECK(first && states_find(&states, A) == first);
	states_wakeup_new(&states, 2010, 0, A, C, 0);
	states_switch(&states, 2500, 0, C, READY, A);
	end("begun twice", 3000,
	    "10 unknown 1000-2000\n"
	    "10 wait_cpu 2010-2500 cpu0 by waker/30\n"
	    "10 running 2500-3000 cpu0\n");
}

/* Without records of wake-ups the CPU that it gets is the one that it waited for, as long as what ran
 * there did; who ran on it before that may not have been in its way. */
static void test_new_without_wakeups(void)
{
	begin();
	states_collecting(&states, 1500, 0, TANDEM_SCOPE_system, true, false, false);
	states_collecting(&states, 1500, 1, TANDEM_SCOPE_system, true, false, false);
	states_switch(&states, 1600, 0, 0, READY, C);
	states_switch(&states, 1600, 1, 0, READY, C);
	states_switch(&states, 1700, 1, C, SLEEPS, B);
	states_task_new(&states, 2000, 0, A, A, A, C);
	states_switch(&states, 2500, 1, B, PREEMPTED, A);
	states_switch(&states, 3000, 1, A, ZOMBIE, C);
	states_task_new(&states, 4000, 0, A, A, A, C);
	states_switch(&states, 4400, 1, C, SLEEPS, B);
	states_switch(&states, 4500, 1, B, PREEMPTED, A);
	end("new, without wake-ups", 5000,
	    "10 unknown 1000-1500\n"
	    "10 unknown 1500-2000\n"
	    "10 wait_cpu 2000-2500 cpu1 by busy/20\n"
	    "10 running 2500-3000 cpu1\n"
	    "10 wait_cpu 4000-4400\n"
	    "10 wait_cpu 4400-4500 cpu1 by busy/20\n"
	    "10 running 4500-5000 cpu1\n");
}

/* The thread's own records say that it runs, whatever the kernel's do not say. */
static void test_own_records(void)
{
	struct states_thread *thread;

	begin();
	thread = states_find(&states, A);
	states_runs(&states, thread, 3000);
	states_switch(&states, 5000, 0, A, SLEEPS, 0);
	/* Just before by the kernel's clock: the two agree within a microsecond. */
	states_runs(&states, thread, 5050);
	states_switch(&states, 8000, 0, 0, READY, A);
	states_switch(&states, 9000, 0, A, SLEEPS, 0);
	states_runs(&states, thread, 12000);
	end("own records", 13000,
	    "10 unknown 1000-3000\n"
	    "10 running 3000-5000 cpu0\n"
	    "10 wait_blocked 5000-8000\n"
	    "10 running 8000-9000 cpu0\n"
	    "10 unknown 9000-12000\n"
	    "10 running 12000-13000\n");
}

/* Kernels that leave a switch out: who leaves a record on a CPU runs there. */
static void test_seen(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_waking(&states, 2500, 0, C, WAKER_THREAD, A, 1);
	states_switch(&states, 4000, 0, B, SLEEPS, 0);
	states_waking(&states, 5000, 0, C, WAKER_INTERRUPT, A, 1);
	states_switch(&states, 6000, 0, A, PREEMPTED, 0);
	/* B runs on CPU 1, where A waits meanwhile. */
	states_migrate(&states, 6100, 1, A, 1);
	states_waking(&states, 6500, 1, C, WAKER_THREAD, B, 0);
	states_switch(&states, 7000, 1, B, SLEEPS, A);
	end("seen", 8000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-2500 cpu0\n"
	    "10 unknown 2500-4000\n"
	    "10 unknown 4000-5000\n"
	    "10 running 5000-6000 cpu0\n"
	    "10 wait_cpu 6000-6100 cpu0 by idle\n"
	    "10 wait_cpu 6100-6500 cpu1\n"
	    "10 wait_cpu 6500-7000 cpu1 by busy/20\n"
	    "10 running 7000-8000 cpu1\n");
}

/* No record of its waking: it cannot have waited for a CPU that was idle. */
static void test_idle_before(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 3000, 0, A, SLEEPS, 0);
	states_switch(&states, 4000, 0, 0, READY, B);
	states_switch(&states, 4500, 0, B, READY, A);
	states_switch(&states, 5000, 0, A, SLEEPS, C);
	states_switch(&states, 6000, 0, C, READY, A);
	end("idle before", 7000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_blocked 3000-4000\n"
	    "10 unknown 4000-4500\n"
	    "10 running 4500-5000 cpu0\n"
	    "10 unknown 5000-6000\n"
	    "10 running 6000-7000 cpu0\n");
}

static void test_program_only(void)
{
	text_clear(&told);
	states_init(&states, START, tell_text, NULL);
	states_watch(&states, A);
	states_collecting(&states, START, 0, TANDEM_SCOPE_program, true, false, false);
	states_task(&states, 1500, 0, A, A, A, true, "app", 3);
	states_out(&states, 2000, 0, A, false);
	states_in(&states, 3000, 0, A);
	states_out(&states, 4000, 0, A, true);
	states_in(&states, 5000, 0, A);
	states_task_exit(&states, 6000, 0, A);
	end("program only", 7000,
	    "10 running 1500-2000 cpu0\n"
	    "10 wait_blocked 2000-3000\n"
	    "10 running 3000-4000 cpu0\n"
	    "10 wait_cpu 4000-5000 cpu0\n"
	    "10 running 5000-6000 cpu0\n");
}

static void test_system_calls(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_syscall(&states, 3000, 0, A, true);
	states_switch(&states, 4000, 0, A, SLEEPS, 0);
	states_switch(&states, 5000, 0, 0, READY, A);
	CHECK(states_find(&states, A)->in_syscall);
	states_syscall(&states, 6000, 0, A, false);
	CHECK(!states_find(&states, A)->in_syscall);
	end("system calls", 7000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 running 3000-4000 cpu0\n"
	    "10 wait_blocked 4000-5000\n"
	    "10 running 5000-6000 cpu0\n"
	    "10 running 6000-7000 cpu0\n");
}

/* Any records in any order: each thread's intervals join without gap or overlap
 * as long as it lives, and the dead leave no trace in memory. */
enum { THREADS = 200, CPUS = 4, RECORDS = 300000 };

static int64_t last_to[RECORDS];
static size_t lives;

static void tell_check(void *user, const struct states_interval *i)
{
	int64_t *seen = i->thread->user;

	(void)user;
	if (!seen)
		i->thread->user = seen = &last_to[lives++];
	CHECK(i->from < i->to);
	CHECK(i->from >= *seen);
	CHECK(i->state < STATE_NONE);
	*seen = i->to;
}

static uint32_t any(uint32_t below)
{
	static uint64_t seed = 1;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static void test_storm(void)
{
	int64_t ns = START;

	states_init(&states, START, tell_check, NULL);
	for (uint32_t pid = 1; pid < THREADS; pid += 2)
		states_watch(&states, pid);
	for (int i = 0; i < RECORDS; i++) {
		uint32_t cpu = any(CPUS), tid = any(THREADS), other = any(THREADS);

		ns += any(2000);
		switch (any(14)) {
		case 0:
			states_lost(&states, ns, cpu);
			break;
		case 1:
			states_task(&states, ns, cpu, tid + !tid, tid, tid, any(2), "x", 1);
			break;
		case 2:
			states_task_new(&states, ns, cpu, tid, tid, tid, other);
			break;
		case 3:
			states_task_exit(&states, ns, cpu, tid);
			break;
		case 4:
			states_in(&states, ns, cpu, tid);
			break;
		case 5:
			states_out(&states, ns, cpu, tid, any(2));
			break;
		case 6:
			states_waking(&states, ns, cpu, tid, (enum states_waker)any(3), other,
				      any(CPUS));
			break;
		case 7:
			states_wakeup(&states, ns, cpu, tid, any(CPUS));
			break;
		case 8:
			states_wakeup_new(&states, ns, cpu, tid, other, any(CPUS));
			break;
		case 9:
			states_migrate(&states, ns, cpu, tid, any(CPUS));
			break;
		case 10:
			states_syscall(&states, ns, cpu, tid, any(2));
			break;
		case 11:
			states_collecting(&states, ns, cpu, (uint8_t)any(3), any(2), any(2),
					  any(2));
			break;
		default:
			states_switch(&states, ns, cpu, tid, (uint8_t)any(12), other);
			break;
		}
	}
	states_finish(&states, ns + 1);
	CHECK(!states.failed);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		CHECK(states.cpus[cpu].waiting_count < THREADS);
	states_free(&states);
}

/* Threads that come and go do not fill the memory, unless they are watched. */
static void test_memory(void)
{
	begin();
	for (uint32_t i = 0; i < 100000; i++) {
		int64_t ns = 2000 + i * 100;

		states_task_new(&states, ns, 0, 1000 + i, 1000 + i, B, C);
		states_wakeup_new(&states, ns + 10, 0, 1000 + i, C, 0);
		states_switch(&states, ns + 20, 0, 0, READY, 1000 + i);
		states_switch(&states, ns + 30, 0, 1000 + i, ZOMBIE, 0);
	}
	CHECK(states.thread_count <= 4);
	CHECK(states.by_tid.count <= 4);
	states_free(&states);
}

static bool any_cpu(const void *user, uint32_t cpu)
{
	(void)user, (void)cpu;
	return true;
}

static bool not_this(const void *user, uint32_t cpu)
{
	return cpu != *(const uint32_t *)user;
}

static int64_t other_idle(uint32_t cpu, int64_t from_ns, int64_t to_ns)
{
	return states_other_idle(&states, cpu, from_ns, to_ns, any_cpu, NULL);
}

/* Who waits behind B could have had CPU 1 for as long as that was idle, and was recorded. */
static void test_other_idle(void)
{
	begin();
	states_switch(&states, 2000, 0, 0, READY, A);
	states_switch(&states, 2000, 1, C, SLEEPS, 0);
	states_switch(&states, 3000, 0, A, PREEMPTED, B);
	CHECK(states_waiting(&states, 0) == 1);
	CHECK(states_waiting(&states, 1) == 0);
	CHECK(states_waiting(&states, 7) == 0);
	CHECK(other_idle(0, 3000, 3400) == 400);
	CHECK(!states_other_idle(&states, 0, 3000, 3400, not_this, &(uint32_t){1}));
	states_switch(&states, 3600, 1, 0, READY, C);
	states_switch(&states, 4000, 1, C, SLEEPS, 0);
	CHECK(other_idle(0, 1000, 3600) == 1600);
	CHECK(other_idle(1, 1000, 3600) == 0);
	states_lost(&states, 4500, 1);
	CHECK(other_idle(0, 4100, 5000) == 0);
	states_switch(&states, 5000, 0, B, SLEEPS, A);
	CHECK(states_waiting(&states, 0) == 0);
	end("other idle", 6000,
	    "10 unknown 1000-2000\n"
	    "10 running 2000-3000 cpu0\n"
	    "10 wait_cpu 3000-4000 cpu0 by busy/20\n"
	    "10 unknown 4000-4500\n"
	    "10 unknown 4500-5000\n"
	    "10 running 5000-6000 cpu0\n");
}

int main(void)
{
	test_other_idle();
	test_preempted();
	test_woken();
	test_woken_early();
	test_migrated();
	test_waking_missing();
	test_waking_missing_once();
	test_switch_missing();
	test_lost();
	test_cpu_gone();
	test_recording_ended();
	test_number_reused();
	test_begun_twice();
	test_new_without_wakeups();
	test_own_records();
	test_seen();
	test_idle_before();
	test_program_only();
	test_system_calls();
	test_storm();
	test_memory();
	text_free(&told);
	return check_status();
}
