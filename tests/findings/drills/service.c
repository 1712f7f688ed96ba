/* SPDX-License-Identifier: MIT */
/* Servers and batch jobs. */
#include "drills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A render farm's scheduler. A job is done when its handle says so; somebody has to look. */

struct job {
	cl_event done;
};

struct scheduler {
	cl_command_queue queue;
	cl_kernel render;
	bool sleeps_in_driver;
	long looked;
};

static bool job_is_done(struct scheduler *scheduler, const struct job *job)
{
	cl_int status;

	scheduler->looked++;
	TRY(clGetEventInfo(job->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status <= CL_COMPLETE;
}

static void job_wait(struct scheduler *scheduler, struct job *job)
{
	if (scheduler->sleeps_in_driver)
		TRY(clWaitForEvents(1, &job->done));
	else
		while (!job_is_done(scheduler, job))
			nap(2000);
	DROP(job->done);
}

void drill_render_farm(struct app *app)
{
	struct scheduler scheduler = {.queue = app->queue,
				      .render = kernel_of(app, SWEEP("render"), "render"),
				      .sleeps_in_driver = app->repaired};
	cl_mem tile = filled(app, 512 * KIB, 1);
	float first;

	args(scheduler.render, "bi", tile, 1);
	for (int i = 0; i < 200; i++) {
		struct job job;

		run(scheduler.queue, scheduler.render, 128 * KIB, 64);
		job.done = run_after(scheduler.queue, scheduler.render, 128 * KIB, 64, 0, NULL);
		flush(scheduler.queue);
		job_wait(&scheduler, &job);
	}
	get(app->queue, tile, sizeof(first), &first);
	answer((double)first);
	DROP(scheduler.render);
	DROP(tile);
}

/* A library of kernels, specialised for sizes of blocks. All are compiled when it is opened; which
 * one serves is known before. */

enum { ZOO = 8 };

struct library {
	cl_program sizes[ZOO];
};

static void library_open(struct library *library, const struct app *app, int wanted)
{
	char options[32];

	for (int i = 0; i < ZOO; i++) {
		if (app->repaired && i != wanted)
			continue;
		snprintf(options, sizeof(options), "-DBLOCK=%d", 8 << i);
		library->sizes[i] = program_new(app, SWEEP("multiply") SWEEP("transpose"), options);
	}
}

static void library_close(struct library *library)
{
	for (int i = 0; i < ZOO; i++)
		if (library->sizes[i])
			DROP(library->sizes[i]);
}

void drill_kernel_zoo(struct app *app)
{
	struct library library = {.sizes = {NULL}};
	cl_mem matrix = filled(app, 512 * KIB, 1);
	int wanted = 3;
	float first;

	library_open(&library, app, wanted);

	cl_kernel multiply = kernel_new(library.sizes[wanted], "multiply");

	args(multiply, "bi", matrix, 4);
	for (int i = 0; i < 300; i++)
		run(app->queue, multiply, 128 * KIB, 64);
	get(app->queue, matrix, sizeof(first), &first);
	answer((double)first);
	DROP(multiply);
	DROP(matrix);
	library_close(&library);
}

/* Requests to a neural network. Each has scratch for its layers, from a pool that may keep what it
 * is given back. */

struct pool {
	const struct app *app;
	cl_mem free[4];
	int count, most;
	size_t bytes;
};

static cl_mem pool_take(struct pool *pool)
{
	return pool->count ? pool->free[--pool->count] : buffer_new(pool->app, pool->bytes);
}

static void pool_give(struct pool *pool, cl_mem buffer)
{
	if (pool->count < pool->most)
		pool->free[pool->count++] = buffer;
	else
		DROP(buffer);
}

static float request_serve(struct pool *pool, cl_kernel layer)
{
	cl_command_queue queue = pool->app->queue;
	cl_mem scratch[2] = {pool_take(pool), pool_take(pool)};
	const float zero = 0.25f;
	float first;

	for (int i = 0; i < 2; i++) {
		TRY(clEnqueueFillBuffer(queue, scratch[i], &zero, sizeof(zero), 0, pool->bytes, 0,
					NULL, NULL));
		args(layer, "bi", scratch[i], 4);
		run(queue, layer, 64 * KIB, 64);
	}
	get(queue, scratch[1], sizeof(first), &first);
	pool_give(pool, scratch[0]);
	pool_give(pool, scratch[1]);
	return first;
}

void drill_request_scratch(struct app *app)
{
	struct pool pool = {.app = app, .most = app->repaired ? 4 : 0, .bytes = 8 * MIB};
	cl_kernel layer = kernel_of(app, SWEEP("layer"), "layer");
	float last = 0;

	for (int i = 0; i < 70; i++)
		last = request_serve(&pool, layer);
	answer((double)last);
	while (pool.count)
		DROP(pool.free[--pool.count]);
	DROP(layer);
}

/* Operations of an array library. Each gets what it needs from a session. */

struct session {
	const struct app *app;
	cl_program program;
	cl_command_queue queue;
	cl_kernel kernel;
	bool keeps;
};

static void session_begin(struct session *session)
{
	if (!session->queue)
		session->queue = queue_new(session->app, CL_QUEUE_PROFILING_ENABLE);
	if (!session->kernel)
		session->kernel = kernel_new(session->program, "add");
}

static void session_end(struct session *session)
{
	finish(session->queue);
	if (session->keeps)
		return;
	DROP(session->queue);
	DROP(session->kernel);
	session->queue = NULL;
	session->kernel = NULL;
}

static void array_add(struct session *session, cl_mem array)
{
	session_begin(session);
	args(session->kernel, "bi", array, 1);
	run(session->queue, session->kernel, 2 * KIB, 64);
	session_end(session);
}

void drill_op_queues(struct app *app)
{
	struct session session = {
		.app = app, .program = program_new(app, SWEEP("add"), ""), .keeps = app->repaired};
	cl_mem array = filled(app, 8 * KIB, 4);
	float first;

	for (int i = 0; i < 4000; i++)
		array_add(&session, array);
	get(app->queue, array, sizeof(first), &first);
	answer((double)first);
	if (session.queue) {
		DROP(session.queue);
		DROP(session.kernel);
	}
	DROP(session.program);
	DROP(array);
}

/* An atlas of tiles: a tile is a view of a large buffer, with a kernel whose arguments are set for
 * it. */

enum { TILES = 64, TILE = 4 * KIB };

struct tile {
	cl_mem view;
	cl_kernel draw;
};

static struct tile tile_new(cl_program program, cl_mem atlas, int number)
{
	cl_buffer_region region = {(size_t)number * TILE, TILE};
	struct tile tile = {.draw = kernel_new(program, "draw_tile")};
	cl_int status;

	tile.view = clCreateSubBuffer(atlas, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
				      &region, &status);
	must(status, "clCreateSubBuffer");
	args(tile.draw, "bi", tile.view, 1);
	return tile;
}

static void tile_end(struct tile *tile)
{
	DROP(tile->draw);
	DROP(tile->view);
}

void drill_tile_views(struct app *app)
{
	enum { PASSES = 80 };
	cl_mem atlas = filled(app, TILES * TILE, 1);
	cl_program program = program_new(app, SWEEP("draw_tile"), "");
	struct tile tiles[TILES];
	float first;

	for (int i = 0; i < TILES && app->repaired; i++)
		tiles[i] = tile_new(program, atlas, i);
	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < TILES; i++) {
			if (!app->repaired)
				tiles[i] = tile_new(program, atlas, i);
			run(app->queue, tiles[i].draw, TILE / 4, 64);
			if (!app->repaired)
				tile_end(&tiles[i]);
		}
		finish(app->queue);
	}
	get(app->queue, atlas, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < TILES && app->repaired; i++)
		tile_end(&tiles[i]);
	DROP(program);
	DROP(atlas);
}

