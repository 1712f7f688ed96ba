/* SPDX-License-Identifier: MIT */
/* Cameras and detectors. */
#include "debates.h"

#include <stdlib.h>
#include <string.h>

/* A line detector: each of its rows comes as a packet, a header of 16 bytes before it. */
void debate_detector_rows(struct app *app)
{
	enum { ROWS = 24, ROW = 2048, HEADER = 4, SHOTS = 100, ALL = ROWS * ROW };
	static const size_t row_bytes = ROW * sizeof(float);
	cl_program program = program_new(app, MIX("ramp") MIX("backproject"), "");
	cl_kernel ramp = kernel_new(program, "ramp"), back = kernel_new(program, "backproject");
	cl_mem shot = buffer_new(app, ALL * sizeof(float)), sharp = loaded(app, ALL, 6);
	cl_mem image = loaded(app, ALL, 5);
	float *packets = memory((size_t)ROWS * (ROW + HEADER) * sizeof(*packets));
	float *dense = memory(ALL * sizeof(*dense)), *last = memory(ALL * sizeof(*last));

	args(ramp, "bbi", shot, sharp, 4);
	args(back, "bbi", sharp, image, 12);
	for (int number = 0; number < SHOTS; number++) {
		refill(packets, (size_t)ROWS * (ROW + HEADER), number);
		for (size_t row = 0; row < ROWS; row++) {
			const float *packet = packets + row * (ROW + HEADER) + HEADER;

			if (app->repaired)
				memcpy(dense + row * ROW, packet, row_bytes);
			else
				TRY(clEnqueueWriteBuffer(app->queue, shot, CL_FALSE,
							 row * row_bytes, row_bytes, packet, 0,
							 NULL, NULL));
		}
		if (app->repaired)
			put(app->queue, shot, ALL * sizeof(*dense), dense);
		run(app->queue, ramp, ALL, 64);
		run(app->queue, back, ALL, 64);
		get(app->queue, image, ALL * sizeof(*last), last);
	}
	answer(total(last, ALL));
	free(packets);
	free(dense);
	free(last);
	DROP(shot);
	DROP(sharp);
	DROP(image);
	DROP(ramp);
	DROP(back);
	DROP(program);
}

/* A sorting line for fruit: pictures of two lanes, graded as they come. */
void debate_fruit_sorter(struct app *app)
{
	enum { PIXELS = 160 * KIB, GRADES = 8 * KIB, PICTURES = 110, LANES = 2 };
	cl_program program = program_new(app, MIX("grade"), "");
	cl_kernel kernels[LANES];
	cl_command_queue second = queue_new(app, 0), queues[LANES];
	cl_mem picture[LANES], marks[LANES];
	float *taken = memory((size_t)PICTURES * PIXELS * sizeof(*taken));
	float *grades = memory((size_t)PICTURES * GRADES * sizeof(*grades));

	queues[0] = app->queue;
	queues[1] = app->repaired ? second : app->queue;
	for (int i = 0; i < LANES; i++) {
		picture[i] = buffer_new(app, PIXELS * sizeof(float));
		marks[i] = buffer_new(app, PIXELS * sizeof(float));
		kernels[i] = kernel_new(program, "grade");
		args(kernels[i], "bbi", picture[i], marks[i], 12);
	}
	for (int i = 0; i < PICTURES; i++)
		refill(taken + (size_t)i * PIXELS, PIXELS, i);
	for (size_t i = 0; i < PICTURES; i++) {
		size_t lane = i % LANES;

		put(queues[lane], picture[lane], PIXELS * sizeof(float), taken + i * PIXELS);
		run(queues[lane], kernels[lane], PIXELS, 64);
		TRY(clEnqueueReadBuffer(queues[lane], marks[lane], CL_FALSE, 0,
					GRADES * sizeof(float), grades + i * GRADES, 0, NULL,
					NULL));
		flush(queues[lane]);
	}
	finish(queues[0]);
	finish(second);
	answer(total(grades, (size_t)PICTURES * GRADES));
	free(taken);
	free(grades);
	for (int i = 0; i < LANES; i++) {
		DROP(picture[i]);
		DROP(marks[i]);
		DROP(kernels[i]);
	}
	DROP(second);
	DROP(program);
}

/* Stained cells under a microscope: the light of each picture is evened out, then cells are
 * told from the ground. */
void debate_cell_stain(struct app *app)
{
	enum { PIXELS = 1 * MIB, PICTURES = 40, MARKS = 4 * KIB };
	static const size_t bytes = PIXELS * sizeof(float);
	cl_program program = program_new(app, MIX("flatten") MIX("segment"), "");
	cl_kernel flatten = kernel_new(program, "flatten"),
		  segment = kernel_new(program, "segment");
	cl_mem seen = buffer_new(app, bytes), even = buffer_new(app, bytes);
	cl_mem input = app->repaired ? even : buffer_new(app, bytes);
	cl_mem cells = buffer_new(app, bytes);
	float *picture = memory(bytes), *between = memory(bytes), *marks = memory(bytes);
	double sum = 0;

	args(flatten, "bbi", seen, even, 2);
	args(segment, "bbi", input, cells, 3);
	for (int i = 0; i < PICTURES; i++) {
		refill(picture, PIXELS, i);
		put(app->queue, seen, bytes, picture);
		run(app->queue, flatten, PIXELS, 64);
		if (!app->repaired) {
			get(app->queue, even, bytes, between);
			put(app->queue, input, bytes, between);
		}
		run(app->queue, segment, PIXELS, 64);
		get(app->queue, cells, MARKS * sizeof(float), marks);
		sum += total(marks, MARKS);
	}
	answer(sum);
	free(picture);
	free(between);
	free(marks);
	DROP(seen);
	DROP(even);
	if (!app->repaired)
		DROP(input);
	DROP(cells);
	DROP(flatten);
	DROP(segment);
	DROP(program);
}

