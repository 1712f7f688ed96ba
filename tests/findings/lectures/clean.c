/* SPDX-License-Identifier: MIT */
/* Programs that have no fault, and look as if they had. */
#include "lectures.h"

#include <pthread.h>
#include <stdlib.h>

/* Descent along a line: how far the next step goes hangs on what the last one gave. */
void lecture_clean_descent(struct app *app)
{
	enum { UNKNOWNS = 1 * MIB, EVALUATIONS = 90 };

	static const char source[] =
		"kernel void loss(global const float *x, global float *out, float at)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float e = x[i] - at, sum = 0;\n"
		"	for (int k = 1; k < 8; k++)\n"
		"		sum += e * e / (float)k + (float)((i + k) & 7) * e;\n"
		"	out[i] = sum;\n"
		"}\n";
	cl_mem x = filled(app, UNKNOWNS, 81), out = filled(app, UNKNOWNS, 82);
	cl_kernel loss = kernel_of(app, source, "loss");
	float at = 0, step = 0.5f, before = 1e30f, now;

	for (int i = 0; i < EVALUATIONS; i++) {
		args(loss, "bbf", x, out, (double)(at + step));
		run(app->queue, loss, UNKNOWNS, 64);
		get(app->queue, out, sizeof(now), &now);
		if (now < before)
			at += step;
		else
			step *= -0.5f;
		before = now;
	}
	answer((double)at);
	DROP(loss);
	DROP(x);
	DROP(out);
}

/* An integrator whose step is as long as the error of the last one allows. */
void lecture_clean_stepper(struct app *app)
{
	enum { BODIES = 768 * KIB, STEPS = 80 };

	static const char source[] =
		"kernel void trial(global const float *y, global float *next, float h)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float a = y[i];\n"
		"	for (int k = 0; k < 8; k++)\n"
		"		a += h * (0.3f - a * a * 0.1f);\n"
		"	next[i] = a;\n"
		"}\n"
		"kernel void error(global const float *y, global const float *next,\n"
		"		  global float *out, int each)\n"
		"{\n"
		"	int s = get_global_id(0);\n"
		"	float m = 0;\n"
		"	for (int i = s * each; i < s * each + each; i++)\n"
		"		m = fmax(m, fabs(next[i] - y[i]));\n"
		"	out[s] = m;\n"
		"}\n";
	enum { SLICES = 4 * KIB };

	cl_mem states[2] = {filled(app, BODIES, 83), filled(app, BODIES, 84)};
	cl_mem errors = filled(app, SLICES, 85);
	float *slices = memory(SLICES * sizeof(*slices)), h = 0.05f;
	int now = 0;

	app->program = program_new(app, source, "");

	cl_kernel trial = kernel_new(app->program, "trial"),
		  error = kernel_new(app->program, "error");

	for (int i = 0; i < STEPS; i++) {
		float most = 0;

		args(trial, "bbf", states[now], states[1 - now], (double)h);
		run(app->queue, trial, BODIES, 64);
		args(error, "bbbi", states[now], states[1 - now], errors, BODIES / SLICES);
		run(app->queue, error, SLICES, 64);
		get(app->queue, errors, SLICES * sizeof(*slices), slices);
		for (int s = 0; s < SLICES; s++)
			most = slices[s] > most ? slices[s] : most;
		if (most < 0.2f)
			now = 1 - now;
		h *= most < 0.1f ? 1.25f : 0.8f;
	}
	answer((double)h);
	free(slices);
	DROP(trial);
	DROP(error);
	DROP(errors);
	DROP(states[0]);
	DROP(states[1]);
}

