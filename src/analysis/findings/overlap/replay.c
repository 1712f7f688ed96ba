/* SPDX-License-Identifier: MIT */
#include "analysis/findings/overlap/replay.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/order/heap.h"

int replay_add_cycle(struct replay *replay, const struct replay_operation *operations, size_t count,
		     const struct replay_wait *wait)
{
	if (array_reserve(&replay->operations, &replay->operation_capacity,
			  replay->operation_count + count, sizeof(*replay->operations)) ||
	    array_reserve(&replay->cycles, &replay->cycle_capacity, replay->cycle_count + 1,
			  sizeof(*replay->cycles)))
		return -ENOMEM;
	memcpy(&replay->operations[replay->operation_count], operations,
	       count * sizeof(*operations));
	replay->cycles[replay->cycle_count++] = (struct replay_cycle){
		.first = replay->operation_count, .count = count, .wait = *wait};
	replay->operation_count += count;
	return 0;
}

/* What happens next to a lane: a queue and the thread that drives it. */
enum step {
	STEP_ISSUE, /* the device knows of the next command */
	STEP_READY, /* the queue's first command could start */
	STEP_END,   /* it ended */
	STEPS,
};

struct lane {
	size_t cycle;
	size_t issued, ended; /* commands of the cycle */
	int64_t host_ns;      /* the host has come so far */
	bool ready_asked;     /* STEP_READY of the first command is on its way */
	unsigned next;	      /* in its engine's line, + 1 */
};

struct engine_state {
	bool busy;
	unsigned first, last; /* lanes that wait for it, + 1; 0: none */
};

struct simulation {
	const struct replay *replay;
	unsigned queues;
	struct lane *lanes;
	struct engine_state engines[REPLAY_ENGINES];
	struct heap steps; /* value: lane and step */
	uint64_t sequence;
	int64_t now_ns;
	bool failed;
};

static void plan(struct simulation *simulation, unsigned lane, enum step step, int64_t ns)
{
	struct heap_item item = {
		.key = ns, .tie = simulation->sequence++, .value = (uint64_t)lane * STEPS + step};

	simulation->failed |= heap_push(&simulation->steps, item) != 0;
}

static const struct replay_cycle *cycle_of(const struct simulation *simulation,
					   const struct lane *lane)
{
	return &simulation->replay->cycles[lane->cycle];
}

static const struct replay_operation *operation_of(const struct simulation *simulation,
						   const struct lane *lane, size_t index)
{
	return &simulation->replay->operations[cycle_of(simulation, lane)->first + index];
}

/* The host goes on to its next enqueue, if the cycle has one. */
static void host_go_on(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];
	const struct replay_operation *operation;

	if (lane->issued == cycle_of(simulation, lane)->count)
		return;
	operation = operation_of(simulation, lane, lane->issued);
	plan(simulation, index, STEP_ISSUE,
	     lane->host_ns + (int64_t)(operation->before_ns + operation->issue_ns));
}

/* The queue's first command becomes ready some time after it could start. */
static void ask_ready(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];

	if (lane->ready_asked || lane->ended == lane->issued)
		return;
	lane->ready_asked = true;
	plan(simulation, index, STEP_READY,
	     simulation->now_ns + (int64_t)operation_of(simulation, lane, lane->ended)->latency_ns);
}

static void issue(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];
	const struct replay_operation *operation = operation_of(simulation, lane, lane->issued);

	lane->host_ns += (int64_t)(operation->before_ns + operation->call_ns);
	lane->issued++;
	host_go_on(simulation, index);
	ask_ready(simulation, index);
}

static void run(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];
	const struct replay_operation *operation = operation_of(simulation, lane, lane->ended);

	uint64_t ns = operation->indivisible
			      ? operation->run_ns
			      : (operation->run_ns + simulation->queues - 1) / simulation->queues;

	simulation->engines[operation->engine].busy = true;
	plan(simulation, index, STEP_END, simulation->now_ns + (int64_t)ns);
}

static void ready(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];
	struct engine_state *engine =
		&simulation->engines[operation_of(simulation, lane, lane->ended)->engine];

	if (!engine->busy) {
		run(simulation, index);
		return;
	}
	lane->next = 0;
	if (engine->last)
		simulation->lanes[engine->last - 1].next = index + 1;
	else
		engine->first = index + 1;
	engine->last = index + 1;
}