/* A rig of two cameras on a robot: both pictures are straightened by where each pixel of the
 * lenses comes from, and compared. */
static const char rig_source[] =
	"kernel void disparity(global const float *left, global const float *right,\n"
	"		      global const uint4 *lens, global float *depth, uint count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint at = lens[i].x & (count - 1), by = lens[i].z + lens[i].w;\n"
	"	float best = 1e9f;\n"
	"	for (uint d = 0; d < 4; d++)\n"
	"		best = min(best, fabs(left[at] - right[(by + d) & (count - 1)]));\n"
	"	depth[i] = best;\n"
	"}\n";

void debate_stereo_rig(struct app *app)
{
	enum { PIXELS = 128 * KIB, FRAMES = 160, NEAR = 2 * KIB };
	static const size_t bytes = PIXELS * sizeof(float);
	cl_kernel kernel = kernel_of(app, rig_source, "disparity");
	cl_mem left = buffer_new(app, bytes), right = buffer_new(app, bytes);
	cl_mem lens = buffer_new(app, 4 * bytes), depth = buffer_new(app, bytes);
	float *eyes[2] = {memory(bytes), memory(bytes)}, *near = memory(NEAR * sizeof(*near));
	cl_uint *calibration = memory(4 * bytes);
	double sum = 0;

	for (cl_uint i = 0; i < PIXELS; i++) {
		calibration[(size_t)4 * i] = i + i % 5;
		calibration[(size_t)4 * i + 2] = i;
		calibration[(size_t)4 * i + 3] = i % 7;
	}
	put_now(app->queue, lens, 4 * bytes, calibration);
	args(kernel, "bbbbi", left, right, lens, depth, PIXELS);
	for (int frame = 0; frame < FRAMES; frame++) {
		refill(eyes[0], PIXELS, frame);
		refill(eyes[1], PIXELS, frame + 1000);
		put(app->queue, left, bytes, eyes[0]);
		put(app->queue, right, bytes, eyes[1]);
		if (!app->repaired)
			put(app->queue, lens, 4 * bytes, calibration);
		run(app->queue, kernel, PIXELS, 64);
		get(app->queue, depth, NEAR * sizeof(*near), near);
		sum += total(near, NEAR);
	}
	answer(sum);
	free(eyes[0]);
	free(eyes[1]);
	free(near);
	free(calibration);
	DROP(left);
	DROP(right);
	DROP(lens);
	DROP(depth);
	DROP(kernel);
}

/* A photon counter: of each exposure, how many came in all. */
static const char photon_source[] =
	"kernel void expose(global uint *hits, uint exposure)\n"
	"{\n"
	"	uint i = get_global_id(0), u = i * 2654435761u + exposure;\n"
	"	for (int r = 0; r < 12; r++)\n"
	"		u = (u ^ (u >> 9)) * 2246822519u + 40503u;\n"
	"	hits[i] = u >> 28;\n"
	"}\n"
	"kernel void tally(global const uint *hits, global uint *sums, uint count)\n"
	"{\n"
	"	uint sum = 0, each = count / get_global_size(0);\n"
	"	hits += get_global_id(0) * each;\n"
	"	for (uint i = 0; i < each; i++)\n"
	"		sum += hits[i];\n"
	"	sums[get_global_id(0)] = sum;\n"
	"}\n";

void debate_photon_tally(struct app *app)
{
	enum { PIXELS = 512 * KIB, EXPOSURES = 70, SUMS = 1024 };
	cl_program program = program_new(app, photon_source, "");
	cl_kernel expose = kernel_new(program, "expose"), tally = kernel_new(program, "tally");
	cl_mem hits = buffer_new(app, PIXELS * sizeof(cl_uint));
	cl_mem sums = buffer_new(app, SUMS * sizeof(cl_uint));
	size_t count = app->repaired ? SUMS : PIXELS;
	cl_uint *seen = memory(count * sizeof(*seen));
	double photons = 0;

	for (int exposure = 0; exposure < EXPOSURES; exposure++) {
		args(expose, "bi", hits, exposure);
		run(app->queue, expose, PIXELS, 64);
		if (app->repaired) {
			args(tally, "bbi", hits, sums, PIXELS);
			run(app->queue, tally, SUMS, 64);
		}
		get(app->queue, app->repaired ? sums : hits, count * sizeof(*seen), seen);
		for (size_t i = 0; i < count; i++)
			photons += seen[i];
	}
	answer(photons);
	free(seen);
	DROP(hits);
	DROP(sums);
	DROP(expose);
	DROP(tally);
	DROP(program);
}
