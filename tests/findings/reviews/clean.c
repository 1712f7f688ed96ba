/* SPDX-License-Identifier: MIT */
/* Programs that a reviewer would leave as they are. */
#include "reviews.h"

#include <stdlib.h>

struct beam {
	cl_command_queue queue;
	cl_mem pulse, echo, peaks;
	cl_kernel compress, detect;
	cl_event done;
	float *found;
};

/* Radar: pulses are compressed and searched for peaks, two beams in turn, each with a queue and
 * buffers of its own. */
void review_clean_radar(struct app *app)
{
	static const char source[] = MIX EACH("compress") LARGEST("detect");
	enum { GATES = 64 * 1024, PEAKS = 1024, PULSES = 240, BEAMS = 2 };
	size_t bytes = GATES * sizeof(float), small = PEAKS * sizeof(float);
	float *pulses = floats((size_t)PULSES * GATES, 31);
	struct beam beams[BEAMS] = {{0}};
	double sum = 0;

	app->program = program_new(app, source, "");
	for (int n = 0; n < BEAMS; n++) {
		struct beam *beam = &beams[n];

		beam->queue = n ? queue_new(app, 0) : app->queue;
		beam->pulse = buffer_new(app, bytes);
		beam->echo = buffer_new(app, bytes);
		beam->peaks = buffer_new(app, small);
		beam->compress = kernel_new(app->program, "compress");
		beam->detect = kernel_new(app->program, "detect");
		beam->found = memory(small);
		args(beam->compress, "bbi", beam->pulse, beam->echo, 8);
		args(beam->detect, "bbi", beam->echo, beam->peaks, GATES / PEAKS);
	}
	for (int n = 0; n < PULSES + BEAMS; n++) {
		struct beam *beam = &beams[n % BEAMS];

		if (n >= BEAMS) {
			settle(beam->done);
			sum += total(beam->found, PEAKS);
		}
		if (n >= PULSES)
			continue;
		put(beam->queue, beam->pulse, bytes, &pulses[(size_t)n * GATES]);
		run(beam->queue, beam->compress, GATES, 128);
		run(beam->queue, beam->detect, PEAKS, 32);
		beam->done = get_after(beam->queue, beam->peaks, small, beam->found, 0, NULL);
		flush(beam->queue);
	}
	answer(sum);
	for (int n = 0; n < BEAMS; n++) {
		if (n)
			DROP(beams[n].queue);
		DROP(beams[n].detect);
		DROP(beams[n].compress);
		DROP(beams[n].peaks);
		DROP(beams[n].echo);
		DROP(beams[n].pulse);
		free(beams[n].found);
	}
	free(pulses);
}

/* A placer of circuits by annealing: the moves of a sweep are tried on the device; now and then
 * the costs come back, from which the next temperature is taken. */
void review_clean_anneal(struct app *app)
{
	static const char source[] = MIX LARGEST(
		"costs") "kernel void sweep(global float *cells, float heat, int rounds)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	cells[i] = heat * unit(mix(as_uint(cells[i]) + (uint)i, rounds));\n"
			 "}\n";
	enum { CELLS = 128 * 1024, COSTS = 512, SWEEPS = 480, EACH_TIME = 24 };
	float *cells = floats(CELLS, 37), *costs = memory(COSTS * sizeof(float));
	cl_mem there = buffer_new(app, CELLS * sizeof(float));
	cl_mem cost = buffer_new(app, COSTS * sizeof(float));
	cl_kernel sweep, measure;
	double heat = 8, sum = 0;

	app->program = program_new(app, source, "");
	sweep = kernel_new(app->program, "sweep");
	measure = kernel_new(app->program, "costs");
	args(measure, "bbi", there, cost, CELLS / COSTS);
	put(app->queue, there, CELLS * sizeof(float), cells);
	args(sweep, "bfi", there, heat, 4);
	for (int n = 1; n <= SWEEPS; n++) {
		run(app->queue, sweep, CELLS, 128);
		if (n % EACH_TIME)
			continue;
		run(app->queue, measure, COSTS, 32);
		get(app->queue, cost, COSTS * sizeof(float), costs);
		heat *= 0.75 + 0.0001 * total(costs, COSTS) / COSTS;
		sum += heat;
		args(sweep, "bfi", there, heat, 4);
	}
	answer(sum);
	DROP(measure);
	DROP(sweep);
	DROP(cost);
	DROP(there);
	free(costs);
	free(cells);
}

/* Chess analyses for guests: each sends a position of its own, and waits for its answer. Buffers
 * stay from one to the next. */
