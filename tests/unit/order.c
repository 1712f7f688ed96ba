/* SPDX-License-Identifier: MIT */
/* The true order of events: the paper's example, the cases that break a simple
 * sequencer, and a million commands against a plain sort. */
#include "analysis/events/reorder/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum kind { BEGIN, END, QUEUED, SUBMITTED, START, FINISH };

struct output {
	struct reorder_event *events;
	size_t count, capacity;
	size_t stop_at; /* after so many, -ECANCELED; 0: never */
};

static int keep(void *context, const struct reorder_event *event)
{
	struct output *output = context;

	if (output->count == output->capacity) {
		output->capacity = output->capacity * 2 + 64;
		output->events =
			realloc(output->events, output->capacity * sizeof(*output->events));
		if (!output->events)
			exit(1);
	}
	output->events[output->count++] = *event;
	return output->stop_at && output->count == output->stop_at ? -ECANCELED : 0;
}

static struct reorder_buffer *create(size_t max_bytes, struct output *output)
{
	struct reorder_options options = REORDER_DEFAULTS;
	struct reorder_buffer *reorder_buffer;

	*output = (struct output){0};
	if (max_bytes)
		options.max_bytes = max_bytes;
	if (reorder_buffer_create(&reorder_buffer, &options, keep, output) < 0)
		exit(1);
	return reorder_buffer;
}

/* A call that lasts from begin to end, in the time reached. */
static void call(struct reorder_buffer *reorder_buffer, int64_t begin, int64_t end, uint64_t number)
{
	CHECK(reorder_buffer_reach(reorder_buffer, begin) == 0);
	CHECK(reorder_buffer_add(
		      reorder_buffer,
		      &(struct reorder_event){.time_ns = begin, .kind = BEGIN, .op = number},
		      1) == 0);
	CHECK(reorder_buffer_add(reorder_buffer,
				 &(struct reorder_event){.time_ns = end, .kind = END, .op = number},
				 1) == 0);
}

static void enqueue(struct reorder_buffer *reorder_buffer, int64_t begin, int64_t end, uint64_t op)
{
	call(reorder_buffer, begin, end, op);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 0, op, begin) == 0);
}

static void operation(struct reorder_buffer *reorder_buffer, int64_t seen, uint64_t op,
		      const int64_t times[4])
{
	struct reorder_event events[4];

	for (unsigned i = 0; i < 4; i++)
		events[i] =
			(struct reorder_event){.time_ns = times[i], .kind = QUEUED + i, .op = op};
	CHECK(reorder_buffer_reach(reorder_buffer, seen) == 0);
	CHECK(reorder_buffer_operation(reorder_buffer, 0, op, events, 4) == 0);
}

static bool is_sequence(const struct output *output, const enum kind *kinds, size_t count)
{
	if (output->count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (output->events[i].kind != (uint32_t)kinds[i])
			return false;
	}
	return true;
}

#define IS_SEQUENCE(output, ...)                              \
	is_sequence(output, (const enum kind[]){__VA_ARGS__}, \
		    sizeof((const enum kind[]){__VA_ARGS__}) / sizeof(enum kind))

/* Section 3.3.2 of the paper: clEnqueueNDRangeKernel, clFinish, and the times of
 * the kernel, which are recorded last. */
