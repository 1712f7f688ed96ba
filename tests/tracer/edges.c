/* SPDX-License-Identifier: MIT */
/* What goes wrong, and what happens at the same time: bad arguments, pools that are closed
 * twice or are full, callbacks that do not return, disable themselves or are interrupted,
 * threads, forks, and libraries that go. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tandem/tracer.h"

#define ALL TANDEM_TRACER_ALL

static uint32_t opencl, get_platforms;
static struct tandem_tracer *tracer;
static _Atomic uint64_t entries, exits, delivered_count, wrong;

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

static void counting(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	if (call->phase == TANDEM_TRACER_ENTER)
		entries++;
	else
		exits++;
}

static void delivered(const struct tandem_tracer_record *begin,
		      const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (const struct tandem_tracer_record *record = begin; record < end; record++)
		wrong += record->op != get_platforms || !record->correlation_id ||
			 strcmp(record->name, "clGetPlatformIDs");
	delivered_count += (uint64_t)(end - begin);
	call(); /* nobody's event */
}

static tandem_tracer_pool_t pool_open(uint32_t full, size_t bytes, tandem_tracer_deliver_t deliver)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties),
							   .buffer_bytes = bytes,
							   .full = full,
							   .deliver = deliver};
	tandem_tracer_pool_t pool = 0;

	if (tandem_tracer_pool_open(&properties, &pool))
		printf("# %s\n", tandem_tracer_error());
	return pool;
}

static int enable(tandem_tracer_pool_t pool)
{
	return tandem_tracer_activity_enable(tracer, opencl, TANDEM_TRACER_API, get_platforms,
					     pool);
}

static void names(void)
{
	uint32_t op = 0, kind = 0;
	unsigned domains = 0, functions = 0;

	OK(tandem_tracer_version() == (1u << 16), "version 1.0");
	OK(!strcmp(tandem_tracer_error(), ""), "no error at first");
	OK(tandem_tracer_domain("nothing") == -ENODEV, "no such domain: %s", tandem_tracer_error());
	OK(tandem_tracer_domain(NULL) == -EINVAL, "no name: %s", tandem_tracer_error());
	OK(!strcmp(tandem_tracer_domain_string(opencl), "opencl"), "the domain's name");
	OK(!tandem_tracer_domain_string(63) && !tandem_tracer_domain_string(ALL - 1) &&
		   !tandem_tracer_domain_string(0),
	   "no name of others");
	for (uint32_t domain = ALL; (domain = tandem_tracer_domain_next(domain)) != ALL;) {
		domains++;
		for (uint32_t of = 0; of < 2; of++)
			for (uint32_t i = ALL; (i = tandem_tracer_op_next(domain, of, i)) != ALL;) {
				const char *name = tandem_tracer_op_string(domain, of, i);

				functions++;
				wrong += !name || tandem_tracer_op_code(domain, name, &op, &kind) ||
					 op != i || kind != of;
			}
	}
	OK(domains >= 4 && functions > 500 && !wrong, "%u names of %u domains, both ways",
	   functions, domains);
	OK(tandem_tracer_op_code(opencl, "clNothing", &op, NULL) == -ENOENT, "no such name: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_op_code(63, "clFinish", &op, NULL) == -ENODEV, "no such domain: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_op_code(opencl, NULL, &op, NULL) == -EINVAL &&
		   tandem_tracer_op_code(opencl, "clFinish", NULL, NULL) == -EINVAL,
	   "null pointers");
	OK(!tandem_tracer_op_string(opencl, 0, 0) && !tandem_tracer_op_string(opencl, 0, 5000) &&
		   !tandem_tracer_op_string(opencl, 2, 1) && !tandem_tracer_id_string(63, 1),
	   "no names of what is not: %s", tandem_tracer_error());
}