void review_clean_sessions(struct app *app)
{
	static const char source[] = MIX LARGEST(
		"choose") "kernel void play(global const float *board, global float *values, int rounds)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	values[i] = unit(mix(as_uint(board[i % 1024]) + (uint)i, rounds));\n"
			  "}\n";
	enum { BOARD = 1024, GAMES = 256 * 1024, MOVES = 512, GUESTS = 150 };
	float *board = memory(BOARD * sizeof(float)), *moves = memory(MOVES * sizeof(float));
	cl_mem there = buffer_new(app, BOARD * sizeof(float));
	cl_mem values = buffer_new(app, GAMES * sizeof(float));
	cl_mem best = buffer_new(app, MOVES * sizeof(float));
	cl_kernel play, choose;
	double sum = 0;

	app->program = program_new(app, source, "");
	play = kernel_new(app->program, "play");
	choose = kernel_new(app->program, "choose");
	args(play, "bbi", there, values, 5);
	args(choose, "bbi", values, best, GAMES / MOVES);
	for (int n = 0; n < GUESTS; n++) {
		refill(board, BOARD, n);
		put(app->queue, there, BOARD * sizeof(float), board);
		run(app->queue, play, GAMES, 128);
		run(app->queue, choose, MOVES, 32);
		get(app->queue, best, MOVES * sizeof(float), moves);
		sum += total(moves, MOVES);
	}
	answer(sum);
	DROP(choose);
	DROP(play);
	DROP(best);
	DROP(values);
	DROP(there);
	free(moves);
	free(board);
}

/* Crypto mining's test bench: three variants of a kernel are made by options, and all are used on
 * each block. */
void review_clean_variants(struct app *app)
{
	static const char source[] =
		MIX "kernel void seal(global const float *block, global float *seals)\n"
		    "{\n"
		    "	size_t i = get_global_id(0);\n"
		    "	seals[i] += unit(mix(as_uint(block[i]) + SALT, DEPTH));\n"
		    "}\n";
	static const char *const options[] = {
		"-DSALT=1u -DDEPTH=6",
		"-DSALT=2u -DDEPTH=12",
		"-DSALT=3u -DDEPTH=18",
	};
	enum { VARIANTS = 3, WORDS = 192 * 1024, BLOCKS = 50 };
	size_t bytes = WORDS * sizeof(float);
	float *words = floats((size_t)BLOCKS * WORDS, 41), *zero = memory(bytes);
	cl_mem block = buffer_new(app, bytes), seals = buffer_new(app, bytes);
	cl_kernel kernels[VARIANTS];

	for (int n = 0; n < VARIANTS; n++) {
		cl_program program = program_new(app, source, options[n]);

		kernels[n] = kernel_new(program, "seal");
		args(kernels[n], "bb", block, seals);
		DROP(program);
	}
	put(app->queue, seals, bytes, zero);
	for (size_t n = 0; n < BLOCKS; n++) {
		put(app->queue, block, bytes, &words[n * WORDS]);
		for (int k = 0; k < VARIANTS; k++)
			run(app->queue, kernels[k], WORDS, 64);
		flush(app->queue);
	}
	get(app->queue, seals, bytes, zero);
	answer(total(zero, WORDS));
	for (int n = 0; n < VARIANTS; n++)
		DROP(kernels[n]);
	DROP(seals);
	DROP(block);
	free(zero);
	free(words);
}

/* Alignment of two chromosomes: blocks of the table lie on diagonals, each of which needs the one
 * before. The corners of the table have few blocks, as they must. */
void review_clean_wavefront(struct app *app)
{
	static const char source[] = MIX
		"kernel void diagonal(global float *table, int first, int from, int to, int rounds)\n"
		"{\n"
		"	size_t at = get_global_id(0) + (size_t)first * 1024;\n"
		"	float left = table[(size_t)from + (at ? at - 1 : 0)], up = table[(size_t)from + at];\n"
		"	table[(size_t)to + at] = 0.5f * left + 0.5f * unit(mix(as_uint(up), rounds));\n"
		"}\n";
	enum { SIDE = 48, BLOCK = 1024, PAIRS = 9, ROW = SIDE * BLOCK };
	size_t count = 2 * (size_t)ROW, bytes = count * sizeof(float);
	float *edge = floats(count, 43);
	cl_mem table = buffer_new(app, bytes);
	cl_kernel diagonal;
	double sum = 0;

	app->program = program_new(app, source, "");
	diagonal = kernel_new(app->program, "diagonal");
	for (int pair = 0; pair < PAIRS; pair++) {
		edge[0] = (float)pair;
		put(app->queue, table, bytes, edge);
		for (int n = 1; n < 2 * SIDE; n++) {
			int blocks = n < SIDE ? n : 2 * SIDE - n;

			args(diagonal, "biiii", table, n < SIDE ? 0 : n - SIDE, n % 2 * ROW,
			     (n + 1) % 2 * ROW, 12);
			run(app->queue, diagonal, (size_t)blocks * BLOCK, 64);
		}
		get(app->queue, table, bytes, edge);
		sum += total(edge, count);
	}
	answer(sum);
	DROP(diagonal);
	DROP(table);
	free(edge);
}

