/* SPDX-License-Identifier: MIT */
/* What goes by the clock: exposures of a telescope, orbits, trains. */
#include "inquests.h"

#include <stdlib.h>

/* Exposures of one field of the sky are corrected and added up. */
enum { PIXELS = 16 * KIB, EXPOSURES = 800 };

static const char sky_source[] =
	"kernel void take_dark(global float *frame, global const float *dark, float seconds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	frame[i] = fmax(frame[i] - dark[i] * seconds, 0.0f);\n"
	"}\n"
	"kernel void even_out(global float *frame, global const float *flat)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	frame[i] /= 0.5f + flat[i];\n"
	"}\n"
	"kernel void add_shifted(global const float *frame, global float *sum, int shift)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	sum[i] += 0.75f * frame[(i + shift) & (n - 1)] + 0.25f * frame[(i + shift + 1) & (n - 1)];\n"
	"}\n";

struct telescope {
	cl_kernel dark, flat, add;
	cl_mem frame;
	float *shot[2];
	cl_event sent[2];
};

static void telescope_expose(const struct app *app, struct telescope *t, int number)
{
	cl_command_queue queue = app->queue;
	int turn = number % 2;

	if (t->sent[turn])
		settle(t->sent[turn]);
	refill(t->shot[turn], PIXELS, number);
	t->sent[turn] = put_after(queue, t->frame, PIXELS * sizeof(float), t->shot[turn], 0, NULL);
	if (!app->repaired)
		finish(queue);
	run(queue, t->dark, PIXELS, 64);
	if (!app->repaired)
		finish(queue);
	run(queue, t->flat, PIXELS, 64);
	if (!app->repaired)
		finish(queue);
	TRY(clSetKernelArg(t->add, 2, sizeof(int), &(int){number % 7}));
	run(queue, t->add, PIXELS, 64);
	if (app->repaired)
		flush(queue);
	else
		finish(queue);
}

void inquest_star_stack(struct app *app)
{
	cl_program program = program_new(app, sky_source, "");
	cl_mem dark = filled(app, PIXELS, 1), flat = filled(app, PIXELS, 2);
	cl_mem sum = filled(app, PIXELS, 3);
	float *picture = memory(PIXELS * sizeof(*picture));
	struct telescope t = {
		.dark = kernel_new(program, "take_dark"),
		.flat = kernel_new(program, "even_out"),
		.add = kernel_new(program, "add_shifted"),
		.frame = buffer_new(app, PIXELS * sizeof(float)),
		.shot = {floats(PIXELS, 4), floats(PIXELS, 5)},
	};

	args(t.dark, "bbf", t.frame, dark, 0.25);
	args(t.flat, "bb", t.frame, flat);
	args(t.add, "bbi", t.frame, sum, 0);
	for (int e = 0; e < EXPOSURES; e++)
		telescope_expose(app, &t, e);
	get(app->queue, sum, PIXELS * sizeof(*picture), picture);
	answer(total(picture, PIXELS));
	for (int i = 0; i < 2; i++) {
		DROP(t.sent[i]);
		free(t.shot[i]);
	}
	free(picture);
	DROP(dark), DROP(flat), DROP(sum), DROP(t.frame);
	DROP(t.dark), DROP(t.flat), DROP(t.add), DROP(program);
}

/* Delays of trains go along a line, stop by stop; then passengers miss their connections. */
enum { TRAINS = 1024, STOPS = 32, DAYS = 150, PASSENGERS = 256 * KIB };

static const char line_source[] =
	"float at_stop(float late, float slack, uint train, uint stop)\n"
	"{\n"
	"	uint u = (train * 64u + stop) * 2654435761u;\n"
	"	return fmax(late - slack * 0.25f, 0.0f) + (u >> 28 ? 0.0f : 3.0f);\n"
	"}\n"
	"kernel void one_stop(global float *late, global const float *slack, int stop)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	late[i] = at_stop(late[i], slack[stop], (uint)i, (uint)stop);\n"
	"}\n"
	"kernel void whole_line(global float *late, global const float *slack, int stops)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float mine = late[i];\n"
	"	for (int stop = 0; stop < stops; stop++)\n"
	"		mine = at_stop(mine, slack[stop], (uint)i, (uint)stop);\n"
	"	late[i] = mine;\n"
	"}\n"
	"kernel void connections(global const float *late, global float *waits, uint day)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = (uint)i * 2654435761u + day;\n"
	"	float sum = 0;\n"
	"	for (int change = 0; change < 2; change++) {\n"
	"		u = (u ^ (u >> 11)) * 2246822519u + 40503u;\n"
	"		sum += late[u >> 22] > 1.5f ? 20.0f : late[u >> 22];\n"
	"	}\n"
	"	waits[i] = waits[i] * 0.5f + sum;\n"
	"}\n";

