/* SPDX-License-Identifier: MIT */
/* Programs with nothing wrong, that are near to what is. */
#include "vivas.h"

#include <stdlib.h>

/* A search by halves: where the next probe is depends on what the last one has found. Each probe
 * keeps the device busy for much longer than the way to the host and back. */
void viva_clean_bisect(struct app *app)
{
	enum { COUNT = 262144, PROBES = 300 };
	cl_kernel kernel = kernel_of(app,
				     "kernel void probe(global float *v, float at)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	uint u = as_uint(v[i]);\n"
				     "	for (int r = 0; r < 10; r++)\n"
				     "		u = (u ^ (u >> 7)) * 1664525u + as_uint(at);\n"
				     "	v[i] = (float)(u >> 8) / 16777216.0f;\n"
				     "}\n",
				     "probe");
	cl_mem field = seeded(app, COUNT * sizeof(float), 12);
	double low = 0, high = 1;
	float found = 0;

	for (int i = 0; i < PROBES; i++) {
		double middle = (low + high) / 2;

		args(kernel, "bf", field, middle);
		run(app->queue, kernel, COUNT, 64);
		get(app->queue, field, sizeof(found), &found);
		if ((double)found < middle)
			high = middle + 0.1;
		else
			low = middle - 0.1;
	}
	answer(low);
	DROP(field);
	DROP(kernel);
}

/* Frames of a camera, each of them another one, in the same buffers: three of them take turns on
 * three queues, and a frame's slot is waited for when it comes round. */
void viva_clean_ring(struct app *app)
{
	enum { COUNT = 131072, BYTES = COUNT * sizeof(float), SLOTS = 3 };
	cl_kernel kernel = kernel_of(app, FIELD("demosaic"), "demosaic");
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	cl_mem slots[SLOTS];
	cl_event done[SLOTS];
	float *in[SLOTS], *out[SLOTS];
	double sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		slots[i] = buffer_new(app, BYTES);
		in[i] = memory(BYTES);
		out[i] = memory(BYTES);
	}
	for (int i = 0; i < 250; i++) {
		int slot = i % SLOTS;

		if (i >= SLOTS) {
			settle(done[slot]);
			sum += total(out[slot], COUNT);
		}
		refill(in[slot], COUNT, i);

		cl_event there = put_after(up, slots[slot], BYTES, in[slot], 0, NULL);

		flush(up);
		args(kernel, "bi", slots[slot], 4);

		cl_event ran = run_after(app->queue, kernel, COUNT, 64, 1, &there);

		for (int pass = 0; pass < 2; pass++) {
			DROP(ran);
			ran = run_after(app->queue, kernel, COUNT, 64, 0, NULL);
		}
		flush(app->queue);
		done[slot] = get_after(down, slots[slot], BYTES, out[slot], 1, &ran);
		flush(down);
		DROP(there);
		DROP(ran);
	}
	for (int i = 0; i < SLOTS; i++) {
		settle(done[i]);
		free(in[i]);
		free(out[i]);
		DROP(slots[i]);
	}
	answer(sum);
	DROP(up);
	DROP(down);
	DROP(kernel);
}

/* A mesh that is refined: in each level larger buffers take the place of the last ones, which are
 * filled from those on the device. */
void viva_clean_refine(struct app *app)
{
	enum { LEVELS = 7 };
	cl_program program =
		program_new(app,
			    FIELD("smooth") "kernel void refine(global const float *from,\n"
					    "		   global float *to)\n"
					    "{\n"
					    "	size_t i = get_global_id(0);\n"
					    "	to[i] = from[i / 2] + (i % 2 ? 0.25f : 0);\n"
					    "}\n",
			    "");
	cl_kernel smooth = kernel_new(program, "smooth"), refine = kernel_new(program, "refine");
	size_t count = 8192;
	cl_mem mesh = seeded(app, count * sizeof(float), 3);
	float first = 0;

	for (int level = 0; level < LEVELS; level++) {
		args(smooth, "bi", mesh, 6);
		for (int i = 0; i < 60; i++)
			run(app->queue, smooth, count, 64);

		cl_mem finer = buffer_new(app, count * 2 * sizeof(float));

		args(refine, "bb", mesh, finer);
		run(app->queue, refine, count * 2, 64);
		flush(app->queue);
		DROP(mesh);
		mesh = finer;
		count *= 2;
	}
	get(app->queue, mesh, sizeof(first), &first);
	answer((double)first);
	DROP(mesh);
	DROP(smooth);
	DROP(refine);
	DROP(program);
}

/* Three programs of the same text, which differ by their options: each is built once, all at the
 * start, and used for long. */
void viva_clean_variants(struct app *app)
{
	static const char *const options[] = {"-DORDER=1", "-DORDER=2", "-DORDER=4"};
	enum { COUNT = 131072, VARIANTS = 3 };
	cl_program programs[VARIANTS];
	cl_kernel kernels[VARIANTS];
	cl_mem field = seeded(app, COUNT * sizeof(float), 14);
	float first = 0;

	for (int i = 0; i < VARIANTS; i++) {
		programs[i] =
			program_new(app,
				    "kernel void stencil(global float *v)\n"
				    "{\n"
				    "	size_t i = get_global_id(0);\n"
				    "	uint u = as_uint(v[i]);\n"
				    "	for (int r = 0; r < 4 * ORDER; r++)\n"
				    "		u = (u ^ (u >> 7)) * 1664525u + 1013904223u;\n"
				    "	v[i] = (float)(u >> 8) / 16777216.0f;\n"
				    "}\n",
				    options[i]);
		kernels[i] = kernel_new(programs[i], "stencil");
		args(kernels[i], "b", field);
	}
	for (int step = 0; step < 450; step++) {
		run(app->queue, kernels[step % VARIANTS], COUNT, 64);
		if (step % 100 == 99)
			get(app->queue, field, sizeof(first), &first);
	}
	answer((double)first);
	for (int i = 0; i < VARIANTS; i++) {
		DROP(kernels[i]);
		DROP(programs[i]);
	}
	DROP(field);
}
