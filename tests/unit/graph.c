/* SPDX-License-Identifier: MIT */
/* What the dependence graph's replay says of a run that is known to the nanosecond: a thread
 * enqueues a command, waits for it, and works on its own before the next. */
#include "analysis/model/graph.h"

#include <stdio.h>

#include "analysis/model/graph_event.h"
#include "analysis/model/shared_cores.h"
#include "check.h"
#include "schema/gen/core_records.h"

#define STEPS 10u

/* Of a step, in ns since its begin: the command is enqueued, runs, is waited for; then the host
 * works. */
enum { ENQUEUED = 10000, STARTS = 20000, ENDS = 520000, STEP = 1000000 };

struct made {
	struct trace_session session;
	struct event_iterator iterator;
	struct device_row device;
	struct graph graph;
};

static const struct tandem_event enqueue = {.name = "enqueue", .class = TANDEM_CLASS_ENQUEUE};
static const struct tandem_event finish = {.name = "finish", .class = TANDEM_CLASS_WAIT};

static void made_open(struct made *made, uint8_t type, uint32_t units)
{
	*made = (struct made){
		.session = {.stream_count = 1, .process_count = 1},
		.device = {.type = type, .compute_units = units},
	};
	made->iterator.session = &made->session;
	made->iterator.devices.rows = &made->device;
	made->iterator.devices.count = 1;
	CHECK(graph_open(&made->graph, &made->iterator, NULL) == 0);
	graph_replay_only(&made->graph);
}

static void give(struct made *made, struct sequence_event event)
{
	event.queue = 1;
	CHECK(graph_event(&made->graph, &event) == 0);
}

static void call(struct made *made, enum sequence_event_kind kind, int64_t ns, unsigned step)
{
	give(made, (struct sequence_event){
			   .kind = kind,
			   .ns = ns,
			   .api = &enqueue,
			   .call = 2 * step + 1,
			   .op = step + 1,
		   });
}

static void wait(struct made *made, enum sequence_event_kind kind, int64_t ns, unsigned step)
{
	give(made, (struct sequence_event){
			   .kind = kind,
			   .ns = ns,
			   .api = &finish,
			   .call = 2 * step + 2,
			   .blocking = true,
			   .wait = TANDEM_WAIT_queue,
		   });
}

static void command(struct made *made, enum sequence_event_kind kind, int64_t ns, unsigned step)
{
	give(made, (struct sequence_event){.kind = kind, .ns = ns, .op = step + 1, .name = "work"});
}

/* All steps, of which no wait need be; `last`: the last command is waited for, too. */
static void run(struct made *made, bool sleeps, bool last)
{
	for (unsigned step = 0; step < STEPS; step++) {
		int64_t at = (int64_t)step * STEP;
		bool waits = last || step + 1 < STEPS;

		CHECK(graph_remove(&made->graph, 2 * step + 2, GRAPH_WAIT_EACH) == 0);
		call(made, SEQUENCE_CALL_BEGIN, at, step);
		call(made, SEQUENCE_CALL_END, at + ENQUEUED, step);
		if (waits)
			wait(made, SEQUENCE_CALL_BEGIN, at + ENQUEUED, step);
		command(made, SEQUENCE_START, at + STARTS, step);
		command(made, SEQUENCE_END, at + ENDS, step);
		if (waits)
			wait(made, SEQUENCE_CALL_END, at + ENDS, step);
		if (sleeps)
			CHECK(shared_cores_slept(&made->graph, 0, at + ENDS, at + STEP) == 0);
	}
	CHECK(graph_finish(&made->graph) == 0);
	CHECK(made->graph.error_ns == 0);
}

static uint64_t saved(uint8_t type, uint32_t units, bool sleeps, bool last)
{
	struct made made;
	uint64_t ns;

	made_open(&made, type, units);
	run(&made, sleeps, last);
	ns = made.graph.saved_ns[GRAPH_WAIT_EACH];
	graph_close(&made.graph);
	return ns;
}

/* The device works all the time then, but for what passes between two commands: a fifth of what
 * passes from an enqueue to a start. */
