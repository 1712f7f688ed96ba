/* SPDX-License-Identifier: MIT */
/* Reading ahead in a thread gives just what reading without one gives: the same events with the
 * same names and times, the same problems between them, the same streams over; whatever is
 * damaged, and wherever the caller stops. argv[1] is bench/gen_machine. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "damaged.h"
#include "trace/ahead.h"
#include "trace/session/session_open.h"

struct transcript { /* of what came, in its order */
	uint64_t hash, events, problems;
	size_t processes_over;
	bool threaded;
};

static void add(struct transcript *transcript, const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		transcript->hash =
			(transcript->hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
}

static void add_number(struct transcript *transcript, uint64_t number)
{
	add(transcript, &number, sizeof(number));
}

static void add_problem(void *user, const char *file, uint64_t offset, const char *text)
{
	struct transcript *transcript = user;

	add(transcript, file, strlen(file));
	add_number(transcript, offset);
	add(transcript, text, strlen(text));
	transcript->problems++;
}

static void add_event(struct transcript *transcript, const struct trace_ahead *ahead,
		      const struct trace_event *event)
{
	CHECK(trace_ahead_stream(ahead, event->stream->index) == event->stream);
	add_number(transcript, event->stream->index);
	add_number(transcript, event->layout->index);
	add(transcript, event->record, event->bytes);
	add_number(transcript, event->tid);
	add(transcript, event->thread_name, strlen(event->thread_name) + 1);
	add_number(transcript, event->ticks);
	add_number(transcript, event->end_ticks);
	add_number(transcript, (uint64_t)event->ns);
	add_number(transcript, event->end_ticks ? (uint64_t)event->end_ns : 0);
	for (size_t i = 0; i < ahead->session->process_count; i++)
		add_number(transcript, ahead->streams_left[i]);
	add_number(transcript, ahead->processes_over);
	transcript->events++;
}

/* Up to `most` events. */
static struct transcript session_read(const char *path, unsigned flags, uint64_t most)
{
	struct transcript transcript = {.hash = UINT64_C(0xcbf29ce484222325)};
	struct trace_problems problems = {.tell = add_problem, .user = &transcript};
	struct error error = ERROR_INIT;
	const struct trace_event *event;
	struct trace_session session;
	struct trace_ahead ahead;
	int status = 1;

	CHECK(trace_session_open(&session, path, &problems, &error) == 0);
	CHECK(trace_ahead_open(&ahead, &session, flags) == 0);
	transcript.threaded = ahead.reader;
	while (transcript.events < most && (status = trace_ahead_next(&ahead, &event)) > 0)
		add_event(&transcript, &ahead, event);
	if (status <= 0) {
		/* The end stays the end. */
		CHECK(status == 0 && trace_ahead_next(&ahead, &event) == 0);
		CHECK(trace_ahead_read_bytes(&ahead) <= session.content_bytes);
	}
	transcript.processes_over = ahead.processes_over;
	add_number(&transcript, problems.count);
	add_number(&transcript, problems.skipped_bytes);
	trace_ahead_close(&ahead);
	trace_session_close(&session);
	trace_problems_free(&problems);
	return transcript;
}

static struct transcript alike(const char *path, unsigned flags, uint64_t most)
{
	struct transcript alone = session_read(path, flags | AHEAD_ALONE, most);
	struct transcript threaded = session_read(path, flags | AHEAD_THREAD, most);

	CHECK(!alone.threaded && threaded.threaded);
	CHECK(alone.events == threaded.events && alone.problems == threaded.problems);
	CHECK(alone.hash == threaded.hash);
	return alone;
}

/* Of a caller that holds: events stay as they were until their block is given back. */
static void holds(const char *path, uint64_t blocks_kept)
{
	struct {
		const struct trace_event *event;
		int64_t ns;
		uint16_t id;
		uint64_t block;
	} kept[64] = {{NULL, 0, 0, 0}};
	struct trace_problems problems = {.tell = NULL};
	struct error error = ERROR_INIT;
	const struct trace_event *event;
	struct trace_session session;
	struct trace_ahead ahead;
	uint64_t events = 0, given = 0;

	CHECK(trace_session_open(&session, path, &problems, &error) == 0);
	CHECK(trace_ahead_open(&ahead, &session, AHEAD_THREAD) == 0);
	ahead.holds = true;
	while (trace_ahead_next(&ahead, &event) > 0) {
		size_t at = events++ / 97 % 64;

		while (given + blocks_kept < ahead.taken) {
			given++;
			trace_ahead_give(&ahead);
		}
		if (kept[at].event && kept[at].block > given)
			CHECK(kept[at].event->ns == kept[at].ns &&
			      kept[at].event->record->id == kept[at].id);
		kept[at].event = event;
		kept[at].ns = event->ns;
		kept[at].id = event->record->id;
		kept[at].block = ahead.taken;
	}
	CHECK(events >= 200000 && ahead.taken > AHEAD_BLOCKS);
	trace_ahead_close(&ahead);
	trace_session_close(&session);
	trace_problems_free(&problems);
}

/* Only where it is worth one, and there is a CPU for it. */
static void threads_where_they_are_worth_it(const char *path, const char *small)
{
	cpu_set_t all, one;

	CHECK(!session_read(small, 0, UINT64_MAX).threaded);
	CHECK(!sched_getaffinity(0, sizeof(all), &all));
	if (CPU_COUNT(&all) > 1)
		CHECK(session_read(path, 0, UINT64_MAX).threaded);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	CHECK(!session_read(path, 0, UINT64_MAX).threaded);
	alike(path, 0, UINT64_MAX);
	CHECK(!sched_setaffinity(0, sizeof(all), &all));
}

static void generate(const char *generator, const char *events, const char *path)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s -n %s %s >/dev/null", generator, events, path);
	CHECK(!system(command));
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/tandem-ahead-XXXXXX", path[64], small[64], command[128];
	struct transcript whole;

	if (argc < 2 || !mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/session", folder);
	snprintf(small, sizeof(small), "%s/small", folder);
	generate(argv[1], "200000", path);
	generate(argv[1], "2000", small);

	whole = alike(path, 0, UINT64_MAX);
	CHECK(whole.events >= 200000 && !whole.problems && whole.processes_over > 1);
	CHECK(alike(path, AHEAD_TRACED, UINT64_MAX).events < whole.events);
	CHECK(alike(small, 0, UINT64_MAX).events >= 2000);
	/* Before the first block is full, and while the reader waits for room. */
	for (uint64_t most = 0; most < 70000; most = most * 3 + 1)
		CHECK(alike(path, 0, most).events == most);
	for (uint64_t kept = 1; kept < AHEAD_BLOCKS; kept += 3)
		holds(path, kept);
	threads_where_they_are_worth_it(path, small);
	for (int i = 0; i < 8; i++) {
		damage_folder(path);
		CHECK(alike(path, 0, UINT64_MAX).problems > 0);
	}
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK(!system(command));
	return check_status();
}
