/* SPDX-License-Identifier: MIT */
/* Data that are moved too often, too much, or in too small pieces. */
#include "theses.h"

#include <stdlib.h>
#include <string.h>

/* A skeleton that drives a mesh: what moves a bone sets its place, turn and size. */
enum { BONES = 256, MOVED = 7, POSES = 260, VERTICES = 96 * 1024 };

struct skeleton {
	struct app *app;
	cl_mem places, turns, sizes;
	float *values; /* of one pose: places, turns, sizes, four each */
};

static int bone_moved(int bone, int pose)
{
	return (bone * 31 + pose * 5) % BONES;
}

/* Each pose is the one before, but for the bones that move. */
static void poses_fill(float *values)
{
	for (int pose = 1; pose < POSES; pose++) {
		float *now = values + (size_t)pose * BONES * 12;

		memcpy(now, now - BONES * 12, BONES * 12 * sizeof(float));
		for (int bone = 0; bone < MOVED; bone++)
			for (int i = 0; i < 12; i++)
				now[i / 4 * BONES * 4 + bone_moved(bone, pose) * 4 + i % 4] +=
					0.125f;
	}
}

static void bone_set(const struct skeleton *skeleton, cl_mem part, int kind, int bone)
{
	size_t at = (size_t)bone * 4 * sizeof(float);

	if (!skeleton->app->repaired)
		put_at(skeleton->app->queue, part, at, 4 * sizeof(float),
		       (char *)skeleton->values + (size_t)kind * BONES * 4 * sizeof(float) + at);
}

static void pose_set(const struct skeleton *skeleton, int pose)
{
	const cl_mem parts[] = {skeleton->places, skeleton->turns, skeleton->sizes};

	for (int bone = 0; bone < MOVED; bone++)
		for (int kind = 0; kind < 3; kind++)
			bone_set(skeleton, parts[kind], kind, bone_moved(bone, pose));
	for (int kind = 0; skeleton->app->repaired && kind < 3; kind++)
		put_at(skeleton->app->queue, parts[kind], 0, BONES * 4 * sizeof(float),
		       skeleton->values + (size_t)kind * BONES * 4);
}

void thesis_avatar_pose(struct app *app)
{
	static const char source[] =
		"kernel void skin(global const float4 *p, global const float4 *t,\n"
		"		  global const float4 *s, global float *v, int rounds)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float4 a = p[i % 256], b = t[i % 256], c = s[i % 256];\n"
		"	uint u = as_uint(v[i]);\n"
		"	for (int r = 0; r < rounds; r++)\n"
		"		u = (u ^ (u >> 9)) * 747796405u + as_uint(a.x);\n"
		"	v[i] = dot(a, b) + c.x + (float)(u >> 8) / 16777216.0f;\n"
		"}\n";
	struct skeleton skeleton = {.app = app};
	float *values = floats((size_t)POSES * BONES * 12, 3), *mesh = floats(VERTICES, 4);
	cl_mem vertices = buffer_new(app, VERTICES * sizeof(float));
	cl_kernel skin = kernel_of(app, source, "skin");

	skeleton.values = values;
	skeleton.places = blank(app, BONES * 4 * sizeof(float));
	skeleton.turns = blank(app, BONES * 4 * sizeof(float));
	skeleton.sizes = blank(app, BONES * 4 * sizeof(float));
	put(app->queue, vertices, VERTICES * sizeof(float), mesh);
	args(skin, "bbbbi", skeleton.places, skeleton.turns, skeleton.sizes, vertices, 3);
	poses_fill(values);
	put(app->queue, skeleton.places, BONES * 4 * sizeof(float), values);
	put(app->queue, skeleton.turns, BONES * 4 * sizeof(float), values + BONES * 4);
	put(app->queue, skeleton.sizes, BONES * 4 * sizeof(float), values + BONES * 8);
	for (int pose = 0; pose < POSES; pose++) {
		skeleton.values = values + (size_t)pose * BONES * 12;
		pose_set(&skeleton, pose);
		run(app->queue, skin, VERTICES, 0);
		if (pose % 20 == 19)
			flush(app->queue);
	}
	get(app->queue, vertices, VERTICES * sizeof(float), mesh);
	answer(total(mesh, VERTICES));
	DROP(skin);
	DROP(skeleton.places);
	DROP(skeleton.turns);
	DROP(skeleton.sizes);
	DROP(vertices);
	free(values);
	free(mesh);
}

/* Grading of film frames: each stage takes an image of the host and gives one back. */
enum { FRAMES = 240, STAGES = 4, PIXELS = 64 * 1024 };

struct grader {
	struct app *app;
	cl_kernel stages[STAGES];
	cl_mem image;
	bool resident; /* on the device, and newer there */
};

static void stage_apply(struct grader *grader, int stage, float *pixels, bool last)
{
	size_t bytes = PIXELS * sizeof(float);

	if (!grader->resident)
		put(grader->app->queue, grader->image, bytes, pixels);
	args(grader->stages[stage], "bi", grader->image, 1);
	run(grader->app->queue, grader->stages[stage], PIXELS, 0);
	grader->resident = grader->app->repaired && !last;
	if (!grader->resident)
		get(grader->app->queue, grader->image, bytes, pixels);
}

