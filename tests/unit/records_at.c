/* SPDX-License-Identifier: MIT */
/* Records are found again by their time: the same ones from a place that stayed open as from the
 * stream opened for it, in any order; and in their order with few openings for each block, not one
 * for each record. argv[1] is bench/gen_trace. */
#include "view/query/records_at.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trace/session/session_open.h"

enum { THREADS = 3, NEXT = 4 };

struct moment {
	struct trace_stream *stream;
	int64_t ns;
};

static struct moment *moments;
static size_t moment_count;

static void note_moments(struct trace_session *session)
{
	for (size_t i = 0; i < session->process_count; i++) {
		struct trace_process *process = &session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++) {
			struct trace_records records;
			size_t capacity = 0;

			CHECK(!trace_records_open(&records, &process->streams[j], 65536, 0, NULL));
			while (trace_records_next(&records) > 0) {
				if (moment_count >= capacity) {
					capacity = moment_count * 2 + 64;
					moments = realloc(moments, capacity * sizeof(*moments));
					CHECK(moments);
				}
				moments[moment_count++] = (struct moment){
					&process->streams[j],
					trace_clock_ns(&session->clock, records.event.ticks)};
			}
			trace_records_close(&records);
		}
	}
}

/* The first records that a search finds. */
static size_t find(struct view_records *records, const struct moment *moment,
		   struct trace_event events[NEXT], uint64_t hashes[NEXT])
{
	struct view_cursor *cursor =
		view_records_at(records, VIEW_CURSOR_call, moment->stream, moment->ns);
	size_t count = 0;

	CHECK(cursor);
	while (count < NEXT && view_cursor_next(cursor, &events[count]) > 0) {
		hashes[count] = UINT64_C(0xcbf29ce484222325);
		for (size_t i = 0; i < events[count].bytes; i++)
			hashes[count] =
				(hashes[count] ^ ((const uint8_t *)events[count].record)[i]) *
				UINT64_C(0x100000001b3);
		count++;
	}
	return count;
}

static void compare(struct view_records *records, const struct moment *moment)
{
	struct view_records fresh = VIEW_RECORDS_INIT;
	struct trace_event events[NEXT], fresh_events[NEXT];
	uint64_t hashes[NEXT], fresh_hashes[NEXT];
	size_t count = find(records, moment, events, hashes);
	int64_t before = INT64_MIN;

	CHECK(count == find(&fresh, moment, fresh_events, fresh_hashes));
	CHECK(count && events[0].ns == moment->ns);
	for (size_t i = 0; i < count; i++) {
		CHECK(hashes[i] == fresh_hashes[i] && events[i].ns == fresh_events[i].ns);
		CHECK(events[i].tid == fresh_events[i].tid && events[i].ns >= before);
		before = events[i].ns;
	}
	CHECK(fresh.opened == 1);
	view_records_close(&fresh);
}

int main(int argc, char **argv)
{
	struct trace_problems problems = {.tell = NULL};
	struct view_records records = VIEW_RECORDS_INIT;
	struct error error = ERROR_INIT;
	struct trace_session session;
	uint64_t random = 88172645463325252u;
	char command[4096];
	size_t streams = 1, blocks;

	CHECK(argc > 1);
	snprintf(command, sizeof(command), "'%s' -n 20000 -t %d session >/dev/null", argv[1],
		 THREADS);
	CHECK(!system(command));
	CHECK(!trace_session_open(&session, "session", &problems, &error));
	note_moments(&session);
	CHECK(moment_count > 10000);
	for (size_t i = 1; i < moment_count; i++)
		streams += moments[i].stream != moments[i - 1].stream;

	/* In their order: a search that reads on beyond its block has left that. */
	for (size_t i = 0; i < moment_count; i++)
		compare(&records, &moments[i]);
	CHECK(records.searches == moment_count);
	blocks = streams + session.content_bytes / 65536;
	CHECK(records.opened >= streams && records.opened <= NEXT * blocks);
	CHECK(NEXT * blocks < moment_count / 100);

	/* A little forth and back, as commands that overtake each other. */
	records.opened = 0;
	for (size_t i = 0; i + 7 < moment_count; i++)
		compare(&records, &moments[i + i * 5 % 7]);
	CHECK(records.opened < moment_count / 50);

	/* From anywhere to anywhere. */
	for (size_t i = 0; i < 3000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		compare(&records, &moments[random % moment_count]);
	}
	view_records_close(&records);
	compare(&records, &moments[moment_count / 2]);
	view_records_close(&records);
	free(moments);
	trace_session_close(&session);
	return check_status();
}
