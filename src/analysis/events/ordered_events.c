#include "analysis/events/ordered_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PHASES 4

int chronicle_open(struct chronicle *chronicle, struct walk *walk,
		   const struct chronicle_ops *ops, void *user)
{
	struct order_options options = ORDER_DEFAULTS;
	const char *directory = getenv("TMPDIR");

	if (directory && *directory)
		options.directory = directory;
	*chronicle = (struct chronicle){
		.walk = walk,
		.ops = ops,
		.user = user,
		.kept = TEXT_INIT,
		.phases = TEXT_INIT,
		.over = calloc(walk->session->process_count + 1, sizeof(*chronicle->over)),
	};
	if (chronicle->over && !order_create(&chronicle->order, &options, ops->take, user))
		return 0;
	chronicle_close(chronicle);
	return -ENOMEM;
}

/* Lets the user keep of the event what he wants; 1: something was kept. */
static int keep(struct chronicle *chronicle, enum chronicle_kind kind, int64_t time_ns,
		const struct walk_item *item)
{
	int status;

	text_clear(&chronicle->kept);
	status = chronicle->ops->keep(chronicle->user, kind, time_ns, item, &chronicle->kept);
	if (!status && chronicle->kept.failed)
		status = -ENOMEM;
	return status ? status : chronicle->kept.length > 0;
}

static int add_event(struct chronicle *chronicle, enum chronicle_kind kind, int64_t time_ns,
		     const struct walk_item *item)
{
	int status = keep(chronicle, kind, time_ns, item);
	struct order_event event = {
		.time_ns = time_ns,
		.op = item->call,
		.payload = chronicle->kept.data,
		.bytes = (uint32_t)chronicle->kept.length,
		.kind = kind,
	};

	return status > 0 ? order_add(chronicle->order, &event) : status;
}

static int add_call(struct chronicle *chronicle, const struct walk_item *item)
{
	const struct trace_event *event = item->event;
	int status = add_event(chronicle, CHRONICLE_BEGIN, event->ns, item);
	uint64_t op = trace_event_op(event);

	if (!status && event->end_ticks)
		status = add_event(chronicle, CHRONICLE_END, item->end_ns, item);
	if (!status && op && !trace_event_failed(event))
		status = order_enqueue(chronicle->order, event->stream->process->index, op,
				       event->ns);
	return status;
}

/* Stable: of equal times, what comes first stays first. */
static void sort_phases(struct order_event *events)
{
	for (int i = 1; i < PHASES; i++) {
		struct order_event event = events[i];
		int j = i;

		for (; j > 0 && events[j - 1].time_ns > event.time_ns; j--)
			events[j] = events[j - 1];
		events[j] = event;
	}
}

/* Keeps what is wanted of the four, one behind the other in `phases`. */
static int keep_phases(struct chronicle *chronicle, const struct walk_item *item,
		       struct order_event *events)
{
	const struct command_times *times = &item->command.times;
	const int64_t at[PHASES] = {times->queued_ns, times->submitted_ns, times->start_ns,
				    times->end_ns};

	text_clear(&chronicle->phases);
	for (unsigned i = 0; i < PHASES; i++) {
		int status = keep(chronicle, CHRONICLE_QUEUED + i, at[i], item);

		if (status < 0)
			return status;
		events[i] = (struct order_event){
			.time_ns = at[i],
			.op = item->command.op,
			.bytes = (uint32_t)chronicle->kept.length,
			.kind = CHRONICLE_QUEUED + i,
		};
		text_add(&chronicle->phases, chronicle->kept.data, chronicle->kept.length);
	}
	return chronicle->phases.failed ? -ENOMEM : 0;
}

static int add_placed(struct chronicle *chronicle, const struct walk_item *item)
{
	struct order_event events[PHASES];
	size_t count = 0, place = 0;
	int status = keep_phases(chronicle, item, events);

	if (status)
		return status;
	for (unsigned i = 0; i < PHASES; i++) {
		if (events[i].bytes)
			events[i].payload = chronicle->phases.data + place;
		place += events[i].bytes;
	}
	sort_phases(events);
	for (unsigned i = 0; i < PHASES; i++) {
		if (events[i].bytes)
			events[count++] = events[i];
	}
	return order_operation(chronicle->order, item->command.process, item->command.op, events,
			       count);
}

static int add_command(struct chronicle *chronicle, const struct walk_item *item)
{
	int status;

	if (item->command.placed)
		return add_placed(chronicle, item);
	status = add_event(chronicle, CHRONICLE_RECORD, item->event->ns, item);
	return status ? status
		      : order_operation(chronicle->order, item->command.process,
					item->command.op, NULL, 0);
}

/* Of a process that is over, nothing will be heard any more. */
static int give_up(struct chronicle *chronicle)
{
	const struct trace_merge *merge = &chronicle->walk->merge;
	int status = 0;

	if (merge->processes_over == chronicle->processes_over)
		return 0;
	chronicle->processes_over = merge->processes_over;
	for (uint32_t i = 0; i < chronicle->walk->session->process_count; i++) {
		uint64_t op;
		size_t at = 0;

		if (chronicle->over[i] || merge->streams_left[i])
			continue;
		chronicle->over[i] = true;
		while (!status && commands_open(&chronicle->walk->commands, &at, i, &op))
			status = order_abandon(chronicle->order, i, op);
	}
	return status;
}

int chronicle_add(struct chronicle *chronicle, const struct walk_item *item)
{
	int status;

	if (item->kind == WALK_UNFINISHED)
		return 0;
	status = order_reach(chronicle->order, item->event->ns);
	if (!status)
		status = give_up(chronicle);
	if (status)
		return status;
	switch (item->kind) {
	case WALK_CALL:
		return add_call(chronicle, item);
	case WALK_COMMAND:
		return add_command(chronicle, item);
	default:
		return add_event(chronicle, CHRONICLE_RECORD, item->event->ns, item);
	}
}

int chronicle_finish(struct chronicle *chronicle)
{
	return order_finish(chronicle->order);
}

struct order_stats chronicle_stats(const struct chronicle *chronicle)
{
	return order_stats(chronicle->order);
}

void chronicle_close(struct chronicle *chronicle)
{
	order_destroy(chronicle->order);
	text_free(&chronicle->kept);
	text_free(&chronicle->phases);
	free(chronicle->over);
	memset(chronicle, 0, sizeof(*chronicle));
}
