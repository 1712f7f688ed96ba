/* SPDX-License-Identifier: MIT */
/* A device that is driven by one queue and one thread that waits: transfers and
 * kernels that could have run side by side. How much that would save is estimated
 * by replaying what was recorded over several queues (replay.h); where the thread does not wait,
 * by what the order of the queue keeps apart (frames.h). */
#include <errno.h>
#include <math.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/overlap/cycles.h"
#include "analysis/findings/overlap/effort.h"
#include "analysis/findings/overlap/frames.h"
#include "analysis/findings/overlap/replay.h"
#include "analysis/findings/overlap/returned.h"
#include "util/array.h"
#include "util/units.h"

#define QUEUES_MOST 16u

/* Less is not worth a change of the program, and below the estimate's own error
 * (doc/FINDINGS.md: up to 8.5 % of what was measured). */
#define GAIN_LEAST 0.1

/* Of the run: to divide a program over threads is work, which less is not worth. */
#define WORTH_SHARE 0.1

/* Other threads drive the device as well if they have this part of the time of
 * the one that drives it most. */
#define OTHERS_PART 0.25

/* Fewer cycles are no loop whose work could be divided. */
#define CYCLES_LEAST 8u

/* Of the cycles: where so many go on with what the one before left on the device, the work is no list of
 * parts that could be divided. */
#define CARRIED_PART 0.5

/* In each: less is moved in no time. A cycle that brings and takes so little is a step whose result says
 * what the next one is to do, which no thread of its own could know. */
#define MOVED_LEAST 32768u

/* A replay on one queue that misses what was recorded by more has not understood the program. */
#define ERROR_MOST 0.25

struct overlap {
	struct used_memory memory;
	struct cycles cycles;
	struct effort effort;
	struct frames frames;
	struct returned returned;
};

static int overlap_begin(struct findings *findings, void *state)
{
	struct overlap *overlap = state;
	int status = frames_init(&overlap->frames, findings->session, &overlap->memory);

	if (!status)
		status = returned_begin(&overlap->returned, findings->session);
	return status ? status : cycles_init(&overlap->cycles, findings->session, &overlap->memory);
}

static int overlap_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct overlap *overlap = state;
	const struct cycles_lane *lane;
	int status = used_memory_item(&overlap->memory, item);

	overlap->cycles.latest_lane = 0;
	if (!status)
		status = frames_item(&overlap->frames, findings, item);
	if (!status)
		status = cycles_item(&overlap->cycles, item);
	if (!status && returned_item(&overlap->returned, &findings->async_reads, item))
		cycles_returned(&overlap->cycles, item->event->stream->index);
	if (status || !overlap->cycles.latest_lane)
		return status;
	lane = &overlap->cycles.lanes[overlap->cycles.latest_lane - 1];
	return effort_cycle(&overlap->effort, overlap->cycles.latest_lane - 1, lane->stream,
			    findings_stream(findings, lane->stream)->process->pid,
			    overlap->cycles.latest_ns);
}

static int overlap_interval(struct findings *findings, void *state,
			    const struct wait_thread *thread,
			    const struct states_interval *interval)
{
	struct overlap *overlap = state;

	(void)findings;
	if (cycles_interval(&overlap->cycles, thread, interval))
		return -ENOMEM;
	return effort_interval(&overlap->effort, thread, interval);
}

/* A device that is the CPU: how many cores, and what of them the work takes. */
struct cpu {
	unsigned cores;	     /* 0: the device is another one */
	double device_ns;    /* of a core, for all commands in the replay */
	double host_ns;	     /* same, for the thread that drives them, where the device is busy
			     all the time; in all cycles */
	double host, device; /* what of their recorded times is left without other programs */
};

/* Kernels take all cores, transfers one. */
static double run_ns(const struct replay *replay, unsigned cores)
{
	double ns = 0;

	for (size_t i = 0; i < replay->operation_count; i++)
		ns += (double)replay->operations[i].run_ns *
		      (replay->operations[i].engine == REPLAY_COMPUTE ? cores : 1);
	return ns;
}

static double latency_ns(const struct replay *replay)
{
	double ns = 0;

	for (size_t i = 0; i < replay->operation_count; i++)
		ns += (double)replay->operations[i].latency_ns;
	return ns;
}

static double host_ns(const struct replay *replay)
{
	double ns = 0;

	for (size_t i = 0; i < replay->operation_count; i++)
		ns += (double)(replay->operations[i].before_ns + replay->operations[i].call_ns);
	return ns;
}

static double return_ns(const struct replay *replay)
{
	double ns = 0;

	for (size_t i = 0; i < replay->cycle_count; i++)
		ns += (double)(replay->cycles[i].wait.before_ns + replay->cycles[i].wait.return_ns);
	return ns;
}

/* The first enqueue of a cycle finds the device asleep and has to wake it: what it takes
 * longer than those behind it. One that is never done with its work is not woken. */
