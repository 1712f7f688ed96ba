/* SPDX-License-Identifier: MIT */
/* Services: jobs, requests, workers, and what is kept between them. */
#include "lectures.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tiles of a map are rendered, and a board tells which are ready. A thread writes the board to a
 * pipe whose reader is slow: under the board's lock, or, repaired, from a copy. */
enum { TILES = 160, TILE_CELLS = 320 * KIB, REPORT = 16 * KIB };

struct board {
	pthread_mutex_t lock;
	char text[REPORT];
	int ready, pipe[2];
	atomic_bool over;
	bool repaired;
};

static void board_set(struct board *board, int tile, const char *state)
{
	pthread_mutex_lock(&board->lock);
	snprintf(board->text + (size_t)tile * 64, 64, "tile %d %s\n", tile, state);
	board->ready++;
	pthread_mutex_unlock(&board->lock);
}

static void board_write(struct board *board, const char *text)
{
	for (size_t done = 0; done < REPORT;) {
		ssize_t part = write(board->pipe[1], text + done, REPORT - done);

		if (part <= 0)
			must(-1, "write");
		done += (size_t)part;
	}
}

static void *board_reporter(void *data)
{
	struct board *board = data;
	char copy[REPORT];

	for (bool over = false; !over;) {
		pthread_mutex_lock(&board->lock);
		over = board->over;
		if (board->repaired)
			memcpy(copy, board->text, REPORT);
		else
			board_write(board, board->text);
		pthread_mutex_unlock(&board->lock);
		if (board->repaired)
			board_write(board, copy);
		nap(1500);
	}
	close(board->pipe[1]);
	return NULL;
}

static void *board_reader(void *data)
{
	struct board *board = data;
	char part[4 * KIB];

	while (read(board->pipe[0], part, sizeof(part)) > 0)
		if (!board->over)
			nap(2000);
	close(board->pipe[0]);
	return NULL;
}

void lecture_status_sink(struct app *app)
{
	static struct board board = {.lock = PTHREAD_MUTEX_INITIALIZER};
	cl_mem height = filled(app, TILE_CELLS, 21), tiles[2];
	cl_kernel render = kernel_of(app, MAP("render"), "render");
	cl_event done[2] = {NULL, NULL};
	pthread_t reporter, reader;

	board.repaired = app->repaired;
	memset(board.text, ' ', REPORT);
	if (pipe(board.pipe) || pthread_create(&reader, NULL, board_reader, &board) ||
	    pthread_create(&reporter, NULL, board_reporter, &board))
		must(-1, "threads");
	for (int i = 0; i < 2; i++)
		tiles[i] = buffer_new(app, TILE_CELLS * sizeof(float));
	for (int tile = 0; tile < TILES; tile++) {
		if (done[tile % 2])
			settle(done[tile % 2]);
		args(render, "bbi", height, tiles[tile % 2], 4);
		done[tile % 2] = run_after(app->queue, render, TILE_CELLS, 64, 0, NULL);
		flush(app->queue);
		board_set(&board, tile, "sent");
	}
	settle(done[0]);
	settle(done[1]);
	pthread_mutex_lock(&board.lock);
	board.over = true;
	pthread_mutex_unlock(&board.lock);
	pthread_join(reporter, NULL);
	pthread_join(reader, NULL);
	answer(board.ready);
	DROP(render);
	DROP(height);
	DROP(tiles[0]);
	DROP(tiles[1]);
}

/* Two workers take jobs of three kinds; a kind is an option of the kernel's build. */
enum { WORKERS = 2, JOBS = 12, KINDS = 3, JOB_ITEMS = 128 * KIB };

struct cache {
	pthread_mutex_t lock;
	cl_program kinds[KINDS];
};

struct worker {
	struct app *app;
	struct cache *cache;
	int index;
	double sum;
};

static const char job_source[] = "kernel void warp(global float *v, int seed)\n"
				 "{\n"
				 "	int i = get_global_id(0);\n"
				 "	float x = v[i] + (float)(seed & 15);\n"
				 "	for (int k = 0; k < KIND * 8 + 8; k++)\n"
				 "		x = x * 0.75f + (float)((i + k) & 7) * 0.125f;\n"
				 "	v[i] = x;\n"
				 "}\n";

static cl_program kind_program(struct worker *worker, int kind)
{
	char options[32];
	struct cache *cache = worker->cache;
	cl_program program;

	snprintf(options, sizeof(options), "-DKIND=%d", kind);
	if (!worker->app->repaired)
		return program_new(worker->app, job_source, options);
	pthread_mutex_lock(&cache->lock);
	if (!cache->kinds[kind])
		cache->kinds[kind] = program_new(worker->app, job_source, options);
	program = cache->kinds[kind];
	TRY(clRetainProgram(program));
	pthread_mutex_unlock(&cache->lock);
	return program;
}

static void *worker_main(void *data)
{
	struct worker *worker = data;
	cl_command_queue queue = queue_new(worker->app, 0);
	cl_mem values = filled(worker->app, JOB_ITEMS, (unsigned)worker->index + 1);
	float *back = memory(JOB_ITEMS * sizeof(*back));

	for (int job = 0; job < JOBS; job++) {
		cl_program program = kind_program(worker, (job + worker->index) % KINDS);
		cl_kernel warp = kernel_new(program, "warp");

		for (int i = 0; i < 8; i++) {
			args(warp, "bi", values, job + i);
			run(queue, warp, JOB_ITEMS, 64);
		}
		get(queue, values, JOB_ITEMS * sizeof(*back), back);
		worker->sum += (double)back[job];
		DROP(warp);
		DROP(program);
	}
	DROP(values);
	DROP(queue);
	free(back);
	return NULL;
}

