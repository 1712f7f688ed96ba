/* SPDX-License-Identifier: MIT */
/* Images, frames and films. */
#include "drills.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A ray tracer with a profiler of its own, which every launch goes through. */

struct scope {
	cl_command_queue queue;
	cl_event open[64];
	int count;
	bool at_the_end;
	double spent_ms;
};

static void scope_collect(struct scope *scope)
{
	if (!scope->count)
		return;
	TRY(clWaitForEvents((cl_uint)scope->count, scope->open));
	for (int i = 0; i < scope->count; i++) {
		cl_ulong begin, end;

		TRY(clGetEventProfilingInfo(scope->open[i], CL_PROFILING_COMMAND_START,
					    sizeof(begin), &begin, NULL));
		TRY(clGetEventProfilingInfo(scope->open[i], CL_PROFILING_COMMAND_END, sizeof(end),
					    &end, NULL));
		scope->spent_ms += (double)(end - begin) / 1e6;
		DROP(scope->open[i]);
	}
	scope->count = 0;
}

static void scope_launch(struct scope *scope, cl_kernel kernel, size_t items)
{
	scope->open[scope->count++] = run_after(scope->queue, kernel, items, 64, 0, NULL);
	if (!scope->at_the_end || scope->count == 64)
		scope_collect(scope);
}

static void frame_trace(struct scope *scope, cl_kernel trace, cl_kernel shade)
{
	for (int tile = 0; tile < 20; tile++) {
		scope_launch(scope, trace, 16 * KIB);
		scope_launch(scope, shade, 8 * KIB);
	}
	scope_collect(scope);
}

void drill_ray_profile(struct app *app)
{
	struct scope scope = {.queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE),
			      .at_the_end = app->repaired};
	cl_program program = program_new(app, SWEEP("trace") SWEEP("shade"), "");
	cl_kernel trace = kernel_new(program, "trace"), shade = kernel_new(program, "shade");
	cl_mem rays = filled(app, 64 * KIB, 1), colours = filled(app, 32 * KIB, 2);
	float first;

	args(trace, "bi", rays, 2);
	args(shade, "bi", colours, 2);
	for (int frame = 0; frame < 50; frame++)
		frame_trace(&scope, trace, shade);
	get(app->queue, colours, sizeof(first), &first);
	answer((double)first);
	DROP(trace);
	DROP(shade);
	DROP(program);
	DROP(rays);
	DROP(colours);
	DROP(scope.queue);
}

/* A film is transcoded: frames go up, through a filter, and down. */

enum { FRAME = 512 * KIB, SLOTS = 3 };

struct pipe_stage {
	cl_command_queue up, work, down;
	cl_kernel filter;
	cl_mem frames[SLOTS];
	cl_event read[SLOTS];
	float *in[SLOTS], *out[SLOTS];
};

static void stage_frame(struct pipe_stage *stage, int number)
{
	int slot = number % SLOTS;

	if (stage->read[slot])
		settle(stage->read[slot]);
	stage->in[slot][1] = (float)number;

	cl_event written =
		put_after(stage->up, stage->frames[slot], FRAME, stage->in[slot], 0, NULL);

	flush(stage->up);
	args(stage->filter, "bi", stage->frames[slot], 1);

	cl_event filtered = run_after(stage->work, stage->filter, FRAME / 4, 64, 1, &written);

	flush(stage->work);
	stage->read[slot] =
		get_after(stage->down, stage->frames[slot], FRAME, stage->out[slot], 1, &filtered);
	flush(stage->down);
	DROP(written);
	DROP(filtered);
}

void drill_transcode(struct app *app)
{
	struct pipe_stage stage = {.filter = kernel_of(app, SWEEP("deblock"), "deblock")};
	double sum = 0;

	stage.up = queue_new(app, 0);
	stage.work = app->repaired ? queue_new(app, 0) : stage.up;
	stage.down = app->repaired ? queue_new(app, 0) : stage.up;
	for (unsigned i = 0; i < SLOTS; i++) {
		stage.frames[i] = buffer_new(app, FRAME);
		stage.in[i] = floats(FRAME / 4, i);
		stage.out[i] = memory(FRAME);
	}
	for (int i = 0; i < 300; i++)
		stage_frame(&stage, i);
	for (int i = 0; i < SLOTS; i++) {
		settle(stage.read[i]);
		sum += total(stage.out[i], 8);
		DROP(stage.frames[i]);
		free(stage.in[i]);
		free(stage.out[i]);
	}
	answer(sum > 0);
	if (app->repaired) {
		DROP(stage.work);
		DROP(stage.down);
	}
	DROP(stage.up);
	DROP(stage.filter);
}