void inquest_delay_chain(struct app *app)
{
	cl_program program = program_new(app, line_source, "");
	cl_kernel stop = kernel_new(program, "one_stop"), line = kernel_new(program, "whole_line");
	cl_kernel change = kernel_new(program, "connections");
	cl_mem late = filled(app, TRAINS, 6), slack = filled(app, STOPS, 7);
	cl_mem waits = filled(app, PASSENGERS, 8);
	float *all = memory(PASSENGERS * sizeof(*all));

	args(stop, "bbi", late, slack, 0);
	args(line, "bbi", late, slack, STOPS);
	args(change, "bbi", late, waits, 0);
	for (int day = 0; day < DAYS; day++) {
		if (app->repaired) {
			run(app->queue, line, TRAINS, 64);
		} else {
			for (int s = 0; s < STOPS; s++) {
				TRY(clSetKernelArg(stop, 2, sizeof(s), &s));
				run(app->queue, stop, TRAINS, 64);
			}
		}
		TRY(clSetKernelArg(change, 2, sizeof(day), &day));
		run(app->queue, change, PASSENGERS, 64);
		flush(app->queue);
	}
	get(app->queue, waits, PASSENGERS * sizeof(*all), all);
	answer(total(all, PASSENGERS));
	free(all);
	DROP(late), DROP(slack), DROP(waits);
	DROP(stop), DROP(line), DROP(change), DROP(program);
}

/* Stars of a cluster move a step at a time; each step needs the one before. */
enum { STARS = 4 * KIB, STEPS = 1200, NEAR = 24 };

static const char orbit_source[] =
	"kernel void pull(global const float *place, global float *speed, int near)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float force = 0, mine = place[i];\n"
	"	for (int k = 1; k <= near; k++) {\n"
	"		float d = place[(i + k * 61) & (n - 1)] - mine;\n"
	"		force += d / (d * d + 0.25f);\n"
	"	}\n"
	"	speed[i] = speed[i] * 0.99f + force * 0.001f;\n"
	"}\n"
	"kernel void drift(global float *place, global const float *speed)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	place[i] += speed[i] * 0.01f;\n"
	"}\n";

void inquest_clean_orbits(struct app *app)
{
	cl_program program = program_new(app, orbit_source, "");
	cl_kernel pull = kernel_new(program, "pull"), drift = kernel_new(program, "drift");
	cl_mem place = filled(app, STARS, 9), speed = filled(app, STARS, 10);
	float *all = memory(STARS * sizeof(*all));

	args(pull, "bbi", place, speed, NEAR);
	args(drift, "bb", place, speed);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, pull, STARS, 64);
		run(app->queue, drift, STARS, 64);
		if (step % 16 == 0)
			flush(app->queue);
	}
	get(app->queue, place, STARS * sizeof(*all), all);
	answer(total(all, STARS));
	free(all);
	DROP(place), DROP(speed);
	DROP(pull), DROP(drift), DROP(program);
}

/* Boards of departures: each is a thread that answers one request after the other. */
enum { BOARDS = 3, REQUESTS = 220, DEPARTURES = 32 * KIB };

static const char board_source[] =
	"kernel void next_trains(global const float *query, global float *best, int hops)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float at = query[i % 64];\n"
	"	for (int h = 0; h < hops; h++)\n"
	"		at = fmin(at * 0.9375f + 0.5f, 720.0f) + 0.0625f;\n"
	"	best[i] = at + (float)(i % 16);\n"
	"}\n";

struct board {
	const struct app *app;
	cl_program program;
	double sum;
	unsigned seed;
};

static void *board_serve(void *data)
{
	struct board *board = data;
	cl_command_queue queue = queue_new(board->app, 0);
	cl_kernel kernel = kernel_new(board->program, "next_trains");
	cl_mem query = buffer_new(board->app, 64 * sizeof(float));
	cl_mem best = buffer_new(board->app, DEPARTURES * sizeof(float));
	float *asked = floats(64, board->seed), *found = memory(KIB * sizeof(*found));

	args(kernel, "bbi", query, best, 12);
	for (int r = 0; r < REQUESTS; r++) {
		refill(asked, 64, r);
		put(queue, query, 64 * sizeof(float), asked);
		run(queue, kernel, DEPARTURES, 64);
		get(queue, best, KIB * sizeof(float), found); /* the first screen */
		board->sum += total(found, KIB);
	}
	free(asked);
	free(found);
	DROP(query), DROP(best), DROP(kernel), DROP(queue);
	return NULL;
}

void inquest_clean_boards(struct app *app)
{
	struct board boards[BOARDS];
	cl_program program = program_new(app, board_source, "");
	double sum = 0;

	for (int i = 0; i < BOARDS; i++)
		boards[i] = (struct board){app, program, 0, (unsigned)i};
	threads_run(BOARDS, board_serve, boards, sizeof(*boards));
	for (int i = 0; i < BOARDS; i++)
		sum += boards[i].sum;
	answer(sum);
	DROP(program);
}
