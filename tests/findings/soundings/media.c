/* SPDX-License-Identifier: MIT */
/* Pictures, video and sound. */
#include "soundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An editor's filters: each clip names the format that its frames have. */
static const char filters_source[] =
	"kernel void denoise(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < TAPS; k++)\n"
	"		sum += in[(i + k * STRIDE) % COUNT] * (1.0f / TAPS);\n"
	"	out[i] = sum;\n"
	"}\n"
	"kernel void sharpen(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float blur = 0;\n"
	"	for (int k = 0; k < TAPS; k++)\n"
	"		blur += in[(i + k) % COUNT] * (1.0f / TAPS);\n"
	"	out[i] = clamp(in[i] * 1.5f - blur * 0.5f, 0.0f, 1.0f);\n"
	"}\n";

static cl_program filters_for(const struct app *app, int format, int count)
{
	char options[64];

	snprintf(options, sizeof(options), "-DTAPS=%d -DSTRIDE=%d -DCOUNT=%d", 5 + 2 * format,
		 1920 >> format, count);
	return program_new(app, filters_source, options);
}

void sounding_filter_stack(struct app *app)
{
	enum { PIXELS = 65536, CLIPS = 12, FRAMES = 20, FORMATS = 2 };

	size_t bytes = PIXELS * sizeof(float);
	cl_mem frame = buffer_new(app, bytes), smooth = buffer_new(app, bytes);
	cl_program kept[FORMATS] = {NULL};
	float *pixels = floats(PIXELS, 8);
	double sum = 0;

	for (int clip = 0; clip < CLIPS; clip++) {
		cl_program program = kept[clip % FORMATS];
		cl_kernel denoise, sharpen;

		if (!program)
			program = filters_for(app, clip % FORMATS, PIXELS);
		if (app->repaired)
			kept[clip % FORMATS] = program;
		denoise = kernel_new(program, "denoise");
		sharpen = kernel_new(program, "sharpen");
		refill(pixels, PIXELS, clip);
		put(app->queue, frame, bytes, pixels);
		for (int i = 0; i < FRAMES; i++) {
			args(denoise, "bb", frame, smooth);
			run(app->queue, denoise, PIXELS, 64);
			args(sharpen, "bb", smooth, frame);
			run(app->queue, sharpen, PIXELS, 64);
		}
		sum += sum_of(app, frame, PIXELS);
		DROP(denoise);
		DROP(sharpen);
		if (!app->repaired)
			DROP(program);
	}
	answer(sum);
	for (int i = 0; i < FORMATS; i++)
		if (kept[i])
			DROP(kept[i]);
	free(pixels);
	DROP(frame);
	DROP(smooth);
}

/* Grades a film: frames come from a decoder's ring, go through a curve, and go to an encoder's. */
static const char grade_source[] =
	"kernel void grade(global const float4 *in, global float4 *out, float gain, int passes)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 c = in[i] * gain;\n"
	"	for (int p = 0; p < passes; p++)\n"
	"		c = c * (1.5f - 0.5f * c) * 0.9f + 0.01f;\n"
	"	out[i] = c;\n"
	"}\n";

void sounding_colour_grade(struct app *app)
{
	enum { PIXELS = 131072, FRAMES = 60, RING = 3 };

	size_t bytes = PIXELS * 4 * sizeof(float);
	cl_kernel grade = kernel_of(app, grade_source, "grade");
	cl_command_queue in = app->queue, out = app->queue;
	cl_mem source[RING], graded[RING];
	cl_event put_done[RING], run_done[RING], got[RING];
	float *decoded[RING], *coded[RING];

	if (app->repaired) {
		in = queue_new(app, 0);
		out = queue_new(app, 0);
	}
	for (int i = 0; i < RING; i++) {
		source[i] = buffer_new(app, bytes);
		graded[i] = buffer_new(app, bytes);
		decoded[i] = floats(PIXELS * 4, 100u + (unsigned)i);
		coded[i] = memory(bytes);
	}
	for (int f = 0; f < FRAMES; f++) {
		int i = f % RING;

		if (f >= RING) {
			settle(got[i]);
			DROP(run_done[i]);
			DROP(put_done[i]);
		}
		decoded[i][f] = 0.5f;
		put_done[i] = put_after(in, source[i], bytes, decoded[i], 0, NULL);
		flush(in);
		args(grade, "bbfi", source[i], graded[i], 0.8, 12);
		run_done[i] = run_after(app->queue, grade, PIXELS, 64, 1, &put_done[i]);
		flush(app->queue);
		got[i] = get_after(out, graded[i], bytes, coded[i], 1, &run_done[i]);
		flush(out);
	}
	for (int i = 0; i < RING; i++) {
		settle(got[i]);
		DROP(run_done[i]);
		DROP(put_done[i]);
	}
	answer(total(coded[0], PIXELS) + total(coded[1], PIXELS) + total(coded[2], PIXELS));
	for (int i = 0; i < RING; i++) {
		DROP(source[i]);
		DROP(graded[i]);
		free(decoded[i]);
		free(coded[i]);
	}
	if (app->repaired) {
		DROP(in);
		DROP(out);
	}
	DROP(grade);
}

