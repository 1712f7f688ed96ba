/* SPDX-License-Identifier: MIT */
/* Pictures: walls of screens, cameras above roads, scans of teeth. */
#include "inquests.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* A wall's pictures are warped for its screens, two on their way at a time. */
enum { SCREEN = 64 * KIB, PICTURES = 400 };

static const char wall_source[] =
	"kernel void warp(global const float *picture, global float *screen, int rows)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int r = 0; r < rows; r++)\n"
	"		sum = sum * 0.75f + picture[(i + r * 256) & (n - 1)];\n"
	"	screen[i] = sum * 0.25f;\n"
	"}\n";

struct slot {
	cl_mem picture, screen;
	float *source, *shown;
	cl_event done;
};

struct wall {
	cl_command_queue up, compute, down;
	cl_kernel kernel;
	struct slot slots[2];
	double sum;
};

static void slot_show(struct wall *wall, struct slot *slot)
{
	settle(slot->done);
	wall->sum += (double)slot->shown[0] + (double)slot->shown[SCREEN / 2];
	slot->done = NULL;
}

static void wall_picture(struct wall *wall, int number)
{
	struct slot *slot = &wall->slots[number % 2];
	cl_event put, ran;

	if (slot->done)
		slot_show(wall, slot);
	refill(slot->source, SCREEN / 4, number);
	put = put_after(wall->up, slot->picture, SCREEN * sizeof(float), slot->source, 0, NULL);
	flush(wall->up);
	args(wall->kernel, "bbi", slot->picture, slot->screen, 6);
	ran = run_after(wall->compute, wall->kernel, SCREEN, 64, 1, &put);
	flush(wall->compute);
	slot->done =
		get_after(wall->down, slot->screen, SCREEN * sizeof(float), slot->shown, 1, &ran);
	flush(wall->down);
	DROP(put), DROP(ran);
}

void inquest_wall_mix(struct app *app)
{
	struct wall wall = {.up = app->queue, .compute = app->queue, .down = app->queue};

	if (app->repaired) {
		wall.up = queue_new(app, 0);
		wall.down = queue_new(app, 0);
	}
	wall.kernel = kernel_of(app, wall_source, "warp");
	for (int i = 0; i < 2; i++)
		wall.slots[i] = (struct slot){
			buffer_new(app, SCREEN * sizeof(float)),
			buffer_new(app, SCREEN * sizeof(float)),
			floats(SCREEN, (unsigned)i),
			memory(SCREEN * sizeof(float)),
			NULL,
		};
	for (int p = 0; p < PICTURES; p++)
		wall_picture(&wall, p);
	for (int i = 0; i < 2; i++) {
		struct slot *slot = &wall.slots[(PICTURES + i) % 2];

		slot_show(&wall, slot);
		free(slot->source);
		free(slot->shown);
		DROP(slot->picture), DROP(slot->screen);
	}
	answer(wall.sum);
	if (app->repaired)
		DROP(wall.up), DROP(wall.down);
	DROP(wall.kernel);
}

/* A scanner goes around a jaw: what it sees is filtered, and each arc of it is smeared back over
 * the volume. */
enum { SIGHT = 256 * KIB, ARC = 8, ARCS = 14 };

static const char jaw_source[] =
	"kernel void ramp(global const float *sight, global float *sharp, int taps)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = sight[i];\n"
	"	for (int t = 1; t <= taps; t += 2)\n"
	"		sum -= (sight[(i + t) & (n - 1)] + sight[(i + n - t) & (n - 1)]) / (float)(t * t * 4);\n"
	"	sharp[i] = sum;\n"
	"}\n"
	"kernel void smear(global const float *arc, global float *volume, int sights)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int s = 0; s < sights; s++)\n"
	"		sum += arc[s * n + (i + s * 37) & (n - 1)];\n"
	"	volume[i] = volume[i] * 0.9375f + sum;\n"
	"}\n";

static void sight_keep(const struct app *app, cl_mem sharp, cl_mem arc, int place, float *host)
{
	const size_t bytes = SIGHT * sizeof(float), at = (size_t)place * bytes;

	if (app->repaired) {
		TRY(clEnqueueCopyBuffer(app->queue, sharp, arc, 0, at, bytes, 0, NULL, NULL));
		return;
	}
	get(app->queue, sharp, bytes, host);
	TRY(clEnqueueWriteBuffer(app->queue, arc, CL_TRUE, at, bytes, host, 0, NULL, NULL));
}

void inquest_cone_filter(struct app *app)
{
	const size_t bytes = SIGHT * sizeof(float);
	cl_program program = program_new(app, jaw_source, "");
	cl_kernel ramp = kernel_new(program, "ramp"), smear = kernel_new(program, "smear");
	cl_mem sight = buffer_new(app, bytes), sharp = buffer_new(app, bytes);
	cl_mem arc = buffer_new(app, ARC * bytes), volume = filled(app, SIGHT, 19);
	float *seen = floats((size_t)SIGHT * 2, 20), *host = memory(bytes);

	args(ramp, "bbi", sight, sharp, 4);
	args(smear, "bbi", arc, volume, ARC);
	for (int a = 0; a < ARCS; a++) {
		for (int s = 0; s < ARC; s++) {
			put(app->queue, sight, bytes, seen + (size_t)(a * ARC + s) * KIB);
			run(app->queue, ramp, SIGHT, 64);
			sight_keep(app, sharp, arc, s, host);
		}
		run(app->queue, smear, SIGHT, 64);
		flush(app->queue);
	}
	get(app->queue, volume, bytes, host);
	answer(total(host, SIGHT));
	free(seen);
	free(host);
	DROP(sight), DROP(sharp), DROP(arc), DROP(volume);
	DROP(ramp), DROP(smear), DROP(program);
}

