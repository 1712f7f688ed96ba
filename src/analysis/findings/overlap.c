/* A device that is driven by one queue and one thread that waits: transfers and
 * kernels that could have run side by side. How much that would save is estimated
 * by replaying what was recorded over several queues (replay.h). */
#include <errno.h>
#include <math.h>

#include "analysis/findings/cycles.h"
#include "analysis/findings/finding.h"
#include "analysis/replay.h"
#include "util/array.h"
#include "util/units.h"

#define QUEUES_MOST 16u

/* Less is not worth a change of the program, and below the estimate's own error. */
#define GAIN_LEAST 0.05

/* Other threads drive the device as well if they have this part of the time of
 * the one that drives it most. */
#define OTHERS_PART 0.25

/* Fewer cycles are no loop whose work could be divided; a replay on one queue that
 * misses what was recorded by more has not understood the program. */
#define CYCLES_LEAST 4u
#define ERROR_MOST 0.25

struct overlap {
	struct cycles cycles;
};

static int overlap_begin(struct findings *findings, void *state)
{
	struct overlap *overlap = state;

	return cycles_init(&overlap->cycles, findings->session);
}

static int overlap_item(struct findings *findings, void *state, const struct walk_item *item)
{
	struct overlap *overlap = state;

	(void)findings;
	return cycles_item(&overlap->cycles, item);
}

/* On a CPU, kernels take all cores, and transfers and threads one each: work is
 * not done sooner than all cores together can do it. */
static uint64_t least_ns(const struct replay *replay, unsigned queues, unsigned cores)
{
	double core_ns = 0;

	for (size_t i = 0; i < replay->command_count; i++) {
		const struct replay_command *command = &replay->commands[i];

		core_ns += (double)command->run_ns *
			   (command->engine == REPLAY_COMPUTE ? cores : 1);
		core_ns += (double)(command->before_ns + command->call_ns) * queues;
	}
	return (uint64_t)(core_ns / cores);
}

static int estimate(const struct cycles_lane *lane, unsigned cores, uint64_t *series)
{
	for (unsigned i = 0; i < QUEUES_MOST; i++) {
		int status = replay_run(&lane->replay, i + 1, &series[i]);
		uint64_t least = cores ? least_ns(&lane->replay, i + 1, cores) : 0;

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
	const struct devices *devices = &findings->walk.devices;
	const struct trace_objects *objects = &devices->objects;

	if (devices->rows[lane->device].type != TANDEM_DEVICE_TYPE_cpu)
		return 0;
	for (size_t i = 0; i < objects->device_count; i++) {
		const struct trace_device *device = &objects->devices[i];

		if (device->name == devices->rows[lane->device].name && device->compute_units)
			return device->compute_units;
	}
	return 1;
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
		.device = findings_text(findings, "%s",
					walk_device_name(&findings->walk, lane->device)),
		.cycles = lane->count,
		.took_ns = lane->total_ns,
		.ns = kept,
		.count = QUEUES_MOST,
	};
	return replay;
}

/* Whether there is more than one kind of work that the device can do at once. */
static bool has_turns(const struct cycles_lane *lane)
{
	bool seen[REPLAY_ENGINES] = {false};
	unsigned count = 0;

	for (size_t i = 0; i < lane->replay.command_count; i++)
		seen[lane->replay.commands[i].engine] = true;
	for (unsigned i = 0; i < REPLAY_ENGINES; i++)
		count += seen[i];
	return count > 1;
}

static int add_finding(struct findings *findings, const struct cycles_lane *lane,
		       const struct findings_replay *replay, unsigned best, double gain,
		       double error, unsigned cores)
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
		findings, "%s: divided over %u queues with a thread each, %s would take about %s",
		has_turns(lane) ? "transfers and kernels take turns on one queue, and the device does "
				  "one of them at a time"
				: "one thread feeds the device through one queue, and the device has "
				  "nothing to do while it prepares and waits",
		best + 1, units_ns(now, (double)lane->total_ns),
		units_ns(then, (double)replay->ns[best]));
	finding->sure = error < 0.1 && !cores ? FINDING_LIKELY : FINDING_GUESS;
	finding->why = findings_text(findings, "replayed on one queue, what was recorded is missed by "
					       "%.1f %%; that the work can be divided is assumed%s",
				     100 * error,
				     cores ? ", and that nothing else takes the CPU, which is the "
					     "device"
					   : "");
	finding->todo = findings_text(findings, "divide the work into %u parts and give each a queue "
						"and a thread, so that %s",
				      best + 1,
				      has_turns(lane) ? "one part is transferred while another is "
							"computed"
						      : "one has the device while the others prepare");
	finding_place(findings, finding, lane->stream);
	finding_time(findings, finding, lane->begin_ns, lane->end_ns);
	return 0;
}

static int add_lane(struct findings *findings, const struct cycles_lane *lane)
{
	uint64_t series[QUEUES_MOST];
	const struct findings_replay *replay;
	double gain, error;
	unsigned best;
	unsigned cores = cores_of(findings, lane);
	int status = estimate(lane, cores, series);

	if (status)
		return status;
	replay = add_replay(findings, lane, series);
	if (!replay)
		return -ENOMEM;
	best = best_of(series);
	gain = series[0] ? 1 - (double)series[best] / (double)series[0] : 0;
	error = fabs((double)replay->ns[0] / (double)lane->total_ns - 1);
	if (gain < GAIN_LEAST || lane->count < CYCLES_LEAST || error > ERROR_MOST ||
	    replay->ns[best] >= lane->total_ns)
		return 0;
	return add_finding(findings, lane, replay, best, gain, error, cores);
}

static int overlap_end(struct findings *findings, void *state)
{
	struct overlap *overlap = state;
	struct cycles *cycles = &overlap->cycles;
	int status = cycles_finish(cycles);

	for (size_t i = 0; !status && i < cycles->lane_count; i++) {
		const struct cycles_lane *lane = &cycles->lanes[i];

		if (lane->replay.cycle_count && alone(cycles, lane))
			status = add_lane(findings, lane);
	}
	return status;
}

static void overlap_release(struct findings *findings, void *state)
{
	struct overlap *overlap = state;

	(void)findings;
	cycles_free(&overlap->cycles);
}

const struct finding_ops finding_overlap = {
	.name = "overlap",
	.words = "transfers and kernels that could run side by side, and what that would save",
	.state_bytes = sizeof(struct overlap),
	.begin = overlap_begin,
	.item = overlap_item,
	.end = overlap_end,
	.release = overlap_release,
};
