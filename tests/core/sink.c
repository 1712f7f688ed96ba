/* SPDX-License-Identifier: MIT */
/* The seam: a second sink gets the same events as the trace, ends of calls included, and
 * what it wants may change at any time. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/call/call.h"
#include "core/local.h"
#include "schema/gen/core_records.h"
#include "session.h"
#include "sinks/sink.h"

#define OPENCL(event) TANDEM_ID(TANDEM_DOMAIN_opencl, event)
#define ID OPENCL(5)
#define OTHER OPENCL(7)
#define WINDOW (64u * 1024u)

struct counts {
	_Atomic uint64_t records, ends, wrong, nested;
};

static void call(unsigned id, int32_t result)
{
	struct tandem_call call;
	struct {
		struct tandem_call_record head;
		uint32_t argument;
	} __attribute__((packed)) * record;

	record = tandem_call_begin(&call, (uint16_t)id, sizeof(*record));
	if (record) {
		record->argument = (uint32_t)result * 3;
		tandem_call_commit(&call);
	}
	tandem_call_end(&call, result);
}

/* The sink: an end has the word of its record, and later stamps. */
static void on_record(struct tandem_sink *sink, const struct tandem_record *record,
		      const void *args, uint64_t *word)
{
	struct counts *counts = sink->data;

	(void)args;
	counts->records++;
	if (*word || !record->timestamp || (record->id != ID && record->id != OTHER))
		counts->wrong++;
	*word = record->timestamp;
	/* What a sink calls is nobody's event. */
	call(ID, 0);
}

static void on_end(struct tandem_sink *sink, const struct tandem_call_record *record,
		   const void *args, uint64_t *word)
{
	struct counts *counts = sink->data;
	uint32_t argument;

	(void)args;

	memcpy(&argument, record + 1, sizeof(argument));
	counts->ends++;
	if (*word != record->head.timestamp || record->end < *word ||
	    argument != (uint32_t)record->result * 3)
		counts->wrong++;
	call(ID, 0);
}

static struct counts counts;
static struct tandem_sink sink = {
	.name = "counts", .data = &counts, .record = on_record, .end = on_end};

static void same_events(void)
{
	for (int i = 0; i < 1000; i++)
		call(ID, i);
	CHECK(!tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true));
	CHECK(!tandem_sink_attach(&sink) && tandem_sink_attach(&sink) == -EEXIST);
	for (int i = 0; i < 20000; i++)
		call(i % 2 ? ID : OTHER, i);
	CHECK(!tandem_sink_detach(&sink) && tandem_sink_detach(&sink) == -ENOENT);
	for (int i = 0; i < 1000; i++)
		call(ID, i);
	CHECK(counts.records == 20000 && counts.ends == 20000 && !counts.wrong);
}

static void one_function(void)
{
	CHECK(!tandem_sink_attach(&sink));
	call(ID, 1);
	CHECK(counts.records == 0);
	CHECK(!tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_ID_EVENT(OTHER), true));
	call(ID, 1);
	call(OTHER, 1);
	CHECK(counts.records == 1 && counts.ends == 1);
	CHECK(!tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, false));
	call(OTHER, 1);
	CHECK(counts.records == 1 && !counts.wrong);
	CHECK(tandem_sink_want(&sink, 64, 1, true) == -EINVAL);
	CHECK(tandem_sink_want(&sink, 1, 1024, true) == -EINVAL);
	CHECK(!tandem_sink_detach(&sink));
}

