/* SPDX-License-Identifier: MIT */
#include "analysis/findings/beside.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/graph_event.h"
#include "schema/gen/kernel_records.h"

enum entry_kind {
	ENTRY_ITEM, /* + 1: it is in the range */
	ENTRY_ITEM_INSIDE,
	ENTRY_CALL, /* same */
	ENTRY_CALL_INSIDE,
	ENTRY_SYSTEM, /* same */
	ENTRY_SYSTEM_INSIDE,
	ENTRY_EVENT,
	ENTRY_GIVE, /* of a block of the trace's events all were handed over */
};

struct entry_call {
	const struct trace_event *event;
	uint64_t number;
};

struct entry_operation {
	struct event_item item;
	struct tandem_rec_operation record; /* which it has */
};

_Static_assert(sizeof(struct relay_entry) + sizeof(struct entry_operation) <= RELAY_ENTRY_MOST,
	       "an item is an entry");

/* What the operating system recorded, but for what is in the waits. */
static int do_system(const struct beside *beside, const struct trace_event *event, bool inside)
{
	return side_wants(&beside->side, event) ? side_system(&beside->side, event, inside) : 0;
}

static int do_item(struct beside *beside, const struct event_item *item, bool inside)
{
	struct findings *findings = beside->side.findings;
	int status = 0;

	if (item->kind == ITEM_CALL && findings->session->args_level == TANDEM_ARGS_FULL &&
	    async_reads_call(&findings->async_reads, item->event, item->call))
		return -ENOMEM;
	if (item->kind == ITEM_CALL)
		findings->calls[item->event->stream->index] = (struct finding_call){
			item->event->layout->event, item->event->ns, item->end_ns, item->call};
	if (findings->graph)
		status = graph_item(findings->graph, item);
	return status ? status : side_item(&beside->side, item, inside);
}

static inline int do_event(struct beside *beside, const struct sequence_event *event)
{
	struct graph *graph = beside->side.findings->graph;
	int status = graph ? graph_event(graph, event) : 0;

	return status ? status : side_event(&beside->side, event);
}

static int take_call(struct beside *beside, const struct entry_call *call, bool inside)
{
	struct event_item *item = &beside->item;

	if (beside->waits && waits_call(beside->waits, call->event))
		return -ENOMEM;
	item->kind = ITEM_CALL;
	item->event = call->event;
	item->call = call->number;
	item->end_ns = event_item_end_ns(call->event);
	return do_item(beside, item, inside);
}

static int take_system(struct beside *beside, const struct trace_event *event, bool inside)
{
	if (beside->waits && waits_kernel(beside->waits, event))
		return -ENOMEM;
	return do_system(beside, event, inside);
}

/* In the other thread. */
static void take(void *user, const struct relay_entry *entry)
{
	struct beside *beside = user;
	const void *payload = entry->payload;
	bool inside = entry->kind & 1;

	if (entry->kind == ENTRY_GIVE)
		trace_ahead_give(beside->ahead);
	if (beside->failed)
		return;
	switch ((enum entry_kind)entry->kind) {
	case ENTRY_ITEM:
	case ENTRY_ITEM_INSIDE:
		beside->failed = do_item(beside, payload, inside);
		break;
	case ENTRY_CALL:
	case ENTRY_CALL_INSIDE:
		beside->failed = take_call(beside, payload, inside);
		break;
	case ENTRY_SYSTEM:
	case ENTRY_SYSTEM_INSIDE:
		beside->failed =
			take_system(beside, *(const struct trace_event *const *)payload, inside);
		break;
	case ENTRY_EVENT:
		beside->failed = do_event(beside, payload);
		break;
	case ENTRY_GIVE:
		break;
	}
}

static void take_interval(void *user, const struct wait_thread *thread,
			  const struct states_interval *whole)
{
	struct beside *beside = user;
	struct findings *findings = beside->side.findings;
	const struct range *range = &findings->range;
	struct states_interval part = *whole;

	if (!beside->failed && findings->graph)
		beside->failed = graph_interval(findings->graph, thread, whole);
	part.from = range_clamp(range, whole->from);
	part.to = range_clamp(range, whole->to);
	if (beside->failed || (part.to <= part.from && whole->to > whole->from))
		return;
	beside->failed = side_interval(&beside->side, thread, &part);
}

int beside_open(struct beside *beside, struct findings *findings, struct pass *pass)
{
	beside->findings = findings;
	beside->side.findings = findings;
	beside->ahead = &pass->iterator.ahead;
	findings->calls = calloc(pass->session->stream_count + 1, sizeof(*findings->calls));
	pass->waits.emit = take_interval;
	pass->waits.user = beside;
	return findings->calls ? 0 : -ENOMEM;
}

