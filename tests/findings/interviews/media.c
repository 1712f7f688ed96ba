/* SPDX-License-Identifier: MIT */
/* Bells, weather radar, puppets. */
#include "interviews.h"

#include <stdlib.h>
#include <string.h>

/* The strikes of a carillon are found in what four microphones heard, window by window; there is a
 * way of the host's for devices that cannot do it. */
enum { WINDOW = 16 * KIB, MICROPHONES = 4, WINDOWS = 100, STRIKE_TURNS = 32, STRIKE_GROUP = 64 };

static const char bell_source[] =
	"kernel void strike(global const uint4 *sound, global uint4 *levels, int at, int turns)\n"
	"{\n"
	"	int i = at + get_global_id(0);\n"
	"	uint4 w = sound[i];\n"
	"	for (int t = 0; t < turns; t++)\n"
	"		w = (w ^ (w >> 9)) * 2246822519u + 374761393u;\n"
	"	levels[i] = w >> 12;\n"
	"}\n"
	"kernel void ring(global const uint4 *levels, global uint *rings, int at)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	uint sum = rings[i];\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		sum += levels[at + (i + k * 5) % n].x >> k;\n"
	"	rings[i] = sum;\n"
	"}\n";

struct carillon {
	const struct app *app;
	cl_kernel strike, ring;
	cl_mem sound, levels, rings;
	uint32_t *samples, *by_host;
};

static void strike_by_host(struct carillon *bells, size_t at)
{
	const size_t from = at * MICROPHONES, count = WINDOW * MICROPHONES;

	for (size_t i = from; i < from + count; i++) {
		uint32_t w = bells->samples[i];

		for (int t = 0; t < STRIKE_TURNS; t++)
			w = (w ^ (w >> 9)) * 2246822519u + 374761393u;
		bells->by_host[i] = w >> 12;
	}
	TRY(clEnqueueWriteBuffer(bells->app->queue, bells->levels, CL_FALSE,
				 from * sizeof(uint32_t), count * sizeof(uint32_t),
				 bells->by_host + from, 0, NULL, NULL));
}

static void bells_window(struct carillon *bells, size_t at)
{
	size_t items = WINDOW, local = bells->app->repaired ? STRIKE_GROUP : WINDOW;

	args(bells->strike, "bbii", bells->sound, bells->levels, (int)at, STRIKE_TURNS);
	if (clEnqueueNDRangeKernel(bells->app->queue, bells->strike, 1, NULL, &items, &local, 0,
				   NULL, NULL) != CL_SUCCESS)
		strike_by_host(bells, at);
	args(bells->ring, "bbi", bells->levels, bells->rings, (int)at);
	run(bells->app->queue, bells->ring, WINDOW, STRIKE_GROUP);
}

void interview_bell_strikes(struct app *app)
{
	const size_t count = (size_t)WINDOW * WINDOWS * MICROPHONES,
		     bytes = count * sizeof(uint32_t);
	struct carillon bells = {.app = app};

	bells.samples = words_new(count, 17);
	bells.by_host = memory(bytes);
	bells.sound = buffer_new(app, bytes);
	bells.levels = buffer_new(app, bytes);
	bells.rings = buffer_new(app, WINDOW * sizeof(uint32_t));
	app->program = program_new(app, bell_source, "");
	bells.strike = kernel_new(app->program, "strike");
	bells.ring = kernel_new(app->program, "ring");
	put_now(app->queue, bells.rings, WINDOW * sizeof(uint32_t), bells.by_host);
	put_now(app->queue, bells.sound, bytes, bells.samples);
	for (size_t window = 0; window < WINDOWS; window++) {
		bells_window(&bells, window * WINDOW);
		flush(app->queue);
	}
	get(app->queue, bells.rings, WINDOW * sizeof(uint32_t), bells.samples);
	answer(words_sum(bells.samples, WINDOW));
	free(bells.samples);
	free(bells.by_host);
	DROP(bells.strike);
	DROP(bells.ring);
	DROP(bells.sound);
	DROP(bells.levels);
	DROP(bells.rings);
}

/* A weather radar: of each sweep the device makes rain rates, and the host writes them into a
 * bulletin, in run lengths and with a check sum. */
enum { SWEEPS = 160, BINS = 320 * KIB, RATES = 48 * KIB };

struct radar {
	struct app *app;
	cl_kernel rain;
	cl_mem echo, rates[2];
	cl_event there[2];
	uint32_t *home[2];
};

static void sweep_start(struct radar *radar, int sweep)
{
	int at = sweep % 2;

	args(radar->rain, "bbii", radar->echo, radar->rates[at], 6, sweep);
	run(radar->app->queue, radar->rain, BINS, 64);
	radar->there[at] = get_after(radar->app->queue, radar->rates[at], RATES * sizeof(uint32_t),
				     radar->home[at], 0, NULL);
	flush(radar->app->queue);
}