/* What another sink wanted that had its place before, or wants beside it, is not this one's. */
static void one_after_another(void)
{
	static struct counts others;
	static struct tandem_sink other = {
		.name = "other", .data = &others, .record = on_record, .end = on_end};

	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	tandem_sink_want(&other, TANDEM_DOMAIN_opencl, TANDEM_ID_EVENT(OTHER), true);
	CHECK(!tandem_sink_attach(&sink) && !tandem_sink_detach(&sink));
	CHECK(!tandem_sink_attach(&other));
	call(ID, 1);
	call(OTHER, 1);
	CHECK(counts.records == 0 && others.records == 1 && others.ends == 1);
	CHECK(!tandem_sink_attach(&sink));
	call(ID, 1);
	CHECK(counts.records == 1 && others.records == 1);
	/* Beside one that goes on: what it wants is changed while another has the place before. */
	CHECK(!tandem_sink_want(&other, TANDEM_DOMAIN_opencl, TANDEM_ID_EVENT(ID), true));
	CHECK(!tandem_sink_want(&other, TANDEM_DOMAIN_opencl, TANDEM_ID_EVENT(OTHER), false));
	call(ID, 1);
	call(OTHER, 1);
	CHECK(counts.records == 3 && others.records == 2 && others.ends == 2);
	CHECK(!tandem_sink_detach(&other));
	call(ID, 1);
	CHECK(counts.records == 4 && others.records == 2 && !counts.wrong && !others.wrong);
	CHECK(!tandem_sink_detach(&sink));
}

/* A call inside of another has its frame below that one's. */
static __attribute__((noinline)) void call_left(void)
{
	struct tandem_call call;

	memset(tandem_call_begin(&call, ID, 28) + 24, 0, 4);
	tandem_call_commit(&call);
}

/* Nested calls, one that is left, and one in flight while the sink comes and goes. */
static void in_flight(void)
{
	struct tandem_call outer;

	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	/* Began before: no end for the sink. */
	if (tandem_call_begin(&outer, ID, 28))
		tandem_call_commit(&outer);
	CHECK(!tandem_sink_attach(&sink));
	call(ID, 1);
	tandem_call_end(&outer, 7);
	CHECK(counts.records == 1 && counts.ends == 1);

	memset(tandem_call_begin(&outer, ID, 28) + 24, 0, 4);
	tandem_call_commit(&outer);
	call_left();
	call(ID, 0);
	tandem_call_end(&outer, 0);
	CHECK(counts.records == 4 && counts.ends == 3 && !counts.wrong);

	/* However many are left, a later one gets its end. */
	for (int i = 0; i < 200; i++)
		call_left();
	call(ID, 1);
	CHECK(counts.records == 205 && counts.ends == 4);

	/* Ends after: in the trace, not for the sink, nor for one in its place. */
	memset(tandem_call_begin(&outer, ID, 28) + 24, 0, 4);
	tandem_call_commit(&outer);
	CHECK(!tandem_sink_detach(&sink));
	CHECK(!tandem_sink_attach(&sink));
	tandem_call_end(&outer, 9);
	CHECK(counts.records == 206 && counts.ends == 4 && outer.record->result == 9);
	CHECK(!tandem_sink_detach(&sink));
}

/* Other threads record as before and after; while it is attached, each event is counted. */
static _Atomic bool stop;
static _Atomic uint64_t made;

static void *record_on(void *unused)
{
	(void)unused;
	while (!stop) {
		call(ID, 2);
		if (!(++made % 64))
			usleep(1);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[3];

	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, record_on, NULL);
	for (int i = 0; i < 200; i++) {
		uint64_t before, records;

		CHECK(!tandem_sink_attach(&sink));
		/* Each thread has seen it by its next record. */
		before = made;
		while (made < before + 20)
			sched_yield();
		records = counts.records;
		CHECK(records);
		CHECK(!tandem_sink_detach(&sink));
		records = counts.records;
		before = made;
		while (made < before + 20)
			sched_yield();
		CHECK(counts.records == records);
	}
	stop = true;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	CHECK(!counts.wrong && counts.ends <= counts.records);
	leave_number(made);
}

/* The trace is paused: the sink goes on. */
static void paused(void)
{
	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	CHECK(!tandem_sink_attach(&sink));
	call(ID, 1);
	atomic_store(&tandem_session->recording, 0);
	CHECK(tandem_recording() & TANDEM_DOMAIN_BIT(opencl));
	call(ID, 1);
	call(ID, 1);
	CHECK(counts.records == 3 && counts.ends == 3);
	CHECK(!tandem_sink_detach(&sink));
	CHECK(!tandem_recording());
	atomic_store(&tandem_session->recording, UINT32_MAX);
	CHECK(tandem_recording() == UINT32_MAX);
	call(ID, 1);
	CHECK(counts.records == 3 && !counts.wrong);
}

