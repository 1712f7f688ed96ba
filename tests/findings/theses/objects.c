/* SPDX-License-Identifier: MIT */
/* Objects that are made again and again, or never go. */
#include "theses.h"

#include <stdio.h>
#include <stdlib.h>

/* Handlers of remote calls: each call opens the library's kernels, of which it needs one. */
enum { CALLS = 2400, RECORDS = 1024, VERBS = 24 };

struct handler {
	cl_command_queue queue;
	cl_kernel verbs[VERBS];
};

static cl_program library_new(const struct app *app)
{
	static const char form[] = "kernel void verb_%d(global float *v, int rounds)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	float a = v[i];\n"
				   "	for (int r = 0; r < rounds; r++)\n"
				   "		a = a * 0.5f + %d;\n"
				   "	v[i] = a;\n"
				   "}\n";
	char source[VERBS * 256] = "";
	size_t length = 0;

	for (int i = 0; i < VERBS; i++)
		length += (size_t)snprintf(source + length, sizeof(source) - length, form, i, i);
	return program_new(app, source, "");
}

static struct handler handler_open(const struct app *app, cl_program program)
{
	struct handler handler = {.queue = queue_new(app, 0)};

	TRY(clCreateKernelsInProgram(program, VERBS, handler.verbs, NULL));
	return handler;
}

static void handler_close(struct handler *handler)
{
	for (int i = 0; i < VERBS; i++)
		DROP(handler->verbs[i]);
	DROP(handler->queue);
}

static float handler_call(struct handler *handler, int verb, cl_mem records, const float *request)
{
	float reply[16];

	put(handler->queue, records, RECORDS * sizeof(float), request);
	args(handler->verbs[verb], "bi", records, 6);
	run(handler->queue, handler->verbs[verb], RECORDS, 0);
	get(handler->queue, records, sizeof(reply), reply);
	return reply[3];
}

void thesis_rpc_handlers(struct app *app)
{
	cl_program program = library_new(app);
	cl_mem records = buffer_new(app, RECORDS * sizeof(float));
	float *request = memory(RECORDS * sizeof(float));
	struct handler kept = {0};
	double sum = 0;

	for (int i = 0; i < CALLS; i++) {
		struct handler handler = app->repaired && i ? kept : handler_open(app, program);

		request[i % RECORDS] = (float)i;
		sum += (double)handler_call(&handler, i % 3, records, request);
		if (!app->repaired)
			handler_close(&handler);
		kept = handler;
	}
	if (app->repaired)
		handler_close(&kept);
	answer(sum);
	DROP(records);
	DROP(program);
	free(request);
}

/* Tracks of particles in a detector: each step of a track hangs on the last ones, of which a list
 * is kept that goes to each launch. */
enum { EVENTS = 260, STEPS_OF_TRACK = 8, HITS = 16 * 1024 };

struct track_list {
	cl_event steps[EVENTS * STEPS_OF_TRACK];
	cl_uint count;
};

static void list_clear(struct track_list *list)
{
	while (list->count)
		DROP(list->steps[--list->count]);
}

void thesis_track_follow(struct app *app)
{
	struct track_list *list = memory(sizeof(*list));
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem hits = blank(app, HITS * sizeof(float));
	cl_kernel follow = kernel_of(app, SPIN("follow"), "follow");
	float state[32];
	double sum = 0;

	finish(app->queue);
	args(follow, "bi", hits, 12);
	for (int i = 0; i < EVENTS; i++) {
		cl_event last = NULL;

		for (int step = 0; step < STEPS_OF_TRACK; step++) {
			last = run_after(queue, follow, HITS, 0, list->count, list->steps);
			list->steps[list->count++] = last;
			flush(queue);
		}
		TRY(clEnqueueReadBuffer(queue, hits, CL_TRUE, 0, sizeof(state), state, 1, &last,
					NULL));
		sum += total(state, 32);
		if (app->repaired)
			list_clear(list);
	}
	answer(sum);
	DROP(follow);
	DROP(hits);
	DROP(queue);
	free(list);
}

/* Layers of noise for a terrain, each by way of a scratch buffer. */
enum { LAYERS = 60, HEIGHTS = 1024 * 1024 };

static cl_mem scratch_of(const struct app *app, cl_mem *kept)
{
	if (app->repaired && *kept)
		return *kept;
	*kept = buffer_new(app, HEIGHTS * sizeof(float));
	return *kept;
}

void thesis_noise_layers(struct app *app)
{
	static const char source[] = SPIN(
		"noise") "kernel void add(global const float *from, global float *to, float weight)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	to[i] += from[i] * weight;\n"
			 "}\n";
	cl_program program = program_new(app, source, "");
	cl_kernel noise = kernel_new(program, "noise"), add = kernel_new(program, "add");
	cl_mem terrain = blank(app, HEIGHTS * sizeof(float)), scratch = NULL;
	float *heights = memory(HEIGHTS * sizeof(float));

	for (int layer = 0; layer < LAYERS; layer++) {
		cl_float seed = (cl_float)layer;
		cl_mem now = scratch_of(app, &scratch);

		TRY(clEnqueueFillBuffer(app->queue, now, &seed, sizeof(seed), 0,
					HEIGHTS * sizeof(float), 0, NULL, NULL));
		args(noise, "bi", now, 2);
		run(app->queue, noise, HEIGHTS, 0);
		args(add, "bbf", now, terrain, 0.5);
		run(app->queue, add, HEIGHTS, 0);
		flush(app->queue);
	}
	get(app->queue, terrain, HEIGHTS * sizeof(float), heights);
	answer(total(heights, HEIGHTS));
	if (app->repaired)
		DROP(scratch);
	DROP(terrain);
	DROP(noise);
	DROP(add);
	DROP(program);
	free(heights);
}
