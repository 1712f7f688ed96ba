/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/field.h"
#include "util/array.h"

/* More than any loop enqueues at a time and waits for. */
#define CYCLE_OPERATIONS 256u

struct cycles_command { /* of the cycle that is going on */
	uint64_t call;
	int64_t before_ns, begin_ns, end_ns; /* host: since what came before; the call */
	bool blocking, ended;
	uint32_t device, queue;
	uint8_t kind;
	struct operation_times times;
};

struct cycles_thread {
	struct cycles_command *operations; /* made at the first enqueue */
	size_t count;
	size_t process; /* its index, from the first enqueue on */
	bool too_long;
	bool any;	   /* latest_ns is known */
	int64_t from_ns;   /* the cycle began where the last wait ended */
	int64_t latest_ns; /* end of the latest enqueue or wait */
	bool closed;	   /* it was waited for: */
	int64_t wait_begin_ns, wait_end_ns;
};

int cycles_init(struct cycles *cycles, const struct trace_session *session)
{
	memset(cycles, 0, sizeof(*cycles));
	cycles->thread_count = session->stream_count;
	cycles->process_count = session->process_count;
	cycles->threads = calloc(session->stream_count + 1, sizeof(*cycles->threads));
	cycles->away = calloc(session->stream_count + 1, sizeof(*cycles->away));
	cycles->drivers = calloc(session->process_count + 1, sizeof(*cycles->drivers));
	if (!cycles->threads || !cycles->away || !cycles->drivers)
		return -ENOMEM;
	for (size_t i = 0; i < session->process_count; i++) {
		if (map_set(&cycles->processes, session->processes[i].pid, i))
			return -ENOMEM;
	}
	return 0;
}

int cycles_interval(struct cycles *cycles, const struct wait_thread *thread,
		    const struct states_interval *interval)
{
	uint64_t process;

	if (interval->state != STATE_WAIT_CPU)
		return 0;
	if (thread->stream)
		return recent_add(&cycles->away[thread->stream - 1], interval->from, interval->to);
	process = map_get(&cycles->processes, thread->thread->pid);
	return process == MAP_NONE
		       ? 0
		       : recent_add(&cycles->drivers[process], interval->from, interval->to);
}

static int lane_find(struct cycles *cycles, uint32_t stream, uint32_t device, uint32_t queue,
		     struct cycles_lane **lane)
{
	uint64_t key = (uint64_t)stream << 32 | queue;
	uint64_t known = map_get(&cycles->lane_of, key);

	if (known != MAP_NONE) {
		*lane = &cycles->lanes[known];
		return 0;
	}
	if (map_set(&cycles->lane_of, key, cycles->lane_count) ||
	    array_reserve(&cycles->lanes, &cycles->lane_capacity, cycles->lane_count + 1,
			  sizeof(*cycles->lanes)))
		return -ENOMEM;
	*lane = &cycles->lanes[cycles->lane_count++];
	**lane = (struct cycles_lane){.stream = stream, .device = device, .queue = queue};
	return 0;
}

static bool is_whole(const struct cycles_thread *thread)
{
	if (!thread->count || thread->too_long || !thread->closed)
		return false;
	for (size_t i = 0; i < thread->count; i++) {
		const struct cycles_command *operation = &thread->operations[i];

		if (!operation->ended || operation->device != thread->operations[0].device ||
		    operation->queue != thread->operations[0].queue)
			return false;
	}
	return true;
}

static uint64_t span(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
}

static enum replay_engine engine_of(uint8_t kind)
{
	switch (kind) {
	case TANDEM_OPERATION_KIND_copy_h2d:
		return REPLAY_TO_DEVICE;
	case TANDEM_OPERATION_KIND_copy_d2h:
		return REPLAY_TO_HOST;
	default:
		return REPLAY_COMPUTE;
	}
}

static uint64_t within(const struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)recent_within(recent, from_ns, to_ns) : 0;
}

static int keep_cycle(const struct cycles *cycles, struct cycles_lane *lane,
		      const struct cycles_thread *thread)
{
	const struct recent *away = &cycles->away[lane->stream];
	const struct recent *drivers = &cycles->drivers[thread->process];
	struct replay_operation made[CYCLE_OPERATIONS];
	const struct cycles_command *last = &thread->operations[thread->count - 1];
	int64_t free_ns = INT64_MIN; /* when the queue's last command ended */
	struct replay_wait wait = {.before_ns = 0};

	for (size_t i = 0; i < thread->count; i++) {
		const struct cycles_command *operation = &thread->operations[i];
		const struct operation_times *times = &operation->times;
		int64_t ready_ns = times->queued_ns > free_ns ? times->queued_ns : free_ns;

		made[i] = (struct replay_operation){
			.engine = engine_of(operation->kind),
			.before_ns = (uint64_t)operation->before_ns,
			.issue_ns = span(operation->begin_ns, times->queued_ns),
			.latency_ns = span(ready_ns, times->start_ns),
			.run_ns = span(times->start_ns, times->end_ns),
			.before_away_ns = within(away, operation->begin_ns - operation->before_ns,
						 operation->begin_ns),
			.issue_away_ns = within(away, operation->begin_ns, times->queued_ns),
			.latency_away_ns = within(drivers, ready_ns, times->start_ns),
		};
		made[i].call_ns = operation->blocking
					  ? made[i].issue_ns
					  : span(operation->begin_ns, operation->end_ns);
		made[i].call_away_ns =
			operation->blocking ? made[i].issue_away_ns
					    : within(away, operation->begin_ns, operation->end_ns);
		if (times->end_ns > free_ns)
			free_ns = times->end_ns;
	}
	if (!last->blocking) {
		wait.before_ns = span(last->end_ns, thread->wait_begin_ns);
		wait.before_away_ns = within(away, last->end_ns, thread->wait_begin_ns);
	}
	if (free_ns < thread->wait_begin_ns)
		free_ns = thread->wait_begin_ns;
	wait.return_ns = span(free_ns, thread->wait_end_ns);
	wait.return_away_ns = within(away, free_ns, thread->wait_end_ns) +
			      within(drivers, free_ns, thread->wait_end_ns);
	return replay_add_cycle(&lane->replay, made, thread->count, &wait);
}