/* Looks for a photo agency's mark in pictures. */
static const char watermark_source[] =
	"kernel void match(global const float *picture, global const float *mark,\n"
	"		  global float *score, int width)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0;\n"
	"	for (int v = 0; v < 4; v++)\n"
	"		for (int u = 0; u < 4; u++)\n"
	"			sum += picture[(y + v) * (width + 4) + x + u] * mark[v * 4 + u];\n"
	"	score[y * width + x] = sum;\n"
	"}\n";

void sounding_watermarks(struct app *app)
{
	enum { WIDTH = 256, HEIGHT = 192, PICTURES = 160 };

	size_t count = (size_t)(WIDTH + 4) * (HEIGHT + 4);
	size_t group = app->repaired ? 64 : 1;
	cl_kernel match = kernel_of(app, watermark_source, "match");
	cl_mem picture = buffer_new(app, count * sizeof(float)), mark = filled(app, 16, 6);
	cl_mem score = buffer_new(app, WIDTH * HEIGHT * sizeof(float));
	float *pixels = floats(count, 12);
	double sum = 0;

	args(match, "bbbi", picture, mark, score, WIDTH);
	for (int i = 0; i < PICTURES; i++) {
		refill(pixels, count, i);
		put(app->queue, picture, count * sizeof(float), pixels);
		run_plane(app->queue, match, WIDTH, HEIGHT, group, 1);
		sum += sum_of(app, score, WIDTH * HEIGHT);
	}
	answer(sum);
	free(pixels);
	DROP(picture);
	DROP(mark);
	DROP(score);
	DROP(match);
}

/* An encoder: the device makes coefficients of a frame, the host packs them. */
static const char packets_source[] =
	"kernel void coefficients(global const float *frame, global float *out, int number)\n"
	"{\n"
	"	size_t i = get_global_id(0), block = i / 64 * 64;\n"
	"	float sum = number;\n"
	"	for (int k = 0; k < 64; k += 8)\n"
	"		sum = sum * 0.99f + frame[block + k] * (((i * k) & 15) - 7.5f);\n"
	"	out[i] = sum;\n"
	"}\n";

static unsigned packed(const float *coefficients, size_t count, unsigned state)
{
	for (int plane = 0; plane < 8; plane++)
		for (size_t i = 0; i < count; i++) {
			unsigned bits;

			memcpy(&bits, &coefficients[i], sizeof(bits));
			state = (state ^ (bits >> plane)) * 16777619u;
		}
	return state;
}

void sounding_packets(struct app *app)
{
	enum { PIXELS = 131072, FRAMES = 120 };

	size_t bytes = PIXELS * sizeof(float);
	cl_kernel dct = kernel_of(app, packets_source, "coefficients");
	cl_mem frame = filled(app, PIXELS, 40), out = buffer_new(app, bytes);
	float *coefficients[2] = {memory(bytes), memory(bytes)};
	unsigned stream = 1;

	if (app->repaired) {
		cl_event got[2] = {NULL, NULL};

		for (int f = 0; f <= FRAMES; f++) {
			if (f < FRAMES) {
				args(dct, "bbi", frame, out, f);
				run(app->queue, dct, PIXELS, 64);
				got[f % 2] = get_after(app->queue, out, bytes, coefficients[f % 2],
						       0, NULL);
				flush(app->queue);
			}
			if (f) {
				settle(got[(f - 1) % 2]);
				stream = packed(coefficients[(f - 1) % 2], PIXELS, stream);
			}
		}
	} else {
		for (int f = 0; f < FRAMES; f++) {
			args(dct, "bbi", frame, out, f);
			run(app->queue, dct, PIXELS, 64);
			get(app->queue, out, bytes, coefficients[0]);
			stream = packed(coefficients[0], PIXELS, stream);
		}
	}
	answer(stream);
	free(coefficients[0]);
	free(coefficients[1]);
	DROP(frame);
	DROP(out);
	DROP(dct);
}
