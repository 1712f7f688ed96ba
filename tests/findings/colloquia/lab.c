/* SPDX-License-Identifier: MIT */
/* Faults of simulations and signal processing. */
#include "colloquia.h"

#include <stdlib.h>
#include <string.h>

/* photon_count: photons bounce until none is left, which takes far longer than the longest run
 * allowed. How many are left is asked after each bounce; every 32nd would do. */
enum { PHOTONS = 16 * KIB, BOUNCES = 3200 };

static const char bounce_source[] = "kernel void bounce(global uint *photons, global uint *alive)\n"
				    "{\n"
				    "	size_t i = get_global_id(0);\n"
				    "	uint u = photons[i];\n"
				    "	for (int k = 0; k < 12; k++)\n"
				    "		u = (u ^ (u >> 9)) * 22695477u + (uint)i;\n"
				    "	photons[i] = u;\n"
				    "	if (!i)\n"
				    "		alive[0] = u | 1u;\n"
				    "}\n";

static unsigned photons_left(struct app *app, cl_mem alive)
{
	cl_int error;
	unsigned *count = clEnqueueMapBuffer(app->queue, alive, CL_TRUE, CL_MAP_READ, 0,
					     sizeof(*count), 0, NULL, NULL, &error);

	must(error, "clEnqueueMapBuffer");

	unsigned left = *count;

	TRY(clEnqueueUnmapMemObject(app->queue, alive, count, 0, NULL, NULL));
	return left;
}

void colloquium_photon_count(struct app *app)
{
	unsigned many = PHOTONS, left = many;
	cl_mem photons = filled(app, PHOTONS * 4, 1), alive = buffer_new(app, 4096);
	cl_kernel bounce = kernel_of(app, bounce_source, "bounce");
	int every = app->repaired ? 32 : 1;

	put_now(app->queue, alive, sizeof(many), &many);
	args(bounce, "bb", photons, alive);
	for (int n = 1; n <= BOUNCES && left; n++) {
		run(app->queue, bounce, PHOTONS, 0);
		if (n % every == 0)
			left = photons_left(app, alive);
	}
	finish(app->queue);
	answer(left != 0);
	DROP(bounce);
	DROP(photons);
	DROP(alive);
}

/* filter_bank: 64 bands of 256 samples, each with a launch of its own, or all in one. */
enum { BANDS = 64, SPAN = 256, BANK_BLOCKS = 256 };

static const char band_source[] =
	"kernel void band_filter(global const float *in, global float *out, int first)\n"
	"{\n"
	"	int band = first + (int)get_global_id(1), i = (int)get_global_id(0);\n"
	"	float a = 0;\n"
	"	for (int k = 0; k < 64; k++)\n"
	"		a += in[(i + k * band) % 4096] * (0.015f + 0.0001f * band);\n"
	"	out[band * 256 + i] = out[band * 256 + i] * 0.5f + a;\n"
	"}\n";

void colloquium_filter_bank(struct app *app)
{
	float *sound = floats(4096, 2), *bands = memory(BANDS * SPAN * 4);
	cl_mem in = buffer_new(app, 4096 * 4), out = filled(app, BANDS * SPAN * 4, 3);
	cl_kernel filter = kernel_of(app, band_source, "band_filter");

	args(filter, "bbi", in, out, 0);
	for (int n = 0; n < BANK_BLOCKS; n++) {
		int first = 0;

		if (n % 16 == 0)
			put(app->queue, in, 4096 * 4, sound); /* the next second */
		if (app->repaired) {
			run_plane(app->queue, filter, SPAN, BANDS, 64, 1);
		} else {
			for (; first < BANDS; first++) {
				TRY(clSetKernelArg(filter, 2, sizeof(first), &first));
				run_plane(app->queue, filter, SPAN, 1, 64, 1);
			}
		}
		flush(app->queue);
		if (n % 16 == 15) {
			finish(app->queue);
			refill(sound, 4096, n);
		}
	}
	read_now(app->queue, out, BANDS * SPAN * 4, bands);
	answer(total(bands, BANDS * SPAN));
	free(sound);
	free(bands);
	DROP(filter);
	DROP(in);
	DROP(out);
}

/* halo_face: a neighbour needs one face of the block. Where x runs fastest, the face is 36,864
 * rows of one number. */
enum { EDGE = 192, FACES = 260 };

static const char relax_source[] =
	"kernel void face_relax(global float *block, int stride, int step)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	size_t at = i * stride;\n"
	"	block[at] = block[at] * 0.5f + 0.001f * step;\n"
	"}\n";

void colloquium_halo_face(struct app *app)
{
	size_t row = app->repaired ? EDGE * EDGE * 4 : 4, rows = app->repaired ? 1 : EDGE * EDGE;
	size_t pitch = app->repaired ? EDGE * EDGE * 4 : EDGE * 4;
	float *face = memory(EDGE * EDGE * 4);
	cl_mem block = filled(app, (size_t)EDGE * EDGE * EDGE * 4, 6);
	cl_kernel relax = kernel_of(app, relax_source, "face_relax");
	double sum = 0;

	for (int n = 0; n < FACES; n++) {
		const size_t at[3] = {0, 0, 0}, region[3] = {row, rows, 1};

		args(relax, "bii", block, app->repaired ? 1 : EDGE, n);
		run(app->queue, relax, EDGE * EDGE, 0);
		TRY(clEnqueueReadBufferRect(app->queue, block, CL_TRUE, at, at, region, pitch, 0,
					    row, 0, face, 0, NULL, NULL));
		sum += face[n];
	}
	answer(sum);
	free(face);
	DROP(relax);
	DROP(block);
}

/* scratch_levels: each level of a wavelet transform asks for its scratch space anew. */
enum { LEVELS = 5, LINES = 24, SIGNAL = 16 * MIB };

static const char level_source[] =
	"kernel void level(global const float *in, global float *scratch)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	scratch[i] = in[i] * 0.7f + 0.3f;\n"
	"}\n"
	"kernel void level_back(global float *in, global const float *scratch)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	in[i] = scratch[i] * 0.5f;\n"
	"}\n";

void colloquium_scratch_levels(struct app *app)
{
	cl_mem signal = filled(app, SIGNAL, 9), kept = NULL;
	cl_program program = program_new(app, level_source, "");
	cl_kernel level = kernel_new(program, "level"), back = kernel_new(program, "level_back");
	float some[64];

	if (app->repaired)
		kept = buffer_new(app, SIGNAL);
	for (int n = 0; n < LINES; n++) {
		for (size_t k = 0; k < LEVELS; k++) {
			cl_mem scratch = kept ? kept : buffer_new(app, SIGNAL >> k);

			args(level, "bb", signal, scratch);
			args(back, "bb", signal, scratch);
			run(app->queue, level, SIGNAL / 4 >> k, 0);
			run(app->queue, back, SIGNAL / 4 >> k, 0);
			if (!kept)
				DROP(scratch);
		}
		finish(app->queue);
	}
	read_now(app->queue, signal, sizeof(some), some);
	answer(total(some, 64));
	if (kept)
		DROP(kept);
	DROP(level);
	DROP(back);
	DROP(program);
	DROP(signal);
}
