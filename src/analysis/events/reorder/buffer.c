/* SPDX-License-Identifier: MIT */
#include "analysis/events/reorder/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/reorder/in_flight.h"
#include "analysis/events/reorder/runs.h"
#include "util/order/reorder_queue.h"

/* What waiting events cost beside their payload: each a place in the queue, all of them a
 * node and what malloc() keeps. */
#define PLACE_BYTES sizeof(struct heap_item)
#define NODE_BYTES (sizeof(struct reorder_node) + 16)

/* Of events of the same time: a command's, a thread's, and a command's that are
 * at the very begin of its enqueue. */
enum rank { RANK_OPERATION, RANK_THREAD, RANK_AFTER };

#define RANK_SHIFT 62
#define SEQUENCE_SHIFT 8 /* the kind is below */
_Static_assert(REORDER_EVENT_KINDS == 1u << SEQUENCE_SHIFT, "a kind has its bits");

struct reorder_buffer {
	struct reorder_options options;
	reorder_emit *emit;
	void *context;
	struct reorder_in_flight flight;
	struct reorder_nodes nodes;
	/* key: time, tie: rank, sequence and kind, value: node */
	struct reorder_queue waiting;
	size_t waiting_bytes;
	struct reorder_runs runs;
	uint64_t sequence;
	int64_t reached_ns;
	int64_t out_ns; /* time of the last event that went out */
	struct reorder_stats stats;
};

int reorder_buffer_create(struct reorder_buffer **reorder_buffer,
			  const struct reorder_options *options, reorder_emit *emit, void *context)
{
	struct reorder_buffer *made;

	if (!options->max_bytes)
		return -EINVAL;
	made = malloc(sizeof(*made));
	if (!made)
		return -ENOMEM;
	*made = (struct reorder_buffer){
		.options = *options,
		.emit = emit,
		.context = context,
		.reached_ns = INT64_MIN,
		.out_ns = INT64_MIN,
	};
	reorder_in_flight_init(&made->flight);
	reorder_runs_init(&made->runs, &made->nodes, options->directory);
	*reorder_buffer = made;
	return 0;
}

void reorder_buffer_destroy(struct reorder_buffer *reorder_buffer)
{
	if (!reorder_buffer)
		return;
	while (reorder_queue_count(&reorder_buffer->waiting))
		reorder_nodes_give(&reorder_buffer->nodes,
				   reorder_node_of(reorder_queue_pop(&reorder_buffer->waiting)));
	reorder_queue_free(&reorder_buffer->waiting);
	reorder_runs_free(&reorder_buffer->runs);
	reorder_nodes_free(&reorder_buffer->nodes);
	reorder_in_flight_free(&reorder_buffer->flight);
	free(reorder_buffer);
}

static int hand_out(struct reorder_buffer *reorder_buffer, struct heap_item item)
{
	const struct reorder_node *node = reorder_node_of(item);
	struct reorder_event event = {
		.time_ns = item.key,
		.op = node->op,
		.payload = node->payload,
		.bytes = node->bytes,
		.kind = item.tie & (REORDER_EVENT_KINDS - 1),
	};

	if (event.time_ns < reorder_buffer->out_ns) {
		event.moved_ns = reorder_buffer->out_ns - event.time_ns;
		reorder_buffer->stats.late++;
		if (event.moved_ns > reorder_buffer->stats.latest_ns)
			reorder_buffer->stats.latest_ns = event.moved_ns;
	} else {
		reorder_buffer->out_ns = event.time_ns;
	}
	reorder_buffer->stats.events++;
	return reorder_buffer->emit(reorder_buffer->context, &event);
}

/* Takes the earliest event of those that wait in memory and in files, if it is
 * not after `until_ns`; without a value if it is. */