static void paper_example(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	enqueue(reorder_buffer, 100, 140, 1);
	call(reorder_buffer, 150, 300, 2);
	CHECK(output.count == 0); /* all of it could be after the kernel's first */
	operation(reorder_buffer, 310, 1, (const int64_t[]){110, 120, 200, 280});
	CHECK(IS_SEQUENCE(&output, BEGIN, QUEUED, SUBMITTED, END, BEGIN, START, FINISH, END));
	CHECK(output.events[0].op == 1 && output.events[3].op == 1);
	CHECK(output.events[4].op == 2 && output.events[7].op == 2);
	CHECK(reorder_stats(reorder_buffer).most_waiting == 8);
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(output.count == 8);
	CHECK(reorder_stats(reorder_buffer).late == 0 &&
	      reorder_stats(reorder_buffer).unfinished == 0);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* All at the same nanosecond: the command inside its calls. */
static void equal_times(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	enqueue(reorder_buffer, 100, 140, 1);
	call(reorder_buffer, 140, 300, 2);
	operation(reorder_buffer, 300, 1, (const int64_t[]){100, 140, 140, 300});
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(IS_SEQUENCE(&output, BEGIN, QUEUED, SUBMITTED, START, END, BEGIN, FINISH, END));
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* A queue that runs the later command first: what is before the earlier one
 * began need not wait for it. */
static void out_of_order(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	enqueue(reorder_buffer, 100, 110, 1);
	enqueue(reorder_buffer, 200, 210, 2);
	operation(reorder_buffer, 300, 2, (const int64_t[]){205, 206, 220, 250});
	CHECK(output.count == 0);
	enqueue(reorder_buffer, 400, 410, 3);
	operation(reorder_buffer, 500, 1, (const int64_t[]){105, 106, 260, 450});
	/* 3 is still in flight since 400. */
	CHECK(output.count == 11 && output.events[output.count - 1].time_ns == 260);
	operation(reorder_buffer, 600, 3, (const int64_t[]){405, 406, 460, 550});
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(output.count == 18);
	for (size_t i = 1; i < output.count; i++)
		CHECK(output.events[i - 1].time_ns <= output.events[i].time_ns);
	CHECK(reorder_stats(reorder_buffer).most_in_flight == 2);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* A command that never ends holds back what follows it, until it is given up. */
static void never_completed(bool abandon)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	call(reorder_buffer, 10, 20, 9);
	enqueue(reorder_buffer, 100, 110, 1);
	for (int i = 0; i < 1000; i++)
		call(reorder_buffer, 200 + i * 10, 205 + i * 10, 2);
	CHECK(output.count == 2);
	if (abandon) {
		CHECK(reorder_buffer_abandon(reorder_buffer, 0, 1) == 0);
		CHECK(output.count == 2002);
		CHECK(reorder_buffer_abandon(reorder_buffer, 0, 1) == 0);
	}
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(output.count == 2004);
	CHECK(reorder_stats(reorder_buffer).unfinished == 1);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* The record of an enqueue was lost: its operation may come too late for its
 * place, and says so. The one of an operation: it counts as unfinished. A number
 * that comes again is a new command. */
static void lost_records(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	call(reorder_buffer, 100, 110, 5);
	call(reorder_buffer, 400, 410, 6);
	operation(reorder_buffer, 500, 1, (const int64_t[]){90, 95, 105, 450});
	CHECK(reorder_stats(reorder_buffer).unknown == 1);
	CHECK(output.count == 8);
	CHECK(output.events[4].moved_ns == 320 && output.events[4].time_ns == 90);
	CHECK(reorder_stats(reorder_buffer).late == 3 &&
	      reorder_stats(reorder_buffer).latest_ns == 320);
	enqueue(reorder_buffer, 600, 610, 7);
	enqueue(reorder_buffer, 700, 710, 7);
	CHECK(reorder_stats(reorder_buffer).unfinished == 1);
	operation(reorder_buffer, 800, 7, (const int64_t[]){705, 706, 710, 720});
	CHECK(reorder_buffer_operation(reorder_buffer, 3, 12345, NULL, 0) == 0);
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(output.count == 16);
	CHECK(reorder_stats(reorder_buffer).unknown == 2);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* The same number in two processes. */
static void processes(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);
	struct reorder_event event = {.time_ns = 60, .kind = START};

	CHECK(reorder_buffer_reach(reorder_buffer, 50) == 0);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 7, 1, 50) == 0);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 2, 1, 50) == 0);
	CHECK(reorder_buffer_reach(reorder_buffer, 100) == 0);
	CHECK(reorder_buffer_operation(reorder_buffer, 7, 1, &event, 1) == 0);
	CHECK(output.count == 0);
	CHECK(reorder_buffer_operation(reorder_buffer, 2, 1, &event, 1) == 0);
	CHECK(output.count == 2);
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(reorder_stats(reorder_buffer).unknown == 0 &&
	      reorder_stats(reorder_buffer).unfinished == 0);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* Commands that went in flight in another order than that of their times. */