/* A server of streams. Its codec has a fast version, which not every device's compiler takes. */

static const char *const fast_source = "#ifndef CODEC_HAS_DP4\n"
				       "#error no packed dot products\n"
				       "#endif\n" SWEEP("decode_fast");

struct codec {
	const struct app *app;
	cl_program plain;
	bool tried, remembers;
};

static cl_program codec_fast(struct codec *codec)
{
	if (codec->remembers && codec->tried)
		return NULL;
	codec->tried = true;

	cl_int status;
	cl_program program = clCreateProgramWithSource(codec->app->context, 1,
						       (const char **)&fast_source, NULL, &status);

	must(status, "clCreateProgramWithSource");
	status = clBuildProgram(program, 1, &codec->app->device, "-cl-mad-enable", NULL, NULL);
	if (status == CL_SUCCESS)
		return program;
	DROP(program);
	return NULL;
}

static cl_kernel codec_kernel(struct codec *codec)
{
	cl_program program = codec_fast(codec);

	if (program) {
		cl_kernel kernel = kernel_new(program, "decode_fast");

		DROP(program);
		return kernel;
	}
	return kernel_new(codec->plain, "decode_plain");
}

void drill_codec_probe(struct app *app)
{
	struct codec codec = {.app = app,
			      .plain = program_new(app, SWEEP("decode_plain"), ""),
			      .remembers = app->repaired};
	cl_mem v = filled(app, 512 * KIB, 5);
	float first;

	for (int stream = 0; stream < 25; stream++) {
		cl_kernel decode = codec_kernel(&codec);

		args(decode, "bi", v, 3);
		for (int i = 0; i < 16; i++)
			run(app->queue, decode, 128 * KIB, 64);
		get(app->queue, v, sizeof(first), &first);
		DROP(decode);
	}
	answer((double)first);
	DROP(codec.plain);
	DROP(v);
}

/* Sums of a column, by groups that share what they have found. */

