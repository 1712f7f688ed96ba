/* SPDX-License-Identifier: MIT */
/* Speech, a lidar, a radio telescope, options, and protein sequences. */
#include "symposia.h"

#include <stdlib.h>

/* Speech: vectors of each packet are matched with a codebook. */
static const char codebook[] =
	"kernel void nearest(global const float *packet, global const float *book,\n"
	"		     global float *found, int words)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = packet[i], best = 1e30f;\n"
	"	for (int k = 0; k < 12; k++) {\n"
	"		float d = fabs(x - book[(i * 97 + (size_t)k * 4099) & (size_t)(words - 1)]);\n"
	"		best = d < best ? d : best;\n"
	"	}\n"
	"	found[i] = best;\n"
	"}\n";

struct quantiser {
	cl_kernel nearest;
	cl_mem packet, book, found;
	const float *words;
};

enum { PACKET = 64 * KIB, WORDS = 512 * KIB };

static void quantise(const struct app *app, const struct quantiser *quantiser, const float *packet,
		     float *found)
{
	if (!app->repaired)
		put(app->queue, quantiser->book, WORDS * sizeof(float), quantiser->words);
	put(app->queue, quantiser->packet, PACKET * sizeof(float), packet);
	run(app->queue, quantiser->nearest, PACKET, 0);
	get(app->queue, quantiser->found, PACKET * sizeof(float), found);
}

void symposium_codebook_batch(struct app *app)
{
	enum { PACKETS = 250 };
	float *words = floats(WORDS, 51), *packet = memory(PACKET * sizeof(*packet));
	float *found = memory(PACKET * sizeof(*found));
	struct quantiser quantiser = {
		.nearest = kernel_of(app, codebook, "nearest"),
		.packet = buffer_new(app, PACKET * sizeof(float)),
		.book = buffer_new(app, WORDS * sizeof(float)),
		.found = buffer_new(app, PACKET * sizeof(float)),
		.words = words,
	};
	double sum = 0;

	args(quantiser.nearest, "bbbi", quantiser.packet, quantiser.book, quantiser.found, WORDS);
	if (app->repaired)
		put(app->queue, quantiser.book, WORDS * sizeof(float), words);
	for (int number = 0; number < PACKETS; number++) {
		refill(packet, PACKET, number);
		quantise(app, &quantiser, packet, found);
		sum += total(found, 256);
	}
	answer(sum);
	free(words);
	free(packet);
	free(found);
	DROP(quantiser.nearest);
	DROP(quantiser.packet);
	DROP(quantiser.book);
	DROP(quantiser.found);
}

/* A lidar: rings of distances become points, and the points fill a map. */
static const char lidar[] =
	"kernel void locate(global const float *ranges, global float4 *points, int rays)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float r = ranges[i], a = (float)(i % (size_t)rays) * 0.0245f;\n"
	"	points[i] = (float4)(r * native_cos(a), r * native_sin(a), r * 0.125f, 1);\n"
	"}\n"
	"kernel void fill(global const float4 *points, global int *map)\n"
	"{\n"
	"	float4 p = points[get_global_id(0)] * 32.0f + 64.0f;\n"
	"	int x = clamp((int)p.x, 0, 127), y = clamp((int)p.y, 0, 127);\n"
	"	atomic_inc(&map[y * 128 + x]);\n"
	"}\n";

void symposium_lidar_rows(struct app *app)
{
	enum { RINGS = 16, RAYS = 768, SWEEPS = 350, MAP = 128 * 128 };
	cl_program program = program_new(app, lidar, "");
	cl_kernel locate = kernel_new(program, "locate"), fill = kernel_new(program, "fill");
	cl_mem ranges = buffer_new(app, RINGS * RAYS * sizeof(float));
	cl_mem points = buffer_new(app, RINGS * RAYS * sizeof(cl_float4));
	cl_mem map = buffer_new(app, MAP * sizeof(cl_int));
	float *sweep = memory(RINGS * RAYS * sizeof(*sweep));
	cl_int *cells = memory(MAP * sizeof(*cells));
	double sum = 0;

	put(app->queue, map, MAP * sizeof(*cells), cells);
	args(locate, "bbi", ranges, points, RAYS);
	args(fill, "bb", points, map);
	for (int number = 0; number < SWEEPS; number++) {
		finish(app->queue); /* the last sweep's memory is used again */
		refill(sweep, (size_t)RINGS * RAYS, number);
		for (size_t ring = 0; !app->repaired && ring < RINGS; ring++)
			TRY(clEnqueueWriteBuffer(app->queue, ranges, CL_FALSE,
						 ring * RAYS * sizeof(float), RAYS * sizeof(float),
						 sweep + ring * RAYS, 0, NULL, NULL));
		if (app->repaired)
			put(app->queue, ranges, RINGS * RAYS * sizeof(float), sweep);
		run(app->queue, locate, RINGS * RAYS, 0);
		run(app->queue, fill, RINGS * RAYS, 0);
	}
	get(app->queue, map, MAP * sizeof(*cells), cells);
	for (int i = 0; i < MAP; i++)
		sum += (double)cells[i] * (i % 13);
	answer(sum);
	free(sweep);
	free(cells);
	DROP(locate);
	DROP(fill);
	DROP(program);
	DROP(ranges);
	DROP(points);
	DROP(map);
}