/* A fork while a call is open: the child's end is nobody's. */
static void forks(void)
{
	struct tandem_call outer;
	int status;

	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	CHECK(!tandem_sink_attach(&sink));
	memset(tandem_call_begin(&outer, ID, 28) + 24, 0, 4);
	tandem_call_commit(&outer);
	if (!fork()) {
		tandem_call_end(&outer, 0);
		CHECK(counts.ends == 0);
		call(ID, 1);
		CHECK(counts.records == 2 && counts.ends == 1 && !counts.wrong);
		exit(session_test_failures ? 1 : 0);
	}
	wait(&status);
	CHECK(!status);
	tandem_call_end(&outer, 0);
	CHECK(counts.records == 1 && counts.ends == 1 && !counts.wrong);
	CHECK(!tandem_sink_detach(&sink));
}

/* A call with arguments, as a wrapper makes it. */
struct arguments {
	const char *text;
	uint32_t number;
	void *returned;
};

static void call_with_args(const char *text, uint32_t number, void *returned)
{
	struct tandem_call call;

	if (tandem_call_begin(&call, ID, sizeof(struct tandem_call_record)))
		tandem_call_commit_args(&call, arguments, offsetof(struct arguments, returned), 8,
					.text = text, .number = number);
	tandem_call_end_pointer(&call, 0, tandem_ticks(), 0, returned);
}

static jmp_buf out;
static _Atomic int let_go;
static struct arguments seen[2];

static void args_record(struct tandem_sink *in, const struct tandem_record *record,
			const void *args, uint64_t *word)
{
	const struct arguments *given = args;

	(void)in, (void)record, (void)word;
	counts.records++;
	if (!given)
		return;
	seen[0] = *given;
	if (given->number == 1)
		longjmp(out, 1);
	while (given->number == 2 && !let_go)
		usleep(100);
}

static void args_end(struct tandem_sink *in, const struct tandem_call_record *record,
		     const void *args, uint64_t *word)
{
	(void)in, (void)record, (void)word;
	counts.ends++;
	if (args)
		seen[1] = *(const struct arguments *)args;
}

static void *stay(void *unused)
{
	(void)unused;
	call_with_args("stays", 2, NULL);
	return NULL;
}

/* Arguments as the program passed them; a sink that is left by longjmp(), and one that
 * stays. */