/* A graph of tasks for the views of a scene. Each task says what it needs; the graph adds what it
 * remembers as its end, so that tasks of one view stay in order. */

struct task_graph {
	cl_command_queue copies, kernels;
	cl_event tail; /* of all, or NULL */
	bool one_tail;
};

struct view {
	cl_mem pixels;
	float *texture;
	cl_event last;
	cl_kernel draw;
	int drawn;
};

static cl_uint needs_of(struct task_graph *graph, struct view *view, cl_event *needs)
{
	cl_uint count = 0;

	if (view->last)
		needs[count++] = view->last;
	if (graph->one_tail && graph->tail && graph->tail != view->last)
		needs[count++] = graph->tail;
	return count;
}

static void task_added(struct task_graph *graph, struct view *view, cl_event event)
{
	if (view->last)
		DROP(view->last);
	view->last = event;
	TRY(clRetainEvent(event));
	if (graph->tail)
		DROP(graph->tail);
	graph->tail = event;
}

static void view_draw(struct task_graph *graph, struct view *view)
{
	cl_event needs[2];
	cl_uint count = needs_of(graph, view, needs);

	task_added(graph, view,
		   put_after(graph->copies, view->pixels, 256 * KIB,
			     view->texture + view->drawn++ * 16, count, needs));
	count = needs_of(graph, view, needs);
	task_added(graph, view, run_after(graph->kernels, view->draw, 64 * KIB, 64, count, needs));
}

void drill_task_tail(struct app *app)
{
	enum { VIEWS = 6, FRAMES = 150 };
	struct task_graph graph = {loose_queue(app), loose_queue(app), NULL, !app->repaired};
	struct view views[VIEWS];
	cl_program program = program_new(app, SWEEP("draw"), "");
	float first;

	for (unsigned i = 0; i < VIEWS; i++) {
		views[i] =
			(struct view){buffer_new(app, 256 * KIB), floats(64 * KIB + FRAMES * 16, i),
				      NULL, kernel_new(program, "draw"), 0};
		args(views[i].draw, "bi", views[i].pixels, 1);
	}
	for (int frame = 0; frame < FRAMES; frame++) {
		for (int i = 0; i < VIEWS; i++)
			view_draw(&graph, &views[i]);
		flush(graph.copies);
		flush(graph.kernels);
		if (frame % 8 == 7)
			finish(graph.kernels);
	}
	finish(graph.copies);
	finish(graph.kernels);
	get(app->queue, views[1].pixels, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < VIEWS; i++) {
		DROP(views[i].last);
		DROP(views[i].pixels);
		DROP(views[i].draw);
		free(views[i].texture);
	}
	DROP(graph.tail);
	DROP(graph.copies);
	DROP(graph.kernels);
	DROP(program);
}

/* Slices of a scan come through a ring of staging buffers on the device. */

struct ring {
	cl_mem buffers[2];
	cl_event used[2]; /* by the kernel */
	int size;
};

void drill_stage_ring(struct app *app)
{
	enum { SLICES = 350, BYTES = 512 * KIB };
	struct ring ring = {.size = app->repaired ? 2 : 1};
	cl_command_queue up = queue_new(app, 0), work = queue_new(app, 0);
	cl_kernel project = kernel_of(app,
				      "kernel void project(global const float *in,\n"
				      "		    global float *sum, int rounds)\n"
				      "{\n"
				      "	size_t i = get_global_id(0);\n"
				      "	float x = in[i];\n"
				      "	for (int r = 0; r < rounds; r++)\n"
				      "		x = x * 0.9375f + 0.03125f;\n"
				      "	sum[i] += x;\n"
				      "}\n",
				      "project");
	cl_mem sum = filled(app, BYTES, 0);
	float *slice = floats(BYTES / 4 + SLICES * 16, 4), first;

	for (int i = 0; i < ring.size; i++)
		ring.buffers[i] = buffer_new(app, BYTES);
	for (int i = 0; i < SLICES; i++) {
		int slot = i % ring.size;
		cl_event filled = put_after(up, ring.buffers[slot], BYTES, slice + i * 16,
					    ring.used[slot] ? 1 : 0, &ring.used[slot]);

		if (ring.used[slot])
			DROP(ring.used[slot]);
		args(project, "bbi", ring.buffers[slot], sum, 20);
		ring.used[slot] = run_after(work, project, BYTES / 4, 64, 1, &filled);
		flush(up);
		flush(work);
		DROP(filled);
		if (i % 16 == 15)
			finish(work);
	}
	finish(work);
	get(app->queue, sum, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < ring.size; i++) {
		DROP(ring.used[i]);
		DROP(ring.buffers[i]);
	}
	DROP(sum);
	DROP(project);
	DROP(up);
	DROP(work);
	free(slice);
}