/* Without memory, or a thread, the caller does it all. */
static void start_thread(struct beside *beside, struct pass *pass)
{
	struct finding_call *calls = calloc(pass->session->stream_count + 1, sizeof(*calls));

	beside->relay = calls ? relay_create(take, beside) : NULL;
	if (!beside->relay) {
		free(calls);
		return;
	}
	beside->own = *beside->findings;
	beside->own.calls = calls;
	beside->side.findings = &beside->own;
	beside->ahead->holds = true;
	pass->waits_beside = true;
	if (pass->with_waits && pass->waits.any)
		beside->waits = &pass->waits;
}

int beside_start(struct beside *beside, struct pass *pass, bool graph)
{
	struct findings *findings = beside->findings;

	findings->line = pass->session->clock.lines;
	if (graph) {
		if (graph_open(&beside->graph, &pass->iterator,
			       pass->with_waits ? &pass->waits : NULL))
			return -ENOMEM;
		graph_replay_only(&beside->graph);
		findings->graph = &beside->graph;
	}
	if (pass->beside && pass->count == 1 && pass->iterator.ahead.reader)
		start_thread(beside, pass);
	return 0;
}

/* Items of the block before were all handed over: so soon, as the reader waits for its blocks. */
static void give_block(struct beside *beside)
{
	if (beside->taken) {
		relay_begin(beside->relay, ENTRY_GIVE, 0);
		relay_end(beside->relay);
		relay_flush(beside->relay);
	}
	beside->taken = beside->ahead->taken;
}

static void hand_operation(struct relay *relay, const struct event_item *item, bool inside)
{
	const struct tandem_rec_operation *record = item->operation.record;
	/* That of the event stays; one that was changed does not. */
	bool stays = !record || (item->event && record == (const void *)item->event->record);
	struct entry_operation *entry = relay_begin(relay, ENTRY_ITEM + inside,
						    stays ? sizeof(entry->item) : sizeof(*entry));

	entry->item = *item;
	if (!stays) {
		entry->record = *record;
		entry->item.operation.record = &entry->record;
	}
	relay_end(relay);
}

static void hand_over(struct beside *beside, const struct event_item *item, bool inside)
{
	struct relay *relay = beside->relay;
	const struct trace_event **event;
	struct entry_call *call;

	if (beside->taken != beside->ahead->taken)
		give_block(beside);
	if (item->kind == ITEM_CALL) {
		call = relay_begin(relay, ENTRY_CALL + inside, sizeof(*call));
		*call = (struct entry_call){item->event, item->call};
		relay_end(relay);
	} else if (item->system) {
		event = relay_begin(relay, ENTRY_SYSTEM + inside, sizeof(*event));
		*event = item->event;
		relay_end(relay);
	} else {
		hand_operation(relay, item, inside);
	}
}

int beside_item(struct beside *beside, const struct event_item *item, bool inside)
{
	if (beside->relay) {
		hand_over(beside, item, inside);
		return 0;
	}
	if (beside->failed)
		return beside->failed;
	return item->system ? do_system(beside, item->event, inside)
			    : do_item(beside, item, inside);
}

int beside_event(struct beside *beside, const struct sequence_event *event)
{
	size_t bytes = event->kind == SEQUENCE_CALL_BEGIN || event->kind == SEQUENCE_CALL_END
			       ? SEQUENCE_CALL_BYTES
			       : offsetof(struct sequence_event, tag);

	if (!beside->relay)
		return do_event(beside, event);
	memcpy(relay_begin(beside->relay, ENTRY_EVENT, bytes), event, bytes);
	relay_end(beside->relay);
	return 0;
}

static void stop_thread(struct beside *beside)
{
	if (!beside->relay)
		return;
	relay_wait(beside->relay);
	relay_destroy(beside->relay);
	beside->relay = NULL;
}

int beside_settle(struct beside *beside, struct pass *pass)
{
	stop_thread(beside);
	if (!beside->failed && pass->waits_beside && beside->waits)
		beside->failed = waits_settle(beside->waits);
	return beside->failed;
}

void beside_close(struct beside *beside)
{
	stop_thread(beside);
	if (!beside->findings) /* not opened */
		return;
	if (beside->findings->graph)
		graph_close(beside->findings->graph);
	beside->findings->graph = NULL;
	async_reads_free(&beside->findings->async_reads);
	async_reads_free(&beside->own.async_reads);
	free(beside->own.calls);
	free(beside->findings->calls);
	beside->findings->calls = NULL;
}