static void bad_arguments(void)
{
	struct tandem_tracer_pool_properties properties = {.struct_size = sizeof(properties)};
	struct tandem_tracer_pool_counts counts = {.struct_size = 3};
	tandem_tracer_pool_t pool;
	uint32_t ns;

	OK(tandem_tracer_create(NULL) == -EINVAL, "create: %s", tandem_tracer_error());
	OK(!tandem_tracer_destroy(NULL), "destroy nothing");
	OK(tandem_tracer_start((void *)&pool) == -EINVAL, "no tracer: %s", tandem_tracer_error());
	OK(tandem_tracer_callback_enable(NULL, opencl, ALL, counting, NULL) == -EINVAL, "none: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_callback_enable(tracer, opencl, ALL, NULL, NULL) == -EINVAL,
	   "no callback: %s", tandem_tracer_error());
	OK(tandem_tracer_callback_enable(tracer, 63, ALL, counting, NULL) == -ENODEV,
	   "no domain: %s", tandem_tracer_error());
	OK(tandem_tracer_callback_enable(tracer, opencl, 0, counting, NULL) == -EINVAL &&
		   tandem_tracer_callback_enable(tracer, opencl, 5000, counting, NULL) == -EINVAL,
	   "no operation: %s", tandem_tracer_error());
	OK(tandem_tracer_callback_enable(tracer, ALL, 1, counting, NULL) == -EINVAL,
	   "one of all domains: %s", tandem_tracer_error());
	OK(tandem_tracer_callback_disable(tracer, opencl, 5000) == -EINVAL, "disable: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_pool_open(NULL, &pool) == -EINVAL, "no properties: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_pool_open(&properties, &pool) == -EINVAL, "nobody to deliver to: %s",
	   tandem_tracer_error());
	properties.deliver = delivered;
	OK(tandem_tracer_pool_open(&properties, NULL) == -EINVAL, "no place: %s",
	   tandem_tracer_error());
	properties.full = 2;
	OK(tandem_tracer_pool_open(&properties, &pool) == -EINVAL, "no such policy: %s",
	   tandem_tracer_error());
	properties.full = 0;
	properties.struct_size = 8;
	OK(tandem_tracer_pool_open(&properties, &pool) == -EINVAL, "a small struct: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_pool_close(0) == -EBADF && tandem_tracer_pool_close(12345) == -EBADF &&
		   tandem_tracer_pool_flush(~0ull) == -EBADF,
	   "no pool: %s", tandem_tracer_error());
	OK(enable(0) == -EBADF && enable(640) == -EBADF, "activity into none: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_activity_enable(tracer, opencl, 2, ALL, 64) == -EINVAL, "no kind: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_activity_enable(tracer, opencl, 1, 11, 64) == -EINVAL, "no such: %s",
	   tandem_tracer_error());
	OK(tandem_tracer_pool_counts(64, &counts) == -EINVAL, "counts: %s", tandem_tracer_error());
	OK(tandem_tracer_timestamp(NULL) == -EINVAL, "time: %s", tandem_tracer_error());
	OK(tandem_tracer_clock_error(1000, &ns) == -ENOENT, "no device: %s", tandem_tracer_error());
	OK(tandem_tracer_mark(NULL) == -EINVAL && tandem_tracer_range_push(NULL) == -EINVAL &&
		   tandem_tracer_range_start("x", NULL) == -EINVAL &&
		   tandem_tracer_range_stop(1000) == -EINVAL &&
		   tandem_tracer_range_pop() == -ENOENT,
	   "annotations: %s", tandem_tracer_error());
}

static unsigned allocations;

static void no_memory(char **ptr, size_t bytes, void *arg)
{
	(void)ptr, (void)bytes, (void)arg;
	allocations++;
}

static void pools(void)
{
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .deliver = delivered, .allocate = no_memory};
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	tandem_tracer_pool_t pool, many[65];
	unsigned opened = 0;
	int error = 0;

	OK(tandem_tracer_pool_open(&properties, &pool) == -ENOMEM && allocations == 1,
	   "an allocator that fails: %s", tandem_tracer_error());
	for (; opened < 65; opened++) {
		properties.allocate = NULL;
		properties.buffer_bytes = 1;
		error = tandem_tracer_pool_open(&properties, &many[opened]);
		if (error)
			break;
	}
	OK(opened == 64 && error == -ENOSPC, "64 pools: %s", tandem_tracer_error());
	while (opened)
		error = tandem_tracer_pool_close(many[--opened]);
	OK(!error && tandem_tracer_pool_close(many[0]) == -EBADF, "closed once: %s",
	   tandem_tracer_error());

	pool = pool_open(TANDEM_TRACER_WAIT, 1, delivered);
	OK(pool && !enable(pool), "a small pool that waits");
	delivered_count = 0;
	for (int i = 0; i < 10000; i++)
		call();
	OK(!tandem_tracer_pool_flush(pool) && delivered_count == 10000 && !wrong,
	   "has every record (%llu)", (unsigned long long)delivered_count);
	tandem_tracer_pool_counts(pool, &counts);
	OK(counts.delivered == 10000 && !counts.dropped, "and counts them");
	OK(!tandem_tracer_pool_close(pool), "closed");
	call();
	OK(delivered_count == 10000, "closing disables");
	OK(enable(pool) == -EBADF, "a freed pool is none: %s", tandem_tracer_error());
}

