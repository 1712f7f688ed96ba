/* SPDX-License-Identifier: MIT */
/* A device that has nothing to do because of what its host does. */
#include "vivas.h"

#include <pthread.h>
#include <stdlib.h>

/* A render graph whose passes are validated one by one, as they were when it was written. */
struct graph {
	cl_command_queue queue;
	cl_kernel passes[6];
	cl_mem target;
	bool validate;
};

static void pass_submit(struct graph *graph, int pass)
{
	args(graph->passes[pass], "bi", graph->target, 4 + pass);
	run(graph->queue, graph->passes[pass], 4096, 64);
	if (graph->validate)
		finish(graph->queue);
}

void viva_debug_checks(struct app *app)
{
	static const char *const names[] = {"depth", "albedo", "lights", "bloom", "tone", "grain"};
	struct graph graph = {.queue = app->queue, .validate = !app->repaired};
	cl_program program = program_new(app,
					 FIELD("depth") FIELD("albedo") FIELD("lights")
						 FIELD("bloom") FIELD("tone") FIELD("grain"),
					 "");
	float exposure = 0;

	graph.target = seeded(app, 4096 * sizeof(float), 11);
	for (int i = 0; i < 6; i++)
		graph.passes[i] = kernel_new(program, names[i]);
	for (int frame = 0; frame < 250; frame++) {
		for (int pass = 0; pass < 24; pass++)
			pass_submit(&graph, pass % 6);
		get(app->queue, graph.target, sizeof(exposure), &exposure);
	}
	answer((double)exposure);
	for (int i = 0; i < 6; i++)
		DROP(graph.passes[i]);
	DROP(graph.target);
	DROP(program);
}

/* Inference workers: each asks every three milliseconds whether its request is done. */
struct worker {
	const struct app *app;
	float sum;
};

static void request_await(const struct app *app, cl_event event)
{
	cl_int state = CL_QUEUED;

	while (!app->repaired && state > CL_COMPLETE) {
		TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
				   NULL));
		if (state > CL_COMPLETE)
			nap(3000);
	}
	settle(event);
}

static void *worker_main(void *data)
{
	struct worker *worker = data;
	const struct app *app = worker->app;
	enum { COUNT = 16384 };
	cl_command_queue queue = queue_new(app, 0);
	cl_mem buffer = buffer_new(app, COUNT * sizeof(float));
	cl_kernel kernel = kernel_new(app->program, "infer");
	float *request = floats(COUNT, 3);

	args(kernel, "bi", buffer, 16);
	for (int i = 0; i < 120; i++) {
		refill(request, COUNT, i);
		put(queue, buffer, COUNT * sizeof(float), request);
		run(queue, kernel, COUNT, 64);

		cl_event done = get_after(queue, buffer, COUNT * sizeof(float), request, 0, NULL);

		flush(queue);
		request_await(app, done);
		worker->sum += request[1];
	}
	free(request);
	DROP(kernel);
	DROP(buffer);
	DROP(queue);
	return NULL;
}

void viva_rate_poll(struct app *app)
{
	struct worker workers[2] = {{app, 0}, {app, 0}};

	app->program = program_new(app, FIELD("infer"), "");
	threads_run(2, worker_main, workers, sizeof(*workers));
	answer((double)(workers[0].sum + workers[1].sum));
}

/* Droplets of a spray: how many there are is asked for in each step, to launch no more than that. */
void viva_spray_count(struct app *app)
{
	enum { DROPS = 16384, STEPS = 4000 };
	cl_kernel move = kernel_of(app,
				   "kernel void spray_move(global float *v, global int *live,\n"
				   "		       int step)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	uint u = as_uint(v[i]);\n"
				   "	v[i] = (float)(u * 1664525u >> 8) / 16777216.0f;\n"
				   "	if (!i)\n"
				   "		live[0] = 16384 - step;\n"
				   "}\n",
				   "spray_move");
	cl_mem drops = seeded(app, DROPS * sizeof(float), 5), number = buffer_new(app, 64);
	int every = app->repaired ? 64 : 1;
	cl_int alive = 0;

	for (int step = 0; step < STEPS; step++) {
		args(move, "bbi", drops, number, step);
		run(app->queue, move, alive > 0 ? ((size_t)alive + 63) / 64 * 64 : DROPS, 64);
		if (step % every == every - 1)
			get(app->queue, number, sizeof(alive), &alive);
	}
	finish(app->queue);
	answer(alive);
	DROP(number);
	DROP(drops);
	DROP(move);
}
