/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>
#include <time.h>

/* A player of sound: a block is due every 5 ms, and is made when it is due. The device is idle most
 * of the time, as it has to be. */
enum { BLOCK = 16 * KIB, BLOCKS = 120, PERIOD_NS = 5000000 };

void essay_clean_player(struct app *app)
{
	cl_kernel synth = kernel_of(app, SWEEP("synth_block"), "synth_block");
	cl_mem block = filled(app, BLOCK * sizeof(float), 6);
	float *sound = memory(BLOCK * sizeof(*sound));
	struct timespec due;
	double sum = 0;

	args(synth, "bi", block, 16);
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (int number = 0; number < BLOCKS; number++) {
		due.tv_nsec += PERIOD_NS;
		if (due.tv_nsec >= 1000000000) {
			due.tv_nsec -= 1000000000;
			due.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		run(app->queue, synth, BLOCK, 64);
		get(app->queue, block, BLOCK * sizeof(float), sound);
		sum += (double)sound[7];
	}
	answer(sum);
	DROP(synth);
	DROP(block);
	free(sound);
}

/* A solver whose norm is read in each iteration, without a wait: it is looked at two iterations
 * later, so that the device always has work. */
enum { CELLS = 512 * KIB, ITERATIONS = 240, BEHIND = 3 };

void essay_clean_behind(struct app *app)
{
	cl_kernel relax = kernel_of(app, SWEEP("relax_cells"), "relax_cells");
	cl_mem cells = filled(app, CELLS * sizeof(float), 12);
	cl_event read[BEHIND] = {NULL};
	float norms[BEHIND];
	double last = 0;

	args(relax, "bi", cells, 3);
	for (int i = 0; i < ITERATIONS; i++) {
		int at = i % BEHIND;

		if (read[at]) {
			settle(read[at]);
			last += (double)norms[at];
		}
		run(app->queue, relax, CELLS, 64);
		read[at] = get_after(app->queue, cells, sizeof(float), &norms[at], 0, NULL);
		flush(app->queue);
	}
	for (int i = 0; i < BEHIND; i++)
		settle(read[i]);
	answer(last);
	DROP(relax);
	DROP(cells);
}

/* A convolution for each of four radii, built once with an option of its own, and then used for
 * long: four builds of one source, and none of them too many. */
enum { RADII = 4, LINE = 256 * KIB, PASSES = 60 };

static const char blur_source[] =
	"kernel void blur_line(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = -RADIUS; k <= RADIUS; k++)\n"
	"		sum += in[(i + n + k) % n];\n"
	"	out[i] = sum / (2 * RADIUS + 1);\n"
	"}\n";

void essay_clean_variants(struct app *app)
{
	static const char *const options[RADII] = {"-DRADIUS=1", "-DRADIUS=2", "-DRADIUS=4",
						   "-DRADIUS=6"};
	cl_mem lines[2] = {filled(app, LINE * sizeof(float), 1),
			   filled(app, LINE * sizeof(float), 2)};
	float *line = memory(LINE * sizeof(*line));
	cl_kernel blurs[RADII];

	for (int i = 0; i < RADII; i++) {
		cl_program program = program_new(app, blur_source, options[i]);

		blurs[i] = kernel_new(program, "blur_line");
		DROP(program);
	}
	for (int pass = 0; pass < PASSES * RADII; pass++) {
		args(blurs[pass % RADII], "bb", lines[pass % 2], lines[(pass + 1) % 2]);
		run(app->queue, blurs[pass % RADII], LINE, 64);
		if (pass % 16 == 15)
			flush(app->queue);
	}
	get(app->queue, lines[0], LINE * sizeof(float), line);
	answer(total(line, LINE));
	for (int i = 0; i < RADII; i++)
		DROP(blurs[i]);
	DROP(lines[0]);
	DROP(lines[1]);
	free(line);
}
