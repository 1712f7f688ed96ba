/* SPDX-License-Identifier: MIT */
/* Scans, volumes, film and photographs. */
#include "symposia.h"

#include <stdlib.h>

/* Ultrasound: frames are despeckled by one library, and their contours drawn by another. */
static const char scan[] =
	"kernel void despeckle(global const float *in, global float *out, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0), w = (size_t)width;\n"
	"	float a = in[i], b = in[(i + 1) & (n - 1)], c = in[(i + w) & (n - 1)], d = in[(i + n - 1) & (n - 1)];\n"
	"	float low = fmin(fmin(a, b), fmin(c, d)), high = fmax(fmax(a, b), fmax(c, d));\n"
	"	out[i] = (a + b + c + d - low - high) * 0.5f;\n"
	"}\n"
	"kernel void contour(global const float *in, global float *out, int width, float level)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0), w = (size_t)width;\n"
	"	float a = in[i], b = in[(i + 1) & (n - 1)], c = in[(i + w) & (n - 1)];\n"
	"	out[i] = (a < level) != (b < level) || (a < level) != (c < level) ? 1.0f : 0.0f;\n"
	"}\n";

enum { SCAN_WIDTH = 512, SCAN = SCAN_WIDTH * 256 };

static void despeckled(const struct app *app, cl_kernel despeckle, cl_mem raw, cl_mem smooth)
{
	args(despeckle, "bbi", raw, smooth, SCAN_WIDTH);
	run(app->queue, despeckle, SCAN, 0);
}

static void contoured(const struct app *app, cl_kernel contour, cl_mem pixels, cl_mem lines,
		      double level)
{
	args(contour, "bbif", pixels, lines, SCAN_WIDTH, level);
	run(app->queue, contour, SCAN, 0);
}

void symposium_stage_relay(struct app *app)
{
	enum { FRAMES = 350, BYTES = SCAN * sizeof(float) };
	cl_program program = program_new(app, scan, "");
	cl_kernel despeckle = kernel_new(program, "despeckle");
	cl_kernel contour = kernel_new(program, "contour");
	cl_mem raw = stocked(app, SCAN, 41), smooth = buffer_new(app, BYTES);
	cl_mem pixels = app->repaired ? NULL : buffer_new(app, BYTES);
	cl_mem lines = buffer_new(app, BYTES);
	float *host = memory(BYTES), probe[16];
	double sum = 0;

	for (int frame = 0; frame < FRAMES; frame++) {
		put(app->queue, raw, sizeof(probe), host); /* what the probe has for this frame */
		despeckled(app, despeckle, raw, smooth);
		if (pixels) {
			get(app->queue, smooth, BYTES, host);
			put(app->queue, pixels, BYTES, host);
		}
		contoured(app, contour, pixels ? pixels : smooth, lines, frame % 16 / 16.0);
		get(app->queue, lines, sizeof(probe), probe);
		sum += total(probe, 16);
		refill(host, 16, frame);
	}
	answer(sum);
	free(host);
	DROP(despeckle);
	DROP(contour);
	DROP(program);
	DROP(raw);
	DROP(smooth);
	if (pixels)
		DROP(pixels);
	DROP(lines);
}

/* A volume that is deformed step by step, and a slice of it that is shown. */
static const char volume[] =
	"kernel void deform(global const float *in, global float *out, float push)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float a = in[i], b = in[(i + 64) & (n - 1)], c = in[(i + 4096) & (n - 1)];\n"
	"	out[i] = a * 0.5f + b * 0.25f + c * 0.25f * push;\n"
	"}\n";

void symposium_volume_slice(struct app *app)
{
	enum { SIDE = 64, SLICE = SIDE * SIDE, VOXELS = SIDE * SLICE, STEPS = 450 };
	cl_kernel deform = kernel_of(app, volume, "deform");
	cl_mem voxels[2] = {stocked(app, VOXELS, 42), buffer_new(app, VOXELS * sizeof(float))};
	float *host = memory(VOXELS * sizeof(*host)), *slice;
	double sum = 0;

	for (int step = 0; step < STEPS; step++) {
		size_t shown = (size_t)step % SIDE * SLICE;
		cl_mem now = voxels[(step + 1) % 2];

		args(deform, "bbf", voxels[step % 2], now, 1 - step % 5 / 16.0);
		run(app->queue, deform, VOXELS, 0);
		if (app->repaired) {
			slice = host;
			TRY(clEnqueueReadBuffer(app->queue, now, CL_TRUE, shown * sizeof(*host),
						SLICE * sizeof(*host), slice, 0, NULL, NULL));
		} else {
			slice = host + shown;
			get(app->queue, now, VOXELS * sizeof(*host), host);
		}
		sum += total(slice, SLICE);
	}
	answer(sum);
	free(host);
	DROP(deform);
	DROP(voxels[0]);
	DROP(voxels[1]);
}

/* Film: each frame goes to the device, is graded, and comes back; two frames are under way. */
static const char grade[] =
	"kernel void grade(global const uchar *in, global uchar *out, int lift)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	int p = in[i];\n"
	"	out[i] = (uchar)clamp(((p - 128) * 9 >> 3) + 128 + lift, 0, 255);\n"
	"}\n";

struct film_slot {
	cl_mem in, out;
	unsigned char *frame, *graded;
	cl_event done;
};

enum { FILM_FRAME = 256 * KIB, FILM_SLOTS = 3 };

