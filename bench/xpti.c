/* SPDX-License-Identifier: MIT */
/*
 * What a dispatcher of XPTI costs. Prints a line for each figure: its name, then nanoseconds (or
 * bytes) of CPU time for one of it, the least of several repetitions in this process.
 *
 *	bench-xpti DISPATCHER earlier|later [THREADS]
 *	bench-xpti off                     the proxy without a dispatcher
 *
 * With THREADS, that many threads at once: time by the clock for one of all threads' calls.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/xpti/functions.h"
#include "util/counter.h"
#include "xpti/xpti_trace_framework.h"

static struct {
#define X(name, since) __typeof__(name) *name;
	XPTI_REQUIRED_FUNCTIONS(X) XPTI_LATER_FUNCTIONS(X)
#undef X
} dispatch;
#define D(name) dispatch.name

#define MANY 10000
#define MILLION 1000000
#define REPEATS 21
#define CALLS 200000 /* a millisecond or so */

static xpti_stream_id_t stream;
static xpti_string_id_t string_ids[MANY];
static char strings[MANY][48];
static uint64_t uids[MANY];
static xpti_event_data_t *some_event;
static unsigned thread_count = 1;
static _Atomic uint64_t results; /* so that nothing is left out */

static size_t resident_bytes(void)
{
	size_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*s %zu", &pages) != 1)
		exit(1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void nothing(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
		    uint64_t instance, const void *user_data)
{
	(void)type, (void)parent, (void)event, (void)instance, (void)user_data;
}

static void nothing_else(uint16_t type, xpti_event_data_t *parent, xpti_event_data_t *event,
			 uint64_t instance, const void *user_data)
{
	nothing(type, parent, event, instance, user_data);
}

static xpti_payload_data_t place(const char *name, uint32_t line)
{
	return (xpti_payload_data_t){
		.name = name,
		.source_file = "/home/someone/source/of/a/program.cpp",
		.line_no = line,
		.column_no = 1,
		.flags = xpti_payload_NameAvailable | xpti_payload_SourceFileAvailable |
			 xpti_payload_LineInfoAvailable | xpti_payload_ColumnInfoAvailable,
	};
}

/* Each does its thing `calls` times. `first` differs from thread to thread and run to run. */
static uint64_t notify(unsigned first, unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		D(xptiNotifySubscribers)
	(stream, xpti_task_begin, NULL, some_event, first + i, NULL);
	return 0;
}

static uint64_t notify_two(unsigned first, unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		D(xptiNotifySubscribers)(stream, xpti_task_end, NULL, some_event, first + i, NULL);
	return 0;
}

static uint64_t notify_nobody(unsigned first, unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		D(xptiNotifySubscribers)(stream, xpti_signal, NULL, some_event, first + i, NULL);
	return 0;
}

static uint64_t ask(unsigned first, unsigned calls)
{
	uint64_t sum = first;

	for (unsigned i = 0; i < calls; i++)
		sum += D(xptiCheckTraceEnabled)(stream, xpti_task_begin);
	return sum;
}

static uint64_t look_up_string(unsigned first, unsigned calls)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < calls; i++)
		sum += (uintptr_t)D(xptiLookupString)(string_ids[(first + i * 7919u) % MANY]);
	return sum;
}

static uint64_t register_again(unsigned first, unsigned calls)
{
	uint64_t sum = 0;
	char *table;

	for (unsigned i = 0; i < calls; i++)
		sum += D(xptiRegisterString)(strings[(first + i * 7919u) % MANY], &table);
	return sum;
}

static uint64_t find_event(unsigned first, unsigned calls)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < calls; i++)
		sum += (uintptr_t)D(xptiFindEvent)(uids[(first + i * 7919u) % MANY]);
	return sum;
}

static uint64_t unique_id(unsigned first, unsigned calls)
{
	uint64_t sum = first;

	for (unsigned i = 0; i < calls; i++)
		sum += D(xptiGetUniqueId)();
	return sum;
}

/* Events at places that were not there before. */
static uint64_t create_event(unsigned first, unsigned calls)
{
	uint64_t sum = 0, instance;

	for (unsigned i = 0; i < calls; i++) {
		xpti_payload_data_t payload = place("a function of the program", first + i);

		sum += (uintptr_t)D(xptiMakeEvent)("event", &payload, xpti_event_algorithm,
						   xpti_activity_active, &instance);
	}
	return sum;
}

/* As a runtime has them: an event for each visit of a few places, with metadata. */
static uint64_t visit(unsigned first, unsigned calls)
{
	uint64_t sum = 0, instance;

	for (unsigned i = 0; i < calls; i++) {
		xpti_payload_data_t payload = place("a function of the program", (first + i) % 100);
		xpti_event_data_t *event = D(xptiMakeEvent)("event", &payload, xpti_event_algorithm,
							    xpti_activity_active, &instance);

		if (D(xptiCreateTracepoint)) /* not shared with other visits */
			D(xptiReleaseEvent)(event);
		sum += instance;
	}
	return sum;
}