static double bulletin_write(const uint32_t *rates)
{
	uint32_t check = 0xffffffff, runs = 0;

	for (int i = 1; i < RATES; i++) {
		runs += rates[i] >> 29 != rates[i - 1] >> 29;
		check ^= rates[i] >> 24;
		for (int bit = 0; bit < 8; bit++)
			check = check >> 1 ^ (check & 1 ? 0xedb88320u : 0);
	}
	return (double)runs + (check & 0xffff);
}

void interview_radar_bulletin(struct app *app)
{
	struct radar radar = {.app = app};
	double sum = 0;

	radar.echo = words_buffer(app, BINS, 61);
	radar.rain = kernel_of(app, MIX("rain"), "rain");
	for (int i = 0; i < 2; i++) {
		radar.rates[i] = buffer_new(app, BINS * sizeof(uint32_t));
		radar.home[i] = memory(RATES * sizeof(uint32_t));
	}
	if (app->repaired)
		sweep_start(&radar, 0);
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		if (!app->repaired)
			sweep_start(&radar, sweep);
		else if (sweep + 1 < SWEEPS)
			sweep_start(&radar, sweep + 1);
		settle(radar.there[sweep % 2]);
		sum += bulletin_write(radar.home[sweep % 2]);
	}
	answer(sum);
	for (int i = 0; i < 2; i++) {
		DROP(radar.rates[i]);
		free(radar.home[i]);
	}
	DROP(radar.echo);
	DROP(radar.rain);
}

/* A game's puppets: in each picture every puppet takes a pose, and the skin of all of them follows
 * their bones. */
enum { PUPPETS = 12, BONES = 40, PICTURES = 240, SKIN = 128 * KIB, BONE = 16 };

struct theatre {
	const struct app *app;
	cl_kernel skin;
	cl_mem bones, mesh, shape;
	float *poses[2];
	cl_event drawn[2];
};

static const char skin_source[] =
	"kernel void skin(global const float *bones, global const float *mesh,\n"
	"		 global float *shape, int count)\n"
	"{\n"
	"	int i = get_global_id(0), b = i % count * 16;\n"
	"	float p = mesh[i], sum = 0;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		sum += bones[b + k] * p;\n"
	"	shape[i] = sum;\n"
	"}\n";

static void puppet_pose(float *pose, int puppet, int picture)
{
	for (int i = 0; i < BONES * BONE; i++)
		pose[i] = (float)((i * 7 + puppet * 3 + picture) % 128) / 128.0f;
}

static void theatre_send(struct theatre *theatre, const float *poses)
{
	const size_t each = BONES * BONE * sizeof(*poses);

	if (theatre->app->repaired) {
		put(theatre->app->queue, theatre->bones, PUPPETS * each, poses);
		return;
	}
	for (size_t i = 0; i < PUPPETS; i++)
		TRY(clEnqueueWriteBuffer(theatre->app->queue, theatre->bones, CL_FALSE, i * each,
					 each, poses + i * BONES * BONE, 0, NULL, NULL));
}

void interview_puppet_theatre(struct app *app)
{
	const size_t bytes = PUPPETS * BONES * BONE * sizeof(float);
	struct theatre theatre = {.app = app};
	float *mesh = floats(SKIN, 6);

	theatre.skin = kernel_of(app, skin_source, "skin");
	theatre.bones = buffer_new(app, bytes);
	theatre.mesh = buffer_new(app, SKIN * sizeof(*mesh));
	theatre.shape = buffer_new(app, SKIN * sizeof(*mesh));
	put_now(app->queue, theatre.mesh, SKIN * sizeof(*mesh), mesh);
	for (int i = 0; i < 2; i++)
		theatre.poses[i] = memory(bytes);
	args(theatre.skin, "bbbi", theatre.bones, theatre.mesh, theatre.shape, PUPPETS * BONES);
	for (int picture = 0; picture < PICTURES; picture++) {
		int at = picture % 2;

		if (theatre.drawn[at])
			settle(theatre.drawn[at]);
		for (int i = 0; i < PUPPETS; i++)
			puppet_pose(theatre.poses[at] + (size_t)i * BONES * BONE, i, picture);
		theatre_send(&theatre, theatre.poses[at]);
		theatre.drawn[at] = run_after(app->queue, theatre.skin, SKIN, 64, 0, NULL);
		flush(app->queue);
	}
	get(app->queue, theatre.shape, SKIN * sizeof(*mesh), mesh);
	answer(total(mesh, SKIN));
	free(mesh);
	for (int i = 0; i < 2; i++) {
		settle(theatre.drawn[i]);
		free(theatre.poses[i]);
	}
	DROP(theatre.skin);
	DROP(theatre.bones);
	DROP(theatre.mesh);
	DROP(theatre.shape);
}