static void arguments(void)
{
	static struct tandem_sink args = {.name = "args", .record = args_record, .end = args_end};
	pthread_t thread;

	tandem_sink_want(&args, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	CHECK(!tandem_sink_attach(&args));
	call_with_args("words", 7, &args);
	CHECK(!strcmp(seen[0].text, "words") && seen[0].number == 7 && !seen[0].returned);
	CHECK(!strcmp(seen[1].text, "words") && seen[1].number == 7 && seen[1].returned == &args);
	memset(seen, 0, sizeof(seen));
	call(ID, 3);
	CHECK(!seen[0].text && !seen[1].text && counts.records == 2 && counts.ends == 2);

	if (!setjmp(out))
		call_with_args("left", 1, NULL);
	CHECK(!tandem_sink_in_here());
	call_with_args("after", 3, NULL);
	CHECK(counts.records == 4 && counts.ends == 3 && !strcmp(seen[1].text, "after"));

	pthread_create(&thread, NULL, stay, NULL);
	while (counts.records < 5)
		sched_yield();
	CHECK(!tandem_sink_remove(&args) && tandem_sink_remove(&args) == -ENOENT);
	CHECK(tandem_sinks_wait(1000000) == -EBUSY);
	let_go = 1;
	CHECK(!tandem_sinks_wait(UINT64_MAX));
	pthread_join(thread, NULL);
	call(ID, 1);
	CHECK(counts.records == 5 && counts.ends == 3);
}

/* No session at all: this process is the only one who wants to know. */
static void without_session(void)
{
	counts = (struct counts){0};
	CHECK(!tandem_recording());
	tandem_sink_want(&sink, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true);
	CHECK(!tandem_sink_attach(&sink));
	CHECK(tandem_recording() == TANDEM_DOMAIN_BIT(opencl));
	for (int i = 0; i < 1000; i++)
		call(ID, i);
	CHECK(counts.records == 1000 && counts.ends == 1000 && !counts.wrong);
	CHECK(!tandem_sink_detach(&sink));
	CHECK(!tandem_recording());
	CHECK(tandem_stream_open() == -ENOENT);
	for (unsigned reason = 0; reason < TANDEM_LOSS_COUNT; reason++)
		CHECK(!tandem_control.lost[reason]);
}

/* Of each sink: how many calls had a stamp, at both ends. */
static void stamps_record(struct tandem_sink *of, const struct tandem_record *record,
			  const void *args, uint64_t *word)
{
	uint64_t *stamps = of->data;

	(void)args;
	(void)word;
	stamps[0] += record->timestamp != 0;
}

static void stamps_end(struct tandem_sink *of, const struct tandem_call_record *record,
		       const void *args, uint64_t *word)
{
	uint64_t *stamps = of->data;

	(void)args;
	(void)word;
	stamps[1] += record->end != 0;
}

/* The clock is not read for sinks that have one of their own; once another sink is there,
 * every call that it gets has its stamps. In a process without a session. */
static void unstamped(void)
{
	static uint64_t of_own[2], of_other[2];
	static struct tandem_sink own = {.name = "own clock",
					 .data = of_own,
					 .record = stamps_record,
					 .end = stamps_end,
					 .unstamped = true};
	static struct tandem_sink other = {
		.name = "ours", .data = of_other, .record = stamps_record, .end = stamps_end};

	tandem_local_begin();
	tandem_control.clock_source = TANDEM_CLOCK_MONOTONIC;
	CHECK(!tandem_sink_want(&own, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true) &&
	      !tandem_sink_want(&other, TANDEM_DOMAIN_opencl, TANDEM_SINK_ALL, true));
	CHECK(!tandem_sink_attach(&own));
	for (int i = 0; i < 5; i++)
		call(ID, i);
	CHECK(!of_own[0] && !of_own[1]);
	CHECK(!tandem_sink_attach(&other));
	for (int i = 0; i < 7; i++)
		call(ID, i);
	CHECK(of_other[0] == 7 && of_other[1] == 7 && of_own[0] == 7);
	CHECK(!tandem_sink_detach(&other));
	call(ID, 1);
	CHECK(of_own[0] == 7 && !tandem_sink_detach(&own));
	CHECK(!tandem_sink_attach(&other));
	call(ID, 1);
	CHECK(of_other[0] == 8 && of_other[1] == 8 && !tandem_sink_detach(&other));
}

static uint64_t lost(const struct session_test *session)
{
	uint64_t sum = 0;

	for (unsigned reason = 0; reason < TANDEM_LOSS_COUNT; reason++)
		sum += session_test_lost(session, reason);
	return sum;
}

static void expect(const char *name, void (*test)(void), uint64_t calls)
{
	struct session_test session;
	int status = session_test_run(&session, WINDOW, 0, test);
	uint64_t found = session_test_count(&session, ID) + session_test_count(&session, OTHER);

	if (calls == UINT64_MAX)
		calls = session_test_number(&session);
	if (status || found != calls || lost(&session)) {
		fprintf(stderr, "%s: status %d, %llu of %llu recorded\n", name, status,
			(unsigned long long)found, (unsigned long long)calls);
		session_test_failures++;
	}
}

/* In a process of its own, whose clock it changes. */
static int again(const char *program, const char *part)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		execl(program, program, part, (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	session_test_child(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "unstamped")) {
		unstamped();
		return session_test_failures ? 1 : 0;
	}
	without_session();
	session_test_failures += again(argv[0], "unstamped") != 0;
	expect("same events", same_events, 22000);
	expect("one function", one_function, 4);
	expect("one after another", one_after_another, 6);
	expect("in flight", in_flight, 207);
	expect("threads", threads, UINT64_MAX);
	expect("paused", paused, 2);
	expect("arguments", arguments, 6);
	expect("forks", forks, 2);
	return session_test_failures ? 1 : 0;
}