enum { TRACKS = 2, SAMPLES = 128 * 1024, TAKES = 80 };

struct track {
	struct app *app;
	double sum;
	int number;
};

static void *track_main(void *data)
{
	struct track *track = data;
	cl_command_queue queue = queue_new(track->app, 0);
	size_t bytes = SAMPLES * sizeof(float);
	float *take = floats((size_t)SAMPLES * 4, 47 + (unsigned)track->number);
	float *mixed = memory(bytes);
	cl_mem dry = buffer_new(track->app, bytes), wet = buffer_new(track->app, bytes);
	cl_kernel reverb = kernel_new(track->app->program, "reverb");

	args(reverb, "bbi", dry, wet, 12);
	for (int n = 0; n < TAKES; n++) {
		float *part = &take[(size_t)(n % 4) * SAMPLES];

		part[0] = (float)n;
		put(queue, dry, bytes, part);
		run(queue, reverb, SAMPLES, 64);
		get(queue, wet, bytes, mixed);
		track->sum += total(mixed, 256);
	}
	DROP(reverb);
	DROP(wet);
	DROP(dry);
	DROP(queue);
	free(mixed);
	free(take);
	return NULL;
}

/* A recording studio: each track has a thread with its own queue and buffers. While one's take
 * goes to and fro, the other's is computed. */
void review_clean_studio(struct app *app)
{
	static const char source[] = MIX EACH("reverb");
	struct track tracks[TRACKS];
	double sum = 0;

	app->program = program_new(app, source, "");
	for (int n = 0; n < TRACKS; n++)
		tracks[n] = (struct track){app, 0, n};
	threads_run(TRACKS, track_main, tracks, sizeof(*tracks));
	for (int n = 0; n < TRACKS; n++)
		sum += tracks[n].sum;
	answer(sum);
}

/* Terrain for a game: the heights of each tile are written where the device can have them by the
 * tools of its driver, and its light is computed. Tiles are mapped on a queue of their own, while
 * the tile before is computed. */
void review_clean_mapped(struct app *app)
{
	static const char source[] = MIX EACH("light") LARGEST("brightest");
	enum { POINTS = 256 * 1024, SPOTS = 1024, TILES = 100 };
	size_t bytes = POINTS * sizeof(float);
	float *spots = memory(TILES * SPOTS * sizeof(float));
	cl_command_queue tools = queue_new(app, 0);
	cl_mem heights[2], lit = buffer_new(app, bytes);
	cl_mem bright = buffer_new(app, SPOTS * sizeof(float));
	cl_event used[2] = {NULL, NULL}, ready;
	cl_kernel light, brightest;
	cl_int status;

	app->program = program_new(app, source, "");
	light = kernel_new(app->program, "light");
	brightest = kernel_new(app->program, "brightest");
	for (int n = 0; n < 2; n++) {
		heights[n] = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
					    bytes, NULL, &status);
		must(status, "clCreateBuffer");
	}
	args(brightest, "bbi", lit, bright, POINTS / SPOTS);
	for (int n = 0; n < TILES; n++) {
		cl_mem tile = heights[n % 2];
		cl_event *last = &used[n % 2];
		float *points = clEnqueueMapBuffer(
			tools, tile, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes,
			*last ? 1 : 0, *last ? last : NULL, NULL, &status);

		must(status, "clEnqueueMapBuffer");
		if (*last)
			DROP(*last);
		refill(points, POINTS, n);
		TRY(clEnqueueUnmapMemObject(tools, tile, points, 0, NULL, &ready));
		flush(tools);
		args(light, "bbi", tile, lit, 8);
		*last = run_after(app->queue, light, POINTS, 128, 1, &ready);
		DROP(ready);
		run(app->queue, brightest, SPOTS, 32);
		TRY(clEnqueueReadBuffer(app->queue, bright, CL_FALSE, 0, SPOTS * sizeof(float),
					&spots[n * SPOTS], 0, NULL, NULL));
		flush(app->queue);
	}
	finish(app->queue);
	answer(total(spots, TILES * SPOTS));
	for (int n = 0; n < 2; n++) {
		DROP(used[n]);
		DROP(heights[n]);
	}
	DROP(tools);
	DROP(brightest);
	DROP(light);
	DROP(bright);
	DROP(lit);
	free(spots);
}
