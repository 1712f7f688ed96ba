/* SPDX-License-Identifier: MIT */
/* Builds, shapes that are refused, and commands that fail. */
#include "finals.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A server of user-defined expressions: each request brings its source, mostly one of a few. */

static const char *const expressions[3] = {MIX("eval"), MIX("eval") "/* b */\n",
					   MIX("eval") "/* c */\n"};

struct evaluator {
	cl_program programs[3];
};

static cl_program evaluator_program(const struct app *app, struct evaluator *evaluator, int number)
{
	cl_program program = evaluator->programs[number];

	if (!program)
		program = program_new(app, expressions[number], "-cl-mad-enable");
	if (app->repaired)
		evaluator->programs[number] = program;
	return program;
}

void final_request_build(struct app *app)
{
	enum { N = 1 << 14, REQUESTS = 24 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	struct evaluator evaluator = {{NULL}};

	for (int request = 0; request < REQUESTS; request++) {
		cl_program program = evaluator_program(app, &evaluator, request * 7 % 3);
		cl_kernel eval = kernel_new(program, "eval");

		args(eval, "bi", v, 30);
		for (int i = 0; i < 5; i++)
			run(app->queue, eval, N, 64);
		get(app->queue, v, N * 4, data);
		DROP(eval);
		if (!app->repaired)
			DROP(program);
	}
	answer(total(data, N));
	for (int i = 0; i < 3; i++)
		if (evaluator.programs[i])
			DROP(evaluator.programs[i]);
	DROP(v);
}

/* Threads of a render farm: each opens a session for each of its jobs, with a context and a program
 * of its own. */

struct farm {
	struct app *app;
	int number, jobs;
	double sum;
};

static void farm_job(const struct app *app, cl_command_queue queue, cl_kernel kernel, double *sum)
{
	enum { N = 4096 };
	float *data = floats(N, 5);
	cl_mem v = buffer_new(app, N * 4);

	put(queue, v, N * 4, data);
	args(kernel, "bi", v, 100);
	for (int i = 0; i < 10; i++)
		run(queue, kernel, N, 64);
	get(queue, v, N * 4, data);
	*sum += total(data, N);
	DROP(v);
}

static void *farm_run(void *data)
{
	struct farm *farm = data;
	struct app own = *farm->app;

	for (int job = 0; job < farm->jobs; job++) {
		if (job == 0 || !own.repaired) {
			own.context = context_new(farm->app);
			own.queue = queue_new(&own, 0);
			own.program = program_new(&own, MIX("render"), "");
		}

		cl_kernel render = kernel_new(own.program, "render");

		farm_job(&own, own.queue, render, &farm->sum);
		DROP(render);
		if (job == farm->jobs - 1 || !own.repaired) {
			DROP(own.program);
			DROP(own.queue);
			DROP(own.context);
		}
	}
	return NULL;
}

void final_session_builds(struct app *app)
{
	struct farm farms[2] = {{app, 0, 10, 0}, {app, 1, 10, 0}};

	threads_run(2, farm_run, farms, sizeof(farms[0]));
	answer(farms[0].sum + farms[1].sum);
}

/* A library of stencils: one program for each order and boundary, all built at the start; what
 * differs is a number, which could be an argument. */

static const char *const stencil_source =
	"#ifndef ORDER\n"
	"#define ORDER order\n"
	"#endif\n"
	"kernel void stencil(global float *v, global const float *u, int n, int order)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float s = 0;\n"
	"	for (int k = -ORDER; k <= ORDER; k++)\n"
	"		s += u[clamp(i + k, 0, n - 1)] / (1 + k * k);\n"
	"	v[i] = s;\n"
	"}\n";

void final_stencil_variants(struct app *app)
{
	enum { N = 1 << 14, ORDERS = 12 };
	float *data = floats(N, 1);
	cl_mem u = loaded(app, N * 4, data), v = buffer_new(app, N * 4);
	cl_program programs[ORDERS];
	cl_kernel kernels[ORDERS];
	int count = app->repaired ? 1 : ORDERS;
	double sum = 0;

	for (int i = 0; i < count; i++) {
		char options[32] = "";

		if (!app->repaired)
			snprintf(options, sizeof(options), "-DORDER=%d", i + 1);
		programs[i] = program_new(app, stencil_source, options);
		kernels[i] = kernel_new(programs[i], "stencil");
	}
	for (int step = 0; step < 20; step++)
		for (int i = 0; i < ORDERS; i++) {
			cl_kernel kernel = kernels[i % count];

			args(kernel, "bbii", v, u, N, i + 1);
			run(app->queue, kernel, N, 64);
			if (step == 19) {
				get(app->queue, v, N * 4, data);
				sum += total(data, N);
			}
		}
	finish(app->queue);
	answer(sum);
	for (int i = 0; i < count; i++) {
		DROP(kernels[i]);
		DROP(programs[i]);
	}
	DROP(u);
	DROP(v);
}

/* A plugin host: each plugin is first built by options that this driver refuses, then without. */

static cl_program plugin_build(const struct app *app, const char *source, bool tries_fast)
{
	cl_program program;
	cl_int status;

	if (tries_fast) {
		program = clCreateProgramWithSource(app->context, 1, &source, NULL, &status);
		must(status, "clCreateProgramWithSource");
		status = clBuildProgram(program, 1, &app->device, "-DVENDOR_FAST=1", NULL, NULL);
		if (status == CL_SUCCESS)
			return program;
		DROP(program);
	}
	return program_new(app, source, "");
}

void final_fast_build(struct app *app)
{
	enum { PLUGINS = 16, N = 4096 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	bool tries = true;

	for (int i = 0; i < PLUGINS; i++) {
		char source[4096];
		cl_program program;
		cl_kernel kernel;

		snprintf(source, sizeof(source),
			 "#ifdef VENDOR_FAST\n"
			 "#include <vendor/fast_%d.h>\n"
			 "#endif\n%s",
			 i, MIX("effect"));
		program = plugin_build(app, source, tries);
		if (app->repaired)
			tries = false; /* it is known now */
		kernel = kernel_new(program, "effect");
		args(kernel, "bi", v, 30);
		run(app->queue, kernel, N, 64);
		DROP(kernel);
		DROP(program);
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N));
	DROP(v);
}

/* Frames whose arrival is an event of the program's; a late frame's is set to an error, and what was
 * enqueued for it is done once more. */

static cl_event frame_process(const struct app *app, cl_kernel kernel, cl_int arrives)
{
	enum { N = 1 << 13 };
	cl_int status;
	cl_event arrival = clCreateUserEvent(app->context, &status), done;

	must(status, "clCreateUserEvent");
	done = run_after(app->queue, kernel, N, 64, 1, &arrival);
	flush(app->queue);
	TRY(clSetUserEventStatus(arrival, arrives));
	DROP(arrival);
	return done;
}

void final_rejected_frames(struct app *app)
{
	enum { N = 1 << 13, FRAMES = 240 };
	float *frame = floats(N, 1);
	cl_mem v = loaded(app, N * 4, frame);
	cl_kernel detect = kernel_of(app, MIX("detect"), "detect");
	int failed = 0;

	args(detect, "bi", v, 30);
	for (int i = 0; i < FRAMES; i++) {
		bool late = i % 3 == 0 && !app->repaired;
		cl_event done = frame_process(app, detect, late ? -1 : CL_COMPLETE);

		if (clWaitForEvents(1, &done) != CL_SUCCESS) {
			DROP(done);
			failed++;
			nap(4000); /* until it is there */
			done = frame_process(app, detect, CL_COMPLETE);
			TRY(clWaitForEvents(1, &done));
		}
		DROP(done);
	}
	get(app->queue, v, N * 4, frame);
	answer(total(frame, N));
	DROP(detect);
	DROP(v);
}
