/* SPDX-License-Identifier: MIT */
/* Fields over a plane: ice, tracks, a film. */
#include "interviews.h"

#include <stdlib.h>

/* An ice sheet creeps downhill: slope, flux and mass of each cell, year by year. Whether a kernel
 * ended well is looked up after each launch, or, repaired, once in a while. */
enum { ICE_WIDE = 128, ICE_CELLS = ICE_WIDE * ICE_WIDE, YEARS = 1400, CENTURY = 100 };

static const char ice_source[] =
	"kernel void slope(global const float *ice, global float *down, int wide)\n"
	"{\n"
	"	int i = get_global_id(0), m = get_global_size(0) - 1;\n"
	"	down[i] = 2 * ice[i] - ice[(i + 1) & m] - ice[(i + wide) & m];\n"
	"}\n"
	"kernel void flux(global const float *ice, global const float *down,\n"
	"		 global float *flow)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	flow[i] = ice[i] * ice[i] * down[i] * 0.02f;\n"
	"}\n"
	"kernel void mass(global float *ice, global const float *flow, int wide)\n"
	"{\n"
	"	int i = get_global_id(0), m = get_global_size(0) - 1;\n"
	"	float gain = flow[(i - 1) & m] + flow[(i - wide) & m];\n"
	"	ice[i] = clamp(ice[i] + gain - 2 * flow[i] + 0.0001f, 0.0f, 2.0f);\n"
	"}\n";