void drill_scan_group(struct app *app)
{
	enum { ROWS = 512 * KIB, PASSES = 20, GROUP = 64 };
	cl_kernel sum =
		kernel_of(app,
			  "kernel void column_sum(global const float *v,\n"
			  "		       global float *sums, local float *part,\n"
			  "		       int each)\n"
			  "{\n"
			  "	size_t l = get_local_id(0), n = get_local_size(0);\n"
			  "	global const float *mine = v + get_group_id(0) * each * n;\n"
			  "	float s = 0;\n"
			  "	for (int k = 0; k < each; k++)\n"
			  "		s += sin(mine[k * n + l]) * cos(mine[k * n + l]);\n"
			  "	part[l] = s;\n"
			  "	barrier(CLK_LOCAL_MEM_FENCE);\n"
			  "	for (size_t d = n / 2; d; d /= 2) {\n"
			  "		if (l < d)\n"
			  "			part[l] += part[l + d];\n"
			  "		barrier(CLK_LOCAL_MEM_FENCE);\n"
			  "	}\n"
			  "	if (!l)\n"
			  "		sums[get_group_id(0)] = part[0];\n"
			  "}\n",
			  "column_sum");
	size_t groups = app->repaired ? 64 : 1;
	cl_mem column = filled(app, ROWS * sizeof(float), 6);
	cl_mem sums = buffer_new(app, groups * sizeof(float));
	float parts[64];

	args(sum, "bbli", column, sums, (size_t)GROUP * sizeof(float),
	     (int)(ROWS / GROUP / groups));
	for (int i = 0; i < PASSES; i++)
		run(app->queue, sum, GROUP * groups, GROUP);
	get(app->queue, sums, groups * sizeof(float), parts);
	answer(total(parts, groups) > 0);
	DROP(sum);
	DROP(column);
	DROP(sums);
}

/* A service that measures how long its commands take; the events go to a list for later. */

struct measures {
	cl_event events[4096];
	int count;
};

static void measure(struct measures *measures, cl_event event)
{
	measures->events[measures->count++] = event;
}

static void measures_report(struct measures *measures, bool releases)
{
	for (int i = 0; i < measures->count && releases; i++)
		DROP(measures->events[i]);
	measures->count = 0;
}

void drill_event_hoard(struct app *app)
{
	static struct measures measures;
	cl_mem v = filled(app, 64 * KIB, 2);
	cl_kernel serve = kernel_of(app, SWEEP("serve"), "serve");
	float first;

	args(serve, "bi", v, 4);
	for (int request = 0; request < 60; request++) {
		for (int i = 0; i < 60; i++)
			measure(&measures, run_after(app->queue, serve, 16 * KIB, 64, 0, NULL));
		finish(app->queue);
		measures_report(&measures, app->repaired);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(serve);
	DROP(v);
}

/* Sessions with buffers of their own; what is closed is counted down, in most cases. */

struct client {
	cl_mem in, out;
	int users;
};

static void client_open(struct client *client, const struct app *app)
{
	client->in = buffer_new(app, 64 * KIB);
	client->out = buffer_new(app, 64 * KIB);
	client->users = 1;
}

static void client_close(struct client *client)
{
	if (--client->users)
		return;
	DROP(client->in);
	DROP(client->out);
}

void drill_session_leak(struct app *app)
{
	cl_kernel answer_to = kernel_of(app, SWEEP("answer_to"), "answer_to");
	float *question = floats(16 * KIB, 3), first = 0;

	for (int i = 0; i < 200; i++) {
		struct client client;

		client_open(&client, app);
		if (!app->repaired)
			client.users++; /* for the request, which never gives it back */
		put(app->queue, client.in, 64 * KIB, question);
		args(answer_to, "bi", client.in, 3);
		for (int k = 0; k < 20; k++)
			run(app->queue, answer_to, 16 * KIB, 64);
		TRY(clEnqueueCopyBuffer(app->queue, client.in, client.out, 0, 0, 64 * KIB, 0, NULL,
					NULL));
		get(app->queue, client.out, sizeof(first), &first);
		question[0] = (float)i;
		client_close(&client);
	}
	answer((double)first);
	DROP(answer_to);
	free(question);
}

/* Plug-ins that take kernels from their host: taking one counts it up. */

struct plugin {
	cl_kernel kernel;
	bool retains;
};

static void plugin_take(struct plugin *plugin, cl_kernel kernel)
{
	plugin->kernel = kernel;
	if (plugin->retains)
		TRY(clRetainKernel(kernel));
}

static void plugin_drop(struct plugin *plugin)
{
	DROP(plugin->kernel);
	plugin->kernel = NULL;
}

void drill_plugin_kernels(struct app *app)
{
	struct plugin plugin = {.retains = !app->repaired};
	cl_program program = program_new(app, SWEEP("chorus"), "");
	cl_mem v = filled(app, 128 * KIB, 3);
	float first;

	for (int note = 0; note < 300; note++) {
		plugin_take(&plugin, kernel_new(program, "chorus"));
		args(plugin.kernel, "bi", v, 3);
		for (int k = 0; k < 10; k++)
			run(app->queue, plugin.kernel, 32 * KIB, 64);
		finish(app->queue);
		plugin_drop(&plugin);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(v);
	DROP(program);
}
