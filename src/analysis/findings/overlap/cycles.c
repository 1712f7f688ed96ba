/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "util/array.h"

/* More than any loop enqueues at a time and waits for. */
#define CYCLE_OPERATIONS 256u

#define GLANCE_PARTS 16u

struct cycles_command { /* of the cycle that is going on */
	uint64_t call;
	int64_t before_ns, begin_ns, end_ns; /* host: since what came before; the call */
	bool blocking, ended;
	uint32_t device, queue;
	uint8_t kind;
	bool indivisible;
	bool glance; /* to the host, a small part of the memory */
	uint64_t moved;
	struct operation_times times;
	struct used_memory_list memory;
};

struct cycle {
	struct cycles_command *operations;
	size_t count;
	size_t missing; /* of those, commands whose times are not known */
	uint32_t stream;
	size_t process;	 /* its index */
	int64_t from_ns; /* it began where the last wait ended */
	int64_t wait_begin_ns, wait_end_ns;
	uint64_t built_ns;	/* of builds, which are no part of it */
	bool returned;		/* it sends what was read before */
	uint64_t wait_built_ns; /* of these, after the last command */
	uint32_t next_free;	/* + 1 */
};

struct cycles_thread {
	struct cycle now; /* commands: made at the first enqueue */
	bool too_long;
	bool any;	   /* latest_ns is known */
	int64_t latest_ns; /* end of the latest enqueue or wait */
	uint64_t built_ns; /* of builds since then */
	bool closed;	   /* it was waited for */
	uint32_t complete; /* + 1: of the open ones, whose commands all have times */
};