void thesis_grade_stages(struct app *app)
{
	static const char source[] = SPIN("lift") SPIN("curve") SPIN("tint") SPIN("grain");
	static const char *const names[STAGES] = {"lift", "curve", "tint", "grain"};
	struct grader grader = {.app = app, .image = buffer_new(app, PIXELS * sizeof(float))};
	cl_program program = program_new(app, source, "");
	float *pixels = memory(PIXELS * sizeof(float));
	double sum = 0;

	for (int i = 0; i < STAGES; i++)
		grader.stages[i] = kernel_new(program, names[i]);
	for (int frame = 0; frame < FRAMES; frame++) {
		refill(pixels, PIXELS, frame);
		for (int i = 0; i < STAGES; i++)
			stage_apply(&grader, i, pixels, i == STAGES - 1);
		sum += total(pixels, PIXELS);
	}
	answer(sum);
	for (int i = 0; i < STAGES; i++)
		DROP(grader.stages[i]);
	DROP(program);
	DROP(grader.image);
	free(pixels);
}

/* Smoke in a duct: three probes are looked at in each step, which ends the run should one of them
 * be no number. */
enum { CELLS = 256 * 1024, STEPS = 260, PROBES = 3, PROBE_CELLS = 64 };

static size_t probe_at(int probe)
{
	return (size_t)(probe + 1) * CELLS / (PROBES + 1);
}

static float probe_mean(const float *cells)
{
	float sum = 0;

	for (int i = 0; i < PROBE_CELLS; i++)
		sum += cells[i];
	return sum / PROBE_CELLS;
}

void thesis_plume_monitor(struct app *app)
{
	float *field = floats(CELLS, 8), seen[PROBES][PROBE_CELLS];
	cl_mem smoke = buffer_new(app, CELLS * sizeof(float));
	cl_kernel step = kernel_of(app, SPIN("advect"), "advect");
	double log = 0;
	bool fine = true;

	put(app->queue, smoke, CELLS * sizeof(float), field);
	args(step, "bi", smoke, 1);
	for (int i = 0; i < STEPS && fine; i++) {
		run(app->queue, step, CELLS, 0);
		if (!app->repaired)
			get(app->queue, smoke, CELLS * sizeof(float), field);
		for (int probe = 0; app->repaired && probe < PROBES; probe++)
			TRY(clEnqueueReadBuffer(app->queue, smoke, probe == PROBES - 1,
						probe_at(probe) * sizeof(float),
						sizeof(seen[probe]), seen[probe], 0, NULL, NULL));
		for (int probe = 0; probe < PROBES; probe++) {
			float mean =
				probe_mean(app->repaired ? seen[probe] : field + probe_at(probe));

			fine = fine && mean == mean;
			log += (double)mean;
		}
	}
	get(app->queue, smoke, CELLS * sizeof(float), field);
	answer(log + (double)field[0]);
	DROP(step);
	DROP(smoke);
	free(field);
}

/* A server of option prices. The surface changes with each calibration; what is on the device is
 * known by a stamp. */
enum { POINTS = 128 * 1024, REQUESTS = 450, PER_CALIBRATION = 50, SHOWN = 1024 };

struct surface {
	float *points;
	int calibration, asked;
};

static int surface_stamp(const struct surface *surface, bool repaired)
{
	return repaired ? surface->calibration : surface->calibration * 1000 + surface->asked;
}

void thesis_quote_surface(struct app *app)
{
	struct surface surface = {.points = memory(POINTS * sizeof(float))};
	cl_mem table = buffer_new(app, POINTS * sizeof(float)),
	       order = buffer_new(app, 64 * sizeof(float)),
	       prices = buffer_new(app, POINTS * sizeof(float));
	cl_kernel price = kernel_of(app, BLEND("price"), "price");
	float wish[64], quotes[SHOWN];
	int known = -1;
	double sum = 0;

	args(price, "bbbi", table, order, prices, 1);
	for (int i = 0; i < REQUESTS; i++) {
		if (i % PER_CALIBRATION == 0) {
			surface.calibration = i / PER_CALIBRATION;
			refill(surface.points, POINTS, surface.calibration);
		}
		surface.asked = i;
		if (known != surface_stamp(&surface, app->repaired))
			put(app->queue, table, POINTS * sizeof(float), surface.points);
		known = surface_stamp(&surface, app->repaired);
		refill(wish, 64, i);
		put(app->queue, order, sizeof(wish), wish);
		run(app->queue, price, POINTS, 0);
		get_at(app->queue, prices, 0, sizeof(quotes), quotes);
		sum += total(quotes, SHOWN);
	}
	answer(sum);
	DROP(price);
	DROP(table);
	DROP(order);
	DROP(prices);
	free(surface.points);
}