static void film_frame(cl_kernel kernel, const cl_command_queue *queues, struct film_slot *slot,
		       int lift)
{
	cl_event written, graded;

	written = put_after(queues[0], slot->in, FILM_FRAME, slot->frame, 0, NULL);
	flush(queues[0]);
	args(kernel, "bbi", slot->in, slot->out, lift);
	graded = run_after(queues[1], kernel, FILM_FRAME, 0, 1, &written);
	flush(queues[1]);
	slot->done = get_after(queues[2], slot->out, FILM_FRAME, slot->graded, 1, &graded);
	flush(queues[2]);
	DROP(written);
	DROP(graded);
}

void symposium_grade_frames(struct app *app)
{
	enum { FRAMES = 400 };
	cl_kernel kernel = kernel_of(app, grade, "grade");
	cl_command_queue queues[3] = {app->queue, app->queue, app->queue};
	struct film_slot slots[FILM_SLOTS];
	double sum = 0;

	for (int i = 1; app->repaired && i < 3; i++)
		queues[i] = queue_new(app, 0);
	for (int i = 0; i < FILM_SLOTS; i++)
		slots[i] = (struct film_slot){
			.in = buffer_new(app, FILM_FRAME),
			.out = buffer_new(app, FILM_FRAME),
			.frame = memory(FILM_FRAME),
			.graded = memory(FILM_FRAME),
		};
	for (int number = 0; number < FRAMES + FILM_SLOTS; number++) {
		struct film_slot *slot = &slots[number % FILM_SLOTS];

		if (number >= FILM_SLOTS) {
			settle(slot->done);
			sum += slot->graded[number];
		}
		if (number >= FRAMES)
			continue;
		for (int i = 0; i < 512; i++)
			slot->frame[i] = (unsigned char)(number * 5 + i);
		film_frame(kernel, queues, slot, number % 16);
	}
	answer(sum);
	for (int i = 1; app->repaired && i < 3; i++)
		DROP(queues[i]);
	for (int i = 0; i < FILM_SLOTS; i++) {
		DROP(slots[i].in);
		DROP(slots[i].out);
		free(slots[i].frame);
		free(slots[i].graded);
	}
	DROP(kernel);
}

/* Photographs: smoothed in tiles of work-items, then sharpened. */
static const char photo[] =
	"kernel void smooth(global const int *in, global int *out, int width)\n"
	"{\n"
	"	int x = (int)get_global_id(0), y = (int)get_global_id(1), sum = 0;\n"
	"	for (int dy = -2; dy <= 2; dy++)\n"
	"		for (int dx = -2; dx <= 2; dx++)\n"
	"			sum += in[((y + dy) & (width - 1)) * width + ((x + dx) & (width - 1))];\n"
	"	out[y * width + x] = sum / 25;\n"
	"}\n"
	"kernel void sharpen(global const int *in, global int *out, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	out[i] = in[i] * 3 - in[(i + 1) & (n - 1)] - in[(i + (size_t)width) & (n - 1)];\n"
	"}\n";

enum { PHOTO = 256, PHOTO_PIXELS = PHOTO * PHOTO };

static void smooth_on_host(const int *in, int *out)
{
	for (int y = 0; y < PHOTO; y++)
		for (int x = 0; x < PHOTO; x++) {
			int sum = 0;

			for (int dy = -2; dy <= 2; dy++)
				for (int dx = -2; dx <= 2; dx++)
					sum += in[((y + dy) & (PHOTO - 1)) * PHOTO +
						  ((x + dx) & (PHOTO - 1))];
			out[y * PHOTO + x] = sum / 25;
		}
}

static void smoothed(struct app *app, cl_kernel smooth, cl_mem smooth_pixels, const int *in,
		     int *out)
{
	size_t side = app->repaired ? 16 : 128, local[2] = {side, side};
	size_t items[2] = {PHOTO, PHOTO};

	if (clEnqueueNDRangeKernel(app->queue, smooth, 2, NULL, items, local, 0, NULL, NULL) ==
	    CL_SUCCESS)
		return;
	smooth_on_host(in, out);
	put(app->queue, smooth_pixels, PHOTO_PIXELS * sizeof(*out), out);
}

void symposium_filter_tile(struct app *app)
{
	enum { PHOTOS = 240, BYTES = PHOTO_PIXELS * sizeof(int) };
	cl_program program = program_new(app, photo, "");
	cl_kernel smooth = kernel_new(program, "smooth"), sharpen = kernel_new(program, "sharpen");
	cl_mem in = buffer_new(app, BYTES), middle = buffer_new(app, BYTES);
	cl_mem out = buffer_new(app, BYTES);
	int *host = memory(BYTES), *spare = memory(BYTES), row[PHOTO];
	double sum = 0;

	args(smooth, "bbi", in, middle, PHOTO);
	args(sharpen, "bbi", middle, out, PHOTO);
	for (int number = 0; number < PHOTOS; number++) {
		for (int i = 0; i < PHOTO_PIXELS; i += 16)
			host[i] = (i * 7 + number * 131) & 1023;
		put(app->queue, in, BYTES, host);
		smoothed(app, smooth, middle, host, spare);
		run(app->queue, sharpen, PHOTO_PIXELS, 0);
		get(app->queue, out, sizeof(row), row);
		for (int x = 0; x < PHOTO; x++)
			sum += row[x];
	}
	answer(sum);
	free(host);
	free(spare);
	DROP(smooth);
	DROP(sharpen);
	DROP(program);
	DROP(in);
	DROP(middle);
	DROP(out);
}