/* Two cameras above a road, a thread for each; a picture is fetched while the next is at work. */
enum { CAMERAS = 2, FRAMES = 200, ROAD = 32 * KIB };

static const char road_source[] =
	"kernel void moving(global const float *frame, global float *ground, global float *mask,\n"
	"		   int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float base = ground[i], now = frame[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		base = base * 0.9375f + now * 0.0625f;\n"
	"	ground[i] = base;\n"
	"	mask[i] = fabs(now - base) > 0.125f ? 1.0f : 0.0f;\n"
	"}\n";

struct camera {
	const struct app *app;
	cl_program program;
	unsigned seed;
	double cars;
};

static void *camera_watch(void *data)
{
	struct camera *camera = data;
	const struct app *app = camera->app;
	const size_t bytes = ROAD * sizeof(float);
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel kernel = kernel_new(camera->program, "moving");
	cl_mem frame = buffer_new(app, bytes), ground = filled(app, ROAD, camera->seed);
	cl_mem mask = buffer_new(app, bytes);
	float *seen[2] = {floats(ROAD, 1), floats(ROAD, 2)}, *cars[2] = {floats(ROAD, 3), NULL};
	cl_event done[2] = {NULL, NULL};

	cars[1] = floats(ROAD, 4);
	args(kernel, "bbbi", frame, ground, mask, 16);
	for (int f = 0; f < FRAMES + 2; f++) {
		int turn = f % 2;

		if (f >= 2) {
			settle(done[turn]);
			camera->cars += total(cars[turn], ROAD);
		}
		if (f >= FRAMES)
			continue;
		refill(seen[turn], ROAD / 4, f);
		put(queue, frame, bytes, seen[turn]);
		run(queue, kernel, ROAD, 64);
		done[turn] = get_after(queue, mask, bytes, cars[turn], 0, NULL);
		flush(queue);
	}
	for (int i = 0; i < 2; i++) {
		free(seen[i]);
		free(cars[i]);
	}
	DROP(frame), DROP(ground), DROP(mask), DROP(kernel), DROP(queue);
	return NULL;
}

void inquest_clean_cameras(struct app *app)
{
	struct camera cameras[CAMERAS];
	cl_program program = program_new(app, road_source, "");

	for (int i = 0; i < CAMERAS; i++)
		cameras[i] = (struct camera){app, program, (unsigned)i, 0};
	threads_run(CAMERAS, camera_watch, cameras, sizeof(*cameras));
	answer(cameras[0].cars + cameras[1].cars);
	DROP(program);
}

/* Slices of a scan come one by one and are smoothed, three times over. The driver says when one has
 * been taken, and its memory serves for a next one. */
enum { SLICE = 64 * KIB, SLICES = 200, HELD = 3 };

static const char tooth_source[] =
	"kernel void smooth(global const float *slice, global float *sum, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float mine = slice[i], next = slice[(i + 1) & (n - 1)];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		mine = mine * 0.875f + next * 0.125f;\n"
	"	sum[i] = sum[i] * 0.5f + mine;\n"
	"}\n";

static void CL_CALLBACK slice_taken(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status;
	sem_post(data);
}

void inquest_clean_scanner(struct app *app)
{
	const size_t bytes = SLICE * sizeof(float);
	cl_kernel kernel = kernel_of(app, tooth_source, "smooth");
	cl_mem slice = buffer_new(app, bytes), sum = filled(app, SLICE, 22);
	float *held[HELD] = {NULL};
	sem_t free_ones;

	sem_init(&free_ones, 0, HELD);
	for (int i = 0; i < HELD; i++)
		held[i] = floats(SLICE, (unsigned)i);
	args(kernel, "bbi", slice, sum, 4);
	for (int s = 0; s < SLICES; s++) {
		float *place = held[s % HELD];
		cl_event taken;

		sem_wait(&free_ones);
		refill(place, SLICE / 4, s);
		taken = put_after(app->queue, slice, bytes, place, 0, NULL);
		TRY(clSetEventCallback(taken, CL_COMPLETE, slice_taken, &free_ones));
		DROP(taken);
		for (int pass = 0; pass < 3; pass++)
			run(app->queue, kernel, SLICE, 64);
		flush(app->queue);
	}
	for (int i = 0; i < HELD; i++)
		sem_wait(&free_ones);
	get(app->queue, sum, bytes, held[0]);
	answer(total(held[0], SLICE));
	for (int i = 0; i < HELD; i++)
		free(held[i]);
	sem_destroy(&free_ones);
	DROP(slice), DROP(sum), DROP(kernel);
}