/* Particles of a film's effects: an emitter makes some in each frame and sets what they have. */

struct particle {
	float place[4], speed[4];
};

struct emitter {
	cl_command_queue queue;
	cl_mem particles;
	struct particle *made;
	int first, count;
	bool direct;
};

static void emitter_set(struct emitter *emitter, int index, size_t offset, const float *value)
{
	size_t at = (size_t)index * sizeof(struct particle) + offset;

	memcpy((char *)emitter->made + at, value, 4 * sizeof(float));
	if (emitter->direct)
		put_piece(emitter->queue, emitter->particles, at, 4 * sizeof(float),
			  (char *)emitter->made + at);
}

static void emitter_spawn(struct emitter *emitter, int frame)
{
	for (int i = emitter->first; i < emitter->first + emitter->count; i++) {
		const float place[4] = {(float)i, (float)frame}, speed[4] = {1, (float)i};

		emitter_set(emitter, i, offsetof(struct particle, place), place);
		emitter_set(emitter, i, offsetof(struct particle, speed), speed);
	}
	if (!emitter->direct)
		put_piece(emitter->queue, emitter->particles,
			  (size_t)emitter->first * sizeof(struct particle),
			  (size_t)emitter->count * sizeof(struct particle),
			  emitter->made + emitter->first);
}

void drill_particle_spawn(struct app *app)
{
	enum { PARTICLES = 16384, FRAMES = 40 };
	struct emitter emitter = {.queue = app->queue,
				  .particles = filled(app, PARTICLES * sizeof(struct particle), 1),
				  .made = memory(PARTICLES * sizeof(struct particle)),
				  .count = 200,
				  .direct = !app->repaired};
	cl_kernel move = kernel_of(app, SWEEP("move"), "move");
	float first;

	args(move, "bi", emitter.particles, 1);
	for (int frame = 0; frame < FRAMES; frame++) {
		emitter.first = frame * 400;
		emitter_spawn(&emitter, frame);
		for (int step = 0; step < 8; step++)
			run(app->queue, move, PARTICLES * 8, 64);
		finish(app->queue);
	}
	get(app->queue, emitter.particles, sizeof(first), &first);
	answer((double)first);
	DROP(move);
	DROP(emitter.particles);
	free(emitter.made);
}

/* Filters for photographs, each of which takes and gives pixels in memory; a chain of them is what
 * the program is made of. */

struct filter_context {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem pixels;
	size_t bytes;
	bool stays; /* on the device, from filter to filter */
};

static void filter_apply(struct filter_context *context, float *pixels, int strength)
{
	if (!context->stays)
		put(context->queue, context->pixels, context->bytes, pixels);
	args(context->kernel, "bi", context->pixels, strength);
	run(context->queue, context->kernel, context->bytes / sizeof(float), 64);
	if (!context->stays)
		get(context->queue, context->pixels, context->bytes, pixels);
}

static void photograph_develop(struct filter_context *context, float *pixels)
{
	bool stays = context->stays;

	if (stays)
		put(context->queue, context->pixels, context->bytes, pixels);
	for (int strength = 1; strength <= 6; strength++)
		filter_apply(context, pixels, strength % 3 + 1);
	if (stays)
		get(context->queue, context->pixels, context->bytes, pixels);
}