static void engine_end(struct simulation *simulation, struct engine_state *engine)
{
	unsigned first = engine->first;

	engine->busy = false;
	if (!first)
		return;
	engine->first = simulation->lanes[first - 1].next;
	if (!engine->first)
		engine->last = 0;
	run(simulation, first - 1);
}

static void end(struct simulation *simulation, unsigned index)
{
	struct lane *lane = &simulation->lanes[index];
	const struct replay_cycle *cycle = cycle_of(simulation, lane);

	engine_end(simulation,
		   &simulation->engines[operation_of(simulation, lane, lane->ended)->engine]);
	lane->ended++;
	lane->ready_asked = false;
	ask_ready(simulation, index);
	if (lane->ended < cycle->count)
		return;
	/* All that the thread waits for is over. */
	lane->host_ns += (int64_t)cycle->wait.before_ns;
	if (lane->host_ns < simulation->now_ns)
		lane->host_ns = simulation->now_ns;
	lane->host_ns += (int64_t)cycle->wait.return_ns;
	lane->issued = 0;
	lane->ended = 0;
	if (++lane->cycle < simulation->replay->cycle_count)
		host_go_on(simulation, index);
}

int replay_run(const struct replay *replay, unsigned queues, uint64_t *ns)
{
	struct simulation simulation = {.replay = replay, .queues = queues};

	*ns = 0;
	simulation.lanes = calloc(queues, sizeof(*simulation.lanes));
	if (!simulation.lanes)
		return -ENOMEM;
	for (unsigned i = 0; i < queues && replay->cycle_count; i++)
		host_go_on(&simulation, i);
	while (simulation.steps.count && !simulation.failed) {
		struct heap_item item = heap_pop(&simulation.steps);
		unsigned lane = (unsigned)(item.value / STEPS);

		simulation.now_ns = item.key;
		switch ((enum step)(item.value % STEPS)) {
		case STEP_ISSUE:
			issue(&simulation, lane);
			break;
		case STEP_READY:
			ready(&simulation, lane);
			break;
		default:
			end(&simulation, lane);
			break;
		}
	}
	for (unsigned i = 0; i < queues; i++) {
		if (simulation.lanes[i].host_ns > (int64_t)*ns)
			*ns = (uint64_t)simulation.lanes[i].host_ns;
	}
	heap_free(&simulation.steps);
	free(simulation.lanes);
	return simulation.failed ? -ENOMEM : 0;
}

static void scale(uint64_t *ns, double factor)
{
	*ns = (uint64_t)((double)*ns * factor);
}

void replay_scale(struct replay *replay, double host, double device)
{
	for (size_t i = 0; i < replay->operation_count; i++) {
		struct replay_operation *operation = &replay->operations[i];

		scale(&operation->before_ns, host);
		scale(&operation->issue_ns, host);
		scale(&operation->call_ns, host);
		scale(&operation->latency_ns, device);
		scale(&operation->run_ns, device);
	}
	for (size_t i = 0; i < replay->cycle_count; i++) {
		scale(&replay->cycles[i].wait.before_ns, host);
		scale(&replay->cycles[i].wait.return_ns, host);
	}
}

static void leave(uint64_t *ns, uint64_t away_ns)
{
	*ns -= away_ns < *ns ? away_ns : *ns;
}

void replay_leave_away(struct replay *replay)
{
	for (size_t i = 0; i < replay->operation_count; i++) {
		struct replay_operation *operation = &replay->operations[i];

		leave(&operation->before_ns, operation->before_away_ns);
		leave(&operation->issue_ns, operation->issue_away_ns);
		leave(&operation->call_ns, operation->call_away_ns);
		leave(&operation->latency_ns, operation->latency_away_ns);
	}
	for (size_t i = 0; i < replay->cycle_count; i++) {
		struct replay_wait *wait = &replay->cycles[i].wait;

		leave(&wait->before_ns, wait->before_away_ns);
		leave(&wait->return_ns, wait->return_away_ns);
	}
}

void replay_free(struct replay *replay)
{
	free(replay->operations);
	free(replay->cycles);
	memset(replay, 0, sizeof(*replay));
}
