/* SPDX-License-Identifier: MIT */
#include "analysis/events/ordered_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PHASES 4

int ordered_events_open(struct ordered_events *ordered_events, struct event_iterator *iterator,
			const struct ordered_events_ops *ops, void *user)
{
	struct reorder_options options = REORDER_DEFAULTS;
	const char *directory = getenv("TMPDIR");

	if (directory && *directory)
		options.directory = directory;
	*ordered_events = (struct ordered_events){
		.iterator = iterator,
		.ops = ops,
		.user = user,
		.kept = TEXT_INIT,
		.phases = TEXT_INIT,
		.over = calloc(iterator->session->process_count + 1, sizeof(*ordered_events->over)),
	};
	if (ordered_events->over &&
	    !reorder_buffer_create(&ordered_events->reorder_buffer, &options, ops->take, user))
		return 0;
	ordered_events_close(ordered_events);
	return -ENOMEM;
}

/* Lets the user keep of the event what he wants; 1: something was kept. */
static int keep(struct ordered_events *ordered_events, enum ordered_event_kind kind,
		int64_t time_ns, const struct event_item *item)
{
	int status;

	text_clear(&ordered_events->kept);
	status = ordered_events->ops->keep(ordered_events->user, kind, time_ns, item,
					   &ordered_events->kept);
	if (!status && ordered_events->kept.failed)
		status = -ENOMEM;
	return status ? status : ordered_events->kept.length > 0;
}

static int add_event(struct ordered_events *ordered_events, enum ordered_event_kind kind,
		     int64_t time_ns, const struct event_item *item)
{
	int status = keep(ordered_events, kind, time_ns, item);
	struct reorder_event event = {
		.time_ns = time_ns,
		.op = item->call,
		.payload = ordered_events->kept.data,
		.bytes = (uint32_t)ordered_events->kept.length,
		.kind = kind,
	};

	return status > 0 ? reorder_buffer_add(ordered_events->reorder_buffer, &event) : status;
}

static int add_call(struct ordered_events *ordered_events, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	int status = add_event(ordered_events, ORDERED_BEGIN, event->ns, item);
	uint64_t op = trace_event_op(event);

	if (!status && event->end_ticks)
		status = add_event(ordered_events, ORDERED_END, item->end_ns, item);
	if (!status && op && !trace_event_failed(event))
		status = (event->layout->event->traits.graph ? reorder_buffer_enqueue_many
							     : reorder_buffer_enqueue)(
			ordered_events->reorder_buffer, event->stream->process->index, op,
			event->ns);
	return status;
}

/* Stable: of equal times, what comes first stays first. */
static void sort_phases(struct reorder_event *events)
{
	for (int i = 1; i < PHASES; i++) {
		struct reorder_event event = events[i];
		int j = i;

		for (; j > 0 && events[j - 1].time_ns > event.time_ns; j--)
			events[j] = events[j - 1];
		events[j] = event;
	}
}

/* Keeps what is wanted of the four, one behind the other in `phases`. */
static int keep_phases(struct ordered_events *ordered_events, const struct event_item *item,
		       struct reorder_event *events)
{
	const struct operation_times *times = &item->operation.times;
	const int64_t at[PHASES] = {times->queued_ns, times->submitted_ns, times->start_ns,
				    times->end_ns};

	text_clear(&ordered_events->phases);
	for (unsigned i = 0; i < PHASES; i++) {
		int status = keep(ordered_events, ORDERED_QUEUED + i, at[i], item);

		if (status < 0)
			return status;
		events[i] = (struct reorder_event){
			.time_ns = at[i],
			.op = item->operation.op,
			.bytes = (uint32_t)ordered_events->kept.length,
			.kind = ORDERED_QUEUED + i,
		};
		text_add(&ordered_events->phases, ordered_events->kept.data,
			 ordered_events->kept.length);
	}
	return ordered_events->phases.failed ? -ENOMEM : 0;
}

static int add_placed(struct ordered_events *ordered_events, const struct event_item *item)
{
	struct reorder_event events[PHASES];
	size_t count = 0, place = 0;
	int status = keep_phases(ordered_events, item, events);

	if (status)
		return status;
	for (unsigned i = 0; i < PHASES; i++) {
		if (events[i].bytes)
			events[i].payload = ordered_events->phases.data + place;
		place += events[i].bytes;
	}
	sort_phases(events);
	for (unsigned i = 0; i < PHASES; i++) {
		if (events[i].bytes)
			events[count++] = events[i];
	}
	return reorder_buffer_operation(ordered_events->reorder_buffer, item->operation.process,
					item->operation.op, events, count);
}

static int add_command(struct ordered_events *ordered_events, const struct event_item *item)
{
	int status;

	if (item->operation.placed)
		return add_placed(ordered_events, item);
	status = add_event(ordered_events, ORDERED_RECORD, item->event->ns, item);
	return status ? status
		      : reorder_buffer_operation(ordered_events->reorder_buffer,
						 item->operation.process, item->operation.op, NULL,
						 0);
}

struct abandon {
	struct ordered_events *ordered_events;
	uint32_t process;
};

static int abandon(void *user, uint64_t op)
{
	const struct abandon *abandon = user;

	return reorder_buffer_abandon(abandon->ordered_events->reorder_buffer, abandon->process,
				      op);
}

/* Of a process that is over, nothing more comes. */
static int give_up(struct ordered_events *ordered_events)
{
	const struct trace_ahead *ahead = &ordered_events->iterator->ahead;
	int status = 0;

	if (ahead->processes_over == ordered_events->processes_over)
		return 0;
	ordered_events->processes_over = ahead->processes_over;
	for (uint32_t i = 0; i < ordered_events->iterator->session->process_count; i++) {
		struct abandon of = {ordered_events, i};

		if (status || ordered_events->over[i] || ahead->streams_left[i])
			continue;
		ordered_events->over[i] = true;
		status =
			operation_matcher_open(&ordered_events->iterator->matcher, i, abandon, &of);
	}
	return status;
}

int ordered_events_add(struct ordered_events *ordered_events, const struct event_item *item)
{
	int status;

	if (item->kind == ITEM_UNFINISHED)
		return 0;
	status = reorder_buffer_reach(ordered_events->reorder_buffer, item->event->ns);
	if (!status)
		status = give_up(ordered_events);
	if (status)
		return status;
	switch (item->kind) {
	case ITEM_CALL:
		return add_call(ordered_events, item);
	case ITEM_OPERATION:
		return add_command(ordered_events, item);
	default:
		return add_event(ordered_events, ORDERED_RECORD, item->event->ns, item);
	}
}

int ordered_events_finish(struct ordered_events *ordered_events)
{
	return reorder_buffer_finish(ordered_events->reorder_buffer);
}

void ordered_events_close(struct ordered_events *ordered_events)
{
	reorder_buffer_destroy(ordered_events->reorder_buffer);
	text_free(&ordered_events->kept);
	text_free(&ordered_events->phases);
	free(ordered_events->over);
	memset(ordered_events, 0, sizeof(*ordered_events));
}