void drill_stage_vectors(struct app *app)
{
	enum { BYTES = 2 * MIB, PHOTOGRAPHS = 16 };
	struct filter_context context = {app->queue, kernel_of(app, SWEEP("filter"), "filter"),
					 buffer_new(app, BYTES), BYTES, app->repaired};
	float *pixels = memory(BYTES);
	double sum = 0;

	for (int i = 0; i < PHOTOGRAPHS; i++) {
		refill(pixels, BYTES / 4, i);
		photograph_develop(&context, pixels);
		sum += total(pixels, 64);
	}
	answer(sum > 0);
	DROP(context.kernel);
	DROP(context.pixels);
	free(pixels);
}

/* A video coder: the frame that was made is what the next one refers to. */

struct frame_store {
	cl_command_queue queue;
	cl_mem current, reference;
	float *saved;
	size_t bytes;
	bool on_device;
};

static void frame_save(struct frame_store *store)
{
	if (!store->on_device)
		get(store->queue, store->current, store->bytes, store->saved);
}

static void frame_load(struct frame_store *store)
{
	if (store->on_device)
		TRY(clEnqueueCopyBuffer(store->queue, store->current, store->reference, 0, 0,
					store->bytes, 0, NULL, NULL));
	else
		put(store->queue, store->reference, store->bytes, store->saved);
}

void drill_reference_frame(struct app *app)
{
	enum { BYTES = 2 * MIB, FRAMES = 50 };
	struct frame_store store = {
		app->queue, filled(app, BYTES, 1), filled(app, BYTES, 2), memory(BYTES),
		BYTES,	    app->repaired};
	cl_kernel predict =
		kernel_of(app,
			  "kernel void predict(global const float *reference,\n"
			  "		    global float *frame, int shift)\n"
			  "{\n"
			  "	size_t i = get_global_id(0), n = get_global_size(0);\n"
			  "	float x = frame[i];\n"
			  "	for (int k = 0; k < 4; k++)\n"
			  "		x = 0.5f * x + 0.5f * reference[(i + shift * k) % n];\n"
			  "	frame[i] = x;\n"
			  "}\n",
			  "predict");
	float first;

	for (int i = 0; i < FRAMES; i++) {
		args(predict, "bbi", store.reference, store.current, i);
		run(app->queue, predict, BYTES / 4, 64);
		frame_save(&store);
		frame_load(&store);
	}
	get(app->queue, store.current, sizeof(first), &first);
	answer((double)first);
	DROP(predict);
	DROP(store.current);
	DROP(store.reference);
	free(store.saved);
}

/* A camera's pictures, with a table for the curve of its sensor. The exposure is set for each
 * picture, and whoever sets it marks the tables. */

struct camera {
	cl_command_queue queue;
	cl_mem curve;
	float *table;
	size_t bytes;
	float exposure;
	bool marked, compares;
};

static void camera_expose(struct camera *camera, float exposure)
{
	if (camera->compares && camera->exposure == exposure)
		return;
	camera->exposure = exposure;
	camera->marked = true;
}

static void camera_tables(struct camera *camera)
{
	if (!camera->marked)
		return;
	for (int i = 0; i < 256; i++)
		camera->table[i] = camera->exposure * (float)i / 256;
	put(camera->queue, camera->curve, camera->bytes, camera->table);
	camera->marked = false;
}

void drill_gamma_table(struct app *app)
{
	enum { BYTES = 2 * MIB, PICTURES = 100, ITEMS = 128 * KIB };
	struct camera camera = {.queue = app->queue,
				.curve = buffer_new(app, BYTES),
				.table = floats(BYTES / 4, 7),
				.bytes = BYTES,
				.compares = app->repaired};
	cl_mem picture = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel apply =
		kernel_of(app,
			  "kernel void apply(global const float *curve,\n"
			  "		  global float *picture, int rounds)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	float x = picture[i];\n"
			  "	for (int r = 0; r < rounds; r++)\n"
			  "		x = x * 0.75f + 0.25f * curve[(int)(x * 255) & 255];\n"
			  "	picture[i] = x;\n"
			  "}\n",
			  "apply");
	float first;

	args(apply, "bbi", camera.curve, picture, 8);
	for (int i = 0; i < PICTURES; i++) {
		camera_expose(&camera, 0.5f);
		camera_tables(&camera);
		run(app->queue, apply, ITEMS, 64);
		get(app->queue, picture, sizeof(first), &first);
	}
	answer((double)first);
	DROP(apply);
	DROP(picture);
	DROP(camera.curve);
	free(camera.table);
}

/* Thumbnails of pictures are made by the host, as a command of its own in the queue. */