static _Atomic int held;

static void slow(const struct tandem_tracer_record *begin, const struct tandem_tracer_record *end,
		 void *arg)
{
	(void)arg;
	WAIT_FOR(!held);
	delivered_count += (uint64_t)(end - begin);
}

static void drops(void)
{
	struct tandem_tracer_pool_counts counts = {.struct_size = sizeof(counts)};
	tandem_tracer_pool_t pool = pool_open(TANDEM_TRACER_DROP, 4096, slow);

	delivered_count = 0;
	held = 1;
	OK(pool && !enable(pool), "a pool that drops, with a slow callback");
	for (int i = 0; i < 5000; i++)
		call();
	tandem_tracer_pool_counts(pool, &counts);
	OK(counts.dropped > 4000, "the program went on: %llu were dropped",
	   (unsigned long long)counts.dropped);
	held = 0;
	OK(!tandem_tracer_pool_flush(pool), "flushed");
	tandem_tracer_pool_counts(pool, &counts);
	OK(counts.dropped + counts.delivered == 5000 && counts.delivered == delivered_count,
	   "none is missing without being counted: %llu and %llu",
	   (unsigned long long)counts.delivered, (unsigned long long)counts.dropped);
	OK(!tandem_tracer_pool_close(pool), "closed");
}

static int inside[3];

static void closing(const struct tandem_tracer_record *begin,
		    const struct tandem_tracer_record *end, void *arg)
{
	(void)begin, (void)end;
	inside[0] = tandem_tracer_pool_close(*(tandem_tracer_pool_t *)arg);
	inside[1] = tandem_tracer_pool_flush(*(tandem_tracer_pool_t *)arg);
}

static void own_callback(void)
{
	static tandem_tracer_pool_t pool;
	struct tandem_tracer_pool_properties properties = {
		.struct_size = sizeof(properties), .deliver = closing, .deliver_arg = &pool};

	OK(!tandem_tracer_pool_open(&properties, &pool) && !enable(pool),
	   "a pool that closes itself");
	call();
	OK(!tandem_tracer_pool_flush(pool), "flushed");
	OK(inside[0] == -EDEADLK && inside[1] == -EDEADLK, "is refused");
	OK(!tandem_tracer_pool_close(pool), "and can be closed");
}

static jmp_buf out;

static void disabling(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	counting(call, NULL);
	inside[0] = tandem_tracer_callback_disable(tracer, opencl, ALL);
}

static void leaving(const struct tandem_tracer_call *call, void *arg)
{
	(void)arg;
	counting(call, NULL);
	if (call->phase == TANDEM_TRACER_ENTER)
		longjmp(out, 1);
}

static _Atomic int staying;

static void stay(const struct tandem_tracer_call *call, void *arg)
{
	(void)call, (void)arg;
	staying = 1;
	WAIT_FOR(staying == 2);
}

static void *calling(void *unused)
{
	(void)unused;
	call();
	return NULL;
}

static void odd_callbacks(void)
{
	pthread_t thread;

	entries = exits = 0;
	tandem_tracer_callback_enable(tracer, opencl, ALL, disabling, NULL);
	call();
	call();
	OK(!inside[0] && entries == 1 && !exits, "one that disables itself is called once");

	tandem_tracer_callback_enable(tracer, opencl, ALL, leaving, NULL);
	entries = exits = 0;
	for (volatile int i = 0; i < 200; i++)
		if (!setjmp(out))
			call();
	OK(entries == 200 && !exits, "one that is left by longjmp() is called each time (%llu)",
	   (unsigned long long)entries);
	tandem_tracer_callback_enable(tracer, opencl, ALL, counting, NULL);
	entries = exits = 0;
	call();
	OK(entries == 1 && exits == 1, "and the thread is traced on");

	tandem_tracer_callback_enable(tracer, opencl, ALL, stay, NULL);
	pthread_create(&thread, NULL, calling, NULL);
	WAIT_FOR(staying);
	OK(tandem_tracer_callback_disable(tracer, opencl, ALL) == -EBUSY,
	   "one that does not return: %s", tandem_tracer_error());
	staying = 2;
	pthread_join(thread, NULL);
	OK(!tandem_tracer_callback_disable(tracer, opencl, ALL), "until it does");
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	call();
	handled = handled + 1;
}

