/* SPDX-License-Identifier: MIT */
/* Programs of those who take pictures. */
#include "reviews.h"

#include <stdlib.h>

/* A slide scanner: each field that the camera took is corrected and put at its place in the slide,
 * of which an overview is made in the end. */
void review_slide_scan(struct app *app)
{
	static const char source[] = MIX EACH("correct") LARGEST("overview");
	enum { PIXELS = 256 * 1024, FIELDS = 48, VIEW = 12 * 1024 };
	size_t bytes = PIXELS * sizeof(float);
	float *scan = floats((size_t)FIELDS * PIXELS, 3), *part = memory(bytes);
	float *view = memory(VIEW * sizeof(float));
	cl_mem raw = buffer_new(app, bytes), field = buffer_new(app, bytes);
	cl_mem slide = buffer_new(app, FIELDS * bytes);
	cl_mem small = buffer_new(app, VIEW * sizeof(float));
	cl_kernel correct, overview;

	app->program = program_new(app, source, "");
	correct = kernel_new(app->program, "correct");
	overview = kernel_new(app->program, "overview");
	args(correct, "bbi", raw, field, 2);
	args(overview, "bbi", slide, small, FIELDS * PIXELS / VIEW);
	for (size_t n = 0; n < FIELDS; n++) {
		put(app->queue, raw, bytes, &scan[n * PIXELS]);
		run(app->queue, correct, PIXELS, 64);
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, field, slide, 0, n * bytes, bytes, 0,
						NULL, NULL));
		} else {
			get(app->queue, field, bytes, part);
			put_at(app->queue, slide, n * bytes, bytes, part);
		}
		flush(app->queue);
	}
	run(app->queue, overview, VIEW, 64);
	get(app->queue, small, VIEW * sizeof(float), view);
	answer(total(view, VIEW));
	DROP(overview);
	DROP(correct);
	DROP(small);
	DROP(slide);
	DROP(field);
	DROP(raw);
	free(view);
	free(part);
	free(scan);
}

/* An X-ray detector: dark current is taken off each exposure of a series, its pixels' gain is
 * evened out, and the exposures are summed. */
void review_xray_series(struct app *app)
{
	static const char source[] =
		MIX "kernel void flatten(global const ushort *raw, global const float *dark,\n"
		    "		    global const float *gain, global float *sum, int rounds)\n"
		    "{\n"
		    "	size_t i = get_global_id(0);\n"
		    "	float level = ((float)raw[i] - dark[i]) * (1.0f + gain[i]);\n"
		    "	sum[i] += unit(mix(as_uint(level), rounds));\n"
		    "}\n";
	enum { PIXELS = 384 * 512, EXPOSURES = 100 };
	size_t bytes = PIXELS * sizeof(float);
	size_t small = PIXELS * sizeof(uint16_t); /* the detector's own numbers */
	float *raw = floats((size_t)EXPOSURES * PIXELS / 2, 5), *sums = memory(bytes);
	float *dark = floats(PIXELS, 6), *gain = floats(PIXELS, 7);
	cl_mem raw_there = buffer_new(app, small), dark_there = buffer_new(app, bytes);
	cl_mem gain_there = buffer_new(app, bytes), sum_there = buffer_new(app, bytes);
	cl_kernel flatten;

	app->program = program_new(app, source, "");
	flatten = kernel_new(app->program, "flatten");
	args(flatten, "bbbbi", raw_there, dark_there, gain_there, sum_there, 1);
	put(app->queue, sum_there, bytes, sums);
	for (size_t n = 0; n < EXPOSURES; n++) {
		if (!n || !app->repaired) {
			put(app->queue, dark_there, bytes, dark);
			put(app->queue, gain_there, bytes, gain);
		}
		put(app->queue, raw_there, small, &raw[n * PIXELS / 2]);
		run(app->queue, flatten, PIXELS, 64);
		flush(app->queue);
	}
	get(app->queue, sum_there, bytes, sums);
	answer(total(sums, PIXELS));
	DROP(flatten);
	DROP(sum_there);
	DROP(gain_there);
	DROP(dark_there);
	DROP(raw_there);
	free(gain);
	free(dark);
	free(sums);
	free(raw);
}

/* Deconvolution of a microscope's stack: each iteration blurs the estimate, compares it with what
 * was measured, and corrects it. */
void review_restore_volume(struct app *app)
{
	static const char source[] = MIX EACH(
		"blur") "kernel void compare(global const float *measured, global const float *blurred,\n"
			"		    global float *ratio)\n"
			"{\n"
			"	size_t i = get_global_id(0);\n"
			"	ratio[i] = measured[i] / (0.5f + blurred[i]);\n"
			"}\n"
			"kernel void correct(global const float *ratio, global float *estimate)\n"
			"{\n"
			"	size_t i = get_global_id(0);\n"
			"	estimate[i] = 0.5f * estimate[i] + 0.5f * ratio[i];\n"
			"}\n";
	enum { VOXELS = 256 * 256 * 144, ITERATIONS = 5 };
	size_t bytes = VOXELS * sizeof(float);
	float *stack = floats(VOXELS, 9);
	cl_mem measured = buffer_new(app, bytes), estimate = buffer_new(app, bytes);
	cl_mem blurred = NULL, ratio = NULL;
	cl_kernel blur, compare, correct;

	app->program = program_new(app, source, "");
	blur = kernel_new(app->program, "blur");
	compare = kernel_new(app->program, "compare");
	correct = kernel_new(app->program, "correct");
	put(app->queue, measured, bytes, stack);
	TRY(clEnqueueCopyBuffer(app->queue, measured, estimate, 0, 0, bytes, 0, NULL, NULL));
	for (int n = 0; n < ITERATIONS; n++) {
		if (!n || !app->repaired) {
			blurred = buffer_new(app, bytes);
			ratio = buffer_new(app, bytes);
			args(blur, "bbi", estimate, blurred, 3);
			args(compare, "bbb", measured, blurred, ratio);
			args(correct, "bb", ratio, estimate);
		}
		run(app->queue, blur, VOXELS, 128);
		run(app->queue, compare, VOXELS, 128);
		run(app->queue, correct, VOXELS, 128);
		flush(app->queue);
		if (!app->repaired || n == ITERATIONS - 1) {
			DROP(ratio);
			DROP(blurred);
		}
	}
	get(app->queue, estimate, bytes, stack);
	answer(total(stack, VOXELS));
	DROP(correct);
	DROP(compare);
	DROP(blur);
	DROP(estimate);
	DROP(measured);
	free(stack);
}

