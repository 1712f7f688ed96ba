/* SPDX-License-Identifier: MIT */
/* Images: from scanners, cameras and satellites. */
#include "tutorials.h"

#include <stdlib.h>

/* Slices of a magnetic resonance scan: each coil's signal is turned, filtered and added to the
 * slice. */
static const char coil_source[] =
	"kernel void turn(global const float *in, global float *out, float angle)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = in[i] * angle + in[i ^ 1] * (1 - angle);\n"
	"}\n"
	"kernel void window(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	size_t left = i ? i - 1 : n - 1, right = i + 1 < n ? i + 1 : 0;\n"
	"	out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];\n"
	"}\n"
	"kernel void collect(global const float *in, global float *slice)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	slice[i] = 0.875f * slice[i] + 0.125f * in[i];\n"
	"}\n";

void tutorial_mri_coils(struct app *app)
{
	enum { SLICES = 120, COILS = 8, SAMPLES = 10240 };
	cl_program program = program_new(app, coil_source, "");
	cl_kernel steps[3] = {kernel_new(program, "turn"), kernel_new(program, "window"),
			      kernel_new(program, "collect")};
	cl_mem turned = buffer_new(app, SAMPLES * sizeof(float));
	cl_mem smooth = buffer_new(app, SAMPLES * sizeof(float));
	cl_mem slice = loaded(app, SAMPLES, 1), coils[COILS];

	for (unsigned c = 0; c < COILS; c++)
		coils[c] = loaded(app, SAMPLES, c + 2);
	args(steps[1], "bb", turned, smooth);
	args(steps[2], "bb", smooth, slice);
	for (int s = 0; s < SLICES; s++)
		for (int c = 0; c < COILS; c++) {
			args(steps[0], "bbf", coils[c], turned, (double)(s % 16) / 16);
			for (int step = 0; step < 3; step++) {
				run(app->queue, steps[step], SAMPLES, 256);
				if (!app->repaired)
					finish(app->queue);
			}
			flush(app->queue);
		}
	answer(sum_of(app, slice, SAMPLES));
	for (int c = 0; c < COILS; c++)
		DROP(coils[c]);
	DROP(turned);
	DROP(smooth);
	DROP(slice);
	for (int step = 0; step < 3; step++)
		DROP(steps[step]);
	DROP(program);
}

/* Photographs are sharpened: blurred along rows and columns, and the difference is added. */
static const char unsharp_source[] =
	"kernel void rows(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = get_global_id(0) + 1;\n"
	"	out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];\n"
	"}\n"
	"kernel void columns(global const float *in, global float *out, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0) + 2 * width;\n"
	"	out[i] = 0.25f * in[i - width] + 0.5f * in[i] + 0.25f * in[i + width];\n"
	"}\n"
	"kernel void add(global float *photo, global const float *blurred, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0) + 2 * width;\n"
	"	photo[i] += 0.125f * (photo[i] - blurred[i]);\n"
	"}\n";

enum { PHOTO_WIDTH = 1024, PHOTO_HEIGHT = 1024, PHOTO = PHOTO_WIDTH * PHOTO_HEIGHT };

struct sharpener {
	cl_program program;
	cl_kernel rows, columns, add;
	cl_mem across, blurred; /* kept from one photograph to the next, or NULL */
};

static void sharpen(const struct app *app, const struct sharpener *own, cl_mem photo)
{
	cl_mem across = own->across, blurred = own->blurred;

	if (!across) {
		across = buffer_new(app, PHOTO * sizeof(float));
		blurred = buffer_new(app, PHOTO * sizeof(float));
	}
	args(own->rows, "bb", photo, across);
	args(own->columns, "bbi", across, blurred, PHOTO_WIDTH);
	args(own->add, "bbi", photo, blurred, PHOTO_WIDTH);
	run(app->queue, own->rows, PHOTO - 2 * 256, 256);
	run(app->queue, own->columns, PHOTO - 4 * PHOTO_WIDTH, 256);
	run(app->queue, own->add, PHOTO - 4 * PHOTO_WIDTH, 256);
	flush(app->queue);
	if (!own->across) {
		DROP(across);
		DROP(blurred);
	}
}

void tutorial_unsharp(struct app *app)
{
	enum { PHOTOS = 4, PASSES = 20, SEEN = 4096 };
	cl_program program = program_new(app, unsharp_source, "");
	struct sharpener own = {program,
				kernel_new(program, "rows"),
				kernel_new(program, "columns"),
				kernel_new(program, "add"),
				NULL,
				NULL};
	cl_mem photos[PHOTOS];
	double sum = 0;

	if (app->repaired) {
		own.across = buffer_new(app, PHOTO * sizeof(float));
		own.blurred = buffer_new(app, PHOTO * sizeof(float));
	}
	for (unsigned p = 0; p < PHOTOS; p++)
		photos[p] = loaded(app, PHOTO, p + 1);
	for (int pass = 0; pass < PASSES; pass++)
		for (int p = 0; p < PHOTOS; p++)
			sharpen(app, &own, photos[p]);
	for (int p = 0; p < PHOTOS; p++) {
		float *seen = memory(SEEN * sizeof(*seen));

		TRY(clEnqueueReadBuffer(app->queue, photos[p], CL_TRUE, PHOTO / 2 * sizeof(*seen),
					SEEN * sizeof(*seen), seen, 0, NULL, NULL));
		sum += total(seen, SEEN);
		free(seen);
		DROP(photos[p]);
	}
	answer(sum);
	if (app->repaired) {
		DROP(own.across);
		DROP(own.blurred);
	}
	DROP(own.rows);
	DROP(own.columns);
	DROP(own.add);
	DROP(program);
}