/* Each block of samples is new and goes to the device whole; three blocks are on their way. */
void lecture_clean_feed(struct app *app)
{
	enum { BLOCK = 128 * KIB, BLOCKS = 240, DEEP = 3 };

	const size_t bytes = BLOCK * sizeof(float);
	cl_command_queue up = queue_new(app, 0);
	cl_kernel detect = kernel_of(app, MAP("detect"), "detect");
	cl_mem in[DEEP], out[DEEP], found = buffer_new(app, bytes);
	cl_event used[DEEP] = {NULL};
	float *blocks[DEEP], back[16];

	for (int i = 0; i < DEEP; i++) {
		in[i] = buffer_new(app, bytes);
		out[i] = buffer_new(app, bytes);
		blocks[i] = floats(BLOCK, (unsigned)i + 90);
	}
	for (int block = 0; block < BLOCKS; block++) {
		int at = block % DEEP;

		if (used[at])
			settle(used[at]);
		for (int i = 0; i < BLOCK; i += 8) /* what a sampler delivers */
			blocks[at][i] = (float)(block * 31 + i);

		cl_event there = put_after(up, in[at], bytes, blocks[at], 0, NULL);

		flush(up);
		args(detect, "bbi", in[at], out[at], 15);
		run_with(app->queue, detect, BLOCK, 64, 1, &there, NULL);
		args(detect, "bbi", out[at], found, 20);
		used[at] = run_after(app->queue, detect, BLOCK, 64, 0, NULL);
		flush(app->queue);
		DROP(there);
	}
	get(app->queue, found, sizeof(back), back);
	answer((double)back[5]);
	for (int i = 0; i < DEEP; i++) {
		settle(used[i]);
		DROP(in[i]);
		DROP(out[i]);
		free(blocks[i]);
	}
	DROP(found);
	DROP(detect);
	DROP(up);
}

/* One build, and what it gives is used for the whole run by several kernels in turn. */
void lecture_clean_once(struct app *app)
{
	enum { CELLS = 384 * KIB, GENERATIONS = 120, STAGES = 3 };

	static const char *const names[STAGES] = {"grow", "feed", "thin"};
	cl_mem cells[2] = {filled(app, CELLS, 95), filled(app, CELLS, 96)};
	cl_kernel kernels[STAGES];
	float back = 0;

	app->program = program_new(app, MAP("grow") MAP("feed") MAP("thin"), "");
	for (int i = 0; i < STAGES; i++)
		kernels[i] = kernel_new(app->program, names[i]);
	for (int i = 0; i < GENERATIONS * STAGES; i++) {
		args(kernels[i % STAGES], "bbi", cells[i % 2], cells[(i + 1) % 2], 3 + i % STAGES);
		run(app->queue, kernels[i % STAGES], CELLS, 64);
		if (i % 30 == 29)
			flush(app->queue);
	}
	get(app->queue, cells[0], sizeof(back), &back);
	answer((double)back);
	for (int i = 0; i < STAGES; i++)
		DROP(kernels[i]);
	DROP(cells[0]);
	DROP(cells[1]);
}

/* A producer's orders go over a belt to the thread that has the device; it sleeps where the belt
 * is full, as the device is slower. */
enum { BELT = 3, ORDERS = 200, ORDER = 256 * KIB };

struct belt {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int orders[BELT], head, tail;
};

static void *belt_feed(void *data)
{
	struct belt *belt = data;

	for (int i = 0; i < ORDERS; i++) {
		nap(100); /* from elsewhere */
		pthread_mutex_lock(&belt->lock);
		while (belt->head - belt->tail == BELT)
			pthread_cond_wait(&belt->changed, &belt->lock);
		belt->orders[belt->head++ % BELT] = 10 + i % 7;
		pthread_cond_signal(&belt->changed);
		pthread_mutex_unlock(&belt->lock);
	}
	return NULL;
}

static int belt_take(struct belt *belt)
{
	pthread_mutex_lock(&belt->lock);
	while (belt->head == belt->tail)
		pthread_cond_wait(&belt->changed, &belt->lock);

	int order = belt->orders[belt->tail++ % BELT];

	pthread_cond_signal(&belt->changed);
	pthread_mutex_unlock(&belt->lock);
	return order;
}