static double waking_ns(const struct replay *replay)
{
	double first_ns = 0, rest_ns = 0;
	size_t rest = replay->operation_count - replay->cycle_count;

	for (size_t i = 0; i < replay->cycle_count; i++) {
		const struct replay_cycle *cycle = &replay->cycles[i];

		first_ns += (double)replay->operations[cycle->first].call_ns;
		for (size_t k = 1; k < cycle->count; k++)
			rest_ns += (double)replay->operations[cycle->first + k].issue_ns;
	}
	if (!rest)
		return 0;
	return fmax(first_ns - rest_ns / (double)rest * (double)replay->cycle_count, 0);
}

/* What is left of a time when so much of it went to others. */
static double left(double ns, double away_ns)
{
	return ns <= 0 ? 1 : away_ns >= ns ? 0 : 1 - away_ns / ns;
}

static void cpu_look(struct cpu *cpu, const struct cycles_lane *lane,
		     const struct effort_share *share)
{
	const struct replay *replay = &lane->replay;
	double part;

	cpu->device_ns = run_ns(replay, cpu->cores);
	cpu->host_ns = host_ns(replay) - waking_ns(replay);
	cpu->host = cpu->device = 1;
	if (!share || !share->cycles_ns)
		return;
	/* The share is of all cycles but the first; the replay has some of them. */
	part = (double)lane->kept_ns / (double)share->cycles_ns;
	cpu->device =
		left(cpu->device_ns + latency_ns(replay), part * (double)share->others.away_ns);
	cpu->host = left(cpu->host_ns + return_ns(replay), part * (double)share->driver.away_ns);
	cpu->device_ns = part * (double)share->others.running_ns;
	cpu->host_ns =
		fmax(part * (double)share->driver.running_ns - cpu->host * waking_ns(replay), 0);
}

/* Work is not done sooner than all cores together can do it. */
static uint64_t least_ns(const struct cpu *cpu, unsigned queues)
{
	return (uint64_t)((cpu->device_ns + cpu->host_ns * queues) / cpu->cores);
}

static int estimate(const struct replay *replay, const struct cpu *cpu, uint64_t *series)
{
	for (unsigned i = 0; i < QUEUES_MOST; i++) {
		int status = replay_run(replay, i + 1, &series[i]);
		uint64_t least = cpu->cores ? least_ns(cpu, i + 1) : 0;

		if (status)
			return status;
		if (i && series[i] < least)
			series[i] = least;
	}
	return 0;
}

static unsigned best_of(const uint64_t *series)
{
	unsigned best = 0;

	/* More queues for next to nothing are no advice. */
	for (unsigned i = 1; i < QUEUES_MOST; i++) {
		if ((double)series[i] < (double)series[best] * 0.97)
			best = i;
	}
	return best;
}

static bool alone(const struct cycles *cycles, const struct cycles_lane *lane)
{
	for (size_t i = 0; i < cycles->lane_count; i++) {
		const struct cycles_lane *other = &cycles->lanes[i];

		if (other != lane && other->device == lane->device &&
		    (double)other->total_ns > OTHERS_PART * (double)lane->total_ns)
			return false;
	}
	return true;
}

static unsigned cores_of(struct findings *findings, const struct cycles_lane *lane)
{
	const struct device_row *row = &findings->iterator->devices.rows[lane->device];

	if (row->type != TANDEM_DEVICE_TYPE_cpu)
		return 0;
	return row->compute_units ? row->compute_units : 1;
}

/* The replay is of the first cycles: what it says is of all. */
static struct findings_replay *add_replay(struct findings *findings, const struct cycles_lane *lane,
					  const uint64_t *series)
{
	const struct trace_stream *stream = findings_stream(findings, lane->stream);
	uint64_t *kept = arena_alloc(&findings->arena, QUEUES_MOST * sizeof(*kept));
	struct findings_replay *replay;

	if (!kept || array_reserve(&findings->replays, &findings->replay_capacity,
				   findings->replay_count + 1, sizeof(*findings->replays)))
		return NULL;
	for (unsigned i = 0; i < QUEUES_MOST; i++)
		kept[i] = (uint64_t)((double)series[i] * (double)lane->total_ns /
				     (double)lane->kept_ns);
	replay = &findings->replays[findings->replay_count++];
	*replay = (struct findings_replay){
		.pid = stream->process->pid,
		.tid = stream->tid,
		.queue = lane->queue,
		.device =
			findings_text(findings, "%s",
				      event_iterator_device_name(findings->iterator, lane->device)),
		.cycles = lane->count,
		.took_ns = lane->total_ns,
		.ns = kept,
		.count = QUEUES_MOST,
	};
	return replay;
}

/* The part of its time in which another engine than the busiest one works: what can be done at
 * the same time. That the device is idle while the thread prepares and waits has other findings. */