void lecture_worker_builds(struct app *app)
{
	struct cache cache = {PTHREAD_MUTEX_INITIALIZER, {NULL}};
	struct worker workers[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		workers[i] = (struct worker){app, &cache, i, 0};
	threads_run(WORKERS, worker_main, workers, sizeof(*workers));
	for (int i = 0; i < KINDS; i++)
		if (cache.kinds[i])
			DROP(cache.kinds[i]);
	answer(workers[0].sum + workers[1].sum);
}

/* Requests of different sizes; each has its memory made for it, or, repaired, takes what an
 * earlier one had if that is large enough. */
enum { REQUESTS = 60, LARGEST = 8 * MIB, PARTS = 3 };

struct part {
	cl_mem memory;
	size_t bytes;
};

static cl_mem part_take(struct app *app, struct part *part, size_t bytes)
{
	if (part->memory && app->repaired && part->bytes >= bytes)
		return part->memory;
	if (part->memory)
		DROP(part->memory);
	*part = (struct part){buffer_new(app, bytes), bytes};
	return part->memory;
}

static void part_return(struct app *app, struct part *part)
{
	if (app->repaired)
		return;
	DROP(part->memory);
	part->memory = NULL;
}

static const char request_source[] =
	"kernel void spread(global const float *seeds, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	out[i] = seeds[i & (n - 1)] * 0.5f + (float)(i & 15);\n"
	"}\n"
	"kernel void fold(global const float *a, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	out[i] = a[i] - 0.25f * a[i ^ 16];\n"
	"}\n";

void lecture_request_memory(struct app *app)
{
	enum { SEEDS = 4 * KIB };

	struct part parts[PARTS] = {{NULL, 0}};
	float *seeds = memory(SEEDS * sizeof(*seeds)), back;
	double sum = 0;

	app->program = program_new(app, request_source, "");

	cl_kernel spread = kernel_new(app->program, "spread");
	cl_kernel fold = kernel_new(app->program, "fold");

	for (int request = 0; request < REQUESTS; request++) {
		size_t bytes = LARGEST - (size_t)(request % 5) * 512 * KIB;
		int items = (int)(bytes / sizeof(float));
		cl_mem in = part_take(app, &parts[0], SEEDS * sizeof(*seeds));
		cl_mem scratch = part_take(app, &parts[1], bytes);
		cl_mem out = part_take(app, &parts[2], bytes);

		refill(seeds, SEEDS, request);
		put(app->queue, in, SEEDS * sizeof(*seeds), seeds);
		args(spread, "bbi", in, scratch, SEEDS);
		run(app->queue, spread, (size_t)items, 64);
		args(fold, "bbi", scratch, out, items);
		run(app->queue, fold, (size_t)items, 64);
		get(app->queue, out, sizeof(back), &back);
		sum += (double)back;
		for (int i = 0; i < PARTS; i++)
			part_return(app, &parts[i]);
	}
	for (int i = 0; i < PARTS; i++)
		if (parts[i].memory)
			DROP(parts[i].memory);
	answer(sum);
	DROP(spread);
	DROP(fold);
}

/* A scheduler looks at each tick which of its lanes has finished a job; the repaired one waits for
 * the lane whose turn it is. */
enum { LANES = 2, SHOTS = 200, SHOT_ITEMS = 200 * KIB, TICK_US = 2000 };

struct lane {
	cl_command_queue queue;
	cl_mem from, to;
	cl_event running;
};

static bool lane_is_free(struct lane *lane)
{
	cl_int state;

	if (!lane->running)
		return true;
	TRY(clGetEventInfo(lane->running, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
			   NULL));
	if (state != CL_COMPLETE)
		return false;
	DROP(lane->running);
	lane->running = NULL;
	return true;
}

static struct lane *lane_await(struct app *app, struct lane *lanes, int turn)
{
	struct lane *lane = &lanes[turn % LANES];

	if (app->repaired) {
		if (lane->running)
			settle(lane->running);
		lane->running = NULL;
		return lane;
	}
	for (;;) {
		for (int i = 0; i < LANES; i++)
			if (lane_is_free(&lanes[i]))
				return &lanes[i];
		nap(TICK_US);
	}
}

void lecture_job_tick(struct app *app)
{
	cl_kernel shoot = kernel_of(app, MAP("shoot"), "shoot");
	struct lane lanes[LANES];
	float back = 0;

	for (int i = 0; i < LANES; i++)
		lanes[i] = (struct lane){queue_new(app, 0), filled(app, SHOT_ITEMS, 4),
					 filled(app, SHOT_ITEMS, 5), NULL};
	for (int shot = 0; shot < SHOTS; shot++) {
		struct lane *lane = lane_await(app, lanes, shot);

		args(shoot, "bbi", lane->from, lane->to, 20);
		lane->running = run_after(lane->queue, shoot, SHOT_ITEMS, 64, 0, NULL);
		flush(lane->queue);
	}
	for (int i = 0; i < LANES; i++) {
		get(lanes[i].queue, lanes[i].to, sizeof(back), &back);
		if (lanes[i].running)
			DROP(lanes[i].running);
		DROP(lanes[i].from);
		DROP(lanes[i].to);
		DROP(lanes[i].queue);
	}
	answer((double)back);
	DROP(shoot);
}