void lecture_clean_belt(struct app *app)
{
	struct belt belt = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_mem in = filled(app, ORDER, 97),
	       out[2] = {filled(app, ORDER, 98), filled(app, ORDER, 99)};
	cl_kernel serve = kernel_of(app, MAP("serve"), "serve");
	cl_event done[2] = {NULL, NULL};
	pthread_t producer;
	float back = 0;

	if (pthread_create(&producer, NULL, belt_feed, &belt))
		must(-1, "pthread_create");
	for (int i = 0; i < ORDERS; i++) {
		int order = belt_take(&belt);

		if (done[i % 2])
			settle(done[i % 2]);
		args(serve, "bbi", in, out[i % 2], order);
		done[i % 2] = run_after(app->queue, serve, ORDER, 64, 0, NULL);
		flush(app->queue);
	}
	pthread_join(producer, NULL);
	settle(done[0]);
	settle(done[1]);
	get(app->queue, out[1], sizeof(back), &back);
	answer((double)back);
	DROP(serve);
	DROP(in);
	DROP(out[0]);
	DROP(out[1]);
}

/* A pyramid: each level needs the one below, and the upper ones are small. */
void lecture_clean_pyramid(struct app *app)
{
	enum { BASE = 1 * MIB, LEVELS = 6, PICTURES = 60 };

	static const char source[] =
		"kernel void reduce(global const float *below, global float *level, int n)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float sum = 0;\n"
		"	for (int k = 0; k < 10; k++)\n"
		"		sum += below[(i * 2 + k) % n] * (float)(k & 3);\n"
		"	level[i] = sum / 15;\n"
		"}\n";
	cl_kernel reduce = kernel_of(app, source, "reduce");
	cl_mem levels[LEVELS + 1];
	float back = 0;

	for (int i = 0; i <= LEVELS; i++)
		levels[i] = filled(app, BASE >> i, (unsigned)i + 1);
	for (int picture = 0; picture < PICTURES; picture++)
		for (int i = 0; i < LEVELS; i++) {
			args(reduce, "bbi", levels[i], levels[i + 1], BASE >> i);
			run(app->queue, reduce, (size_t)BASE >> (i + 1), 64);
		}
	get(app->queue, levels[LEVELS], sizeof(back), &back);
	answer((double)back);
	for (int i = 0; i <= LEVELS; i++)
		DROP(levels[i]);
	DROP(reduce);
}

/* An out-of-order queue: parts of a sky are made independently, a barrier stands before what needs
 * all of them. */
void lecture_clean_join(struct app *app)
{
	enum { PARTS = 4, PART = 160 * KIB, SKIES = 90 };

	static const char source[] = MAP(
		"gather") "kernel void blend(global const float *a, global const float *b,\n"
			  "		  global const float *c, global const float *d, global float *sky)\n"
			  "{\n"
			  "	int i = get_global_id(0);\n"
			  "	sky[i] = (a[i] + b[i] + c[i] + d[i]) / 4;\n"
			  "}\n";
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem stars[PARTS], parts[PARTS], sky = filled(app, PART, 9);
	float back = 0;

	app->program = program_new(app, source, "");

	cl_kernel gather = kernel_new(app->program, "gather"),
		  blend = kernel_new(app->program, "blend");

	for (int i = 0; i < PARTS; i++) {
		stars[i] = filled(app, PART, (unsigned)i + 11);
		parts[i] = filled(app, PART, (unsigned)i + 15);
	}
	args(blend, "bbbbb", parts[0], parts[1], parts[2], parts[3], sky);
	for (int number = 0; number < SKIES; number++) {
		for (int i = 0; i < PARTS; i++) {
			args(gather, "bbi", stars[i], parts[i], 14 + number % 3);
			run(queue, gather, PART, 64);
		}
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		run(queue, blend, PART, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
	}
	get(queue, sky, sizeof(back), &back);
	answer((double)back);
	for (int i = 0; i < PARTS; i++) {
		DROP(stars[i]);
		DROP(parts[i]);
	}
	DROP(sky);
	DROP(gather);
	DROP(blend);
	DROP(queue);
}
