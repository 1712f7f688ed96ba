/* SPDX-License-Identifier: MIT */
/* A signal after each instruction of a traced call, one after another: its handler leaves the call
 * by siglongjmp(), or makes a call itself. Whatever was interrupted, the pool goes on, and each
 * record is delivered or counted; an entry has its own exit.
 *
 *   steps [EACH]      every instruction, or one of EACH */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "step.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL
#define SLOTS 32u /* the least that a pool's buffer has */
#define STEPS_MOST 20000u

static struct tandem_tracer *tracer;
static uint32_t opencl, annotation;

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

static void mark(void)
{
	tandem_tracer_mark(
		"a text that is longer than what a slot has room for: it takes two of them");
}

static unsigned stride = 1;

/* --- pools ----------------------------------------------------------------------------------- */

static _Atomic uint64_t delivered_count, damaged;

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (const struct tandem_tracer_record *record = begin; record < end; record++)
		damaged += !record->correlation_id || record->end_ns < record->begin_ns ||
			   !strcmp(record->name, "");
	delivered_count += (uint64_t)(end - begin);
}

/* A full buffer first, so that the call goes on with the other one, or a new one. */
static void leave_everywhere(const char *name, void (*what)(void), unsigned slots_each, bool full)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = 1,
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	unsigned made = 0, left = 0, failed = 0, instruction = 1;
	tandem_tracer_pool_t pool = 0;

	delivered_count = 0;
	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, ALL, pool) &&
		   !tandem_tracer_activity_enable(tracer, annotation, 0, ALL, pool),
	   "a pool for %s", name);
	for (; instruction < STEPS_MOST; instruction += stride) {
		for (unsigned i = 0; full && i < SLOTS / slots_each; i++, made++)
			what();
		if (!run_to(instruction, what, leave))
			break;
		left++;
		for (unsigned i = 0; i < 3; i++, made++)
			what();
		failed += tandem_tracer_pool_flush(pool) != 0;
	}
	made++; /* the last one was whole */
	failed += tandem_tracer_pool_flush(pool) != 0;
	tandem_tracer_pool_counts(pool, &counts);
	printf("# %u were left, %u not; %llu records, %llu dropped\n", left, made,
	       (unsigned long long)counts.delivered, (unsigned long long)counts.dropped);
	OK(instruction > 300 && instruction < STEPS_MOST, "%u instructions of %s", instruction,
	   name);
	OK(!failed, "each flush delivers (%u do not)", failed);
	OK(counts.delivered + counts.dropped >= made && counts.delivered <= made + left &&
		   counts.dropped <= left && counts.delivered == delivered_count,
	   "what was not left is recorded");
	OK(!tandem_tracer_pool_close(pool), "closed");
}

/* A thread that ends in the middle of a record does not hold others up. */
static volatile unsigned thread_target;
static volatile bool reached;

static void end_thread(void)
{
	reached = true;
	pthread_exit(NULL);
}

static void *thread_main(void *unused)
{
	(void)unused;
	call(); /* its stream is opened with all signals blocked, also a step's */
	run_to(thread_target, call, end_thread);
	return NULL;
}

static void end_everywhere(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = 1,
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	tandem_tracer_pool_t pool = 0;
	unsigned failed = 0, ended = 0;

	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, ALL, pool),
	   "threads that end in a call");
	for (thread_target = 1;; thread_target += stride, ended++) {
		pthread_t thread;

		reached = false;
		pthread_create(&thread, NULL, thread_main, NULL);
		pthread_join(thread, NULL);
		if (!reached)
			break;
		call();
		failed += tandem_tracer_pool_flush(pool) != 0;
	}
	OK(thread_target > 300 && !failed, "%u of %u instructions; each flush delivers (%u do not)",
	   ended, thread_target, failed);
	OK(!tandem_tracer_pool_close(pool), "closed");
}

/* A thread that is stopped in the middle of a record: a flush is -EAGAIN, and what is being written
 * comes with a later one. */
static _Atomic bool stopped, go_on;
static unsigned in_a_record, last_in_a_record; /* instructions of which that was seen */

static void stop(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	stopped = true;
	while (!go_on)
		nanosleep(&pause, NULL);
}

static void *stopping_main(void *unused)
{
	(void)unused;
	call();
	run_to(thread_target, call, stop);
	stopped = true;
	return NULL;
}

static void stop_everywhere(void)
{
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .buffer_bytes = 1, .deliver = delivered};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	tandem_tracer_pool_t pool = 0;
	unsigned again = 0, failed = 0, threads = 0;
	bool reached_all = false;

	delivered_count = 0;
	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, ALL, pool),
	   "threads that are stopped in a call");
	for (thread_target = 1; !reached_all; thread_target += stride, threads++) {
		pthread_t thread;
		int error;

		stopped = go_on = false;
		pthread_create(&thread, NULL, stopping_main, NULL);
		WAIT_FOR(stopped);
		reached_all = steps < thread_target;
		error = tandem_tracer_pool_flush(pool);
		again += error == -EAGAIN;
		if (error == -EAGAIN)
			last_in_a_record = thread_target;
		if (error == -EAGAIN && !in_a_record)
			in_a_record = thread_target;
		failed += error && error != -EAGAIN;
		go_on = true;
		pthread_join(thread, NULL);
		failed += tandem_tracer_pool_flush(pool) != 0;
		failed += delivered_count != 2 * (threads + 1);
	}
	tandem_tracer_pool_counts(pool, &counts);
	OK(again > 0 && again < threads, "a flush is -EAGAIN at %u of %u instructions", again,
	   threads);
	OK(!failed && !counts.dropped && counts.delivered == 2 * threads,
	   "and delivers all with the next one (%u do not)", failed);
	OK(!tandem_tracer_pool_close(pool), "closed");
}