static int take(struct reorder_buffer *reorder_buffer, int64_t until_ns, struct heap_item *item)
{
	const struct heap_item *filed = reorder_runs_peek(&reorder_buffer->runs);
	const struct heap_item *top = reorder_queue_least(&reorder_buffer->waiting);
	const struct reorder_node *node;

	item->value = 0;
	if (filed &&
	    (!top || filed->key < top->key || (filed->key == top->key && filed->tie < top->tie)))
		return filed->key <= until_ns ? reorder_runs_take(&reorder_buffer->runs, item) : 0;
	if (top && top->key <= until_ns) {
		*item = reorder_queue_pop(&reorder_buffer->waiting);
		node = reorder_node_of(*item);
		reorder_buffer->waiting_bytes -=
			PLACE_BYTES + (node->uses == 1 ? NODE_BYTES + node->bytes : 0);
	}
	return 0;
}

/* It was put there long ago, and is not in the caches any more. */
static void prefetch_next(const struct reorder_buffer *reorder_buffer)
{
	const struct heap_item *next = reorder_queue_least(&reorder_buffer->waiting);
	const char *node = next ? (const char *)reorder_node_of(*next) : NULL;

	if (!node)
		return;
	__builtin_prefetch(node);
	__builtin_prefetch(node + 64);
	__builtin_prefetch(node + 128);
}

/* Hands out what is not after `until_ns`. */
static int drain(struct reorder_buffer *reorder_buffer, int64_t until_ns)
{
	struct heap_item item;
	int error;

	while (!(error = take(reorder_buffer, until_ns, &item)) && item.value) {
		prefetch_next(reorder_buffer);
		error = hand_out(reorder_buffer, item);
		reorder_nodes_give(&reorder_buffer->nodes, reorder_node_of(item));
		if (error)
			break;
	}
	return error;
}

/* Nothing can come any more that is not after this. At the time reached itself,
 * and at the begin of the oldest command, something still can. */
static int64_t settled_ns(struct reorder_buffer *reorder_buffer)
{
	int64_t oldest, open;

	reorder_in_flight_settle(&reorder_buffer->flight, reorder_buffer->reached_ns);
	oldest = reorder_in_flight_oldest_ns(&reorder_buffer->flight);
	open = oldest < reorder_buffer->reached_ns ? oldest : reorder_buffer->reached_ns;
	return open > INT64_MIN ? open - 1 : open;
}

static struct reorder_node *node_make(struct reorder_buffer *reorder_buffer,
				      const struct reorder_event *event)
{
	struct reorder_node *node = reorder_nodes_take(&reorder_buffer->nodes, event->bytes);

	if (!node)
		return NULL;
	node->op = event->op;
	if (event->bytes)
		memcpy(node->payload, event->payload, event->bytes);
	reorder_buffer->waiting_bytes += NODE_BYTES + event->bytes;
	return node;
}

static int wait_in_line(struct reorder_buffer *reorder_buffer, const struct reorder_event *event,
			enum rank rank, struct reorder_node *node)
{
	uint64_t tie = (uint64_t)rank << RANK_SHIFT | reorder_buffer->sequence++ << SEQUENCE_SHIFT |
		       event->kind;

	if (reorder_queue_push(&reorder_buffer->waiting,
			       (struct heap_item){event->time_ns, tie, (uintptr_t)node}))
		return -ENOMEM;
	node->uses++;
	reorder_buffer->waiting_bytes += PLACE_BYTES;
	return 0;
}

static int spill(struct reorder_buffer *reorder_buffer)
{
	size_t waiting = reorder_queue_count(&reorder_buffer->waiting);

	if (waiting > reorder_buffer->stats.most_waiting)
		reorder_buffer->stats.most_waiting = waiting;
	if (reorder_buffer->waiting_bytes > reorder_buffer->stats.most_bytes)
		reorder_buffer->stats.most_bytes = reorder_buffer->waiting_bytes;
	if (reorder_buffer->waiting_bytes < reorder_buffer->options.max_bytes)
		return 0;
	reorder_buffer->waiting_bytes = 0;
	return reorder_runs_spill(&reorder_buffer->runs, &reorder_buffer->waiting);
}

static bool share(const struct reorder_event *event, const struct reorder_event *other)
{
	return event->payload == other->payload && event->bytes == other->bytes &&
	       event->op == other->op;
}

