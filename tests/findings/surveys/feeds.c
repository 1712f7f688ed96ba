/* SPDX-License-Identifier: MIT */
/* Data that comes in, is worked on, and goes out: frames, shots, exposures, sweeps, blocks. */
#include "surveys.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Frames of a clip: unpacked by the host, denoised and sharpened by the device. */
static const char sharpen_source[] =
	"kernel void sharpen(global const float *in, global float *out, int width, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float a = in[max(i - width, 0)], b = in[max(i - 1, 0)], c = in[i];\n"
	"	float d = in[min(i + 1, last)], e = in[min(i + width, last)], v = c;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = mad(0.125f, a + b + d + e - 4 * v, v) * 0.9375f + 0.0625f * c;\n"
	"	out[i] = v + 0.5f * (c - v);\n"
	"}\n";

enum { CLIP_PIXELS = 256 * 192, CLIP_FRAMES = 120 };

static void clip_unpack(float *frame, int number)
{
	refill(frame, CLIP_PIXELS, number);
	busy(frame, CLIP_PIXELS, 6);
}

void survey_clip_decode(struct app *app)
{
	const size_t bytes = CLIP_PIXELS * sizeof(float);
	float *frames[2] = {memory(bytes), memory(bytes)}, *shown = memory(bytes);
	cl_mem in = buffer_new(app, bytes), out = buffer_new(app, bytes);
	cl_kernel sharpen = kernel_of(app, sharpen_source, "sharpen");
	double sum = 0;

	args(sharpen, "bbii", in, out, 256, 48);
	clip_unpack(frames[0], 0);
	for (int n = 0; n < CLIP_FRAMES; n++) {
		cl_event done;

		if (!app->repaired && n)
			clip_unpack(frames[n % 2], n);
		put(app->queue, in, bytes, frames[n % 2]);
		run(app->queue, sharpen, CLIP_PIXELS, 64);
		done = get_after(app->queue, out, bytes, shown, 0, NULL);
		flush(app->queue);
		if (app->repaired && n + 1 < CLIP_FRAMES)
			clip_unpack(frames[(n + 1) % 2], n + 1);
		settle(done);
		sum += (double)shown[n * 97];
	}
	answer(sum);
	DROP(sharpen);
	DROP(out);
	DROP(in);
	free(shown);
	free(frames[1]);
	free(frames[0]);
}

/* A shot's wave field, and an image that the host stacks of snapshots of it. */
static const char wave_source[] =
	"kernel void wave(global const float *now, global float *other, int width, int rows)\n"
	"{\n"
	"	int x = (int)get_global_id(0), y = (int)get_global_id(1), i = y * width + x;\n"
	"	int n = y ? i - width : i, s = y < rows - 1 ? i + width : i;\n"
	"	int w = x ? i - 1 : i, e = x < width - 1 ? i + 1 : i;\n"
	"	float v = now[i], bend = now[n] + now[s] + now[w] + now[e] - 4 * v;\n"
	"	float damp = 1;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		damp = damp * 0.9999f - bend * bend * 1e-6f;\n"
	"	other[i] = damp * (1.99f * v - 0.99f * other[i] + 0.2f * bend);\n"
	"}\n";

enum { SHOT_WIDTH = 256, SHOT_ROWS = 256, SHOT_CELLS = SHOT_WIDTH * SHOT_ROWS, SHOT_SNAPS = 80 };

static void shot_steps(const struct app *app, cl_kernel wave, cl_mem *field)
{
	for (int step = 0; step < 6; step++) {
		args(wave, "bbii", field[step % 2], field[!(step % 2)], SHOT_WIDTH, SHOT_ROWS);
		run_plane(app->queue, wave, SHOT_WIDTH, SHOT_ROWS, 64, 4);
	}
	flush(app->queue);
}

static void image_stack(float *image, const float *snap, int number)
{
	for (size_t i = 0; i < SHOT_CELLS; i++)
		image[i] += snap[i] * (float)((number + (int)i) % 8) * 0.125f;
	busy(image, SHOT_CELLS, 14);
}

void survey_shot_stack(struct app *app)
{
	const size_t bytes = SHOT_CELLS * sizeof(float);
	cl_kernel wave = kernel_of(app, wave_source, "wave");
	cl_mem field[2] = {numbers(app, SHOT_CELLS, 23), numbers(app, SHOT_CELLS, 29)};
	float *snap = memory(bytes), *image = memory(bytes);

	shot_steps(app, wave, field);
	for (int n = 0; n < SHOT_SNAPS; n++) {
		cl_event taken = get_after(app->queue, field[0], bytes, snap, 0, NULL);

		if (app->repaired)
			shot_steps(app, wave, field);
		settle(taken);
		image_stack(image, snap, n);
		if (!app->repaired)
			shot_steps(app, wave, field);
	}
	answer(total(image, SHOT_CELLS));
	free(image);
	free(snap);
	DROP(field[1]);
	DROP(field[0]);
	DROP(wave);
}

/* Molecules in a box; every few steps, where they are goes to storage, through a pipe whose other
 * end takes so much at a time. */
static const char box_source[] =
	"kernel void push(global float *place, global float *speed, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float p = place[i], s = speed[i];\n"
	"	for (int r = 0; r < rounds; r++) {\n"
	"		s += 0.01f * (0.5f - p) - 0.001f * s * s;\n"
	"		p += 0.01f * s;\n"
	"	}\n"
	"	place[i] = p;\n"
	"	speed[i] = s;\n"
	"}\n";