/* The cycle that was waited for is over, and all that will be known of it is. */
static int finish_cycle(struct cycles *cycles, uint32_t stream)
{
	struct cycles_thread *thread = &cycles->threads[stream];
	struct cycles_lane *lane;
	uint64_t ns;
	int status = 0;

	if (is_whole(thread)) {
		if (lane_find(cycles, stream, thread->operations[0].device,
			      thread->operations[0].queue, &lane))
			return -ENOMEM;
		ns = span(thread->from_ns, thread->wait_end_ns);
		lane->count++;
		lane->total_ns += ns;
		cycles->latest_lane = (size_t)(lane - cycles->lanes) + 1;
		cycles->latest_ns = ns;
		if (ns >= lane->longest_ns) {
			lane->longest_ns = ns;
			lane->begin_ns = thread->from_ns;
			lane->end_ns = thread->wait_end_ns;
		}
		if (lane->replay.cycle_count < CYCLES_MOST) {
			lane->kept_ns += ns;
			status = keep_cycle(cycles, lane, thread);
		}
	}
	thread->from_ns = thread->latest_ns;
	thread->count = 0;
	thread->too_long = false;
	thread->closed = false;
	return status;
}

static int take_enqueue(struct cycles *cycles, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t stream = event->stream->index;
	struct cycles_thread *thread = &cycles->threads[stream];
	const struct tandem_field *blocking = trace_field_role(event->layout, TANDEM_ROLE_blocking);
	struct cycles_command *operation;
	int status = thread->closed ? finish_cycle(cycles, stream) : 0;

	if (status)
		return status;
	if (!thread->operations) {
		thread->operations = calloc(CYCLE_OPERATIONS, sizeof(*thread->operations));
		if (!thread->operations)
			return -ENOMEM;
		thread->process = map_get(&cycles->processes, event->stream->process->pid);
	}
	if (!thread->any)
		thread->from_ns = thread->latest_ns = event->ns;
	thread->any = true;
	if (thread->count == CYCLE_OPERATIONS) {
		thread->too_long = true;
		thread->count--;
	}
	operation = &thread->operations[thread->count++];
	*operation = (struct cycles_command){
		.call = item->call,
		.before_ns = (int64_t)span(thread->latest_ns, event->ns),
		.begin_ns = event->ns,
		.end_ns = item->end_ns,
		.blocking = blocking && trace_field_unsigned(event, blocking),
	};
	thread->latest_ns = item->end_ns;
	if (operation->blocking) {
		thread->closed = true;
		thread->wait_begin_ns = event->ns;
		thread->wait_end_ns = item->end_ns;
	}
	return 0;
}

static void take_wait(struct cycles_thread *thread, const struct event_item *item)
{
	/* A wait for nothing is time of the host. */
	if (!thread->count || thread->closed)
		return;
	thread->closed = true;
	thread->wait_begin_ns = item->event->ns;
	thread->wait_end_ns = item->end_ns;
	thread->latest_ns = item->end_ns;
}

static void take_command(struct cycles *cycles, const struct operation *operation)
{
	struct cycles_thread *thread;

	if (!operation->call || operation->stream == TRACE_NONE || !operation->placed)
		return;
	thread = &cycles->threads[operation->stream];
	for (size_t i = 0; i < thread->count; i++) {
		struct cycles_command *known = &thread->operations[i];

		if (known->call != operation->call)
			continue;
		/* Of a graph's launch as long as all of them. */
		if (known->ended) {
			if (operation->times.end_ns > known->times.end_ns)
				known->times.end_ns = operation->times.end_ns;
			return;
		}
		known->ended = true;
		known->device = operation->device;
		known->queue = operation->queue_number;
		known->kind = operation->kind;
		known->times = operation->times;
		return;
	}
}

int cycles_item(struct cycles *cycles, const struct event_item *item)
{
	if (item->kind == ITEM_OPERATION)
		take_command(cycles, &item->operation);
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	if (trace_event_op(item->event) && !trace_event_failed(item->event))
		return take_enqueue(cycles, item);
	if (item->event->layout->event->class == TANDEM_CLASS_WAIT)
		take_wait(&cycles->threads[item->event->stream->index], item);
	return 0;
}

int cycles_finish(struct cycles *cycles)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < cycles->thread_count; i++) {
		if (cycles->threads[i].closed)
			status = finish_cycle(cycles, i);
	}
	return status;
}

void cycles_free(struct cycles *cycles)
{
	for (size_t i = 0; cycles->threads && i < cycles->thread_count; i++)
		free(cycles->threads[i].operations);
	for (size_t i = 0; i < cycles->lane_count; i++)
		replay_free(&cycles->lanes[i].replay);
	for (size_t i = 0; cycles->away && i < cycles->thread_count; i++)
		recent_free(&cycles->away[i]);
	for (size_t i = 0; cycles->drivers && i < cycles->process_count; i++)
		recent_free(&cycles->drivers[i]);
	free(cycles->threads);
	free(cycles->away);
	free(cycles->drivers);
	free(cycles->lanes);
	map_free(&cycles->lane_of);
	map_free(&cycles->processes);
	memset(cycles, 0, sizeof(*cycles));
}