static uint64_t add_metadata(unsigned first, unsigned calls)
{
	static const char *const keys[] = {"kernel_name", "sycl_device", "queue_id", "from_source"};

	for (unsigned i = 0; i < calls; i++) {
		unsigned value = (first + i) % 100;

		D(xptiAddMetadata)
		(some_event, keys[i % 4],
		 D(xptiRegisterObject)((char *)&value, sizeof(value),
				       xpti_object_unsigned_integer));
	}
	return 0;
}

struct work {
	uint64_t (*function)(unsigned first, unsigned calls);
	unsigned first, calls;
};

static pthread_barrier_t barrier;

static void *thread(void *argument)
{
	struct work *work = argument;

	pthread_barrier_wait(&barrier);
	results += work->function(work->first, work->calls);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* Nanoseconds for one call of all of the threads' together. */
static double once(uint64_t (*function)(unsigned, unsigned), unsigned *first, unsigned calls)
{
	struct work work[64];
	pthread_t threads[64];
	uint64_t begin;

	if (thread_count == 1) {
		/* CPU time: other programs have the same CPUs. */
		begin = counter_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		results += function(*first, calls);
		*first += calls;
		return (double)(counter_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / calls;
	}
	pthread_barrier_init(&barrier, NULL, thread_count + 1);
	for (unsigned i = 0; i < thread_count; i++) {
		work[i] = (struct work){function, *first, calls};
		*first += calls;
		pthread_create(&threads[i], NULL, thread, &work[i]);
	}
	begin = counter_clock_ns(CLOCK_MONOTONIC); /* before any of them begins */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	begin = counter_clock_ns(CLOCK_MONOTONIC) - begin;
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	return (double)begin / ((double)calls * thread_count);
}

static void figure(const char *name, uint64_t (*function)(unsigned, unsigned), unsigned calls)
{
	static unsigned first = 1000;
	double least = 0;

	for (unsigned i = 0; i < REPEATS; i++) {
		double ns = once(function, &first, calls);

		if (!least || ns < least)
			least = ns;
	}
	printf("%s %.2f\n", name, least);
}

static void open_dispatcher(const char *path, int last)
{
	void *library = dlopen(path, RTLD_LAZY);

	if (!library) {
		fprintf(stderr, "bench-xpti: %s\n", dlerror());
		exit(1);
	}
#define X(name, since)     \
	if (since <= last) \
		D(name) = (__typeof__(D(name)))dlsym(library, #name);
	XPTI_REQUIRED_FUNCTIONS(X) XPTI_LATER_FUNCTIONS(X)
#undef X
}

int main(int argc, char **argv)
{
	size_t before;
	uint64_t instance;
	unsigned first = 100000000;
	xpti_payload_data_t payload = place("a function of the program", 1);

	if (argc == 2) {
#define X(name, since) D(name) = name;
		XPTI_REQUIRED_FUNCTIONS(X)
		XPTI_LATER_FUNCTIONS(X)
#undef X
		figure("notify", notify, MILLION);
		figure("ask", ask, MILLION);
		return 0;
	}
	if (argc < 3)
		return 2;
	open_dispatcher(argv[1], strcmp(argv[2], "earlier") ? 99999 : 20242);
	thread_count = argc > 3 ? (unsigned)atoi(argv[3]) : 1;

	D(xptiFrameworkInitialize)();
	D(xptiForceSetTraceEnabled)(true);
	D(xptiInitialize)("bench", 1, 0, "1");
	stream = D(xptiRegisterStream)("bench");
	D(xptiRegisterCallback)(stream, xpti_task_begin, nothing);
	D(xptiRegisterCallback)(stream, xpti_task_end, nothing);
	D(xptiRegisterCallback)(stream, xpti_task_end, nothing_else);
	some_event = D(xptiMakeEvent)("event", &payload, xpti_event_algorithm, xpti_activity_active,
				      &instance);
	for (unsigned i = 0; i < MANY; i++) {
		char *table;

		snprintf(strings[i], sizeof(strings[i]), "/a/source/file/%u.cpp", i * 2654435761u);
		string_ids[i] = D(xptiRegisterString)(strings[i], &table);
		payload = place("one of many", i);
		uids[i] = D(xptiMakeEvent)("event", &payload, xpti_event_algorithm,
					   xpti_activity_active, &instance)
				  ->unique_id;
	}

	figure("notify", notify, CALLS / thread_count);
	figure("notify two", notify_two, CALLS / thread_count);
	figure("notify nobody", notify_nobody, CALLS / thread_count);
	figure("ask", ask, CALLS / thread_count);
	figure("look up string", look_up_string, CALLS / thread_count);
	figure("register again", register_again, CALLS / thread_count);
	figure("find event", find_event, CALLS / thread_count);
	figure("unique ID", unique_id, CALLS / thread_count);
	figure("visit", visit, 20000 / thread_count);
	if (thread_count == 1)
		figure("add metadata", add_metadata, 20000);
	figure("create event", create_event, 8000 / thread_count);
	if (thread_count > 1)
		return 0;

	before = resident_bytes();
	printf("create a million %.2f\n", once(create_event, &first, MILLION));
	printf("bytes an event %.1f\n", (double)(resident_bytes() - before) / MILLION);
	return 0;
}
