/* SPDX-License-Identifier: MIT */
/* Programs with nothing wrong that are near to what is. */
#include "orals.h"

#include <stdlib.h>

/* A filter that tracks a target: each step's measurement hangs on the estimate before. */

void oral_clean_tracker(struct app *app)
{
	enum { PARTICLES = 1 << 14, STEPS = 40 };
	static float state[PARTICLES];
	cl_mem v = buffer_new(app, sizeof(state));
	cl_kernel predict = kernel_of(app, STIR("predict"), "predict");
	double sum = 0;

	refill(state, PARTICLES, 1);
	put_now(app->queue, v, sizeof(state), state);
	for (int step = 0; step < STEPS; step++) {
		float first;

		args(predict, "bi", v, 300 + (int)sum % 2);
		run(app->queue, predict, PARTICLES, 64);
		get(app->queue, v, 4, &first);
		sum += (double)first;
	}
	answer(sum);
	DROP(predict);
	DROP(v);
}

/* New windows of a signal, each uploaded once, and the whole result is wanted. */

void oral_clean_windows(struct app *app)
{
	enum { COUNT = 1 << 16, WINDOWS = 20 };
	float *in = memory(COUNT * 4), *out = memory(COUNT * 4);
	cl_mem v = buffer_new(app, COUNT * 4);
	cl_kernel filter = kernel_of(app, STIR("filter"), "filter");
	double sum = 0;

	args(filter, "bi", v, 60);
	for (int window = 0; window < WINDOWS; window++) {
		refill(in, COUNT, window);
		put(app->queue, v, COUNT * 4, in);
		run(app->queue, filter, COUNT, 64);
		get(app->queue, v, COUNT * 4, out);
		sum += total(out, COUNT);
	}
	answer(sum);
	DROP(filter);
	DROP(v);
	free(out);
	free(in);
}

/* Different formulas, each built once and used often. */

void oral_clean_formulas(struct app *app)
{
	enum { COUNT = 1 << 14, USES = 20 };
	static const char *const sources[] = {STIR("gain"), STIR("loss"), STIR("drift")};
	static const char *const names[] = {"gain", "loss", "drift"};
	static float data[COUNT];
	cl_mem v = buffer_new(app, sizeof(data));

	refill(data, COUNT, 2);
	put_now(app->queue, v, sizeof(data), data);
	for (int i = 0; i < 3; i++) {
		cl_kernel kernel = kernel_of(app, sources[i], names[i]);

		args(kernel, "bi", v, 300);
		for (int use = 0; use < USES; use++)
			run(app->queue, kernel, COUNT, 64);
		DROP(kernel);
	}
	get(app->queue, v, sizeof(data), data);
	answer(total(data, COUNT));
	DROP(v);
}

/* Results that are looked at in place. */

void oral_clean_mapped(struct app *app)
{
	enum { COUNT = 1 << 16, ROUNDS = 20 };
	cl_int status;
	cl_mem v = clCreateBuffer(app->context, CL_MEM_ALLOC_HOST_PTR, COUNT * 4, NULL, &status);
	cl_kernel relax = kernel_of(app, STIR("relax"), "relax");
	cl_float one = 1;
	double sum = 0;

	must(status, "clCreateBuffer");
	TRY(clEnqueueFillBuffer(app->queue, v, &one, 4, 0, COUNT * 4, 0, NULL, NULL));
	args(relax, "bi", v, 100);
	for (int round = 0; round < ROUNDS; round++) {
		float *seen;

		run(app->queue, relax, COUNT, 64);
		seen = clEnqueueMapBuffer(app->queue, v, CL_TRUE, CL_MAP_READ, 0, COUNT * 4, 0,
					  NULL, NULL, &status);
		must(status, "clEnqueueMapBuffer");
		sum += total(seen, COUNT);
		TRY(clEnqueueUnmapMemObject(app->queue, v, seen, 0, NULL, NULL));
	}
	answer(sum);
	DROP(relax);
	DROP(v);
}

/* Two queues with halves of the work, each flushed. */

void oral_clean_two_queues(struct app *app)
{
	enum { COUNT = 1 << 14, ROUNDS = 20 };
	static float data[2][COUNT];
	cl_command_queue queues[2] = {queue_new(app, 0), queue_new(app, 0)};
	cl_program program = program_new(app, STIR("halve"), "");
	cl_kernel kernels[2];
	cl_mem halves[2];

	for (int i = 0; i < 2; i++) {
		refill(data[i], COUNT, i);
		kernels[i] = kernel_new(program, "halve");
		halves[i] = buffer_new(app, sizeof(data[i]));
		args(kernels[i], "bi", halves[i], 200);
		put(queues[i], halves[i], sizeof(data[i]), data[i]);
		for (int round = 0; round < ROUNDS; round++)
			run(queues[i], kernels[i], COUNT, 64);
		get_part(queues[i], halves[i], 0, sizeof(data[i]), data[i]);
		flush(queues[i]);
	}
	for (int i = 0; i < 2; i++) {
		finish(queues[i]);
		answer(total(data[i], COUNT));
		DROP(kernels[i]);
		DROP(halves[i]);
		DROP(queues[i]);
	}
	DROP(program);
}