static void signals(void)
{
	struct itimerval timer = {{0, 500}, {0, 500}}, off = {0};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	tandem_tracer_pool_t pool = pool_open(TANDEM_TRACER_WAIT, 8192, delivered);

	sigaction(SIGALRM, &action, NULL);
	entries = exits = 0;
	tandem_tracer_callback_enable(tracer, opencl, ALL, counting, NULL);
	enable(pool);
	setitimer(ITIMER_REAL, &timer, NULL);
	/* Calls alone take less than two milliseconds. */
	for (int i = 0; i < 30000 || handled < 200; i++)
		call();
	OK(!tandem_tracer_pool_flush(pool) && !tandem_tracer_pool_close(pool),
	   "a real-time timer at all times");
	setitimer(ITIMER_REAL, &off, NULL);
	tandem_tracer_callback_disable(tracer, opencl, ALL);
	OK(entries >= 30000 && exits == entries, "%llu entries, %llu exits",
	   (unsigned long long)entries, (unsigned long long)exits);
	OK(!wrong, "no record is damaged");
}

#define THREADS 4
#define CALLS 20000
static _Atomic bool stop;

static void *many_calls(void *unused)
{
	(void)unused;
	for (int i = 0; i < CALLS; i++)
		call();
	return NULL;
}

static void *switching(void *unused)
{
	(void)unused;
	while (!stop) {
		tandem_tracer_callback_enable(tracer, opencl, ALL, counting, NULL);
		tandem_tracer_callback_disable(tracer, opencl, ALL);
		tandem_tracer_stop(tracer);
		tandem_tracer_start(tracer);
	}
	return NULL;
}