enum { BOX_MOLECULES = 64 * 1024, BOX_BYTES = BOX_MOLECULES * 4, BOX_FILES = 60, BOX_STEPS = 6 };

static void *storage_main(void *arg)
{
	const int *end = arg;
	char *block = memory(64 * KIB);
	ssize_t bytes = 1;

	while (bytes > 0) {
		size_t filled = 0;

		while (filled < 64 * KIB) {
			bytes = read(*end, block + filled, 64 * KIB - filled);
			if (bytes <= 0)
				break;
			filled += (size_t)bytes;
		}
		nap(500);
	}
	free(block);
	return NULL;
}

static void storage_write(int end, const void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t part = write(end, (const char *)data + done, bytes - done);

		if (part < 0)
			must(-1, "write");
		done += (size_t)part;
	}
}

static void box_steps(const struct app *app, cl_kernel push)
{
	for (int step = 0; step < BOX_STEPS; step++)
		run(app->queue, push, BOX_MOLECULES, 128);
	flush(app->queue);
}

void survey_checkpoint_pipe(struct app *app)
{
	cl_kernel push = kernel_of(app, box_source, "push");
	cl_mem place = numbers(app, BOX_MOLECULES, 31), speed = numbers(app, BOX_MOLECULES, 37);
	float *places = memory(BOX_BYTES);
	pthread_t storage;
	int ends[2];

	if (pipe(ends) || pthread_create(&storage, NULL, storage_main, ends))
		must(-1, "storage");
	args(push, "bbi", place, speed, 12);
	box_steps(app, push);
	for (int n = 0; n < BOX_FILES; n++) {
		get(app->queue, place, BOX_BYTES, places);
		if (app->repaired && n + 1 < BOX_FILES)
			box_steps(app, push);
		storage_write(ends[1], places, BOX_BYTES);
		if (!app->repaired && n + 1 < BOX_FILES)
			box_steps(app, push);
	}
	close(ends[1]);
	pthread_join(storage, NULL);
	close(ends[0]);
	answer(total(places, BOX_MOLECULES));
	free(places);
	DROP(speed);
	DROP(place);
	DROP(push);
}

/* Exposures of a guiding camera: dark current and flat field are taken out, then stars are weighed.
 * The board that this was first written for lost uploads when a kernel came too soon. */
static const char star_source[] =
	"kernel void weigh(global const float *sky, global float *light, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float v = sky[i] - 0.0625f;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.984375f + 0.015625f * sky[i ^ (r & 15)];\n"
	"	light[i] = v;\n"
	"}\n";

void survey_exposure_run(struct app *app)
{
	enum { PIXELS = 96 * 1024, BYTES = PIXELS * 4, EXPOSURES = 120 };

	cl_kernel weigh = kernel_of(app, star_source, "weigh");
	cl_mem sky = buffer_new(app, BYTES), light = buffer_new(app, BYTES);
	float *frame = memory(BYTES), *stars = memory(BYTES);
	double sum = 0;

	args(weigh, "bbi", sky, light, 16);
	for (int n = 0; n < EXPOSURES; n++) {
		refill(frame, PIXELS, n);
		put(app->queue, sky, BYTES, frame);
		if (!app->repaired) {
			flush(app->queue);
			nap(1000);
		}
		run(app->queue, weigh, PIXELS, 64);
		get(app->queue, light, BYTES, stars);
		sum += (double)stars[n * 31];
	}
	answer(sum);
	free(stars);
	free(frame);
	DROP(light);
	DROP(sky);
	DROP(weigh);
}

/* Sweeps of a lidar, each matched with the map; the pose is refined by the host before the next. */
static const char match_source[] =
	"kernel void match(global const float *map, global float *errors, float turn, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float error = 0, angle = turn + 0.001f * (float)(i & 511);\n"
	"	for (int r = 0; r < rounds; r++) {\n"
	"		float far = map[(i + r * 64) & 65535];\n"
	"		error = error * 0.96875f + far * angle * (1 - angle * angle / 6);\n"
	"	}\n"
	"	errors[i] = error;\n"
	"}\n";

static void sweep_wait(const struct app *app, cl_event matched)
{
	cl_int status = CL_QUEUED;

	if (app->repaired) {
		TRY(clWaitForEvents(1, &matched));
		return;
	}
	for (;;) {
		TRY(clGetEventInfo(matched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, NULL));
		if (status == CL_COMPLETE)
			return;
		nap(1000);
	}
}

void survey_lidar_sweeps(struct app *app)
{
	enum { POINTS = 128 * 1024, BEST = 256, SWEEPS = 160 };

	cl_kernel match = kernel_of(app, match_source, "match");
	cl_mem map = numbers(app, 64 * 1024, 41), errors = buffer_new(app, POINTS * 4);
	float *best = memory(BEST * sizeof(*best));
	double turn = 0.1;

	for (int n = 0; n < SWEEPS; n++) {
		cl_event matched;

		args(match, "bbfi", map, errors, turn, 16);
		matched = run_after(app->queue, match, POINTS, 128, 0, NULL);
		flush(app->queue);
		sweep_wait(app, matched);
		DROP(matched);
		get(app->queue, errors, BEST * sizeof(*best), best);
		turn = turn * 0.5 + 0.001 * total(best, BEST) / BEST;
	}
	answer(turn + sum_of(app, errors, POINTS));
	free(best);
	DROP(errors);
	DROP(map);
	DROP(match);
}