int cycles_init(struct cycles *cycles, const struct trace_session *session,
		const struct used_memory *memory)
{
	memset(cycles, 0, sizeof(*cycles));
	cycles->memory = memory;
	cycles->thread_count = session->stream_count;
	cycles->process_count = session->process_count;
	cycles->threads = calloc(session->stream_count + 1, sizeof(*cycles->threads));
	cycles->away = calloc(session->stream_count + 1, sizeof(*cycles->away));
	cycles->drivers = calloc(session->process_count + 1, sizeof(*cycles->drivers));
	cycles->callbacks = calloc(session->process_count + 1, sizeof(*cycles->callbacks));
	if (!cycles->threads || !cycles->away || !cycles->drivers || !cycles->callbacks)
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

static bool is_one_queue(const struct cycle *cycle)
{
	for (size_t i = 0; i < cycle->count; i++) {
		const struct cycles_command *operation = &cycle->operations[i];

		if (operation->device != cycle->operations[0].device ||
		    operation->queue != cycle->operations[0].queue)
			return false;
	}
	return true;
}

static uint64_t span(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
}

static uint64_t without(uint64_t ns, uint64_t left_out_ns)
{
	return ns > left_out_ns ? ns - left_out_ns : 0;
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
		      const struct cycle *cycle)
{
	const struct recent *away = &cycles->away[lane->stream];
	const struct recent *drivers = &cycles->drivers[cycle->process];
	const struct recent *callbacks = &cycles->callbacks[cycle->process];
	struct replay_operation made[CYCLE_OPERATIONS];
	const struct cycles_command *last = &cycle->operations[cycle->count - 1];
	int64_t free_ns = INT64_MIN; /* when the queue's last command ended */
	struct replay_wait wait = {.before_ns = 0};

	for (size_t i = 0; i < cycle->count; i++) {
		const struct cycles_command *operation = &cycle->operations[i];
		const struct operation_times *times = &operation->times;
		int64_t ready_ns = times->queued_ns > free_ns ? times->queued_ns : free_ns;

		made[i] = (struct replay_operation){
			.engine = engine_of(operation->kind),
			.before_ns = (uint64_t)operation->before_ns,
			.issue_ns = span(operation->begin_ns, times->queued_ns),
			.latency_ns = span(ready_ns, times->start_ns),
			.run_ns = span(times->start_ns, times->end_ns),
			.indivisible = operation->indivisible,
			.before_away_ns = within(away, operation->begin_ns - operation->before_ns,
						 operation->begin_ns),
			.issue_away_ns = within(away, operation->begin_ns, times->queued_ns),
			.latency_away_ns = within(drivers, ready_ns, times->start_ns) +
					   within(callbacks, ready_ns, times->start_ns),
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
		wait.before_ns =
			without(span(last->end_ns, cycle->wait_begin_ns), cycle->wait_built_ns);
		wait.before_away_ns = within(away, last->end_ns, cycle->wait_begin_ns);
	}
	if (free_ns < cycle->wait_begin_ns)
		free_ns = cycle->wait_begin_ns;
	wait.return_ns = span(free_ns, cycle->wait_end_ns);
	wait.return_away_ns = within(away, free_ns, cycle->wait_end_ns) +
			      within(drivers, free_ns, cycle->wait_end_ns) +
			      within(callbacks, free_ns, cycle->wait_end_ns);
	return replay_add_cycle(&lane->replay, made, cycle->count, &wait);
}

static int find_carried(struct cycles *cycles, struct cycles_lane *lane, const struct cycle *cycle)
{
	bool is = false;

	carried_cycle(&cycles->carried);
	for (size_t i = 0; i < cycle->count; i++) {
		const struct cycles_command *command = &cycle->operations[i];

		lane->moved += command->moved;
		if (!command->glance &&
		    carried_command(&cycles->carried, (size_t)(lane - cycles->lanes), command->kind,
				    &command->memory, &is))
			return -ENOMEM;
	}
	lane->carried += is || cycle->returned;
	return 0;
}

static bool keeps_more(const struct replay *replay)
{
	return replay->cycle_count < CYCLES_ALWAYS ||
	       (replay->cycle_count < CYCLES_MOST && replay->operation_count < CYCLES_COMMANDS);
}

/* All that will be known of it is. */
static int settle(struct cycles *cycles, const struct cycle *cycle)
{
	uint64_t ns = without(span(cycle->from_ns, cycle->wait_end_ns), cycle->built_ns);
	struct cycles_lane *lane;

	if (!is_one_queue(cycle))
		return 0;
	if (lane_find(cycles, cycle->stream, cycle->operations[0].device,
		      cycle->operations[0].queue, &lane))
		return -ENOMEM;
	lane->count++;
	lane->total_ns += ns;
	cycles->latest_lane = (size_t)(lane - cycles->lanes) + 1;
	cycles->latest_ns = ns;
	if (find_carried(cycles, lane, cycle))
		return -ENOMEM;
	if (ns >= lane->longest_ns) {
		lane->longest_ns = ns;
		lane->begin_ns = cycle->from_ns;
		lane->end_ns = cycle->wait_end_ns;
	}
	if (!keeps_more(&lane->replay))
		return 0;
	lane->kept_ns += ns;
	return keep_cycle(cycles, lane, cycle);
}

/* Some of its commands' times come later. */
static int keep_open(struct cycles *cycles, const struct cycle *cycle)
{
	struct cycles_command *operations = malloc(cycle->count * sizeof(*operations));
	uint32_t index = cycles->free_open - 1;

	if (!operations)
		return -ENOMEM;
	if (cycles->free_open) {
		cycles->free_open = cycles->open[index].next_free;
	} else {
		if (array_reserve(&cycles->open, &cycles->open_capacity, cycles->open_count + 1,
				  sizeof(*cycles->open))) {
			free(operations);
			return -ENOMEM;
		}
		index = (uint32_t)cycles->open_count++;
	}
	memcpy(operations, cycle->operations, cycle->count * sizeof(*operations));
	cycles->open[index] = *cycle;
	cycles->open[index].operations = operations;
	for (size_t i = 0; i < cycle->count; i++)
		if (map_set(&cycles->open_calls, operations[i].call, index))
			return -ENOMEM;
	return 0;
}

static void drop_open(struct cycles *cycles, uint32_t index)
{
	for (size_t i = 0; i < cycles->open[index].count; i++)
		map_remove(&cycles->open_calls, cycles->open[index].operations[i].call);
	free(cycles->open[index].operations);
	cycles->open[index].operations = NULL;
	cycles->open[index].next_free = cycles->free_open;
	cycles->free_open = index + 1;
}

/* The cycle that was waited for is over. */
static int finish_cycle(struct cycles *cycles, uint32_t stream)
{
	struct cycles_thread *thread = &cycles->threads[stream];
	struct cycle *cycle = &thread->now;
	int status = 0;

	if (cycle->count && !thread->too_long && thread->closed)
		status = cycle->missing ? keep_open(cycles, cycle) : settle(cycles, cycle);
	cycle->from_ns = thread->latest_ns;
	cycle->count = cycle->missing = 0;
	cycle->returned = false;
	cycle->built_ns = cycle->wait_built_ns = 0;
	thread->too_long = false;
	thread->closed = false;
	return status;
}

static int take_enqueue(struct cycles *cycles, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t stream = event->stream->index;
	struct cycles_thread *thread = &cycles->threads[stream];
	struct cycle *cycle = &thread->now;
	struct cycles_command *operation;
	int status = thread->closed ? finish_cycle(cycles, stream) : 0;

	if (status)
		return status;
	if (!cycle->operations) {
		cycle->operations = calloc(CYCLE_OPERATIONS, sizeof(*cycle->operations));
		if (!cycle->operations)
			return -ENOMEM;
		cycle->stream = stream;
		cycle->process = map_get(&cycles->processes, event->stream->process->pid);
	}
	if (!thread->any) {
		cycle->from_ns = thread->latest_ns = event->ns;
		thread->built_ns = 0;
	}
	thread->any = true;
	if (cycle->count == CYCLE_OPERATIONS) {
		thread->too_long = true;
		cycle->count--;
	}
	operation = &cycle->operations[cycle->count++];
	cycle->missing++;
	*operation = (struct cycles_command){
		.call = item->call,
		.before_ns = (int64_t)without(span(thread->latest_ns, event->ns), thread->built_ns),
		.begin_ns = event->ns,
		.end_ns = item->end_ns,
		.blocking = trace_event_blocks(event),
	};
	used_memory_find(cycles->memory, event, &operation->memory);
	thread->latest_ns = item->end_ns;
	cycle->built_ns += thread->built_ns;
	thread->built_ns = 0;
	if (operation->blocking) {
		thread->closed = true;
		cycle->wait_begin_ns = event->ns;
		cycle->wait_end_ns = item->end_ns;
	}
	return 0;
}

static void take_wait(struct cycles_thread *thread, const struct event_item *item)
{
	/* A wait for nothing is time of the host. */
	if (!thread->now.count || thread->closed)
		return;
	thread->closed = true;
	thread->now.wait_begin_ns = item->event->ns;
	thread->now.wait_end_ns = item->end_ns;
	thread->now.wait_built_ns = thread->built_ns;
	thread->now.built_ns += thread->built_ns;
	thread->built_ns = 0;
	thread->latest_ns = item->end_ns;
}

/* A transfer that is mostly its fixed cost. */
static bool is_indivisible(const struct operation *operation)
{
	return (operation->kind == TANDEM_OPERATION_KIND_copy_h2d ||
		operation->kind == TANDEM_OPERATION_KIND_copy_d2h) &&
	       operation->record && operation->record->bytes <= OPERATION_TINY_BYTES;
}

static uint64_t memory_key(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static int note_memory(struct cycles *cycles, const struct trace_event *event)
{
	const struct tandem_rec_memory *memory = (const void *)event->record;
	const struct tandem_rec_memory_free *freed = (const void *)event->record;
	uint32_t process = event->stream->process->index;

	if (event->record->id != TANDEM_EVENT_memory) {
		map_remove(&cycles->bytes_of, memory_key(process, freed->memory));
		return 0;
	}
	/* A part of another one has the bytes of that. */
	return memory->kind == TANDEM_MEMORY_KIND_sub_buffer
		       ? 0
		       : map_set(&cycles->bytes_of, memory_key(process, memory->memory),
				 memory->bytes);
}

/* What the host looks at in memory that is more than GLANCE_PARTS times as large is not what the kernel
 * made there for it. */
static bool is_glance(const struct cycles *cycles, const struct operation *operation,
		      const struct used_memory_list *memory)
{
	uint64_t bytes;

	if (operation->kind != TANDEM_OPERATION_KIND_copy_d2h || !operation->record ||
	    memory->unknown || memory->count != 1)
		return false;
	bytes = map_get(&cycles->bytes_of, memory_key(operation->process, memory->whole[0]));
	return bytes != MAP_NONE && operation->record->bytes * GLANCE_PARTS < bytes;
}

/* Whether it is one of the cycle's. */
static bool command_ended(const struct cycles *cycles, struct cycle *cycle,
			  const struct operation *operation)
{
	for (size_t i = 0; i < cycle->count; i++) {
		struct cycles_command *known = &cycle->operations[i];

		if (known->call != operation->call)
			continue;
		/* Of a graph's launch as long as all of them. */
		if (known->ended) {
			if (operation->times.end_ns > known->times.end_ns)
				known->times.end_ns = operation->times.end_ns;
			return true;
		}
		cycle->missing--;
		known->ended = true;
		known->device = operation->device;
		known->queue = operation->queue_number;
		known->kind = operation->kind;
		known->indivisible = is_indivisible(operation);
		known->glance = is_glance(cycles, operation, &known->memory);
		known->times = operation->times;
		if (engine_of(operation->kind) != REPLAY_COMPUTE && operation->record)
			known->moved = operation->record->bytes;
		return true;
	}
	return false;
}

/* No more comes of a cycle that was over when its commands' times came. */
static int settle_complete(struct cycles *cycles, struct cycles_thread *thread)
{
	uint32_t index = thread->complete - 1;
	int status;

	if (!thread->complete)
		return 0;
	thread->complete = 0;
	status = settle(cycles, &cycles->open[index]);
	drop_open(cycles, index);
	return status;
}

static int take_command(struct cycles *cycles, const struct operation *operation)
{
	struct cycles_thread *thread;
	uint64_t known;
	int status;

	if (!operation->call || operation->stream == TRACE_NONE || !operation->placed)
		return 0;
	thread = &cycles->threads[operation->stream];
	/* More of a graph's launch may come until there is something of a later call. */
	if (thread->complete &&
	    command_ended(cycles, &cycles->open[thread->complete - 1], operation))
		return 0;
	status = settle_complete(cycles, thread);
	if (status || command_ended(cycles, &thread->now, operation))
		return status;
	known = cycles->open_calls.count ? map_get(&cycles->open_calls, operation->call) : MAP_NONE;
	if (known == MAP_NONE)
		return 0;
	command_ended(cycles, &cycles->open[known], operation);
	if (!cycles->open[known].missing)
		thread->complete = (uint32_t)known + 1;
	return 0;
}

static int note_callback(struct cycles *cycles, const struct event_item *item)
{
	uint64_t process = map_get(&cycles->processes, item->event->stream->process->pid);

	return process == MAP_NONE || item->end_ns <= item->event->ns
		       ? 0
		       : recent_add(&cycles->callbacks[process], item->event->ns, item->end_ns);
}

void cycles_returned(struct cycles *cycles, uint32_t stream)
{
	cycles->threads[stream].now.returned = true;
}

int cycles_item(struct cycles *cycles, const struct event_item *item)
{
	if (item->kind == ITEM_OPERATION)
		return take_command(cycles, &item->operation);
	if (item->kind == ITEM_MEMORY)
		return note_memory(cycles, item->event);
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN)
		return 0;
	if (trace_event_op(item->event) && !trace_event_failed(item->event))
		return take_enqueue(cycles, item);
	switch (item->event->layout->event->class) {
	case TANDEM_CLASS_CALLBACK:
		return note_callback(cycles, item);
	case TANDEM_CLASS_WAIT:
		take_wait(&cycles->threads[item->event->stream->index], item);
		return 0;
	case TANDEM_CLASS_BUILD:
		/* Work that is there once, and not again for each queue: `builds` reports it. */
		cycles->threads[item->event->stream->index].built_ns +=
			span(item->event->ns, item->end_ns);
		return 0;
	default:
		return 0;
	}
}

int cycles_finish(struct cycles *cycles)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < cycles->thread_count; i++) {
		status = settle_complete(cycles, &cycles->threads[i]);
		if (!status && cycles->threads[i].closed)
			status = finish_cycle(cycles, i);
	}
	return status;
}

void cycles_free(struct cycles *cycles)
{
	for (size_t i = 0; cycles->threads && i < cycles->thread_count; i++)
		free(cycles->threads[i].now.operations);
	for (size_t i = 0; i < cycles->open_count; i++)
		free(cycles->open[i].operations);
	for (size_t i = 0; i < cycles->lane_count; i++)
		replay_free(&cycles->lanes[i].replay);
	for (size_t i = 0; cycles->away && i < cycles->thread_count; i++)
		recent_free(&cycles->away[i]);
	for (size_t i = 0; cycles->drivers && i < cycles->process_count; i++)
		recent_free(&cycles->drivers[i]);
	for (size_t i = 0; cycles->callbacks && i < cycles->process_count; i++)
		recent_free(&cycles->callbacks[i]);
	carried_free(&cycles->carried);
	free(cycles->callbacks);
	free(cycles->threads);
	free(cycles->away);
	free(cycles->drivers);
	free(cycles->lanes);
	free(cycles->open);
	map_free(&cycles->bytes_of);
	map_free(&cycles->open_calls);
	map_free(&cycles->lane_of);
	map_free(&cycles->processes);
	memset(cycles, 0, sizeof(*cycles));
}
