/* SPDX-License-Identifier: MIT */
/* Waits that are not needed, or that are made in a costly way. */
#include "resits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Wave propagation for seismic shots. Each stage is timed for a table at the end: the layer that
 * enqueues asks for the times of a stage at once, so it has to wait for it. */

enum { SHOT_CELLS = 6000, SHOT_STAGES = 5, SHOTS = 40, SHOT_STEPS = 40 };

struct stage_clock {
	cl_command_queue queue;
	bool late; /* times are read when a shot is done */
	cl_ulong busy_ns[SHOT_STAGES];
	cl_event open[SHOT_STAGES * SHOT_STEPS];
	int count;
};

static void clock_read(struct stage_clock *clock, int stage, cl_event event)
{
	cl_ulong start, end;

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	clock->busy_ns[stage] += end - start;
	DROP(event);
}

static void stage_enqueue(struct stage_clock *clock, int stage, cl_kernel kernel)
{
	cl_event event = run_after(clock->queue, kernel, SHOT_CELLS, 0, 0, NULL);

	if (clock->late) {
		clock->open[clock->count++] = event;
		return;
	}
	TRY(clWaitForEvents(1, &event));
	clock_read(clock, stage, event);
}

static void clock_collect(struct stage_clock *clock)
{
	finish(clock->queue);
	for (int i = 0; i < clock->count; i++)
		clock_read(clock, i % SHOT_STAGES, clock->open[i]);
	clock->count = 0;
}

void resit_shot_times(struct app *app)
{
	struct stage_clock clock = {.late = app->repaired};
	static const char *const names[SHOT_STAGES] = {"stress", "velocity", "absorb", "source",
						       "record"};
	cl_program program = program_new(
		app, MIX("stress") MIX("velocity") MIX("absorb") MIX("source") MIX("record"), "");
	float *model = floats(SHOT_CELLS, 5);
	cl_mem field = loaded(app, SHOT_CELLS * 4, model);
	cl_kernel stages[SHOT_STAGES];
	cl_ulong all_ns = 0;

	clock.queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);

	for (int i = 0; i < SHOT_STAGES; i++) {
		stages[i] = kernel_new(program, names[i]);
		args(stages[i], "bi", field, 1);
	}
	for (int shot = 0; shot < SHOTS; shot++) {
		refill(model, SHOT_CELLS, shot);
		put(clock.queue, field, SHOT_CELLS * 4, model);
		for (int step = 0; step < SHOT_STEPS; step++)
			for (int i = 0; i < SHOT_STAGES; i++)
				stage_enqueue(&clock, i, stages[i]);
		clock_collect(&clock);
	}
	get(clock.queue, field, SHOT_CELLS * 4, model);
	for (int i = 0; i < SHOT_STAGES; i++) {
		all_ns += clock.busy_ns[i];
		DROP(stages[i]);
	}
	answer(total(model, SHOT_CELLS) + (all_ns ? 1 : 0));
	DROP(program);
	DROP(field);
	DROP(clock.queue);
	free(model);
}

/* A height map that a device erodes and that the host samples through an accessor. The accessor
 * makes sure that nothing is under way, for every sample. */

enum { GRID_SIDE = 128, GRID_ROUNDS = 40, GRID_PROBES = 1 << 15 };

struct grid {
	cl_command_queue queue;
	cl_mem buffer;
	float *mapped;
	bool guarded;
};

static void grid_open(struct grid *grid)
{
	cl_int status;

	grid->mapped =
		clEnqueueMapBuffer(grid->queue, grid->buffer, CL_TRUE, CL_MAP_READ, 0,
				   (size_t)GRID_SIDE * GRID_SIDE * 4, 0, NULL, NULL, &status);
	must(status, "clEnqueueMapBuffer");
}

static float grid_at(const struct grid *grid, int x, int y)
{
	if (grid->guarded)
		finish(grid->queue);
	return grid->mapped[y * GRID_SIDE + x];
}

static double droplets_trace(const struct grid *grid, uint32_t seed)
{
	double sum = 0;

	for (int i = 0; i < GRID_PROBES; i++) {
		seed = seed * 1664525u + 1013904223u;
		sum += (double)grid_at(grid, (int)(seed >> 8) % GRID_SIDE,
				       (int)(seed >> 20) % GRID_SIDE);
	}
	return sum;
}

void resit_grid_probe(struct app *app)
{
	float *heights = floats((size_t)GRID_SIDE * GRID_SIDE, 8);
	struct grid grid = {.queue = app->queue, .guarded = !app->repaired};
	cl_kernel erode = kernel_of(app, MIX("erode"), "erode");
	double sum = 0;

	grid.buffer = loaded(app, (size_t)GRID_SIDE * GRID_SIDE * 4, heights);
	args(erode, "bi", grid.buffer, 20);
	for (int round = 0; round < GRID_ROUNDS; round++) {
		for (int i = 0; i < 15; i++)
			run(app->queue, erode, (size_t)GRID_SIDE * GRID_SIDE, 0);
		grid_open(&grid);
		sum += droplets_trace(&grid, (uint32_t)round);
		TRY(clEnqueueUnmapMemObject(app->queue, grid.buffer, grid.mapped, 0, NULL, NULL));
	}
	answer(sum);
	DROP(erode);
	DROP(grid.buffer);
	free(heights);
}

/* Search of a model's parameters: what is tried next depends on the loss of this. A monitor shared
 * with other tools asks for the state of the read every now and then. */

enum { TRIALS = 150, TRIAL_ITEMS = 1 << 14 };

static void monitor_until_done(cl_event event)
{
	cl_int status = CL_QUEUED;

	while (status > CL_COMPLETE) {
		TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, NULL));
		if (status > CL_COMPLETE)
			nap(4000);
	}
	must(status, "trial");
}

void resit_tuner_polls(struct app *app)
{
	float *points = floats(TRIAL_ITEMS, 3), loss[16];
	cl_mem v = loaded(app, TRIAL_ITEMS * 4, points);
	cl_kernel fit = kernel_of(app, MIX("fit"), "fit");
	float rate = 0.5f, best = 2;

	for (int trial = 0; trial < TRIALS; trial++) {
		cl_event done;

		for (int i = 0; i < 20; i++) {
			args(fit, "bi", v, rate > 0.5f ? 8 : 9);
			run(app->queue, fit, TRIAL_ITEMS, 0);
		}
		done = get_after(app->queue, v, sizeof(loss), loss, 0, NULL);
		flush(app->queue);
		if (app->repaired)
			TRY(clWaitForEvents(1, &done));
		else
			monitor_until_done(done);
		DROP(done);
		if (loss[0] < best)
			best = loss[0];
		rate = 0.75f * rate + 0.25f * loss[1];
	}
	answer((double)best);
	DROP(fit);
	DROP(v);
	free(points);
}
