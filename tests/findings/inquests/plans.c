/* SPDX-License-Identifier: MIT */
/* What is reckoned beforehand: insurance, plants, what lies under ground. */
#include "inquests.h"

#include <stdio.h>
#include <stdlib.h>

/* Claims come as records, are parsed and get a reserve. */
enum { CLAIMS = 32 * KIB, RESERVES = 240 };

static const char claim_source[] =
	"kernel void reserve(global const float *claims, global float *needs, int years)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float open = claims[i], paid = 0;\n"
	"	for (int y = 0; y < years; y++) {\n"
	"		paid += open * 0.125f;\n"
	"		open = open * 0.875f + 0.001f;\n"
	"	}\n"
	"	needs[i] = paid + open;\n"
	"}\n";

struct batch {
	float *claims, *needs;
	cl_event done;
};

/* Each record of the batch, as text, becomes a number. */
static void claims_parse(float *claims, int number)
{
	refill(claims, CLAIMS, number);
	for (int r = 0; r < 12; r++)
		for (size_t i = 0; i < CLAIMS; i++) {
			claims[i] = claims[i] * 0.75f + (float)(i % 16) * 0.0625f;
			__asm__ volatile("" ::: "memory");
		}
}

static double batch_settle(struct batch *batch)
{
	settle(batch->done);
	batch->done = NULL;
	return total(batch->needs, CLAIMS);
}

void inquest_claim_batches(struct app *app)
{
	const size_t bytes = CLAIMS * sizeof(float);
	cl_kernel kernel = kernel_of(app, claim_source, "reserve");
	cl_mem claims = buffer_new(app, bytes), needs = buffer_new(app, bytes);
	struct batch batches[2] = {{memory(bytes), memory(bytes), NULL},
				   {memory(bytes), memory(bytes), NULL}};
	double sum = 0;

	args(kernel, "bbi", claims, needs, 60);
	for (int b = 0; b < RESERVES; b++) {
		struct batch *batch = &batches[b % 2], *last = &batches[(b + 1) % 2];

		claims_parse(batch->claims, b);
		put(app->queue, claims, bytes, batch->claims);
		run(app->queue, kernel, CLAIMS, 64);
		batch->done = get_after(app->queue, needs, bytes, batch->needs, 0, NULL);
		flush(app->queue);
		if (!app->repaired)
			last = batch;
		if (last->done)
			sum += batch_settle(last);
	}
	for (int i = 0; i < 2; i++) {
		if (batches[i].done)
			sum += batch_settle(&batches[i]);
		free(batches[i].claims);
		free(batches[i].needs);
	}
	answer(sum);
	DROP(claims), DROP(needs), DROP(kernel);
}

/* Plots of plants grow by their species' rules, which are constants to the compiler. */
enum { PLOTS = 12, SPECIES = 3, LEAVES = 64 * KIB, WEEKS = 8 };

static const char growth_source[] =
	"kernel void grow(global float *leaves, global const float *light)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float size = leaves[i];\n"
	"	for (int d = 0; d < DAYS; d++)\n"
	"		size += RATE * light[(i + d) & (get_global_size(0) - 1)] * (8.0f - size);\n"
	"	leaves[i] = size;\n"
	"}\n";

static cl_kernel species_kernel(const struct app *app, int species)
{
	char options[64];
	cl_program program;
	cl_kernel kernel;

	snprintf(options, sizeof(options), "-DDAYS=7 -DRATE=0.00%df", species + 1);
	program = program_new(app, growth_source, options);
	kernel = kernel_new(program, "grow");
	DROP(program);
	return kernel;
}

static double plot_grow(const struct app *app, cl_kernel kernel, cl_mem light, int plot)
{
	cl_mem leaves = filled(app, LEAVES, (unsigned)plot);
	float *end = memory(LEAVES * sizeof(*end));
	double sum;

	args(kernel, "bb", leaves, light);
	for (int w = 0; w < WEEKS; w++)
		run(app->queue, kernel, LEAVES, 64);
	get(app->queue, leaves, LEAVES * sizeof(*end), end);
	sum = total(end, LEAVES);
	free(end);
	DROP(leaves);
	return sum;
}

void inquest_growth_rules(struct app *app)
{
	cl_mem light = filled(app, LEAVES, 23);
	cl_kernel rules[SPECIES] = {NULL};
	double sum = 0;

	for (int p = 0; p < PLOTS; p++) {
		int species = p % SPECIES;

		if (!rules[species])
			rules[species] = species_kernel(app, species);
		sum += plot_grow(app, rules[species], light, p);
		if (!app->repaired) {
			DROP(rules[species]);
			rules[species] = NULL;
		}
	}
	for (int s = 0; s < SPECIES; s++)
		if (rules[s])
			DROP(rules[s]);
	answer(sum);
	DROP(light);
}

/* Shots are fired over rock, and their waves are followed down. */
enum { ROCK = 1024 * KIB, SHOTS = 48, TICKS = 3, PULSE = 256 };

static const char shot_source[] =
	"kernel void wave(global const float *rock, global const float *pulse,\n"
	"		  global float *field, int tick)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	field[i] = field[i] * 0.5f + rock[i] * pulse[(i / 64 + tick) % 256];\n"
	"}\n";