struct thumbnail {
	float *pixels;
	int count;
};

static void CL_CALLBACK thumbnail_make(void *argument)
{
	struct thumbnail *thumbnail = *(struct thumbnail **)argument;

	busy(thumbnail->pixels, 8192, 120);
	thumbnail->count++;
}

void drill_native_thumbs(struct app *app)
{
	enum { PICTURES = 120, ITEMS = 64 * KIB };
	struct thumbnail thumbnail = {floats(8192, 3), 0}, *argument = &thumbnail;
	cl_mem picture = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel sharpen = kernel_of(app, SWEEP("sharpen"), "sharpen");
	float first;

	args(sharpen, "bi", picture, 2);
	for (int i = 0; i < PICTURES; i++) {
		for (int k = 0; k < 6; k++)
			run(app->queue, sharpen, ITEMS, 64);
		flush(app->queue);
		if (app->repaired) /* while the device works on the picture */
			thumbnail_make(&argument);
		else
			TRY(clEnqueueNativeKernel(app->queue, thumbnail_make, &argument,
						  sizeof(argument), 0, NULL, NULL, 0, NULL, NULL));
		get(app->queue, picture, sizeof(first), &first);
	}
	answer(thumbnail.count);
	DROP(sharpen);
	DROP(picture);
	free(thumbnail.pixels);
}

/* A picture whose width is a prime: the size of a group is what divides it. */

static size_t group_for(size_t width, size_t most)
{
	while (width % most)
		most--;
	return most;
}

void drill_odd_width(struct app *app)
{
	enum { WIDTH = 4099, HEIGHT = 96, PASSES = 60 };
	cl_kernel blend = kernel_of(app,
				    "kernel void blend(global float *v, int width)\n"
				    "{\n"
				    "	size_t x = get_global_id(0), y = get_global_id(1);\n"
				    "	if (x >= width)\n"
				    "		return;\n"
				    "	v[y * width + x] = v[y * width + x] * 0.5f + 0.25f;\n"
				    "}\n",
				    "blend");
	cl_mem picture = filled(app, WIDTH * HEIGHT * sizeof(float), 1);
	size_t width = app->repaired ? (WIDTH + 63) / 64 * 64 : WIDTH;
	float first;

	args(blend, "bi", picture, WIDTH);
	for (int i = 0; i < PASSES; i++)
		run_plane(app->queue, blend, width, HEIGHT, group_for(width, 64), 1);
	get(app->queue, picture, sizeof(first), &first);
	answer((double)first);
	DROP(blend);
	DROP(picture);
}

/* Filters that are compiled when somebody first asks for one. */

enum { FILTERS = 10 };

struct filters {
	const struct app *app;
	cl_program programs[FILTERS];
	pthread_t ahead;
};

static void filters_build(struct filters *filters, int number)
{
	char options[32] = "-DFILTER=0";

	options[9] = (char)('0' + number);
	filters->programs[number] = program_new(filters->app, SWEEP("effect"), options);
}

static void *filters_main(void *argument)
{
	struct filters *filters = argument;

	for (int i = 1; i < FILTERS; i++)
		filters_build(filters, i);
	return NULL;
}

static cl_program filters_find(struct filters *filters, int number)
{
	if (!filters->programs[number])
		filters_build(filters, number);
	return filters->programs[number];
}

void drill_lazy_filters(struct app *app)
{
	enum { ITEMS = 256 * KIB };
	struct filters filters = {.app = app};
	cl_mem picture = filled(app, ITEMS * sizeof(float), 4);
	float first;

	filters_build(&filters, 0);
	if (app->repaired && pthread_create(&filters.ahead, NULL, filters_main, &filters))
		must(-1, "pthread_create");
	for (int i = 0; i < FILTERS; i++) {
		if (i == 1 && app->repaired)
			pthread_join(filters.ahead, NULL);

		cl_program program = filters_find(&filters, i);
		cl_kernel effect = kernel_new(program, "effect");

		args(effect, "bi", picture, 2);
		for (int k = 0; k < (i ? 40 : 400); k++)
			run(app->queue, effect, ITEMS, 64);
		get(app->queue, picture, sizeof(first), &first);
		DROP(effect);
	}
	answer((double)first);
	for (int i = 0; i < FILTERS; i++)
		DROP(filters.programs[i]);
	DROP(picture);
}
