/* SPDX-License-Identifier: MIT */
/* Grids, networks and sequences: programs that compute in steps. */
#include "lectures.h"

#include <stdlib.h>
#include <string.h>

/* Jacobi's method on a plate. Whether it has converged is looked at after each sweep; the
 * repaired one keeps what the sweeps left in slots, and looks at 20 at a time. */
enum { PLATE = 256, SEGMENTS = PLATE * PLATE / 64, SWEEPS = 1200, SLOTS = 20 };

static const char plate_source[] =
	"kernel void sweep(global const float *from, global float *to, int w)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % w, y = i / w;\n"
	"	if (!x || !y || x == w - 1 || y == w - 1)\n"
	"		to[i] = from[i];\n"
	"	else\n"
	"		to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);\n"
	"}\n"
	"kernel void worst(global const float *a, global const float *b, global float *most, int at)\n"
	"{\n"
	"	int s = get_global_id(0);\n"
	"	float m = 0;\n"
	"	for (int i = s * 64; i < s * 64 + 64; i++)\n"
	"		m = fmax(m, fabs(a[i] - b[i]));\n"
	"	most[at + s] = m;\n"
	"}\n";

static float plate_change(const float *most, size_t count)
{
	float change = 0;

	for (size_t i = 0; i < count; i++)
		change = most[i] > change ? most[i] : change;
	return change;
}

void lecture_relax_check(struct app *app)
{
	static float most[SLOTS * SEGMENTS];
	const size_t bytes = SEGMENTS * sizeof(*most);
	cl_mem plates[2] = {filled(app, PLATE * PLATE, 3), filled(app, PLATE * PLATE, 3)};
	cl_mem changes = filled(app, SLOTS * SEGMENTS, 5);
	int every = app->repaired ? SLOTS : 1;
	float change = 1;

	app->program = program_new(app, plate_source, "");

	cl_kernel sweep = kernel_new(app->program, "sweep");
	cl_kernel worst = kernel_new(app->program, "worst");

	for (int i = 0; i < SWEEPS && change > 1e-9f; i++) {
		int slot = i % every;

		args(sweep, "bbi", plates[i % 2], plates[(i + 1) % 2], PLATE);
		run(app->queue, sweep, PLATE * PLATE, 64);
		args(worst, "bbbi", plates[0], plates[1], changes, slot * SEGMENTS);
		run(app->queue, worst, SEGMENTS, 64);
		if (slot < every - 1)
			continue;
		get(app->queue, changes, (size_t)every * bytes, most);
		change = plate_change(most + (size_t)slot * SEGMENTS, SEGMENTS);
	}
	answer((double)change);
	DROP(sweep);
	DROP(worst);
	DROP(changes);
	DROP(plates[0]);
	DROP(plates[1]);
}

/* An ocean in two basins, each in a buffer of its own; what is near the strait goes from each to
 * the other after a step. */
enum { BASIN = 256 * KIB, STRAIT = 48 * KIB, TIDES = 150 };

static const char ocean_source[] = "kernel void tide(global float *h, int ghost, float dt)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	float g = h[ghost + (i & 4095)], u = h[i];\n"
				   "	for (int r = 0; r < 5; r++)\n"
				   "		u += dt * (g - 0.25f * u * u);\n"
				   "	h[i] = u;\n"
				   "}\n";

/* The ghost cells of a basin lie behind its own. */
static void strait_by_host(struct app *app, cl_mem basins[2], float *rows)
{
	const size_t strip = STRAIT * sizeof(*rows), ghost = BASIN * sizeof(*rows);

	for (int i = 0; i < 2; i++) {
		TRY(clEnqueueReadBuffer(app->queue, basins[i], CL_FALSE, 0, strip,
					rows + i * STRAIT, 0, NULL, NULL));
	}
	for (int i = 0; i < 2; i++) {
		TRY(clEnqueueWriteBuffer(app->queue, basins[1 - i], CL_FALSE, ghost, strip,
					 rows + i * STRAIT, 0, NULL, NULL));
	}
	finish(app->queue);
}

static void strait_copy(struct app *app, cl_mem basins[2])
{
	const size_t strip = STRAIT * sizeof(float), ghost = BASIN * sizeof(float);

	for (int i = 0; i < 2; i++)
		TRY(clEnqueueCopyBuffer(app->queue, basins[i], basins[1 - i], 0, ghost, strip, 0,
					NULL, NULL));
	finish(app->queue);
}

void lecture_halo_swap(struct app *app)
{
	cl_mem basins[2] = {filled(app, BASIN + STRAIT, 7), filled(app, BASIN + STRAIT, 8)};
	cl_kernel tide = kernel_of(app, ocean_source, "tide");
	float *rows = memory(2 * STRAIT * sizeof(*rows)), level;

	for (int step = 0; step < TIDES; step++) {
		for (int i = 0; i < 2; i++) {
			args(tide, "bif", basins[i], BASIN, 0.01 + step * 1e-5);
			run(app->queue, tide, BASIN, 64);
		}
		if (app->repaired)
			strait_copy(app, basins);
		else
			strait_by_host(app, basins, rows);
	}
	get(app->queue, basins[0], sizeof(level), &level);
	answer((double)level);
	free(rows);
	DROP(tide);
	DROP(basins[0]);
	DROP(basins[1]);
}