static void begins_out_of_order(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);

	CHECK(reorder_buffer_reach(reorder_buffer, 100) == 0);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 0, 1, 300) == 0);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 0, 2, 200) == 0);
	CHECK(reorder_buffer_enqueue(reorder_buffer, 0, 3, 250) == 0);
	call(reorder_buffer, 220, 270, 9);
	CHECK(reorder_buffer_reach(reorder_buffer, 400) == 0);
	CHECK(reorder_buffer_operation(reorder_buffer, 0, 1, NULL, 0) == 0);
	CHECK(output.count == 0);
	CHECK(reorder_buffer_operation(reorder_buffer, 0, 2, NULL, 0) == 0);
	CHECK(output.count == 1);
	CHECK(reorder_buffer_operation(reorder_buffer, 0, 3, NULL, 0) == 0);
	CHECK(output.count == 2);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* A graph's launch has operations that come one after another; those of what is enqueued behind it may
 * come in between. */
static void graph_launch(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(0, &output);
	struct reorder_stats stats;

	call(reorder_buffer, 100, 110, 1);
	CHECK(reorder_buffer_enqueue_many(reorder_buffer, 0, 1, 100) == 0);
	call(reorder_buffer, 300, 310, 2);
	CHECK(reorder_buffer_enqueue_many(reorder_buffer, 0, 2, 300) == 0);
	operation(reorder_buffer, 500, 1, (const int64_t[]){101, 102, 120, 130});
	operation(reorder_buffer, 500, 2, (const int64_t[]){301, 302, 320, 330});
	operation(reorder_buffer, 510, 1, (const int64_t[]){101, 102, 140, 150});
	CHECK(output.count == 0); /* more can come */
	for (uint64_t op = 10; op < 10 + 5000; op++) {
		enqueue(reorder_buffer, 600 + (int64_t)op, 600 + (int64_t)op, op);
		operation(reorder_buffer, 600 + (int64_t)op, op,
			  (const int64_t[]){601 + (int64_t)op, 601 + (int64_t)op, 601 + (int64_t)op,
					    601 + (int64_t)op});
	}
	CHECK(output.count > 16); /* not for ever */
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	stats = reorder_stats(reorder_buffer);
	CHECK(stats.late == 0 && stats.unknown == 0);
	for (size_t i = 1; i < output.count; i++)
		CHECK(output.events[i - 1].time_ns <= output.events[i].time_ns);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);

	/* Nor for longer than a second, where nothing else comes. */
	reorder_buffer = create(0, &output);
	CHECK(reorder_buffer_reach(reorder_buffer, 100) == 0);
	CHECK(reorder_buffer_enqueue_many(reorder_buffer, 0, 1, 100) == 0);
	operation(reorder_buffer, 500, 1, (const int64_t[]){101, 102, 120, 130});
	CHECK(output.count == 0);
	CHECK(reorder_buffer_reach(reorder_buffer, 500 + 1000000000) == 0);
	CHECK(output.count == 4);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

/* Events of one time stay as they were given, through files and back. */
static void equal_times_in_files(void)
{
	struct output output;
	struct reorder_buffer *reorder_buffer = create(4096, &output);

	for (uint64_t i = 0; i < 10000; i++)
		CHECK(reorder_buffer_add(reorder_buffer,
					 &(struct reorder_event){.time_ns = 5, .op = i}, 1) == 0);
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(reorder_stats(reorder_buffer).runs > 64);
	CHECK(output.count == 10000);
	for (size_t i = 0; i < output.count; i++)
		CHECK(output.events[i].op == i);
	free(output.events);
	reorder_buffer_destroy(reorder_buffer);
}

struct payloads {
	uint64_t turns, sum;
	const void *last;
	bool shared; /* all of an operation were handed out from one place */
};

/* An operation's payload is a hundred times its number. */
static int sum_payload(void *context, const struct reorder_event *event)
{
	struct payloads *payloads = context;
	uint64_t payload;

	CHECK(event->bytes == sizeof(payload));
	memcpy(&payload, event->payload, sizeof(payload));
	CHECK(payload == 100 * event->op && event->kind == BEGIN + payloads->turns % 2);
	payloads->sum += payload;
	if (payloads->turns % 2 && event->payload != payloads->last)
		payloads->shared = false;
	payloads->last = event->payload;
	payloads->turns++;
	return 0;
}

