/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>

/* A tide model that relaxes the water level of a bay, and looks at the norm of the change: after
 * each sweep, with a read that blocks. Repaired: the norm of every sweep goes to a place of its
 * own, and the host looks at them once in 50 sweeps. */
enum { BAY = 16 * KIB, SWEEPS = 2000, LOOK = 50 };

static const char tide_source[] =
	"kernel void relax_level(global float *level, global float *norm, int at)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float was = level[i];\n"
	"	float now = 0.5f * was + 0.25f * (level[i ? i - 1 : 0] + level[i + 1 < n ? i + 1 : i]);\n"
	"	level[i] = now;\n"
	"	if (i == n / 2)\n"
	"		norm[at] = fabs(now - was) + 1.0f / (1 + at);\n"
	"}\n";

struct bay {
	cl_command_queue queue;
	cl_kernel relax;
	cl_mem level, norm;
};

static double bay_change(const struct bay *bay, int at)
{
	float change;

	TRY(clEnqueueReadBuffer(bay->queue, bay->norm, CL_TRUE, (size_t)at * sizeof(change),
				sizeof(change), &change, 0, NULL, NULL));
	return (double)change;
}

static double bay_changes(const struct bay *bay)
{
	float changes[LOOK];

	get(bay->queue, bay->norm, sizeof(changes), changes);
	return (double)changes[LOOK - 1];
}

void essay_tide_norm(struct app *app)
{
	struct bay bay = {app->queue, kernel_of(app, tide_source, "relax_level"),
			  filled(app, BAY * sizeof(float), 7),
			  buffer_new(app, LOOK * sizeof(float))};
	double change = 1;

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		int at = sweep % LOOK;

		args(bay.relax, "bbi", bay.level, bay.norm, at);
		run(bay.queue, bay.relax, BAY, 64);
		if (!app->repaired)
			change = bay_change(&bay, at);
		else if (at == LOOK - 1)
			change = bay_changes(&bay);
	}
	answer(change);
	DROP(bay.relax);
	DROP(bay.level);
	DROP(bay.norm);
}

/* Clean: sums over a field, in levels of ever fewer work-items, as a sum needs them; the last are
 * tiny. The host reads the result at the end. */
enum { FIELD = 1 * MIB, FAN = 16, SUMS = 150 };

static const char levels_source[] =
	"kernel void field_move(global float *field)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = field[i];\n"
	"	for (int k = 0; k < 4; k++)\n"
	"		x = x * 0.75f + 0.125f;\n"
	"	field[i] = x;\n"
	"}\n"
	"kernel void level_sum(global const float *from, global float *to)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		sum += from[i * 16 + k];\n"
	"	to[i] = sum / 16;\n"
	"}\n";

void essay_clean_levels(struct app *app)
{
	cl_program program = program_new(app, levels_source, "");
	cl_kernel move = kernel_new(program, "field_move"), sum = kernel_new(program, "level_sum");
	cl_mem field = filled(app, FIELD * sizeof(float), 5);
	cl_mem levels[2] = {buffer_new(app, FIELD / FAN * sizeof(float)),
			    buffer_new(app, FIELD / FAN * sizeof(float))};
	float result = 0;

	args(move, "b", field);
	for (int number = 0; number < SUMS; number++) {
		cl_mem from = field;
		int at = 0;

		run(app->queue, move, FIELD, 64);
		for (size_t left = FIELD / FAN; left; left /= FAN) {
			args(sum, "bb", from, levels[at]);
			run(app->queue, sum, left, left < 64 ? left : 64);
			from = levels[at];
			at = !at;
		}
		flush(app->queue);
		if (number == SUMS - 1)
			get(app->queue, from, sizeof(result), &result);
	}
	answer((double)result);
	DROP(program);
	DROP(move);
	DROP(sum);
	DROP(field);
	DROP(levels[0]);
	DROP(levels[1]);
}
