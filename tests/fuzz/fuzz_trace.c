/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader: a process's metadata, a stream and a window of any
 * bytes, through everything that `tandem print` and `tandem report` do with them.
 *
 * An input is the metadata and the stream, each with its length before it
 * (scratch.h), and then the window. tests/fuzz/run makes the first inputs and
 * starts it.
 *
 * With libFuzzer (clang -fsanitize=fuzzer) it looks for inputs by itself; linked
 * with tests/fuzz/replay.c it reads the files that are given.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/ordered_events.h"
#include "analysis/report/report_make.h"
#include "cli/print/event_json.h"
#include "cli/print/event_text.h"
#include "cli/record/phase.h"
#include "scratch.h"
#include "trace/merge.h"
#include "trace/session/session_open.h"

struct ordered {
	struct event_iterator iterator;
	struct event_text view;
	int64_t last_ns;
};

static int keep_lines(void *user, enum ordered_event_kind kind, int64_t ns,
		      const struct event_item *item, struct text *kept)
{
	struct ordered *ordered = user;

	if (kind >= ORDERED_QUEUED && kind <= ORDERED_STOP)
		phase_text(&ordered->view, &ordered->iterator, kept, kind, ns, item);
	else
		event_text_line(&ordered->view, kept, item->event,
				kind == ORDERED_BEGIN ? EVENT_BEGIN
				: kind == ORDERED_END ? EVENT_END
						      : EVENT_WHOLE);
	return 0;
}

static int take_lines(void *user, const struct reorder_event *event)
{
	struct ordered *ordered = user;

	if (event->time_ns + event->moved_ns < ordered->last_ns)
		abort();
	ordered->last_ns = event->time_ns + event->moved_ns;
	return 0;
}

static void print_ordered(struct trace_session *session)
{
	static const struct ordered_events_ops ops = {.keep = keep_lines, .take = take_lines};
	struct ordered ordered = {.last_ns = INT64_MIN};
	const struct event_item *item;
	struct ordered_events ordered_events;

	if (event_iterator_open(&ordered.iterator, session, NULL))
		abort();
	ordered.view = (struct event_text){.session = session,
					   .objects = &ordered.iterator.devices.objects};
	if (ordered_events_open(&ordered_events, &ordered.iterator, &ops, &ordered))
		abort();
	while (event_iterator_next(&ordered.iterator, &item) > 0) {
		if (ordered_events_add(&ordered_events, item))
			abort();
	}
	if (ordered_events_finish(&ordered_events))
		abort();
	ordered_events_close(&ordered_events);
	event_iterator_close(&ordered.iterator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void print_all(struct trace_session *session, bool json)
{
	struct trace_objects objects = {.device_count = 0};
	struct event_samples stacks;
	struct event_text view = {.session = session, .objects = &objects, .stacks = &stacks};
	const struct trace_event *event;
	struct text text = TEXT_INIT;
	struct trace_merge merge;
	uint64_t last = 0;

	event_samples_init(&stacks);
	if (trace_merge_open(&merge, session, 0))
		abort();
	while (trace_merge_next(&merge, &event) > 0) {
		if (event->ticks < last)
			abort();
		last = event->ticks;
		/* One of the two, to try more inputs. */
		if (trace_objects_learn(&objects, event) || event_samples_feed(&stacks, event))
			abort();
		if (json)
			event_json_line(&objects, session, &stacks, &text, event);
		else
			event_text_line(&view, &text, event, EVENT_WHOLE);
		text_clear(&text);
	}
	trace_merge_close(&merge);
	event_samples_free(&stacks);
	trace_objects_free(&objects);
	text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct trace_problems problems = {.tell = NULL};
	struct trace_session session;
	struct error error = ERROR_INIT;
	struct report report;
	struct scratch_part part;
	static bool made;

	if (!made) {
		scratch_folder("process-1");
		scratch_put_control();
		made = true;
	}
	part = scratch_part(&data, &bytes);
	scratch_put("process-1/metadata", part.data, part.bytes);
	part = scratch_part(&data, &bytes);
	scratch_put("process-1/stream-1", part.data, part.bytes);
	scratch_put("process-1/window-1", data, bytes);

	if (!trace_session_open(&session, scratch(), &problems, &error)) {
		print_all(&session, bytes % 2);
		print_ordered(&session);
		if (!report_make(&report, &session, NULL, &error))
			report_free(&report);
		trace_session_close(&session);
	}
	trace_problems_free(&problems);
	return 0;
}