static void threads(void)
{
	tandem_tracer_pool_t pool = pool_open(TANDEM_TRACER_WAIT, 16384, delivered);
	pthread_t thread[THREADS], other;

	delivered_count = 0;
	OK(!enable(pool), "%d threads", THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many_calls, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	tandem_tracer_pool_flush(pool);
	OK(delivered_count == THREADS * CALLS && !wrong, "each record once (%llu)",
	   (unsigned long long)delivered_count);

	pthread_create(&other, NULL, switching, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many_calls, NULL);
	for (int i = 0; i < 50; i++) {
		tandem_tracer_pool_t second = pool_open(TANDEM_TRACER_DROP, 4096, delivered);

		wrong += enable(second) || tandem_tracer_pool_close(second);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	stop = true;
	pthread_join(other, NULL);
	OK(!wrong, "while all is enabled, disabled, opened and closed");
	OK(!tandem_tracer_pool_close(pool), "closed");
}

static void forks(void)
{
	tandem_tracer_pool_t pool = pool_open(TANDEM_TRACER_WAIT, 4096, delivered);
	int status;

	enable(pool);
	entries = exits = delivered_count = 0;
	tandem_tracer_callback_enable(tracer, opencl, ALL, counting, NULL);
	call();
	if (!fork()) {
		int failed = tandem_tracer_pool_flush(pool) != -EBADF || enable(pool) != -EBADF;

		call();
		failed |= entries != 2 || exits != 2;
#ifndef __SANITIZE_THREAD__ /* which has no threads after a fork */
		tandem_tracer_pool_t own = pool_open(TANDEM_TRACER_WAIT, 4096, delivered);
		failed |= !own || enable(own);
		call();
		failed |= tandem_tracer_pool_close(own) || delivered_count != 1;
#endif
		_exit(failed);
	}
	wait(&status);
	OK(!status, "the child of a fork has callbacks, and pools of its own (%d)", status);
	call();
	OK(!tandem_tracer_pool_close(pool) && delivered_count == 2, "the parent's are as before");
	tandem_tracer_callback_disable(tracer, opencl, ALL);
}

static void library(const char *path)
{
	void *client = dlopen(path, RTLD_NOW);
	int (*begin)(uint32_t) = NULL;
	int (*calls)(void) = NULL;

	if (client) {
		*(void **)&begin = dlsym(client, "client_begin");
		*(void **)&calls = dlsym(client, "client_calls");
	}
	if (!OK(begin && calls && !begin(opencl), "a client that is a library"))
		return;
	call();
	dlclose(client);
	call();
	OK(calls() == 4, "dlclose() of it does no harm");
}

static void clients(void)
{
	struct tandem_tracer *more[8] = {NULL};
	unsigned made = 0;
	int error = 0;

	while (made < 8 && !(error = tandem_tracer_create(&more[made])))
		made++;
	OK(made >= 5 && error == -ENOSPC, "%u more tracers: %s", made, tandem_tracer_error());
	entries = 0;
	tandem_tracer_callback_enable(more[0], opencl, get_platforms, counting, NULL);
	tandem_tracer_callback_enable(more[1], opencl, get_platforms, counting, NULL);
	call();
	OK(entries == 2, "each is called");
	error = 0;
	while (made)
		error |= tandem_tracer_destroy(more[--made]);
	OK(!error, "destroyed");
	OK(tandem_tracer_destroy(more[0]) == -EINVAL, "once: %s", tandem_tracer_error());
	call();
	OK(entries == 2, "nobody is called any more");
}

static unsigned annotations;
static char texts[400];

static void annotated(const struct tandem_tracer_call *call, void *arg)
{
	const struct tandem_tracer_range *range = call->args;

	(void)arg;
	annotations |= 1u << call->op;
	if (range->text[0])
		snprintf(texts + strlen(texts), sizeof(texts) - strlen(texts), "%s;", range->text);
}

static char record_texts[400];

static void annotation_records(const struct tandem_tracer_record *begin,
			       const struct tandem_tracer_record *end, void *arg)
{
	(void)arg;
	for (; begin < end; begin++)
		if (begin->name[0] && strlen(record_texts) + strlen(begin->name) < 300)
			strcat(strcat(record_texts, begin->name), ";");
}

static void annotation(void)
{
	uint32_t domain = (uint32_t)tandem_tracer_domain("annotation");
	tandem_tracer_pool_t pool = pool_open(TANDEM_TRACER_WAIT, 16384, annotation_records);
	char text[600];
	uint64_t range;

	OK(!tandem_tracer_callback_enable(tracer, domain, ALL, annotated, NULL) &&
		   !tandem_tracer_activity_enable(tracer, domain, TANDEM_TRACER_API, ALL, pool),
	   "annotations");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	tandem_tracer_mark("mark");
	OK(tandem_tracer_range_push("outer") == 0 && tandem_tracer_range_push("inner") == 1 &&
		   tandem_tracer_range_pop() == 1 && tandem_tracer_range_pop() == 0,
	   "levels");
	OK(!tandem_tracer_range_start("long", &range) && !tandem_tracer_range_stop(range),
	   "a range");
	OK(annotations == 0x3e, "all are called (%#x)", annotations);
	OK(!strcmp(texts, "mark;outer;inner;long;"), "with their texts: %s", texts);
	tandem_tracer_mark(text);
	tandem_tracer_pool_close(pool);
	OK(!strcmp(record_texts, "mark;outer;inner;long;"), "and recorded: %s", record_texts);
	tandem_tracer_callback_disable(tracer, domain, ALL);
}

static void external(void)
{
	uint64_t id;
	int error = 0;

	for (uint64_t i = 0; i < 128; i++)
		error |= tandem_tracer_external_push(i);
	OK(!error && tandem_tracer_external_push(128) == -ENOSPC, "128 external ids: %s",
	   tandem_tracer_error());
	for (uint64_t i = 128; i--;)
		error |= tandem_tracer_external_pop(&id) || id != i;
	OK(!error && tandem_tracer_external_pop(&id) == -ENOENT, "come back: %s",
	   tandem_tracer_error());
}

int main(int argc, char **argv)
{
	opencl = (uint32_t)tandem_tracer_domain("opencl");
	names();
	tandem_tracer_op_code(opencl, "clGetPlatformIDs", &get_platforms, NULL);
	OK(!tandem_tracer_create(&tracer), "a tracer");
	call();
	bad_arguments();
	pools();
	drops();
	own_callback();
	odd_callbacks();
	signals();
	threads();
	forks();
	clients();
	annotation();
	external();
	if (argc > 1)
		library(argv[1]);
	OK(!tandem_tracer_destroy(tracer), "destroyed");
	return tap_end();
}