struct lane {
	cl_command_queue queue;
	cl_mem raw, quiet;
	cl_kernel denoise;
	cl_event done;
	float *out;
};

/* Denoises a film: frames go to the device and come back, two of them on the way at a time. */
void review_video_denoise(struct app *app)
{
	static const char source[] = MIX EACH("denoise");
	enum { PIXELS = 64 * 1024, FRAMES = 280, LANES = 2, SHOTS = 16 };
	size_t bytes = PIXELS * sizeof(float);
	float *film = floats((size_t)SHOTS * PIXELS, 11);
	struct lane lanes[LANES] = {{0}};
	double sum = 0;

	app->program = program_new(app, source, "");
	for (int n = 0; n < LANES; n++) {
		struct lane *lane = &lanes[n];

		lane->queue = app->queue;
		if (n && app->repaired)
			lane->queue = queue_new(app, 0);
		lane->raw = buffer_new(app, bytes);
		lane->quiet = buffer_new(app, bytes);
		lane->denoise = kernel_new(app->program, "denoise");
		lane->out = memory(bytes);
		args(lane->denoise, "bbi", lane->raw, lane->quiet, 12);
	}
	for (int n = 0; n < FRAMES + LANES; n++) {
		struct lane *lane = &lanes[n % LANES];
		float *frame = &film[(size_t)(n % SHOTS) * PIXELS];

		if (n >= LANES) {
			settle(lane->done);
			sum += total(lane->out, 64);
		}
		if (n >= FRAMES)
			continue;
		frame[0] = (float)n; /* its number in the film */
		put(lane->queue, lane->raw, bytes, frame);
		run(lane->queue, lane->denoise, PIXELS, 64);
		lane->done = get_after(lane->queue, lane->quiet, bytes, lane->out, 0, NULL);
		flush(lane->queue);
	}
	answer(sum);
	for (int n = 0; n < LANES; n++) {
		if (n && app->repaired)
			DROP(lanes[n].queue);
		DROP(lanes[n].denoise);
		DROP(lanes[n].quiet);
		DROP(lanes[n].raw);
		free(lanes[n].out);
	}
	free(film);
}

/* Enqueues the transform of a map in blocks of the shape that was found best once; where a device
 * does not take that, row by row. */
static void transform(struct app *app, cl_kernel kernel, size_t width, size_t height, size_t side)
{
	size_t items[2] = {width, height}, local[2] = {side, side};

	if (clEnqueueNDRangeKernel(app->queue, kernel, 2, NULL, items, local, 0, NULL, NULL) ==
	    CL_SUCCESS)
		return;
	for (size_t row = 0; row < height; row++) {
		size_t from[2] = {0, row}, line[2] = {width, 1};

		TRY(clEnqueueNDRangeKernel(app->queue, kernel, 2, from, line, NULL, 0, NULL, NULL));
	}
}

/* Maps of the sky from a radio telescope: each channel's is transformed, and added to the sum. */
void review_sky_transform(struct app *app)
{
	static const char source[] =
		MIX "kernel void sky(global const float *map, global float *sum, int rounds)\n"
		    "{\n"
		    "	size_t x = get_global_id(0), y = get_global_id(1);\n"
		    "	size_t i = y * 256 + x;\n"
		    "	sum[i] += unit(mix(as_uint(map[i]) + (uint)y, rounds));\n"
		    "}\n";
	enum { WIDTH = 256, HEIGHT = 512, CHANNELS = 60, PIXELS = WIDTH * HEIGHT };
	size_t bytes = PIXELS * sizeof(float), side = 128, most;
	float *maps = floats((size_t)CHANNELS * PIXELS, 13), *sums = memory(bytes);
	cl_mem map = buffer_new(app, bytes), sum = buffer_new(app, bytes);
	cl_kernel sky;

	app->program = program_new(app, source, "");
	sky = kernel_new(app->program, "sky");
	TRY(clGetKernelWorkGroupInfo(sky, app->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most),
				     &most, NULL));
	while (app->repaired && (side * side > most || side > 16))
		side /= 2;
	args(sky, "bbi", map, sum, 4);
	put(app->queue, sum, bytes, sums);
	for (size_t n = 0; n < CHANNELS; n++) {
		put(app->queue, map, bytes, &maps[n * PIXELS]);
		transform(app, sky, WIDTH, HEIGHT, side);
		flush(app->queue);
	}
	get(app->queue, sum, bytes, sums);
	answer(total(sums, PIXELS));
	DROP(sky);
	DROP(sum);
	DROP(map);
	free(sums);
	free(maps);
}
