/* SPDX-License-Identifier: MIT */
/* Transfers: small, unneeded, or of too much. */
#include "orals.h"

#include <stdlib.h>

/* A board of quotes: each instrument's row is fetched by itself for its subscriber. */

void oral_quote_board(struct app *app)
{
	enum { ROWS = 100, ROW = 32, TICKS = 20 };
	float *shown = floats(ROWS * ROW, 3);
	cl_mem board = buffer_new(app, ROWS * ROW * 4);
	cl_kernel reprice = kernel_of(app, STIR("reprice"), "reprice");
	double sum = 0;

	put_now(app->queue, board, ROWS * ROW * 4, shown);
	args(reprice, "bi", board, 20);
	for (int tick = 0; tick < TICKS; tick++) {
		run(app->queue, reprice, ROWS * ROW, 64);
		if (app->repaired)
			get_part(app->queue, board, 0, ROWS * ROW * 4, shown);
		for (int row = 0; row < ROWS && !app->repaired; row++)
			get_part(app->queue, board, (size_t)row * ROW * 4, ROW * 4,
				 shown + (size_t)row * ROW);
		finish(app->queue);
		sum += (double)shown[tick];
	}
	answer(sum);
	DROP(reprice);
	DROP(board);
	free(shown);
}

/* A chain of audio effects, where each effect takes its block from the host and gives it back. */

static void effect(const struct app *app, cl_kernel kernel, cl_mem block, size_t count,
		   float *samples)
{
	if (!app->repaired)
		put(app->queue, block, count * 4, samples);
	run(app->queue, kernel, count, 64);
	if (!app->repaired)
		get(app->queue, block, count * 4, samples);
}

void oral_limiter_pass(struct app *app)
{
	enum { COUNT = 1 << 18, BLOCKS = 10, EFFECTS = 5 };
	static const char *const names[EFFECTS] = {"gate", "equalise", "chorus", "echo", "limit"};
	float *samples = memory(COUNT * 4);
	cl_program rack = program_new(
		app, STIR("gate") STIR("equalise") STIR("chorus") STIR("echo") STIR("limit"), "");
	cl_mem block = buffer_new(app, COUNT * 4);
	cl_kernel effects[EFFECTS];
	double sum = 0;

	for (int i = 0; i < EFFECTS; i++) {
		effects[i] = kernel_new(rack, names[i]);
		args(effects[i], "bi", block, 1);
	}
	for (int number = 0; number < BLOCKS; number++) {
		refill(samples, COUNT, number);
		if (app->repaired)
			put(app->queue, block, COUNT * 4, samples);
		for (int i = 0; i < EFFECTS; i++)
			effect(app, effects[i], block, COUNT, samples);
		if (app->repaired)
			get(app->queue, block, COUNT * 4, samples);
		sum += (double)samples[number];
	}
	answer(sum);
	for (int i = 0; i < EFFECTS; i++)
		DROP(effects[i]);
	DROP(block);
	DROP(rack);
	free(samples);
}

/* A wave equation; the level before is kept by way of an array of the host. */

void oral_wave_levels(struct app *app)
{
	enum { COUNT = 1 << 19, STEPS = 40 };
	float *field = floats(COUNT, 7);
	cl_mem now = buffer_new(app, COUNT * 4), before = buffer_new(app, COUNT * 4);
	cl_kernel wave =
		kernel_of(app,
			  "kernel void wave(global float *now, global const float *before, int n)\n"
			  "{\n"
			  "	int i = get_global_id(0);\n"
			  "	float l = before[max(i - 1, 0)], r = before[min(i + 1, n - 1)];\n"
			  "	now[i] = 0.98f * before[i] + 0.01f * (l + r);\n"
			  "}\n",
			  "wave");

	put_now(app->queue, now, COUNT * 4, field);
	args(wave, "bbi", now, before, COUNT);
	for (int step = 0; step < STEPS; step++) {
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, now, before, 0, 0, COUNT * 4, 0, NULL,
						NULL));
		} else {
			get(app->queue, now, COUNT * 4, field);
			put(app->queue, before, COUNT * 4, field);
		}
		run(app->queue, wave, COUNT, 64);
	}
	get(app->queue, now, COUNT * 4, field);
	answer(total(field, COUNT));
	DROP(wave);
	DROP(before);
	DROP(now);
	free(field);
}

/* Colour grading: frames, each with the table of colours that the film has. */

void oral_grade_table(struct app *app)
{
	enum { PIXELS = 1 << 15, TABLE = 1 << 19, FRAMES = 50 };
	float *frame = memory(PIXELS * 4), *table = floats(TABLE, 9);
	cl_mem pixels = buffer_new(app, PIXELS * 4), colours = buffer_new(app, TABLE * 4);
	cl_kernel grade =
		kernel_of(app,
			  "kernel void grade(global float *v, global const float *t, int n)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	v[i] = t[(int)(fabs(v[i]) * n) % n];\n"
			  "}\n",
			  "grade");
	double sum = 0;

	args(grade, "bbi", pixels, colours, TABLE);
	for (int number = 0; number < FRAMES; number++) {
		refill(frame, PIXELS, number);
		if (!number || !app->repaired)
			put(app->queue, colours, TABLE * 4, table);
		put(app->queue, pixels, PIXELS * 4, frame);
		run(app->queue, grade, PIXELS, 64);
		get(app->queue, pixels, PIXELS * 4, frame);
		sum += (double)frame[number];
	}
	answer(sum);
	DROP(grade);
	DROP(colours);
	DROP(pixels);
	free(table);
	free(frame);
}

/* Molecular dynamics: of all atoms that are fetched, a few are logged. */

void oral_atom_log(struct app *app)
{
	enum { ATOMS = 1 << 20, LOGGED = 64, STEPS = 30 };
	float *atoms = floats(ATOMS, 11);
	cl_mem state = buffer_new(app, ATOMS * 4);
	cl_kernel move = kernel_of(app, STIR("move"), "move");
	double sum = 0;

	put_now(app->queue, state, ATOMS * 4, atoms);
	args(move, "bi", state, 1);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, move, ATOMS, 64);
		get(app->queue, state, (size_t)(app->repaired ? LOGGED : ATOMS) * 4, atoms);
		sum += total(atoms, LOGGED);
	}
	answer(sum);
	DROP(move);
	DROP(state);
	free(atoms);
}