/* A network of layers, used for one batch after the other. Each use binds the layers' weights,
 * and uploads them, though they only change when a model is loaded. */
enum { LAYERS = 6, WIDE = 128 * KIB, WEIGHTS = 64 * KIB, BATCHES = 80, FEATURES = 4 * KIB };

struct layer {
	cl_mem weights, output;
	float *model;
	int bound, version; /* of the model: which is on the device, which is the last */
};

static const char network_source[] =
	"kernel void dense(global const float *in, global const float *w, global float *out,\n"
	"		  int features, int weights)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		sum += in[(i + k) & (features - 1)] * w[(i + k * 64) & (weights - 1)];\n"
	"	out[i] = sum / (1 + fabs(sum));\n"
	"}\n";

static void layer_bind(struct app *app, struct layer *layer)
{
	if (app->repaired && layer->bound == layer->version)
		return;
	put(app->queue, layer->weights, WEIGHTS * sizeof(float), layer->model);
	layer->bound = layer->version;
}

void lecture_layer_bind(struct app *app)
{
	struct layer layers[LAYERS];
	cl_mem input = buffer_new(app, FEATURES * sizeof(float));
	cl_kernel dense = kernel_of(app, network_source, "dense");
	float *batch = memory(FEATURES * sizeof(*batch)),
	      *scores = memory(FEATURES * sizeof(*scores));
	double sum = 0;

	for (int i = 0; i < LAYERS; i++)
		layers[i] = (struct layer){buffer_new(app, WEIGHTS * sizeof(float)),
					   buffer_new(app, WIDE * sizeof(float)),
					   floats(WEIGHTS, (unsigned)i + 1), 0, 1};
	for (int number = 0; number < BATCHES; number++) {
		refill(batch, FEATURES, number);
		put(app->queue, input, FEATURES * sizeof(*batch), batch);
		for (int i = 0; i < LAYERS; i++) {
			layer_bind(app, &layers[i]);
			args(dense, "bbbii", i ? layers[i - 1].output : input, layers[i].weights,
			     layers[i].output, FEATURES, WEIGHTS);
			run(app->queue, dense, WIDE, 64);
		}
		get(app->queue, layers[LAYERS - 1].output, FEATURES * sizeof(*scores), scores);
		sum += (double)scores[number];
	}
	answer(sum);
	for (int i = 0; i < LAYERS; i++) {
		DROP(layers[i].weights);
		DROP(layers[i].output);
		free(layers[i].model);
	}
	DROP(input);
	DROP(dense);
	free(batch);
	free(scores);
}

/* Each of many reads is aligned with a reference in a band; the host wants the score at a band's
 * end, and fetches the bands. */
enum { READS = 8 * KIB, BAND = 96, LOTS = 60 };

static const char align_source[] =
	"kernel void band(global const float *reads, global float *cells, int width, int lot)\n"
	"{\n"
	"	int i = get_global_id(0), read = i / width, at = i % width;\n"
	"	float score = 0;\n"
	"	for (int k = 0; k < 12; k++) {\n"
	"		float gap = reads[read] - (float)((at + k * 7 + lot) & 15) / 16;\n"
	"		score = fmax(score + 0.5f - fabs(gap), 0.0f);\n"
	"	}\n"
	"	cells[i] = score;\n"
	"}\n"
	"kernel void ends(global const float *cells, global float *scores, int width)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	scores[i] = cells[i * width + width - 1];\n"
	"}\n";

void lecture_align_score(struct app *app)
{
	cl_mem reads = buffer_new(app, READS * sizeof(float));
	cl_mem cells = buffer_new(app, (size_t)READS * BAND * sizeof(float));
	cl_mem scores = buffer_new(app, READS * sizeof(float));
	float *lot = memory(READS * sizeof(*lot)),
	      *back = memory((size_t)READS * BAND * sizeof(*back));
	double sum = 0;

	app->program = program_new(app, align_source, "");

	cl_kernel band = kernel_new(app->program, "band"), ends = kernel_new(app->program, "ends");

	args(ends, "bbi", cells, scores, BAND);
	for (int number = 0; number < LOTS; number++) {
		refill(lot, READS, number);
		put(app->queue, reads, READS * sizeof(*lot), lot);
		args(band, "bbii", reads, cells, BAND, number);
		run(app->queue, band, (size_t)READS * BAND, 64);
		if (app->repaired) {
			run(app->queue, ends, READS, 64);
			get(app->queue, scores, READS * sizeof(*back), back);
		} else {
			get(app->queue, cells, (size_t)READS * BAND * sizeof(*back), back);
			for (int i = 0; i < READS; i++)
				back[i] = back[i * BAND + BAND - 1];
		}
		sum += total(back, READS);
	}
	answer(sum);
	DROP(band);
	DROP(ends);
	DROP(reads);
	DROP(cells);
	DROP(scores);
	free(lot);
	free(back);
}