static void ice_launch(const struct app *app, cl_kernel kernel)
{
	cl_int status;
	cl_event done;

	if (app->repaired) {
		run(app->queue, kernel, ICE_CELLS, 64);
		return;
	}
	done = run_after(app->queue, kernel, ICE_CELLS, 64, 0, NULL);
	TRY(clWaitForEvents(1, &done));
	TRY(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	if (status != CL_COMPLETE)
		must(status, "ice_launch");
	DROP(done);
}

void interview_ice_sheet(struct app *app)
{
	float *start = floats(ICE_CELLS, 3);
	cl_mem ice = buffer_new(app, ICE_CELLS * sizeof(float));
	cl_mem down = buffer_new(app, ICE_CELLS * sizeof(float));
	cl_mem flow = buffer_new(app, ICE_CELLS * sizeof(float));

	app->program = program_new(app, ice_source, "");

	cl_kernel slope = kernel_new(app->program, "slope");
	cl_kernel flux = kernel_new(app->program, "flux");
	cl_kernel mass = kernel_new(app->program, "mass");

	put_now(app->queue, ice, ICE_CELLS * sizeof(*start), start);
	args(slope, "bbi", ice, down, ICE_WIDE);
	args(flux, "bbb", ice, down, flow);
	args(mass, "bbi", ice, flow, ICE_WIDE);
	for (int year = 1; year <= YEARS; year++) {
		ice_launch(app, slope);
		ice_launch(app, flux);
		ice_launch(app, mass);
		if (year % CENTURY == 0)
			finish(app->queue);
	}
	get(app->queue, ice, ICE_CELLS * sizeof(*start), start);
	answer(total(start, ICE_CELLS));
	free(start);
	DROP(slope);
	DROP(flux);
	DROP(mass);
	DROP(ice);
	DROP(down);
	DROP(flow);
}

/* A railway's simulation: the load of each section of track is on the device, and at each tick the
 * signal box lets a few trains enter. The host adds them to the loads, or, repaired, a kernel. */
enum { SECTIONS = 192 * KIB, TICKS = 240, ENTRIES = 64 };

struct entry {
	cl_int section;
	cl_float load;
};

static const char track_source[] =
	"kernel void roll(global const float *load, global float *next)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	next[i] = load[i] * 0.75f + load[i ? i - 1 : n - 1] * 0.25f;\n"
	"}\n"
	"kernel void enter(global float *load, global const int2 *entries)\n"
	"{\n"
	"	int2 e = entries[get_global_id(0)];\n"
	"	load[e.x] += as_float(e.y);\n"
	"}\n";

static struct entry *entries_new(void)
{
	struct entry *entries = memory(TICKS * ENTRIES * sizeof(*entries));

	for (int tick = 0; tick < TICKS; tick++)
		for (int i = 0; i < ENTRIES; i++)
			entries[tick * ENTRIES + i] = (struct entry){
				i * (SECTIONS / ENTRIES) + tick * 7 % (SECTIONS / ENTRIES),
				(float)(1 + (tick + i) % 5)};
	return entries;
}

static void entries_by_host(const struct app *app, cl_mem load, float *loads,
			    const struct entry *entries)
{
	get(app->queue, load, SECTIONS * sizeof(*loads), loads);
	for (int i = 0; i < ENTRIES; i++)
		loads[entries[i].section] += entries[i].load;
	put_now(app->queue, load, SECTIONS * sizeof(*loads), loads);
}

void interview_signal_box(struct app *app)
{
	float *loads = memory(SECTIONS * sizeof(*loads));
	struct entry *entries = entries_new();
	cl_mem load[2], list = buffer_new(app, ENTRIES * sizeof(*entries));

	app->program = program_new(app, track_source, "");

	cl_kernel roll = kernel_new(app->program, "roll");
	cl_kernel enter = kernel_new(app->program, "enter");

	for (int i = 0; i < 2; i++) {
		load[i] = buffer_new(app, SECTIONS * sizeof(*loads));
		put_now(app->queue, load[i], SECTIONS * sizeof(*loads), loads);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		cl_mem now = load[tick % 2], next = load[1 - tick % 2];
		const struct entry *new = entries + (size_t)tick *ENTRIES;

		if (app->repaired) {
			put(app->queue, list, ENTRIES * sizeof(*new), new);
			args(enter, "bb", now, list);
			run(app->queue, enter, ENTRIES, 64);
		} else {
			entries_by_host(app, now, loads, new);
		}
		args(roll, "bb", now, next);
		run(app->queue, roll, SECTIONS, 64);
	}
	get(app->queue, load[TICKS % 2], SECTIONS * sizeof(*loads), loads);
	answer(total(loads, SECTIONS));
	free(loads);
	free(entries);
	DROP(roll);
	DROP(enter);
	DROP(list);
	DROP(load[0]);
	DROP(load[1]);
}

/* A soap film in a frame, by cycles over ever coarser grids. Each level of the recursion has
 * buffers of its own. */
enum { FILM_WIDE = 512, FILM_LEVELS = 5, FILM_CYCLES = 100 };

struct film {
	const struct app *app;
	cl_kernel smooth, coarse, fine, clear;
	cl_mem kept[FILM_LEVELS][3];
};

static const char film_source[] =
	"kernel void clear(global float *u)\n"
	"{\n"
	"	u[get_global_id(0)] = 0;\n"
	"}\n"
	"kernel void smooth(global const float *u, global const float *f, global float *out,\n"
	"		   int wide)\n"
	"{\n"
	"	int i = get_global_id(0), m = get_global_size(0) - 1;\n"
	"	float s = u[(i + 1) & m] + u[(i - 1) & m] + u[(i + wide) & m] +\n"
	"		  u[(i - wide) & m];\n"
	"	out[i] = 0.2f * u[i] + 0.2f * (s - f[i]) * 0.99f;\n"
	"}\n"
	"kernel void coarse(global const float *u, global const float *f, global float *rest,\n"
	"		   int wide)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % wide, y = i / wide;\n"
	"	int at = 2 * y * 2 * wide + 2 * x;\n"
	"	rest[i] = f[at] - u[at] * 0.25f;\n"
	"}\n"
	"kernel void fine(global float *u, global const float *more, int wide)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % wide, y = i / wide;\n"
	"	u[i] += 0.5f * more[y / 2 * (wide / 2) + x / 2];\n"
	"}\n";

static cl_mem film_memory(struct film *film, int level, int what)
{
	size_t wide = FILM_WIDE >> level, bytes = wide * wide * sizeof(float);
	cl_mem *kept = &film->kept[level][what];

	if (!film->app->repaired)
		return buffer_new(film->app, bytes);
	if (!*kept)
		*kept = buffer_new(film->app, bytes);
	return *kept;
}

static void film_done(struct film *film, cl_mem memory)
{
	if (!film->app->repaired)
		DROP(memory);
}

/* Leaves in u a better solution for the forces f. */
static void film_cycle(struct film *film, int level, cl_mem u, cl_mem f)
{
	cl_command_queue queue = film->app->queue;
	int wide = FILM_WIDE >> level;
	size_t cells = (size_t)wide * (size_t)wide;
	cl_mem aside = film_memory(film, level, 0);

	args(film->smooth, "bbbi", u, f, aside, wide);
	run(queue, film->smooth, cells, 64);
	if (level + 1 < FILM_LEVELS) {
		cl_mem rest = film_memory(film, level + 1, 1);
		cl_mem more = film_memory(film, level + 1, 2);

		args(film->coarse, "bbbi", aside, f, rest, wide / 2);
		run(queue, film->coarse, cells / 4, 64);
		args(film->clear, "b", more);
		run(queue, film->clear, cells / 4, 64);
		film_cycle(film, level + 1, more, rest);
		args(film->fine, "bbi", aside, more, wide);
		run(queue, film->fine, cells, 64);
		film_done(film, rest);
		film_done(film, more);
	}
	args(film->smooth, "bbbi", aside, f, u, wide);
	run(queue, film->smooth, cells, 64);
	film_done(film, aside);
}

void interview_soap_film(struct app *app)
{
	const size_t cells = FILM_WIDE * FILM_WIDE, bytes = cells * sizeof(float);
	struct film film = {.app = app};
	float *force = floats(cells, 8);
	cl_mem u = buffer_new(app, bytes), f = buffer_new(app, bytes);

	app->program = program_new(app, film_source, "");
	film.smooth = kernel_new(app->program, "smooth");
	film.coarse = kernel_new(app->program, "coarse");
	film.fine = kernel_new(app->program, "fine");
	film.clear = kernel_new(app->program, "clear");
	put_now(app->queue, f, bytes, force);
	args(film.clear, "b", u);
	run(app->queue, film.clear, cells, 64);
	for (int cycle = 1; cycle <= FILM_CYCLES; cycle++) {
		film_cycle(&film, 0, u, f);
		flush(app->queue);
		if (cycle % 4 == 0)
			finish(app->queue);
	}
	get(app->queue, u, bytes, force);
	answer(total(force, cells));
	free(force);
	for (int level = 0; level < FILM_LEVELS; level++)
		for (int i = 0; i < 3; i++)
			if (film.kept[level][i])
				DROP(film.kept[level][i]);
	DROP(film.smooth);
	DROP(film.coarse);
	DROP(film.fine);
	DROP(film.clear);
	DROP(u);
	DROP(f);
}
