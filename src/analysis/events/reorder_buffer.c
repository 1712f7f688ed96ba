#include "analysis/events/reorder_buffer.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/events/reorder_in_flight.h"
#include "analysis/events/reorder_runs.h"
#include "util/heap.h"

/* What a waiting event costs beside its payload: node, place in the heap, and
 * what malloc() keeps. */
#define NODE_BYTES (sizeof(struct order_node) + sizeof(struct heap_item) + 16)

/* Of events of the same time: a command's, a thread's, and a command's that are
 * at the very begin of its enqueue. */
enum rank { RANK_COMMAND, RANK_THREAD, RANK_AFTER };

#define RANK_SHIFT 62

struct order {
	struct order_options options;
	order_emit *emit;
	void *context;
	struct order_flight flight;
	struct heap waiting; /* key: time, tie: rank and sequence, value: node */
	size_t waiting_bytes;
	struct order_runs runs;
	uint64_t sequence;
	int64_t reached_ns;
	int64_t out_ns; /* time of the last event that went out */
	struct order_stats stats;
};

int order_create(struct order **order, const struct order_options *options, order_emit *emit,
		 void *context)
{
	struct order *made;

	if (!options->max_bytes)
		return -EINVAL;
	made = malloc(sizeof(*made));
	if (!made)
		return -ENOMEM;
	*made = (struct order){
		.options = *options,
		.emit = emit,
		.context = context,
		.reached_ns = INT64_MIN,
		.out_ns = INT64_MIN,
	};
	order_flight_init(&made->flight);
	order_runs_init(&made->runs, options->directory);
	*order = made;
	return 0;
}

static struct order_node *node_of(struct heap_item item)
{
	return (struct order_node *)(uintptr_t)item.value;
}

void order_destroy(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->waiting.count; i++)
		free(node_of(order->waiting.items[i]));
	heap_free(&order->waiting);
	order_runs_free(&order->runs);
	order_flight_free(&order->flight);
	free(order);
}

static int hand_out(struct order *order, const struct order_event *waited)
{
	struct order_event event = *waited;

	event.moved_ns = 0;
	if (event.time_ns < order->out_ns) {
		event.moved_ns = order->out_ns - event.time_ns;
		order->stats.late++;
		if (event.moved_ns > order->stats.latest_ns)
			order->stats.latest_ns = event.moved_ns;
	} else {
		order->out_ns = event.time_ns;
	}
	order->stats.events++;
	return order->emit(order->context, &event);
}

/* Takes the earliest event of those that wait in memory and in files, if it is
 * not after `until_ns`; NULL if it is. */
static int take(struct order *order, int64_t until_ns, struct order_node **node)
{
	const struct order_node *filed = order_runs_peek(&order->runs);
	const struct heap_item *top = order->waiting.count ? order->waiting.items : NULL;

	*node = NULL;
	if (filed && (!top || filed->event.time_ns < top->key ||
		      (filed->event.time_ns == top->key && filed->tie < top->tie)))
		return filed->event.time_ns <= until_ns ? order_runs_take(&order->runs, node) : 0;
	if (top && top->key <= until_ns) {
		*node = node_of(heap_pop(&order->waiting));
		order->waiting_bytes -= NODE_BYTES + (*node)->event.bytes;
	}
	return 0;
}

/* Hands out what is not after `until_ns`. */
static int drain(struct order *order, int64_t until_ns)
{
	struct order_node *node;
	int error;

	while (!(error = take(order, until_ns, &node)) && node) {
		error = hand_out(order, &node->event);
		free(node);
		if (error)
			break;
	}
	return error;
}

/* Nothing can come any more that is not after this. At the time reached itself,
 * and at the begin of the oldest command, something still can. */
static int64_t settled_ns(const struct order *order)
{
	int64_t oldest = order_flight_oldest_ns(&order->flight);
	int64_t open = oldest < order->reached_ns ? oldest : order->reached_ns;

	return open > INT64_MIN ? open - 1 : open;
}

static int wait_in_line(struct order *order, const struct order_event *event, enum rank rank)
{
	uint64_t tie = (uint64_t)rank << RANK_SHIFT | order->sequence++;
	struct order_node *node = order_node_create(event, tie);
	struct heap_item item = {event->time_ns, tie, (uintptr_t)node};

	if (!node)
		return -ENOMEM;
	if (heap_push(&order->waiting, item) < 0) {
		free(node);
		return -ENOMEM;
	}
	order->waiting_bytes += NODE_BYTES + event->bytes;
	if (order->waiting.count > order->stats.most_waiting)
		order->stats.most_waiting = order->waiting.count;
	if (order->waiting_bytes > order->stats.most_bytes)
		order->stats.most_bytes = order->waiting_bytes;
	if (order->waiting_bytes < order->options.max_bytes)
		return 0;
	order->waiting_bytes = 0;
	return order_runs_spill(&order->runs, &order->waiting);
}

int order_reach(struct order *order, int64_t now_ns)
{
	if (now_ns <= order->reached_ns)
		return 0;
	order->reached_ns = now_ns;
	return drain(order, settled_ns(order));
}

int order_add(struct order *order, const struct order_event *event)
{
	return wait_in_line(order, event, RANK_THREAD);
}

/* What went out stays out, whatever a late begin would like to hold. */
int order_enqueue(struct order *order, uint32_t process, uint64_t op, int64_t since_ns)
{
	int error = order_flight_begin(&order->flight, process, op, since_ns);

	if (error == -EEXIST) {
		error = order_abandon(order, process, op);
		if (!error)
			error = order_flight_begin(&order->flight, process, op, since_ns);
	}
	if (order->flight.count > order->stats.most_in_flight)
		order->stats.most_in_flight = order->flight.count;
	return error;
}

int order_operation(struct order *order, uint32_t process, uint64_t op,
		    const struct order_event *events, size_t count)
{
	int64_t since = INT64_MIN;
	int error = 0;

	if (!order_flight_end(&order->flight, process, op, &since))
		order->stats.unknown++;
	for (size_t i = 0; !error && i < count; i++)
		error = wait_in_line(order, &events[i],
				     events[i].time_ns == since ? RANK_AFTER : RANK_COMMAND);
	return error ? error : drain(order, settled_ns(order));
}

int order_abandon(struct order *order, uint32_t process, uint64_t op)
{
	int64_t since;

	if (!order_flight_end(&order->flight, process, op, &since))
		return 0;
	order->stats.unfinished++;
	return drain(order, settled_ns(order));
}

int order_finish(struct order *order)
{
	int error;

	order->stats.unfinished += order->flight.count;
	order_flight_free(&order->flight);
	error = drain(order, INT64_MAX);
	order->reached_ns = INT64_MAX;
	return error;
}

struct order_stats order_stats(const struct order *order)
{
	struct order_stats stats = order->stats;

	stats.runs = order->runs.made;
	stats.spilled_bytes = order->runs.written_bytes;
	return stats;
}