static double turns(const struct cycles_lane *lane)
{
	double ns[REPLAY_ENGINES] = {0}, all = 0, most = 0;

	for (size_t i = 0; i < lane->replay.operation_count; i++)
		ns[lane->replay.operations[i].engine] += (double)lane->replay.operations[i].run_ns;
	for (unsigned i = 0; i < REPLAY_ENGINES; i++) {
		all += ns[i];
		most = fmax(most, ns[i]);
	}
	return (all - most) / (double)lane->kept_ns;
}

static int add_finding(struct findings *findings, const struct cycles_lane *lane,
		       const struct findings_replay *replay, unsigned best, double gain,
		       bool all_of_gain, double error)
{
	struct finding *finding = findings_add(findings, "overlap", "one-queue");
	char now[UNITS_BYTES], then[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->replay_ns = replay->ns;
	finding->replay_count = replay->count;
	finding->count = lane->count;
	finding->cost_ns = (uint64_t)(gain * (double)lane->total_ns);
	finding->device = replay->device;
	finding->queue = lane->queue;
	finding->what = findings_text(
		findings,
		"transfers and kernels are serialised on one queue: divided over %u queues with a "
		"thread each, %s would take about %s",
		best + 1, units_ns(now, (double)lane->total_ns),
		units_ns(then, (double)(lane->total_ns - finding->cost_ns)));
	finding->confidence = CONFIDENCE_LOW;
	/* So that the cost and the times by queues, which have another base, can be reconciled. */
	finding->why = findings_text(
		findings,
		"replayed on one queue, model error %.1f %%; that the work can be divided is "
		"assumed; the times by queues leave out what threads waited for a CPU, and the "
		"cost is %s",
		100 * error,
		all_of_gain ? "the share that they save, of the time recorded"
			    : "only the time in which another engine than the busiest one worked: "
			      "other findings report that the device is idle");
	finding->suggestion =
		findings_text(findings,
			      "divide the work into %u parts and give each a queue "
			      "and a thread, so that one part is transferred while another is "
			      "computed",
			      best + 1);
	finding_place(findings, finding, lane->stream);
	finding_time(findings, finding, lane->begin_ns, lane->end_ns);
	return 0;
}

static int add_lane(struct findings *findings, struct overlap *overlap, size_t index)
{
	struct cycles_lane *lane = &overlap->cycles.lanes[index];
	struct cpu cpu = {.cores = cores_of(findings, lane)};
	const struct findings_replay *replay;
	uint64_t series[QUEUES_MOST], recorded_ns;
	struct effort_share share;
	double gain, counted, error;
	unsigned best;
	int status = replay_run(&lane->replay, 1, &recorded_ns);

	if (cpu.cores) {
		cpu_look(&cpu, lane, effort_of(&overlap->effort, index, &share) ? &share : NULL);
		replay_scale(&lane->replay, cpu.host, cpu.device);
	} else {
		replay_leave_away(&lane->replay);
	}
	if (!status)
		status = estimate(&lane->replay, &cpu, series);
	if (status)
		return status;
	replay = add_replay(findings, lane, series);
	if (!replay)
		return -ENOMEM;
	best = best_of(series);
	gain = series[0] ? 1 - (double)series[best] / (double)series[0] : 0;
	error = fabs((double)recorded_ns / (double)lane->kept_ns - 1);
	/* A CPU has no engines: what its replay saves is the waits, whose finding is another one. */
	counted = fmin(gain, turns(lane));
	if (cpu.cores || counted < GAIN_LEAST || lane->count < CYCLES_LEAST || error > ERROR_MOST ||
	    replay->ns[best] >= lane->total_ns ||
	    (double)lane->carried >= CARRIED_PART * (double)lane->count ||
	    lane->moved < MOVED_LEAST * lane->count ||
	    counted * (double)lane->total_ns < WORTH_SHARE * (double)findings->duration_ns)
		return 0;
	return add_finding(findings, lane, replay, best, counted, counted >= gain, error);
}

static int overlap_end(struct findings *findings, void *state)
{
	struct overlap *overlap = state;
	struct cycles *cycles = &overlap->cycles;
	int status = cycles_finish(cycles);

	for (size_t i = 0; !status && i < cycles->lane_count; i++) {
		const struct cycles_lane *lane = &cycles->lanes[i];

		if (lane->replay.cycle_count && alone(cycles, lane))
			status = add_lane(findings, overlap, i);
	}
	return status ? status : frames_add(&overlap->frames, findings);
}

static void overlap_release(struct findings *findings, void *state)
{
	struct overlap *overlap = state;

	(void)findings;
	cycles_free(&overlap->cycles);
	effort_free(&overlap->effort);
	frames_free(&overlap->frames);
	used_memory_free(&overlap->memory);
	returned_free(&overlap->returned);
}

const struct finding_ops finding_overlap = {
	.name = "overlap",
	.words = "transfers and kernels that could run at the same time, and what that would save",
	.state_bytes = sizeof(struct overlap),
	.begin = overlap_begin,
	.waits = true,
	.item = overlap_item,
	.interval = overlap_interval,
	.end = overlap_end,
	.release = overlap_release,
};
