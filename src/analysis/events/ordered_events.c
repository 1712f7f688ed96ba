/* SPDX-License-Identifier: MIT */
#include "analysis/events/ordered_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MOST 4 /* of an item: a command's four times */

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
		.turns = TEXT_INIT,
		.over = calloc(iterator->session->process_count + 1, sizeof(*ordered_events->over)),
	};
	if (ordered_events->over &&
	    !reorder_buffer_create(&ordered_events->reorder_buffer, &options, ops->take, user))
		return 0;
	ordered_events_close(ordered_events);
	return -ENOMEM;
}

/* Lets the user keep of each turn what he wants, one behind the other in `turns`. */
static int keep_each(struct ordered_events *ordered_events, const struct event_item *item,
		     struct reorder_event *events, size_t count)
{
	struct text *kept = &ordered_events->kept, *turns = &ordered_events->turns;
	size_t place = 0;

	text_clear(turns);
	for (size_t i = 0; i < count; i++) {
		int status;

		text_clear(kept);
		status = ordered_events->ops->keep(ordered_events->user, events[i].kind,
						   events[i].time_ns, item, kept);
		if (status || kept->failed)
			return status ? status : -ENOMEM;
		events[i].bytes = (uint32_t)kept->length;
		text_add(turns, kept->data, kept->length);
	}
	if (turns->failed)
		return -ENOMEM;
	for (size_t i = 0; i < count; place += events[i++].bytes)
		events[i].payload = turns->data + place;
	return 0;
}

static int keep_once(struct ordered_events *ordered_events, const struct event_item *item,
		     struct reorder_event *events, size_t count)
{
	struct ordered_kept kept = {0};
	int status = ordered_events->ops->keep_once(ordered_events->user, item, &kept);

	for (size_t i = 0; i < count; i++) {
		events[i].payload = kept.bytes;
		events[i].bytes = kept.turns >> events[i].kind & 1 ? kept.length : 0;
	}
	return status;
}

/* Leaves the events of which something is kept, with it. */
static int keep(struct ordered_events *ordered_events, const struct event_item *item,
		struct reorder_event *events, size_t *count)
{
	int status = (ordered_events->ops->keep_once ? keep_once : keep_each)(ordered_events, item,
									      events, *count);
	size_t left = 0;

	for (size_t i = 0; i < *count; i++) {
		if (events[i].bytes)
			events[left++] = events[i];
	}
	*count = left;
	return status;
}

static int add_events(struct ordered_events *ordered_events, const struct event_item *item,
		      struct reorder_event *events, size_t count)
{
	int status = keep(ordered_events, item, events, &count);

	return status || !count ? status
				: reorder_buffer_add(ordered_events->reorder_buffer, events, count);
}

static int add_record(struct ordered_events *ordered_events, const struct event_item *item)
{
	struct reorder_event event = {
		.time_ns = item->event->ns,
		.op = item->call,
		.kind = ORDERED_RECORD,
	};

	return add_events(ordered_events, item, &event, 1);
}

static int add_call(struct ordered_events *ordered_events, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct reorder_event events[] = {
		{.time_ns = event->ns, .op = item->call, .kind = ORDERED_BEGIN},
		{.time_ns = item->end_ns, .op = item->call, .kind = ORDERED_END},
	};
	int status = add_events(ordered_events, item, events, event->end_ticks ? 2 : 1);
	uint64_t op = trace_event_op(event);

	if (!status && op && !trace_event_failed(event))
		status = (event->layout->event->traits.graph ? reorder_buffer_enqueue_many
							     : reorder_buffer_enqueue)(
			ordered_events->reorder_buffer, event->stream->process->index, op,
			event->ns);
	return status;
}

/* Stable: of equal times, what comes first stays first. */
static void sort(struct reorder_event *events, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct reorder_event event = events[i];
		size_t j = i;

		for (; j > 0 && events[j - 1].time_ns > event.time_ns; j--)
			events[j] = events[j - 1];
		events[j] = event;
	}
}

static int add_placed(struct ordered_events *ordered_events, const struct event_item *item)
{
	const struct operation_times *times = &item->operation.times;
	const int64_t at[TURNS_MOST] = {times->queued_ns, times->submitted_ns, times->start_ns,
					times->end_ns};
	struct reorder_event events[TURNS_MOST];
	size_t count = TURNS_MOST;
	int status;

	for (unsigned i = 0; i < TURNS_MOST; i++)
		events[i] = (struct reorder_event){
			.time_ns = at[i],
			.op = item->operation.op,
			.kind = ORDERED_QUEUED + i,
		};
	status = keep(ordered_events, item, events, &count);
	if (status)
		return status;
	sort(events, count);
	return reorder_buffer_operation(ordered_events->reorder_buffer, item->operation.process,
					item->operation.op, events, count);
}

static int add_command(struct ordered_events *ordered_events, const struct event_item *item)
{
	int status;

	if (item->operation.placed)
		return add_placed(ordered_events, item);
	status = add_record(ordered_events, item);
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
	status = reorder_buffer_reach(ordered_events->reorder_buffer,
				      item->event->ns - ordered_events->lag_ns);
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
		return add_record(ordered_events, item);
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
	text_free(&ordered_events->turns);
	free(ordered_events->over);
	memset(ordered_events, 0, sizeof(*ordered_events));
}