void inquest_shot_model(struct app *app)
{
	cl_kernel kernel = kernel_of(app, shot_source, "wave");
	cl_mem rock = buffer_new(app, ROCK * sizeof(float)), field = filled(app, ROCK, 24);
	cl_mem pulse = buffer_new(app, PULSE * sizeof(float));
	float *speeds = floats(ROCK, 25), *fired = floats((size_t)PULSE * SHOTS, 26);
	float *trace = memory(PULSE * KIB * sizeof(*trace));

	args(kernel, "bbbi", rock, pulse, field, 0);
	if (app->repaired)
		put(app->queue, rock, ROCK * sizeof(float), speeds);
	for (int s = 0; s < SHOTS; s++) {
		if (!app->repaired)
			put(app->queue, rock, ROCK * sizeof(float), speeds);
		put(app->queue, pulse, PULSE * sizeof(float), fired + (size_t)s * PULSE);
		for (int t = 0; t < TICKS; t++) {
			TRY(clSetKernelArg(kernel, 3, sizeof(t), &t));
			run(app->queue, kernel, ROCK, 64);
		}
		flush(app->queue);
	}
	get(app->queue, field, PULSE * KIB * sizeof(*trace), trace);
	answer(total(trace, PULSE * KIB));
	free(speeds);
	free(fired);
	free(trace);
	DROP(rock), DROP(field), DROP(pulse), DROP(kernel);
}

/* The yield at which a life insurer's payments are worth what they cost: the next guess follows
 * from what the last one was worth. */
enum { FLOWS = 16 * KIB, GUESSES = 500, FLOW_GROUP = 256, PARTS = FLOWS / FLOW_GROUP };

static const char yield_source[] =
	"kernel void worth(global const float *flows, global float *parts, float yield,\n"
	"		   local float *sums)\n"
	"{\n"
	"	size_t i = get_global_id(0), me = get_local_id(0);\n"
	"	float value = flows[i];\n"
	"	for (size_t year = 0; year < 40 + i % 32; year++)\n"
	"		value *= yield;\n"
	"	sums[me] = value;\n"
	"	for (size_t step = get_local_size(0) / 2; step; step /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (me < step)\n"
	"			sums[me] += sums[me + step];\n"
	"	}\n"
	"	if (!me)\n"
	"		parts[get_group_id(0)] = sums[0];\n"
	"}\n";

void inquest_clean_yield(struct app *app)
{
	cl_kernel kernel = kernel_of(app, yield_source, "worth");
	cl_mem flows = filled(app, FLOWS, 27), parts = buffer_new(app, PARTS * sizeof(float));
	float *values = memory(PARTS * sizeof(*values));
	double low = 0.9, high = 1.0;

	args(kernel, "bbfl", flows, parts, 1.0, FLOW_GROUP * sizeof(float));
	for (int g = 0; g < GUESSES; g++) {
		float yield = (float)(low + high) / 2;

		if (g % 20 == 0)
			low = 0.9, high = 1.0 - g * 0.0001; /* the next contract */
		TRY(clSetKernelArg(kernel, 2, sizeof(yield), &yield));
		run(app->queue, kernel, FLOWS, FLOW_GROUP);
		get(app->queue, parts, PARTS * sizeof(*values), values);
		if (total(values, PARTS) < 2200)
			low = (double)yield;
		else
			high = (double)yield;
	}
	answer((low + high) / 2);
	free(values);
	DROP(flows), DROP(parts), DROP(kernel);
}

/* Layers of rock: two are folded each on their own, and then lie upon each other. */
enum { STRATUM = 64 * KIB, AGES = 150 };

static const char strata_source[] =
	"kernel void fold(global float *layer, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float mine = layer[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		mine = mine * 0.9375f + (float)(i % 8) * 0.03125f;\n"
	"	layer[i] = mine;\n"
	"}\n"
	"kernel void settle_on(global float *upper, global float *lower)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float weight = upper[i];\n"
	"	upper[i] = weight * 0.75f + lower[i] * 0.25f;\n"
	"	lower[i] = lower[i] * 0.75f + weight * 0.25f;\n"
	"}\n";

void inquest_clean_strata(struct app *app)
{
	cl_program program = program_new(app, strata_source, "");
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel fold[2] = {kernel_new(program, "fold"), kernel_new(program, "fold")};
	cl_kernel join = kernel_new(program, "settle_on");
	cl_mem upper = filled(app, STRATUM, 28), lower = filled(app, STRATUM, 29);
	float *all = memory(STRATUM * sizeof(*all));
	cl_event joined = NULL;

	args(fold[0], "bi", upper, 12);
	args(fold[1], "bi", lower, 16);
	args(join, "bb", upper, lower);
	for (int a = 0; a < AGES; a++) {
		cl_event folded[2];

		for (int i = 0; i < 2; i++)
			folded[i] = run_after(queue, fold[i], STRATUM, 64, joined ? 1 : 0, &joined);
		if (joined)
			DROP(joined);
		joined = run_after(queue, join, STRATUM, 64, 2, folded);
		flush(queue);
		DROP(folded[0]), DROP(folded[1]);
	}
	TRY(clEnqueueReadBuffer(queue, upper, CL_TRUE, 0, STRATUM * sizeof(*all), all, 1, &joined,
				NULL));
	answer(total(all, STRATUM));
	free(all);
	DROP(joined);
	DROP(upper), DROP(lower);
	DROP(fold[0]), DROP(fold[1]), DROP(join), DROP(queue), DROP(program);
}