/* A camera's frames are straightened by a table that says where each pixel comes from. */
static const char lens_source[] =
	"kernel void straighten(global const uchar *frame, global const float2 *table,\n"
	"			global float *view, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	int x = (int)table[i].x, y = (int)table[i].y;\n"
	"	view[i] = 0.5f * view[i] + 0.5f * frame[y * width + x];\n"
	"}\n";

void tutorial_lens_table(struct app *app)
{
	enum { FRAMES = 260, WIDTH = 640, HEIGHT = 384, PIXELS = WIDTH * HEIGHT };
	cl_kernel straighten = kernel_of(app, lens_source, "straighten");
	cl_mem frame = buffer_new(app, PIXELS), view = loaded(app, PIXELS, 1);
	cl_mem table = buffer_new(app, PIXELS * sizeof(cl_float2));
	cl_float2 *origin = memory(PIXELS * sizeof(*origin));
	uint8_t *camera[2] = {memory(PIXELS), memory(PIXELS)};

	for (int i = 0; i < PIXELS; i++) {
		float x = (float)(i % WIDTH), y = (float)(i / WIDTH);

		origin[i].s[0] = x + (WIDTH / 2.0f - x) * 0.05f;
		origin[i].s[1] = y + (HEIGHT / 2.0f - y) * 0.05f;
	}
	args(straighten, "bbbi", frame, table, view, WIDTH);
	if (app->repaired)
		put(app->queue, table, PIXELS * sizeof(*origin), origin);
	for (int f = 0; f < FRAMES; f++) {
		uint8_t *pixels = camera[f % 2];

		for (int row = f % 8; row < HEIGHT; row += 8) /* what has moved */
			for (int x = 0; x < WIDTH; x++)
				pixels[row * WIDTH + x] = (uint8_t)(x * (f + 3) + row);
		if (!app->repaired)
			put(app->queue, table, PIXELS * sizeof(*origin), origin);
		put_now(app->queue, frame, PIXELS, pixels);
		run(app->queue, straighten, PIXELS, 64);
		flush(app->queue);
	}
	answer(sum_of(app, view, PIXELS));
	free(origin);
	free(camera[0]);
	free(camera[1]);
	DROP(frame);
	DROP(view);
	DROP(table);
	DROP(straighten);
}

/* Tiles of a satellite's survey: each goes to the device, is corrected, and comes back. */
void tutorial_mosaic(struct app *app)
{
	enum { TILES = 160, SLOTS = 2, PIXELS = 192 * KIB, BYTES = PIXELS * sizeof(float) };
	cl_kernel correct = kernel_of(app, STIR("correct"), "correct");
	cl_command_queue other = app->repaired ? queue_new(app, 0) : app->queue;
	cl_command_queue queues[SLOTS] = {app->queue, other};
	cl_mem raw[SLOTS], done[SLOTS];
	cl_event back[SLOTS] = {NULL, NULL};
	float *in[SLOTS], *out[SLOTS];
	double sum = 0;

	for (int s = 0; s < SLOTS; s++) {
		raw[s] = buffer_new(app, BYTES);
		done[s] = buffer_new(app, BYTES);
		in[s] = floats(PIXELS, (unsigned)s + 1);
		out[s] = memory(BYTES);
	}
	for (int t = 0; t < TILES + SLOTS; t++) {
		int s = t % SLOTS;

		if (back[s]) {
			settle(back[s]);
			sum += (double)out[s][t];
			back[s] = NULL;
		}
		if (t >= TILES)
			continue;
		for (int row = 0; row < PIXELS; row += 64)
			in[s][row] = (float)(t + row % 17);
		put(queues[s], raw[s], BYTES, in[s]);
		args(correct, "bbi", raw[s], done[s], 8);
		run(queues[s], correct, PIXELS, 64);
		back[s] = get_after(queues[s], done[s], BYTES, out[s], 0, NULL);
		flush(queues[s]);
	}
	answer(sum);
	for (int s = 0; s < SLOTS; s++) {
		DROP(raw[s]);
		DROP(done[s]);
		free(in[s]);
		free(out[s]);
	}
	if (app->repaired)
		DROP(other);
	DROP(correct);
}
