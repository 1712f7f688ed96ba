/* SPDX-License-Identifier: MIT */
/* Programs of engineers: flow around a wing, and sound. */
#include "reviews.h"

#include <stdlib.h>

/* Flow around a wing, and the forces on the panels of its surface in each step. */
void review_wing_lift(struct app *app)
{
	static const char source[] = MIX
		"kernel void stream(global float *cells, int rounds)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	cells[i] = unit(mix(as_uint(cells[i]) + (uint)i, rounds));\n"
		"}\n"
		"kernel void panels(global const float *cells, global float *forces, int step)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float force = 0;\n"
		"	for (size_t k = 0; k < 16; k++)\n"
		"		force += cells[i * 16 + k] - 0.5f;\n"
		"	forces[(size_t)step * 64 + i] = force;\n"
		"}\n";
	enum { CELLS = 8 * 1024, PANELS = 64, STEPS = 1200 };
	size_t row = PANELS * sizeof(float), rows = app->repaired ? STEPS : 1;
	float *start = floats(CELLS, 17), *history = memory(STEPS * row);
	cl_mem cells = buffer_new(app, CELLS * sizeof(float));
	cl_mem forces = buffer_new(app, rows * row);
	cl_kernel stream, panels;

	app->program = program_new(app, source, "");
	stream = kernel_new(app->program, "stream");
	panels = kernel_new(app->program, "panels");
	put(app->queue, cells, CELLS * sizeof(float), start);
	args(stream, "bi", cells, 4);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, stream, CELLS, 128);
		args(panels, "bbi", cells, forces, app->repaired ? step : 0);
		run(app->queue, panels, PANELS, 16);
		if (!app->repaired)
			get(app->queue, forces, row, &history[step * PANELS]);
		else if (step % 20 == 19)
			flush(app->queue);
	}
	if (app->repaired)
		get(app->queue, forces, STEPS * row, history);
	answer(total(history, STEPS * PANELS));
	DROP(panels);
	DROP(stream);
	DROP(forces);
	DROP(cells);
	free(history);
	free(start);
}

struct ear {
	cl_command_queue queue;
	cl_mem sound, state;
	cl_kernel filter;
	cl_event last;
	float *block;
};

/* A hearing aid's simulation: for each ear, blocks of sound go through a bank of recursive
 * filters, an item for each band. */
void review_hearing_aid(struct app *app)
{
	static const char source[] =
		"kernel void bands(global const float *sound, global float *state, int samples)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float y = state[i], k = 0.5f + (float)i / 256.0f;\n"
		"	for (int n = 0; n < samples; n++)\n"
		"		y = y * k + sound[n] * (1.0f - k);\n"
		"	state[i] = y;\n"
		"}\n";
	enum { BANDS = 64, SAMPLES = 6 * 1024, BLOCKS = 600, EARS = 2 };
	size_t bytes = SAMPLES * sizeof(float);
	float *levels = memory(BANDS * sizeof(float));
	struct ear ears[EARS] = {{0}};
	double sum = 0;

	app->program = program_new(app, source, "");
	for (unsigned n = 0; n < EARS; n++) {
		struct ear *ear = &ears[n];

		ear->queue = n ? queue_new(app, 0) : app->queue;
		ear->sound = buffer_new(app, bytes);
		ear->state = buffer_new(app, BANDS * sizeof(float));
		ear->filter = kernel_new(app->program, "bands");
		ear->block = floats(SAMPLES, 19 + n);
		args(ear->filter, "bbi", ear->sound, ear->state, SAMPLES);
		put_now(ear->queue, ear->state, BANDS * sizeof(float), levels);
	}
	for (int n = 0; n < BLOCKS; n++) {
		for (int k = 0; k < EARS; k++) {
			struct ear *ear = &ears[k], *other = &ears[!k];
			cl_event before = other->last;
			cl_event sent;

			if (ear->last)
				settle(ear->last); /* its block can be filled again */
			ear->last = NULL;
			ear->block[0] = (float)n;
			if (app->repaired)
				before = NULL;
			sent = put_after(ear->queue, ear->sound, bytes, ear->block, !!before,
					 &before);
			ear->last = run_after(ear->queue, ear->filter, BANDS, BANDS, 1, &sent);
			DROP(sent);
			flush(ear->queue);
		}
	}
	for (int k = 0; k < EARS; k++) {
		settle(ears[k].last);
		get(ears[k].queue, ears[k].state, BANDS * sizeof(float), levels);
		sum += total(levels, BANDS);
		if (k)
			DROP(ears[k].queue);
		DROP(ears[k].filter);
		DROP(ears[k].state);
		DROP(ears[k].sound);
		free(ears[k].block);
	}
	answer(sum);
	free(levels);
}
