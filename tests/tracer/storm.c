/* SPDX-License-Identifier: MIT */
/* Signals at every moment of a traced call, in several threads, whose handler makes traced
 * calls: each entry has its own exit, with the same id, arguments and word, and each exit has
 * its record. Handlers are on the thread's stack, or on another one above it or below. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "tandem/opencl_args.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL
#define THREADS 3
#define SIGNALS 8000 /* in each thread */
#define CALLS 100000 /* in each thread, at least */
#define PERIOD_NS 30000
#define HANDLER_STACK (64u * 1024)
#ifdef __SANITIZE_THREAD__
#define THREAD_STACK (4096u * 1024) /* most of it is the sanitizer's */
#else
#define THREAD_STACK (160u * 1024)
#endif
#define GUARD 4096u
#define DEPTH 16

enum stacks { SAME, ABOVE, BELOW };

static struct tandem_tracer *tracer;
static uint32_t opencl, get_platforms;
static _Atomic uint64_t entries, exits, records, made, handled, mismatched, unknown, damaged;

/* The calls that a thread has open. */
static __thread struct {
	unsigned depth;
	uint64_t id[DEPTH];
	const void *place[DEPTH];
	unsigned handled;
} open_calls;

static __thread cl_uint in_program, in_handler;

static void called(const struct tandem_tracer_call *call, void *arg)
{
	const struct opencl_args_clGetPlatformIDs *args = call->args;
	const void *place = args ? args->num_platforms : NULL;

	(void)arg;
	if (call->op != get_platforms)
		return;
	if (place != &in_program && place != &in_handler)
		damaged++;
	if (call->phase == TANDEM_TRACER_ENTER) {
		unsigned depth = open_calls.depth++ % DEPTH;

		entries++;
		open_calls.id[depth] = call->correlation_id;
		open_calls.place[depth] = place;
		*call->data = call->correlation_id ^ 0x5555;
		return;
	}
	exits++;
	if (!open_calls.depth) {
		unknown++;
		return;
	}
	open_calls.depth--;
	mismatched += open_calls.id[open_calls.depth % DEPTH] != call->correlation_id ||
		      open_calls.place[open_calls.depth % DEPTH] != place ||
		      *call->data != (call->correlation_id ^ 0x5555);
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (const struct tandem_tracer_record *record = begin; record < end; record++) {
		records += record->op == get_platforms;
		damaged += !record->correlation_id || record->end_ns < record->begin_ns;
	}
}

static void handler(int signal)
{
	(void)signal;
	clGetPlatformIDs(0, NULL, &in_handler);
	open_calls.handled++;
}

static void calls(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	uint64_t count = 0;
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer)) {
		damaged++;
		return;
	}
	timer_settime(timer, 0, &period, NULL);
	while (count < CALLS || open_calls.handled < SIGNALS) {
		clGetPlatformIDs(0, NULL, &in_program);
		count++;
	}
	timer_delete(timer);
	made += count + open_calls.handled;
	handled += open_calls.handled;
}

static enum stacks stacks;
static uint8_t *memory[THREADS]; /* a stack for handlers, a page that is none, the thread's */

static void *thread_main(void *below)
{
	uint8_t above[HANDLER_STACK];
	stack_t stack = {.ss_sp = stacks == ABOVE ? above : below, .ss_size = HANDLER_STACK};
	stack_t none = {.ss_flags = SS_DISABLE};

	if (stacks != SAME && sigaltstack(&stack, NULL))
		damaged++;
	calls();
	sigaltstack(&none, NULL);
	return NULL;
}

static bool thread_start(pthread_t *thread, int i)
{
	const size_t bytes = HANDLER_STACK + GUARD + THREAD_STACK;
	pthread_attr_t attributes;
	bool started;

	memory[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory[i] == MAP_FAILED || mprotect(memory[i] + HANDLER_STACK, GUARD, PROT_NONE))
		return false;
	pthread_attr_init(&attributes);
	started = !pthread_attr_setstack(&attributes, memory[i] + HANDLER_STACK + GUARD,
					 THREAD_STACK) &&
		  !pthread_create(thread, &attributes, thread_main, memory[i]);
	pthread_attr_destroy(&attributes);
	return started;
}

static void thread_end(pthread_t thread, int i)
{
	pthread_join(thread, NULL);
	munmap(memory[i], HANDLER_STACK + GUARD + THREAD_STACK);
}

static void storm(enum stacks which, const char *name)
{
	struct sigaction action = {.sa_handler = handler,
				   .sa_flags = SA_RESTART | (which == SAME ? 0 : SA_ONSTACK)};
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = 16384,
							   .full = TANDEM_TRACER_WAIT,
							   .deliver = delivered};
	tandem_tracer_pool_t pool = 0;
	pthread_t thread[THREADS];
	int started = 0;

	entries = exits = records = made = handled = mismatched = unknown = damaged = 0;
	stacks = which;
	sigaction(SIGUSR1, &action, NULL);
	OK(!tandem_tracer_pool_open(&properties, &pool) &&
		   !tandem_tracer_callback_enable(tracer, opencl, ALL, called, NULL) &&
		   !tandem_tracer_activity_enable(tracer, opencl, TANDEM_TRACER_API, ALL, pool),
	   "handlers on %s", name);
	for (int i = 0; i < THREADS; i++, started++)
		if (!thread_start(&thread[i], i))
			break;
	OK(started == THREADS, "%d threads", started);
	for (int i = 0; i < started; i++)
		thread_end(thread[i], i);
	OK(!tandem_tracer_pool_close(pool), "closed");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
	printf("# %llu calls, %llu of handlers; %llu entries, %llu exits, %llu records\n",
	       (unsigned long long)made, (unsigned long long)handled, (unsigned long long)entries,
	       (unsigned long long)exits, (unsigned long long)records);
	OK(handled >= THREADS * SIGNALS, "signals came");
	OK(entries == exits && !unknown, "as many exits as entries");
	OK(!mismatched, "each exit is that of its entry (%llu are not)",
	   (unsigned long long)mismatched);
	OK(records == exits, "as many records");
	OK(!damaged, "none is damaged (%llu)", (unsigned long long)damaged);
	/* Those that a handler makes while another call's record or callback is under way. */
	OK(entries <= made && made - entries <= handled,
	   "calls of handlers alone were left out (%llu)", (unsigned long long)(made - entries));
}

int main(void)
{
	opencl = (uint32_t)tandem_tracer_domain("opencl");
	tandem_tracer_op_code(opencl, "clGetPlatformIDs", &get_platforms, NULL);
	OK(!tandem_tracer_create(&tracer), "a tracer");
	clGetPlatformIDs(0, NULL, &in_program);
	storm(SAME, "the thread's stack");
	storm(ABOVE, "a stack above");
	storm(BELOW, "a stack below");
	OK(!tandem_tracer_destroy(tracer), "destroyed");
	return tap_end();
}
