/* SPDX-License-Identifier: MIT */
/* The floors of reading a session, each with what the one before does: what a report takes
 * beyond the last of them is what it counts.
 *
 *	bench-floor decode|ahead|match DIR
 *
 * decode: records are checked, merged in the order of time, and counted, in one thread; ahead:
 * the same in a thread of its own, which hands copies over to another one; match: that other
 * one brings calls and their operations together and looks at the devices' clocks. Prints how
 * many events there were.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "trace/session/session_open.h"

static int decode(struct trace_session *session, uint64_t *events)
{
	const struct trace_event *event;
	struct trace_merge merge;
	int status = trace_merge_open(&merge, session, 0);

	if (status)
		return status;
	while ((status = trace_merge_next(&merge, &event)) > 0)
		++*events;
	trace_merge_close(&merge);
	return status;
}

static int ahead(struct trace_session *session, uint64_t *events)
{
	const struct trace_event *event;
	struct trace_ahead reader;
	int status = trace_ahead_open(&reader, session, AHEAD_THREAD);

	if (status)
		return status;
	while ((status = trace_ahead_next(&reader, &event)) > 0)
		++*events;
	trace_ahead_close(&reader);
	return status;
}

static int match(struct trace_session *session, uint64_t *events)
{
	const struct event_item *item;
	struct event_iterator iterator;
	int status = event_iterator_open_with(&iterator, session, EVENT_HOST_BOUNDS, NULL);

	if (status)
		return status;
	while ((status = event_iterator_next(&iterator, &item)) > 0)
		*events += item->kind != ITEM_UNFINISHED;
	event_iterator_close(&iterator);
	return status;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*read)(struct trace_session *session, uint64_t *events);
	} modes[] = {{"decode", decode}, {"ahead", ahead}, {"match", match}};
	struct trace_problems problems = {.count = 0};
	struct trace_session session;
	struct error error = {.count = 0};
	uint64_t events = 0;

	for (size_t i = 0; argc == 3 && i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(argv[1], modes[i].name) != 0)
			continue;
		if (trace_session_open(&session, argv[2], &problems, &error) ||
		    modes[i].read(&session, &events)) {
			fprintf(stderr, "bench-floor: %s can't be read\n", argv[2]);
			return 1;
		}
		printf("%" PRIu64 "\n", events);
		trace_session_close(&session);
		return 0;
	}
	fprintf(stderr, "usage: bench-floor decode|ahead|match DIR\n");
	return 2;
}