/* Nobody comes to free the slot: who fills the pool waits for it, and then no more. */
static void wait_some_seconds(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = 1,
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	tandem_tracer_pool_t pool = 0;
	uint64_t before = 0, after = 0;
	pthread_t thread;

	OK(in_a_record && !tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_activity_enable(tracer, opencl, 0, ALL, pool),
	   "a pool that waits, and a thread that is stopped in a record");
	stopped = go_on = false;
	thread_target = (in_a_record + last_in_a_record) / 2;
	pthread_create(&thread, NULL, stopping_main, NULL);
	WAIT_FOR(stopped);
	tandem_tracer_timestamp(&before);
	for (unsigned i = 0; i < 10 * SLOTS; i++)
		call();
	tandem_tracer_timestamp(&after);
	tandem_tracer_pool_counts(pool, &counts);
	OK(counts.dropped && after - before > 500000000u,
	   "the program waits for some seconds and goes on (%llu ms, %llu dropped)",
	   (unsigned long long)(after - before) / 1000000, (unsigned long long)counts.dropped);
	go_on = true;
	pthread_join(thread, NULL);
	OK(!tandem_tracer_pool_flush(pool) && !tandem_tracer_pool_counts(pool, &counts) &&
		   counts.dropped + counts.delivered == 10 * SLOTS + 2,
	   "none is missing without being counted: %llu and %llu",
	   (unsigned long long)counts.delivered, (unsigned long long)counts.dropped);
	OK(!tandem_tracer_pool_close(pool), "closed");
}

/* --- callbacks -------------------------------------------------------------------------------- */

static uint64_t open_ids[8];
static unsigned depth, entries, exits, mismatched;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	if (call->phase == TANDEM_TRACER_ENTER) {
		entries++;
		*call->data = call->correlation_id * 3;
		open_ids[depth++ % 8] = call->correlation_id;
		return;
	}
	exits++;
	mismatched += !depth || open_ids[--depth % 8] != call->correlation_id ||
		      *call->data != call->correlation_id * 3;
}

static void call_everywhere(void)
{
	unsigned instruction = 1, handled = 0;

	OK(!tandem_tracer_callback_enable(tracer, opencl, ALL, called, NULL), "calls of handlers");
	while (instruction < STEPS_MOST && run_to(instruction, call, call))
		instruction += stride, handled++;
	OK(instruction > 300 && instruction < STEPS_MOST, "%u instructions", instruction);
	OK(entries == exits && !mismatched && !depth && entries >= handled,
	   "%u entries have their exits: %u, %u are another's", entries, exits, mismatched);
	OK(!tandem_tracer_callback_disable(tracer, opencl, ALL), "disabled");
}

/* The instructions of a call, the steps' own signals included: of some, the fewest. */
static unsigned instructions(void)
{
	unsigned fewest = UINT_MAX;

	for (int i = 0; i < 20; i++) {
		run_to(UINT_MAX, call, leave);
		fewest = steps < fewest ? steps : fewest;
	}
	return fewest;
}

static void nothing(const struct tandem_tracer_record *begin,
		    const struct tandem_tracer_record *end, void *arg)
{
	(void)begin, (void)end, (void)arg;
}

/* What is not called is not paid for. */
static void idle(unsigned before)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .deliver = nothing};
	unsigned created, enabled, halted, disabled, closed;
	tandem_tracer_pool_t pool = 0;

	created = instructions();
	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_callback_enable(tracer, opencl, ALL, called, NULL) &&
		   !tandem_tracer_activity_enable(tracer, opencl, ALL, ALL, pool),
	   "all is enabled");
	enabled = instructions();
	OK(!tandem_tracer_stop(tracer), "stopped");
	halted = instructions();
	OK(!tandem_tracer_start(tracer) && !tandem_tracer_callback_disable(tracer, opencl, ALL) &&
		   !tandem_tracer_activity_disable(tracer, opencl, ALL, ALL),
	   "started, and disabled");
	disabled = instructions();
	OK(!tandem_tracer_pool_close(pool), "closed");
	closed = instructions();
	OK(created == before && enabled > before + 100 && halted == before && disabled == before &&
		   closed == before,
	   "a call has %u instructions without a tool, %u with one, %u enabled, %u stopped, "
	   "%u disabled, %u closed",
	   before, created, enabled, halted, disabled, closed);
}

int main(int argc, char **argv)
{
	unsigned before;

#if !defined(__x86_64__)
	puts("ok 1 # SKIP single steps are of x86-64 here");
	return 0;
#endif
	if (argc > 1)
		stride = (unsigned)atoi(argv[1]);
	/* What hangs has failed; a sanitizer takes several times as many steps. */
	alarm(argc > 1 && !getenv("TANDEM_SANITIZE") ? 80 : 600);
	steps_begin();
	opencl = (uint32_t)tandem_tracer_domain("opencl");
	annotation = (uint32_t)tandem_tracer_domain("annotation");
	call();
	before = instructions();
	OK(!tandem_tracer_create(&tracer), "a tracer");
	idle(before);
	entries = exits = 0;
	leave_everywhere("a call", call, 1, false);
	leave_everywhere("a call that finds its buffer full", call, 1, true);
	leave_everywhere("a text", mark, 3, false);
	leave_everywhere("a text that finds its buffer full", mark, 3, true);
	end_everywhere();
	stop_everywhere();
	wait_some_seconds();
	call_everywhere();
	OK(!damaged, "no record is damaged");
	OK(!tandem_tracer_destroy(tracer), "destroyed");
	return tap_end();
}
