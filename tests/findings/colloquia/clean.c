/* SPDX-License-Identifier: MIT */
/* Programs that have nothing wrong. */
#include "colloquia.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

/* An integrator whose next step depends on the last one's error. On a device that computes nothing
 * the error is what was put there. */
void colloquium_clean_adaptive(struct app *app)
{
	static const char source[] =
		"kernel void try_step(global float *state, global float *error, float dt)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float s = state[i];\n"
		"	for (int k = 0; k < 12; k++)\n"
		"		s = s * (1.0f - dt) + dt * 0.5f;\n"
		"	state[i] = s;\n"
		"	if (!i)\n"
		"		error[0] = dt * dt + 0.001f * fabs(s);\n"
		"}\n";
	float error = 0.01f, dt = 0.1f, time = 0;
	cl_mem state = filled(app, 4 * MIB, 1), judged = buffer_new(app, 64);
	cl_kernel step = kernel_of(app, source, "try_step");

	put_now(app->queue, judged, sizeof(error), &error);
	for (int n = 0; n < 140 && time < 100; n++) {
		args(step, "bbf", state, judged, (double)dt);
		run(app->queue, step, MIB, 0);
		read_now(app->queue, judged, sizeof(error), &error);
		dt *= error > 0.01f ? 0.9f : 1.05f;
		time += dt;
	}
	answer(time > 0);
	DROP(step);
	DROP(state);
	DROP(judged);
}

/* Each frame is new and has to go up; that is done by a queue of its own, into one of three
 * buffers, while others are worked on. */
void colloquium_clean_frames(struct app *app)
{
	enum { RING = 3, SHOTS = 150, BYTES = 512 * KIB };
	cl_command_queue uploads = queue_new(app, 0);
	cl_kernel grade = kernel_of(app, STIR("grade"), "grade");
	cl_event graded[RING] = {NULL};
	cl_mem ring[RING], grain = filled(app, 2 * MIB, 5);
	float *frames[RING], corner[16];

	for (unsigned i = 0; i < RING; i++) {
		ring[i] = buffer_new(app, BYTES);
		frames[i] = floats(BYTES / 4, i);
	}
	for (int n = 0; n < SHOTS; n++) {
		int slot = n % RING;
		cl_event up;

		if (graded[slot])
			settle(graded[slot]);
		refill(frames[slot], 4096, n);
		up = put_after(uploads, ring[slot], BYTES, frames[slot], 0, NULL);
		flush(uploads);
		args(grade, "bi", ring[slot], 8);
		graded[slot] = run_after(app->queue, grade, BYTES / 4, 0, 1, &up);
		TRY(clReleaseEvent(up));
		args(grade, "bi", grain, 10);
		run(app->queue, grade, BYTES / 2, 0);
		flush(app->queue);
	}
	finish(app->queue);
	read_now(app->queue, ring[0], sizeof(corner), corner);
	answer(corner[1] == corner[1]);
	for (int i = 0; i < RING; i++) {
		if (graded[i])
			TRY(clReleaseEvent(graded[i]));
		DROP(ring[i]);
		free(frames[i]);
	}
	DROP(grain);
	DROP(grade);
	DROP(uploads);
}

/* One build of several kernels, and a long run of them. */
void colloquium_clean_build(struct app *app)
{
	cl_program program = program_new(app, STIR("gather") STIR("apply") STIR("scatter"), "");
	cl_kernel kernels[] = {kernel_new(program, "gather"), kernel_new(program, "apply"),
			       kernel_new(program, "scatter")};
	cl_mem graph = filled(app, 2 * MIB, 2);
	unsigned last[16];

	for (int i = 0; i < 3; i++)
		args(kernels[i], "bi", graph, 8);
	for (int n = 0; n < 120; n++) {
		for (int i = 0; i < 3; i++)
			run(app->queue, kernels[i], MIB / 2, 0);
		flush(app->queue);
		if (n % 24 == 23)
			finish(app->queue);
	}
	read_now(app->queue, graph, sizeof(last), last);
	answer(last[0] != 1);
	for (int i = 0; i < 3; i++)
		DROP(kernels[i]);
	DROP(program);
	DROP(graph);
}

/* A thread makes orders and another one works on them; the first is always ahead. */
struct orders {
	sem_t made, room;
	int numbers[8];
};

enum { ORDERS = 160 };

static void *orders_make(void *data)
{
	struct orders *orders = data;

	for (int n = 0; n < ORDERS; n++) {
		sem_wait(&orders->room);
		orders->numbers[n % 8] = n * 3;
		sem_post(&orders->made);
	}
	return NULL;
}

void colloquium_clean_pipe(struct app *app)
{
	struct orders orders;
	cl_kernel fill = kernel_of(app, STIR("fill_order"), "fill_order");
	cl_mem stock = filled(app, 4 * MIB, 3);
	cl_event before = NULL;
	pthread_t maker;
	unsigned last[16];

	sem_init(&orders.made, 0, 0);
	sem_init(&orders.room, 0, 8);
	if (pthread_create(&maker, NULL, orders_make, &orders))
		exit(1);
	for (int n = 0; n < ORDERS; n++) {
		sem_wait(&orders.made);
		args(fill, "bi", stock, 7 + orders.numbers[n % 8] % 3);
		sem_post(&orders.room);

		cl_event event = run_after(app->queue, fill, MIB, 0, 0, NULL);

		flush(app->queue);
		if (before)
			settle(before); /* two are under way at most */
		before = event;
	}
	settle(before);
	pthread_join(maker, NULL);
	read_now(app->queue, stock, sizeof(last), last);
	answer(last[0] != 1);
	sem_destroy(&orders.made);
	sem_destroy(&orders.room);
	DROP(fill);
	DROP(stock);
}