/* A radio telescope: blocks of samples are correlated, block by block. */
static const char beam[] =
	"kernel void correlate(global const float *samples, global float *power, int delay)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 64; k++)\n"
	"		sum += samples[(i + (size_t)k) & (n - 1)] *\n"
	"		       samples[(i + (size_t)(k + delay)) & (n - 1)];\n"
	"	power[i] = sum * 0.015625f;\n"
	"}\n";

static void await_block(const struct app *app, cl_event done)
{
	cl_int state = CL_QUEUED;

	flush(app->queue);
	while (!app->repaired && state != CL_COMPLETE) {
		TRY(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
				   NULL));
		if (state != CL_COMPLETE)
			nap(2000);
	}
	if (app->repaired)
		TRY(clWaitForEvents(1, &done));
	DROP(done);
}

void symposium_beam_poll(struct app *app)
{
	enum { SAMPLES = 128 * KIB, BLOCKS = 150 };
	cl_kernel correlate = kernel_of(app, beam, "correlate");
	cl_mem samples = buffer_new(app, SAMPLES * sizeof(float));
	cl_mem power = buffer_new(app, SAMPLES * sizeof(float));
	float *block = floats(SAMPLES, 52), *spectrum = memory(SAMPLES * sizeof(*spectrum));
	double sum = 0;

	for (int number = 0; number < BLOCKS; number++) {
		refill(block, 4096, number);
		put(app->queue, samples, SAMPLES * sizeof(*block), block);
		args(correlate, "bbi", samples, power, number % 32);
		run(app->queue, correlate, SAMPLES, 0);
		await_block(app, get_after(app->queue, power, 4096 * sizeof(*spectrum), spectrum, 0,
					   NULL));
		sum += total(spectrum, 4096);
	}
	answer(sum);
	free(block);
	free(spectrum);
	DROP(correlate);
	DROP(samples);
	DROP(power);
}

/* Options, priced on a lattice of a few steps; each has three legs. */
static const char lattice[] =
	"kernel void price(global const float *spots, global float *prices, float rate)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float s = spots[i] + 0.5f, v[8];\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		v[k] = fmax(s * (1.0f + (float)(k - 4) * 0.125f) - 0.75f, 0.0f);\n"
	"	for (int step = 7; step > 0; step--)\n"
	"		for (int k = 0; k < step; k++)\n"
	"			v[k] = (v[k] * 0.5f + v[k + 1] * 0.5f) * rate;\n"
	"	prices[i] = v[0];\n"
	"}\n";

void symposium_lattice_price(struct app *app)
{
	enum { LEGS = 3, OPTIONS = 32 * KIB, COUNT = LEGS * OPTIONS, RATES = 320 };
	cl_kernel price = kernel_of(app, lattice, "price");
	cl_mem spots = stocked(app, COUNT, 53), prices = buffer_new(app, COUNT * sizeof(float));
	size_t local = app->repaired ? 64 : LEGS;
	float first[256];
	double sum = 0;

	for (int i = 0; i < RATES; i++) {
		args(price, "bbf", spots, prices, 1 - (double)i / 4096);
		run(app->queue, price, COUNT, local);
		if (i % 16 != 15)
			continue;
		get(app->queue, prices, sizeof(first), first);
		sum += total(first, 256);
	}
	answer(sum);
	DROP(price);
	DROP(spots);
	DROP(prices);
}

/* Protein sequences, scored against a profile: one sequence has 1024 residues. */
static const char profile[] =
	"kernel void score(global const float *residues, global float *scores, int sequence)\n"
	"{\n"
	"	size_t i = ((size_t)sequence + get_global_id(1)) * 1024 + get_global_id(0);\n"
	"	float r = residues[i], s = 0;\n"
	"	for (int k = 0; k < 20; k++)\n"
	"		s = s * 0.875f + fabs(r - (float)k * 0.05f);\n"
	"	scores[i] = s;\n"
	"}\n";

void symposium_profile_scores(struct app *app)
{
	enum { LENGTH = 1024, SEQUENCES = 20, ROUNDS = 240, COUNT = LENGTH * SEQUENCES };
	cl_kernel score = kernel_of(app, profile, "score");
	cl_mem residues = stocked(app, COUNT, 54), scores = buffer_new(app, COUNT * sizeof(float));
	float *packet = memory(COUNT * sizeof(*packet));
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		refill(packet, COUNT, round);
		put(app->queue, residues, COUNT * sizeof(*packet), packet);
		for (int i = 0; !app->repaired && i < SEQUENCES; i++) {
			args(score, "bbi", residues, scores, i);
			run(app->queue, score, LENGTH, 128);
		}
		if (app->repaired) {
			args(score, "bbi", residues, scores, 0);
			run_plane(app->queue, score, LENGTH, SEQUENCES, 128, 1);
		}
		get(app->queue, scores, COUNT * sizeof(*packet), packet);
		sum += total(packet, COUNT);
	}
	answer(sum);
	free(packet);
	DROP(score);
	DROP(residues);
	DROP(scores);
}
