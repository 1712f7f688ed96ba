/* SPDX-License-Identifier: MIT */
/* Programs of laboratories: chemistry and physiology. */
#include "reviews.h"

#include <stdlib.h>

/* The atoms of a ligand in its poses. */
static void pose(float *atoms, size_t count, int ligand)
{
	refill(atoms, count, ligand);
	busy(atoms, count, 50);
}

/* Docking: of each ligand poses are made, and the device scores them. */
void review_dock_ligands(struct app *app)
{
	static const char source[] = MIX LARGEST(
		"best") "kernel void score(global const float *atoms, global float *scores, int rounds)\n"
			"{\n"
			"	size_t i = get_global_id(0);\n"
			"	scores[i] = unit(mix(as_uint(atoms[i % 16384]) + (uint)i, rounds));\n"
			"}\n";
	enum { ATOMS = 16 * 1024, SCORES = 512 * 1024, BEST = 1024, LIGANDS = 70 };
	size_t bytes = ATOMS * sizeof(float);
	float *atoms[2] = {memory(bytes), memory(bytes)}, *tops = memory(BEST * sizeof(float));
	cl_mem there = buffer_new(app, bytes), scores = buffer_new(app, SCORES * sizeof(float));
	cl_mem best = buffer_new(app, BEST * sizeof(float));
	cl_kernel score, choose;
	double sum = 0;

	app->program = program_new(app, source, "");
	score = kernel_new(app->program, "score");
	choose = kernel_new(app->program, "best");
	args(score, "bbi", there, scores, 3);
	args(choose, "bbi", scores, best, SCORES / BEST);
	pose(atoms[0], ATOMS, 0);
	for (int n = 0; n < LIGANDS; n++) {
		put(app->queue, there, bytes, atoms[n % 2]);
		run(app->queue, score, SCORES, 128);
		run(app->queue, choose, BEST, 32);
		if (app->repaired && n + 1 < LIGANDS) {
			flush(app->queue);
			pose(atoms[(n + 1) % 2], ATOMS, n + 1);
		}
		get(app->queue, best, BEST * sizeof(float), tops);
		sum += total(tops, BEST);
		if (!app->repaired && n + 1 < LIGANDS)
			pose(atoms[(n + 1) % 2], ATOMS, n + 1);
	}
	answer(sum);
	DROP(choose);
	DROP(score);
	DROP(best);
	DROP(scores);
	DROP(there);
	free(tops);
	free(atoms[1]);
	free(atoms[0]);
}

/* Heart muscle: the ion currents of each cell, then its neighbours' pull, step by step. */
void review_heart_cells(struct app *app)
{
	static const char source[] =
		"kernel void currents(global float *volts, global float *gates, int stages)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float v = volts[i], g = gates[i];\n"
		"	for (int k = 0; k < stages; k++) {\n"
		"		g += 0.01f * (0.8f * v - g + 0.1f);\n"
		"		v += 0.01f * (v * (1.0f - v) * (v + 0.2f) - g + 0.3f);\n"
		"	}\n"
		"	volts[i] = v;\n"
		"	gates[i] = g;\n"
		"}\n"
		"kernel void couple(global const float *volts, global float *next, int count)\n"
		"{\n"
		"	int i = (int)get_global_id(0);\n"
		"	float left = volts[max(i - 1, 0)], right = volts[min(i + 1, count - 1)];\n"
		"	next[i] = 0.5f * volts[i] + 0.25f * (left + right);\n"
		"}\n";
	enum { CELLS = 128 * 1024, STEPS = 80 };
	size_t bytes = CELLS * sizeof(float), local = app->repaired ? 64 : 1;
	float *volts = floats(CELLS, 23), *gates = floats(CELLS, 24);
	cl_mem now = buffer_new(app, bytes), next = buffer_new(app, bytes);
	cl_mem open = buffer_new(app, bytes);
	cl_kernel currents, couple;

	app->program = program_new(app, source, "");
	currents = kernel_new(app->program, "currents");
	couple = kernel_new(app->program, "couple");
	put(app->queue, now, bytes, volts);
	put(app->queue, open, bytes, gates);
	for (int step = 0; step < STEPS; step++) {
		cl_mem other = next;

		args(currents, "bbi", now, open, 4);
		args(couple, "bbi", now, next, CELLS);
		run(app->queue, currents, CELLS, local);
		run(app->queue, couple, CELLS, local);
		flush(app->queue);
		next = now;
		now = other;
	}
	get(app->queue, now, bytes, volts);
	answer(total(volts, CELLS));
	DROP(couple);
	DROP(currents);
	DROP(open);
	DROP(next);
	DROP(now);
	free(gates);
	free(volts);
}