/* A queue that may reorder, and passes of which each needs all parts of the one before. */
void colloquium_clean_fence(struct app *app)
{
	static const char source[] =
		"kernel void sweep(global const float *from, global float *to, int first, int all)\n"
		"{\n"
		"	int i = first + (int)get_global_id(0);\n"
		"	float a = 0;\n"
		"	for (int k = 0; k < 6; k++)\n"
		"		a += from[(i + k * (all / 16 + 1)) % all];\n"
		"	to[i] = a * 0.16f;\n"
		"}\n";
	enum { ALL = MIB, PARTS = 4 };
	cl_command_queue queue = loose_queue(app);
	cl_mem grid[2] = {filled(app, ALL * 4, 5), filled(app, ALL * 4, 6)};
	cl_kernel sweep = kernel_of(app, source, "sweep");
	float last[16];

	for (int n = 0; n < 140; n++) {
		for (int i = 0; i < PARTS; i++) {
			args(sweep, "bbii", grid[n & 1], grid[(n + 1) & 1], i * ALL / PARTS, ALL);
			run(queue, sweep, ALL / PARTS, 0);
		}
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
	}
	finish(queue);
	read_now(queue, grid[0], sizeof(last), last);
	answer(last[2] == last[2]);
	DROP(sweep);
	DROP(grid[0]);
	DROP(grid[1]);
	DROP(queue);
}

/* Buffers come from a pool, which makes four of them, and go back to it. */
struct pool {
	cl_mem free[4];
	int count, made;
};

static cl_mem pool_take(struct app *app, struct pool *pool)
{
	if (pool->count)
		return pool->free[--pool->count];
	pool->made++;
	return buffer_new(app, 2 * MIB);
}

void colloquium_clean_pool(struct app *app)
{
	struct pool pool = {{NULL}, 0, 0};
	cl_kernel blend = kernel_of(app, STIR("blend"), "blend");
	float *seed = floats(MIB / 2 + 256, 7);
	unsigned last[16] = {0};

	for (int n = 0; n < 60; n++) {
		cl_mem taken[4];

		for (int i = 0; i < 4; i++) {
			bool fresh = !pool.count;

			taken[i] = pool_take(app, &pool);
			if (fresh)
				put(app->queue, taken[i], 2 * MIB, seed + pool.made * 64);
			args(blend, "bi", taken[i], 16);
			run(app->queue, blend, MIB / 2, 0);
		}
		flush(app->queue);
		for (int i = 0; i < 4; i++)
			pool.free[pool.count++] = taken[i];
		if (n % 15 == 14)
			finish(app->queue);
	}
	read_now(app->queue, pool.free[0], sizeof(last), last);
	answer(last[0] != 1);
	while (pool.count)
		DROP(pool.free[--pool.count]);
	free(seed);
	DROP(blend);
}

/* Callbacks that only count, and a host that sleeps until enough has been done. */
static void CL_CALLBACK slot_freed(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	sem_post(data);
}

void colloquium_clean_signal(struct app *app)
{
	cl_kernel hash = kernel_of(app, STIR("hash_files"), "hash_files");
	cl_mem files = filled(app, 4 * MIB, 8);
	unsigned last[16];
	sem_t slots;

	sem_init(&slots, 0, 4);
	args(hash, "bi", files, 8);
	for (int n = 0; n < 150; n++) {
		sem_wait(&slots);

		cl_event event = run_after(app->queue, hash, MIB, 0, 0, NULL);

		TRY(clSetEventCallback(event, CL_COMPLETE, slot_freed, &slots));
		flush(app->queue);
		TRY(clReleaseEvent(event));
	}
	for (int i = 0; i < 4; i++)
		sem_wait(&slots);
	read_now(app->queue, files, sizeof(last), last);
	answer(last[0] != 1);
	sem_destroy(&slots);
	DROP(hash);
	DROP(files);
}

/* Two queues whose commands truly depend on each other: each pass of one reads what the other one's
 * has just written. */
void colloquium_clean_chain(struct app *app)
{
	static const char source[] =
		"kernel void couple(global const float *from, global float *to)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float a = from[i];\n"
		"	for (int k = 0; k < 20; k++)\n"
		"		a = a * 0.9f + 0.05f;\n"
		"	to[i] = a;\n"
		"}\n";
	cl_command_queue queues[2] = {app->queue, queue_new(app, 0)};
	cl_program program = program_new(app, source, "");
	cl_mem fluid = filled(app, 4 * MIB, 1), solid = filled(app, 4 * MIB, 2);
	cl_kernel kernels[2] = {kernel_new(program, "couple"), kernel_new(program, "couple")};
	cl_event before = NULL;
	float last[16];

	args(kernels[0], "bb", fluid, solid);
	args(kernels[1], "bb", solid, fluid);
	for (int n = 0; n < 150; n++) {
		cl_event event = run_after(queues[n & 1], kernels[n & 1], MIB, 0, before != NULL,
					   before ? &before : NULL);

		flush(queues[n & 1]);
		if (before)
			TRY(clReleaseEvent(before));
		before = event;
	}
	settle(before);
	read_now(app->queue, solid, sizeof(last), last);
	answer(last[4] == last[4]);
	DROP(kernels[0]);
	DROP(kernels[1]);
	DROP(program);
	DROP(fluid);
	DROP(solid);
	DROP(queues[1]);
}