/* A call's two turns have what was given once; in files each has it. */
static void shared_payloads(size_t max_bytes)
{
	const struct reorder_options options = {.max_bytes = max_bytes, .directory = "/tmp"};
	struct payloads payloads = {.shared = true};
	struct reorder_buffer *reorder_buffer;

	CHECK(reorder_buffer_create(&reorder_buffer, &options, sum_payload, &payloads) == 0);
	for (uint64_t i = 0; i < 5000; i++) {
		const uint64_t payload = 100 * i;
		const int64_t now = (int64_t)(10 * i);
		struct reorder_event events[] = {
			{.time_ns = now, .kind = BEGIN},
			{.time_ns = now + 9, .kind = END},
		};

		for (int k = 0; k < 2; k++) {
			events[k].op = i;
			events[k].payload = &payload;
			events[k].bytes = sizeof(payload);
		}
		CHECK(reorder_buffer_add(reorder_buffer, events, 2) == 0);
	}
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(payloads.turns == 10000 && payloads.sum == 200 * UINT64_C(5000) * 4999 / 2);
	CHECK(payloads.shared == (reorder_stats(reorder_buffer).runs == 0));
	reorder_buffer_destroy(reorder_buffer);
}

static void errors(void)
{
	struct reorder_options options = {.max_bytes = 0, .directory = "/tmp"};
	const struct rlimit none = {0, RLIM_INFINITY};
	struct output output = {.stop_at = 2};
	struct reorder_buffer *reorder_buffer;
	int error = 0;

	CHECK(reorder_buffer_create(&reorder_buffer, &options, keep, &output) == -EINVAL);
	reorder_buffer_destroy(NULL);

	options.max_bytes = 1;
	options.directory = "/nonexistent";
	CHECK(reorder_buffer_create(&reorder_buffer, &options, keep, &output) == 0);
	CHECK(reorder_buffer_add(reorder_buffer, &(struct reorder_event){.time_ns = 1}, 1) ==
	      -ENOENT);
	reorder_buffer_destroy(reorder_buffer);

	options = (struct reorder_options)REORDER_DEFAULTS;
	CHECK(reorder_buffer_create(&reorder_buffer, &options, keep, &output) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(reorder_buffer_add(reorder_buffer, &(struct reorder_event){.time_ns = i},
					 1) == 0);
	CHECK(reorder_buffer_reach(reorder_buffer, 100) == -ECANCELED && output.count == 2);
	reorder_buffer_destroy(reorder_buffer);
	free(output.events);

	/* No room for files. */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	reorder_buffer = create(1 << 16, &output);
	for (int i = 0; i < 10000 && !error; i++)
		error = reorder_buffer_add(reorder_buffer, &(struct reorder_event){.time_ns = i},
					   1);
	CHECK(error == -EFBIG);
	reorder_buffer_destroy(reorder_buffer);
	free(output.events);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

static uint64_t state = 1;

static int64_t below(int64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((state >> 16) % (uint64_t)limit);
}

/* One record of an input: an enqueue, or an operation. */
struct record {
	int64_t time; /* begin, or when it was seen */
	int64_t end;  /* of the call */
	int64_t times[4];
	uint64_t op;
	bool is_operation;
};

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				  : x->is_operation - y->is_operation;
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Commands of random length on an out-of-order device; one in `never` never
 * ends. */
static struct record *make_records(size_t commands, int64_t longest, int64_t never, size_t *count)
{
	struct record *records = malloc(2 * commands * sizeof(*records));
	int64_t now = 0;

	if (!records)
		exit(1);
	*count = 0;
	for (size_t i = 0; i < commands; i++) {
		struct record *call = &records[(*count)++], *done;

		now += 100 + below(2000);
		*call = (struct record){.time = now, .end = now + below(500), .op = i};
		if (never && below(never) == 0)
			continue;
		done = &records[(*count)++];
		*done = *call;
		done->is_operation = true;
		for (int k = 0; k < 4; k++)
			done->times[k] = (k ? done->times[k - 1] : now) + below(longest / 4);
		done->time = done->times[3] + below(3000);
	}
	qsort(records, *count, sizeof(*records), by_time);
	return records;
}

struct comparison {
	const int64_t *times; /* all, sorted; NULL: too many to sort in a test */
	int64_t last;
	size_t count;
	uint64_t sum; /* of all that was handed out, by content */
	bool differs;
};

static uint64_t content(int64_t time, uint64_t op, uint32_t kind)
{
	uint64_t mixed = ((uint64_t)time * 31 + op) * 31 + kind;

	return (mixed ^ mixed >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static int compare(void *context, const struct reorder_event *event)
{
	struct comparison *comparison = context;

	if (event->bytes != sizeof(event->time_ns) + event->op % 8 ||
	    memcmp(event->payload, &event->time_ns, sizeof(event->time_ns)) != 0 ||
	    event->moved_ns || event->time_ns < comparison->last ||
	    (comparison->times && comparison->times[comparison->count] != event->time_ns))
		comparison->differs = true;
	comparison->last = event->time_ns;
	comparison->count++;
	comparison->sum += content(event->time_ns, event->op, event->kind);
	return 0;
}

/* The order that comes out is that of a sort, nothing is missing, nothing twice. */
static struct reorder_stats against_sort(size_t commands, int64_t longest, int64_t never,
					 size_t max_bytes, bool sort)
{
	struct reorder_options options = REORDER_DEFAULTS;
	struct comparison comparison = {.last = INT64_MIN};
	struct reorder_stats stats;
	struct record *records;
	struct reorder_buffer *reorder_buffer;
	size_t count, made = 0;
	uint64_t sum = 0;
	int64_t *times;
	int error = 0;

	records = make_records(commands, longest, never, &count);
	times = malloc(4 * count * sizeof(*times));
	if (!times)
		exit(1);
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		for (uint32_t k = 0; k < (record->is_operation ? 4 : 2); k++) {
			int64_t time = record->is_operation ? record->times[k]
				       : k		    ? record->end
							    : record->time;

			times[made++] = time;
			sum += content(time, record->op, record->is_operation ? QUEUED + k : k);
		}
	}
	if (sort) {
		qsort(times, made, sizeof(*times), by_number);
		comparison.times = times;
	}

	options.max_bytes = max_bytes;
	CHECK(reorder_buffer_create(&reorder_buffer, &options, compare, &comparison) == 0);
	for (size_t i = 0; i < count && !error; i++) {
		const struct record *record = &records[i];
		struct reorder_event events[4];
		int64_t payloads[4][2] = {{0}};

		for (uint32_t k = 0; k < 4; k++) {
			events[k] = (struct reorder_event){
				.time_ns = record->times[k],
				.op = record->op,
				.kind = record->is_operation ? QUEUED + k : k,
				.bytes = sizeof(int64_t) + record->op % 8,
				.payload = payloads[k],
			};
			if (!record->is_operation)
				events[k].time_ns = k ? record->end : record->time;
			payloads[k][0] = events[k].time_ns;
		}
		error = reorder_buffer_reach(reorder_buffer, record->time);
		if (record->is_operation) {
			error = error ? error
				      : reorder_buffer_operation(reorder_buffer, 0, record->op,
								 events, 4);
			continue;
		}
		error = error ? error : reorder_buffer_add(reorder_buffer, events, 2);
		error = error ? error
			      : reorder_buffer_enqueue(reorder_buffer, 0, record->op, record->time);
	}
	CHECK(error == 0);
	CHECK(reorder_buffer_finish(reorder_buffer) == 0);
	CHECK(comparison.count == made && comparison.sum == sum && !comparison.differs);
	stats = reorder_stats(reorder_buffer);
	CHECK(stats.events == made && stats.late == 0);
	reorder_buffer_destroy(reorder_buffer);
	free(records);
	free(times);
	return stats;
}

int main(void)
{
	struct reorder_stats stats;

	paper_example();
	equal_times();
	out_of_order();
	never_completed(false);
	never_completed(true);
	lost_records();
	processes();
	begins_out_of_order();
	graph_launch();
	equal_times_in_files();
	shared_payloads(64 << 20);
	shared_payloads(4096);
	errors();

	stats = against_sort(50000, 80000, 0, 64 << 20, true);
	CHECK(stats.runs == 0 && stats.unfinished == 0);
	/* In flight at once: some forty commands; in memory: what they hold. */
	stats = against_sort(1000000, 80000, 0, 64 << 20, false);
	CHECK(stats.most_in_flight < 200 && stats.most_waiting < 1500);
	CHECK(stats.runs == 0);
	/* No useful bound: files, and no more memory than allowed. */
	stats = against_sort(50000, 40000000, 0, 1 << 18, true);
	CHECK(stats.runs > 10 && stats.most_bytes <= (1 << 18) + 1024);
	stats = against_sort(20000, 80000, 1000, 1 << 15, true);
	CHECK(stats.runs > 64 && stats.unfinished > 0);
	return check_status();
}