/* Puts events in line; those at `since_ns` stand behind the begin of their enqueue. */
static int add_all(struct reorder_buffer *reorder_buffer, const struct reorder_event *events,
		   size_t count, enum rank rank, int64_t since_ns)
{
	struct reorder_node *node = NULL;
	int error = 0;

	for (size_t i = 0; !error && i < count; i++) {
		if (!i || !share(&events[i], &events[i - 1])) {
			if (node)
				reorder_nodes_give(&reorder_buffer->nodes, node);
			node = node_make(reorder_buffer, &events[i]);
			if (!node)
				return -ENOMEM;
		}
		error = wait_in_line(reorder_buffer, &events[i],
				     events[i].time_ns == since_ns ? RANK_AFTER : rank, node);
	}
	if (node)
		reorder_nodes_give(&reorder_buffer->nodes, node);
	return error || !count ? error : spill(reorder_buffer);
}

int reorder_buffer_reach(struct reorder_buffer *reorder_buffer, int64_t now_ns)
{
	if (now_ns <= reorder_buffer->reached_ns)
		return 0;
	reorder_buffer->reached_ns = now_ns;
	return drain(reorder_buffer, settled_ns(reorder_buffer));
}

int reorder_buffer_add(struct reorder_buffer *reorder_buffer, const struct reorder_event *events,
		       size_t count)
{
	return add_all(reorder_buffer, events, count, RANK_THREAD, INT64_MIN);
}

typedef int flight_begin(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
			 int64_t since_ns);

/* What went out stays out, whatever a late begin would like to hold. */
static int enqueue(struct reorder_buffer *reorder_buffer, flight_begin *begin, uint32_t process,
		   uint64_t op, int64_t since_ns)
{
	int error = begin(&reorder_buffer->flight, process, op, since_ns);

	if (error == -EEXIST) {
		error = reorder_buffer_abandon(reorder_buffer, process, op);
		if (!error)
			error = begin(&reorder_buffer->flight, process, op, since_ns);
	}
	if (reorder_buffer->flight.count > reorder_buffer->stats.most_in_flight)
		reorder_buffer->stats.most_in_flight = reorder_buffer->flight.count;
	return error;
}

int reorder_buffer_enqueue(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op,
			   int64_t since_ns)
{
	return enqueue(reorder_buffer, reorder_in_flight_begin, process, op, since_ns);
}

int reorder_buffer_enqueue_many(struct reorder_buffer *reorder_buffer, uint32_t process,
				uint64_t op, int64_t since_ns)
{
	return enqueue(reorder_buffer, reorder_in_flight_begin_many, process, op, since_ns);
}

int reorder_buffer_operation(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op,
			     const struct reorder_event *events, size_t count)
{
	int64_t since = INT64_MIN;
	int error;

	if (!reorder_in_flight_operation(&reorder_buffer->flight, process, op,
					 reorder_buffer->reached_ns, &since))
		reorder_buffer->stats.unknown++;
	error = add_all(reorder_buffer, events, count, RANK_OPERATION, since);
	return error ? error : drain(reorder_buffer, settled_ns(reorder_buffer));
}

int reorder_buffer_abandon(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op)
{
	int64_t since;

	if (!reorder_in_flight_end(&reorder_buffer->flight, process, op, &since))
		return 0;
	reorder_buffer->stats.unfinished++;
	return drain(reorder_buffer, settled_ns(reorder_buffer));
}

int reorder_buffer_finish(struct reorder_buffer *reorder_buffer)
{
	int error;

	reorder_buffer->stats.unfinished += reorder_buffer->flight.count;
	reorder_in_flight_free(&reorder_buffer->flight);
	error = drain(reorder_buffer, INT64_MAX);
	reorder_buffer->reached_ns = INT64_MAX;
	return error;
}

struct reorder_stats reorder_stats(const struct reorder_buffer *reorder_buffer)
{
	struct reorder_stats stats = reorder_buffer->stats;

	stats.runs = reorder_buffer->runs.made;
	return stats;
}
