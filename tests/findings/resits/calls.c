/* SPDX-License-Identifier: MIT */
/* Devices that are idle for calls, for launches, and for a flush that is missing. */
#include "resits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A binding layer that sets a kernel's arguments by name. It asks the driver for the names, each
 * time that it looks one up; the repaired one asks for them once. */

enum { COEFFICIENTS = 24, BOUND_ITEMS = 1 << 12, BOUND_CALLS = 1500 };

struct binding {
	cl_kernel kernel;
	bool keeps;
	char names[COEFFICIENTS + 1][16];
};

static const char *argument_name(struct binding *binding, int index)
{
	char *name = binding->names[index];
	size_t bytes;

	if (binding->keeps && name[0])
		return name;
	TRY(clGetKernelArgInfo(binding->kernel, (cl_uint)index, CL_KERNEL_ARG_NAME, 0, NULL,
			       &bytes));
	TRY(clGetKernelArgInfo(binding->kernel, (cl_uint)index, CL_KERNEL_ARG_NAME,
			       sizeof(binding->names[index]), name, NULL));
	return name;
}

static void argument_set(struct binding *binding, const char *name, float value)
{
	for (int i = 1; i <= COEFFICIENTS; i++)
		if (!strcmp(argument_name(binding, i), name))
			TRY(clSetKernelArg(binding->kernel, (cl_uint)i, sizeof(value), &value));
}

static char *reaction_source(void)
{
	char *source = memory(4096), *end = source;

	end += sprintf(end, "kernel void react(global float *v");
	for (int i = 0; i < COEFFICIENTS; i++)
		end += sprintf(end, ", float rate_%02d", i);
	end += sprintf(end, ", int rounds)\n{\n\tsize_t i = get_global_id(0);\n\tfloat x = v[i];\n"
			    "\tfor (int r = 0; r < rounds; r++) {\n");
	for (int i = 0; i < COEFFICIENTS; i++)
		end += sprintf(end, "\t\tx = x * 0.5f + rate_%02d;\n", i);
	sprintf(end, "\t}\n\tv[i] = x;\n}\n");
	return source;
}

void resit_named_arguments(struct app *app)
{
	char *source = reaction_source();
	cl_program program = program_new(app, source, "-cl-kernel-arg-info");
	struct binding binding = {.kernel = kernel_new(program, "react"), .keeps = app->repaired};
	float *cells = floats(BOUND_ITEMS, 6);
	cl_mem v = loaded(app, BOUND_ITEMS * 4, cells);

	cl_int rounds = 3;

	args(binding.kernel, "b", v);
	TRY(clSetKernelArg(binding.kernel, COEFFICIENTS + 1, sizeof(rounds), &rounds));
	for (int call = 0; call < BOUND_CALLS; call++) {
		for (int i = 0; i < COEFFICIENTS; i++) {
			char name[16];

			snprintf(name, sizeof(name), "rate_%02d", i);
			argument_set(&binding, name, (float)((call * 7 + i) % 32) / 64);
		}
		run(app->queue, binding.kernel, BOUND_ITEMS, 64);
		flush(app->queue);
	}
	get(app->queue, v, BOUND_ITEMS * 4, cells);
	answer(total(cells, BOUND_ITEMS));
	DROP(binding.kernel);
	DROP(program);
	DROP(v);
	free(cells);
	free(source);
}

/* What a shelf has is embedded at once, but its documents are scored by a launch each, though one
 * could score all of a shelf. */

enum { SHELVES = 60, DOCUMENTS = 128, WORDS = 64 };

static const char score_source[] =
	"kernel void score(global float *words, global float *scores, int first)\n"
	"{\n"
	"	size_t i = get_global_id(0) + (size_t)first;\n"
	"	float s = words[i];\n"
	"	for (int r = 0; r < 16; r++)\n"
	"		s = s * 0.75f + 0.125f;\n"
	"	scores[i] = s;\n"
	"}\n";

void resit_document_scores(struct app *app)
{
	enum { ALL = DOCUMENTS * WORDS };
	float *words = floats(ALL, 9), *scores = memory(ALL * 4);
	cl_mem in = buffer_new(app, ALL * 4), out = loaded(app, ALL * 4, scores);
	cl_kernel score = kernel_of(app, score_source, "score");
	cl_kernel embed = kernel_of(app, MIX("embed"), "embed");
	double sum = 0;

	args(embed, "bi", in, 10);
	for (int shelf = 0; shelf < SHELVES; shelf++) {
		refill(words, ALL, shelf);
		put(app->queue, in, ALL * 4, words);
		for (int layer = 0; layer < 30; layer++)
			run(app->queue, embed, ALL, WORDS);
		for (int document = 0; document < (app->repaired ? 1 : DOCUMENTS); document++) {
			args(score, "bbi", in, out, document * WORDS);
			run(app->queue, score, app->repaired ? ALL : WORDS, WORDS);
		}
		get(app->queue, out, ALL * 4, scores);
		sum += total(scores, ALL);
	}
	answer(sum);
	DROP(score);
	DROP(embed);
	DROP(in);
	DROP(out);
	free(words);
	free(scores);
}