static void work_goes_beside(void)
{
	const uint64_t before = (STEPS - 1) * STEP + ENDS;
	const uint64_t after = STARTS + STEPS * (ENDS - STARTS) + (STEPS - 1) * (STARTS / 5);

	CHECK(saved(TANDEM_DEVICE_TYPE_gpu, 2, false, true) == before - after);
	/* The run ends with the device's work, whatever the host did last. */
	CHECK(saved(TANDEM_DEVICE_TYPE_gpu, 2, false, false) == before - after);
}

/* The work takes one of two cores from the commands that it is now beside; where the host
 * sleeps, it takes none. */
static void cores_are_shared(void)
{
	uint64_t beside = saved(TANDEM_DEVICE_TYPE_gpu, 2, false, true);
	uint64_t sleeps = saved(TANDEM_DEVICE_TYPE_cpu, 2, true, true);
	uint64_t works = saved(TANDEM_DEVICE_TYPE_cpu, 2, false, true);
	uint64_t four = saved(TANDEM_DEVICE_TYPE_cpu, 4, false, true);
	uint64_t work = (STEPS - 1) * (STEP - ENDS);

	CHECK(sleeps == beside);
	CHECK(works + work / 2 == beside);
	CHECK(four + work / 4 == beside);
	/* With one core nothing is saved by doing both at the same time, but for the gaps. */
	CHECK(saved(TANDEM_DEVICE_TYPE_cpu, 1, false, true) <= STEPS * STARTS + STEP / 2);
}

/* What the replay of the unchanged run misses is said, and is in no saving. */
static void the_error_is_told(void)
{
	struct made made;
	uint64_t with, without = saved(TANDEM_DEVICE_TYPE_gpu, 2, false, true);

	made_open(&made, TANDEM_DEVICE_TYPE_gpu, 2);
	CHECK(graph_remove(&made.graph, 1, GRAPH_NONE) == 0);
	call(&made, SEQUENCE_CALL_BEGIN, 0, 0);
	call(&made, SEQUENCE_CALL_END, 700, 0);
	CHECK(graph_finish(&made.graph) == 0);
	with = made.graph.saved_ns[GRAPH_WAIT_EACH];
	CHECK(made.graph.error_ns == 700 && with == 0 && without > 0);
	graph_close(&made.graph);
}

/* Launches in a row, each of which takes longer than its command: as one they take one call, and the
 * commands follow one right behind the other, for as long as they took. */
static void launches_are_one(void)
{
	enum { APART = 10000, CALL = 8000, STARTED = 9000, RAN = 500, RETURNED = 1000 };
	const int64_t last = (STEPS - 1) * APART;
	struct made made;

	made_open(&made, TANDEM_DEVICE_TYPE_gpu, 2);
	for (unsigned step = 0; step < STEPS; step++) {
		int64_t at = (int64_t)step * APART;

		if (step)
			CHECK(graph_remove_since(&made.graph, 2 * step + 1, GRAPH_LAUNCH) == 0);
		call(&made, SEQUENCE_CALL_BEGIN, at, step);
		call(&made, SEQUENCE_CALL_END, at + CALL, step);
		if (step + 1 == STEPS)
			wait(&made, SEQUENCE_CALL_BEGIN, at + CALL, step);
		command(&made, SEQUENCE_START, at + STARTED, step);
		command(&made, SEQUENCE_END, at + STARTED + RAN, step);
	}
	wait(&made, SEQUENCE_CALL_END, last + STARTED + RAN + RETURNED, STEPS - 1);
	CHECK(graph_finish(&made.graph) == 0);
	CHECK(made.graph.saved_ns[GRAPH_LAUNCH] == (STEPS - 1) * (APART - RAN));
	CHECK(made.graph.saved_ns[GRAPH_WAIT_EACH] == 0 && made.graph.error_ns == 0);
	graph_close(&made.graph);
}

int main(void)
{
	work_goes_beside();
	launches_are_one();
	cores_are_shared();
	the_error_is_told();
	return check_status();
}
