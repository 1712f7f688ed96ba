/* SPDX-License-Identifier: MIT */
/* Programs that have nothing wrong. */
#include "panels.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* Newton's method: many sweeps on the device, and then the host decides by the residual how far the
 * next step goes. */
void panel_clean_newton(struct app *app)
{
	enum { UNKNOWNS = 128 * 1024, ROUNDS_MOST = 40, EACH = 12 };
	cl_program program = program_new(app, ROUNDS("newton_sweep"), "");
	cl_kernel sweep = kernel_new(program, "newton_sweep");
	cl_mem x = filled(app, UNKNOWNS * sizeof(float), 3);
	int damping = 4;
	double sum = 0;

	for (int i = 0; i < ROUNDS_MOST; i++) {
		float residual;

		args(sweep, "bi", x, damping);
		for (int j = 0; j < EACH; j++)
			run(app->queue, sweep, UNKNOWNS, 64);
		get(app->queue, x, sizeof(residual), &residual);
		damping = residual > 0.5f ? 3 : 4;
		sum += (double)residual;
	}
	answer(sum);
	DROP(x);
	DROP(sweep);
	DROP(program);
}

/* New data all the time, in three queues: one sends, one computes, one brings back what is needed. */
void panel_clean_triple(struct app *app)
{
	enum { PACKETS = 200, PACKET = 64 * KIB, ITEMS = 256 * 1024, RESULT = 4 * KIB, RING = 3 };
	static const char source[] =
		"kernel void correlate(global const float *packet, int count, global float *result)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float a = packet[i % count];\n"
		"	for (int r = 0; r < 6; r++)\n"
		"		a = a * 0.9375f + 0.03125f;\n"
		"	result[i] = a;\n"
		"}\n";
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	cl_event computed[RING] = {0}, back[RING] = {0};
	cl_kernel kernel = kernel_of(app, source, "correlate");
	float *data = floats((size_t)PACKETS * (PACKET / sizeof(float)), 1);
	float *out = memory((size_t)PACKETS * RESULT);
	cl_mem packets[RING], results[RING];

	for (int i = 0; i < RING; i++) {
		packets[i] = buffer_new(app, PACKET);
		results[i] = buffer_new(app, ITEMS * sizeof(float));
	}
	for (int i = 0; i < PACKETS; i++) {
		int slot = i % RING;
		cl_event waits[2], sent;

		sent = put_after(up, packets[slot], PACKET, (char *)data + (size_t)i * PACKET,
				 !!computed[slot], &computed[slot]);
		flush(up);
		waits[0] = sent;
		waits[1] = back[slot];
		args(kernel, "bib", packets[slot], PACKET / (int)sizeof(float), results[slot]);
		if (computed[slot])
			DROP(computed[slot]);
		computed[slot] =
			run_after(app->queue, kernel, ITEMS, 64, back[slot] ? 2 : 1, waits);
		flush(app->queue);
		if (back[slot])
			DROP(back[slot]);
		back[slot] = get_after(down, results[slot], RESULT,
				       (char *)out + (size_t)i * RESULT, 1, &computed[slot]);
		flush(down);
		DROP(sent);
	}
	finish(down);
	answer(total(out, (size_t)PACKETS * (RESULT / sizeof(float))));
	for (int i = 0; i < RING; i++) {
		DROP(computed[i]);
		DROP(back[i]);
		DROP(packets[i]);
		DROP(results[i]);
	}
	free(out);
	free(data);
	DROP(kernel);
	DROP(down);
	DROP(up);
}

struct camera {
	sem_t frames, room;
	float *ring;
};

enum { CAMERA_FRAMES = 70, CAMERA_US = 5000, CAMERA_RING = 4, CAMERA_BYTES = 64 * KIB };
enum { CAMERA_FLOATS = CAMERA_BYTES / sizeof(float) };

static void *camera_main(void *context)
{
	struct camera *camera = context;

	for (int i = 0; i < CAMERA_FRAMES; i++) {
		nap(CAMERA_US);
		sem_wait(&camera->room);
		refill(camera->ring + (size_t)(i % CAMERA_RING) * CAMERA_FLOATS, CAMERA_FLOATS, i);
		sem_post(&camera->frames);
	}
	return NULL;
}

/* A camera that has a frame every few milliseconds: nothing can be done before there is one. */
void panel_clean_camera(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("detect"), "");
	cl_kernel detect = kernel_new(program, "detect");
	cl_mem buffer = buffer_new(app, CAMERA_BYTES);
	struct camera camera = {.ring = memory(CAMERA_RING * CAMERA_BYTES)};
	float found[64];
	double sum = 0;
	pthread_t thread;

	sem_init(&camera.frames, 0, 0);
	sem_init(&camera.room, 0, CAMERA_RING);
	args(detect, "bi", buffer, 40);
	if (pthread_create(&thread, NULL, camera_main, &camera))
		must(-1, "pthread_create");
	for (int i = 0; i < CAMERA_FRAMES; i++) {
		sem_wait(&camera.frames);
		put(app->queue, buffer, CAMERA_BYTES,
		    camera.ring + (size_t)(i % CAMERA_RING) * CAMERA_FLOATS);
		run(app->queue, detect, CAMERA_FLOATS, 64);
		get(app->queue, buffer, sizeof(found), found); /* the robot turns to it at once */
		sem_post(&camera.room);
		sum += total(found, 64);
	}
	pthread_join(thread, NULL);
	answer(sum);
	sem_destroy(&camera.frames);
	sem_destroy(&camera.room);
	free(camera.ring);
	DROP(buffer);
	DROP(detect);
	DROP(program);
}

/* A graph with true dependencies: one kernel, two that need it, and one that needs both. */
void panel_clean_diamond(struct app *app)
{
	enum { ITEMS = 128 * 1024, TURNS = 150 };
	static const char source[] =
		"kernel void split(global float *v, global const float *last)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	v[i] = v[i] * 0.5f + last[i] * 0.25f;\n"
		"}\n"
		"kernel void branch(global const float *v, global float *w, float by)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float a = v[i];\n"
		"	for (int r = 0; r < 6; r++)\n"
		"		a = a * by + 0.03125f;\n"
		"	w[i] = a;\n"
		"}\n"
		"kernel void join(global const float *a, global const float *b, global float *c)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	c[i] = a[i] - b[i];\n"
		"}\n";
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, source, "");
	cl_kernel split = kernel_new(program, "split"), join = kernel_new(program, "join");
	cl_kernel branch[2] = {kernel_new(program, "branch"), kernel_new(program, "branch")};
	cl_mem v[4];
	cl_event joined = NULL;
	float *end = memory(ITEMS * sizeof(float));

	for (int i = 0; i < 4; i++)
		v[i] = filled(app, ITEMS * sizeof(float), (unsigned)i + 1);
	args(split, "bb", v[0], v[3]);
	args(branch[0], "bbf", v[0], v[1], 0.9);
	args(branch[1], "bbf", v[0], v[2], 0.8);
	args(join, "bbb", v[1], v[2], v[3]);
	for (int i = 0; i < TURNS; i++) {
		cl_event first = run_after(queue, split, ITEMS, 64, !!joined, &joined), both[2];

		for (int j = 0; j < 2; j++)
			both[j] = run_after(queue, branch[j], ITEMS, 64, 1, &first);
		if (joined)
			DROP(joined);
		joined = run_after(queue, join, ITEMS, 64, 2, both);
		flush(queue);
		DROP(first);
		DROP(both[0]);
		DROP(both[1]);
	}
	settle(joined);
	finish(queue);
	get(app->queue, v[3], ITEMS * sizeof(float), end);
	answer(total(end, ITEMS));
	free(end);
	for (int i = 0; i < 4; i++)
		DROP(v[i]);
	DROP(branch[0]);
	DROP(branch[1]);
	DROP(join);
	DROP(split);
	DROP(program);
	DROP(queue);
}

struct dialogue {
	const struct app *app;
	cl_kernel kernel;
	double sum;
	int number;
};

enum { QUESTIONS = 60, DIALOGUE_ITEMS = 192 * 1024 };

static void *dialogue_main(void *context)
{
	struct dialogue *dialogue = context;
	cl_command_queue queue = queue_new(dialogue->app, 0);
	cl_mem state = buffer_new(dialogue->app, DIALOGUE_ITEMS * sizeof(float));
	float *data = floats(DIALOGUE_ITEMS, (unsigned)dialogue->number + 1), reply[32];
	int question = dialogue->number;

	put_now(queue, state, DIALOGUE_ITEMS * sizeof(float), data);
	for (int i = 0; i < QUESTIONS; i++) {
		args(dialogue->kernel, "bi", state, 4 + question % 4);
		for (int layer = 0; layer < 3; layer++)
			run(queue, dialogue->kernel, DIALOGUE_ITEMS, 64);
		get(queue, state, sizeof(reply), reply);
		question = (int)(total(reply, 32) * 8); /* what is asked next hangs on the reply */
	}
	dialogue->sum = total(reply, 32);
	free(data);
	DROP(state);
	DROP(queue);
	return NULL;
}

/* Two dialogues at a time, each in a thread and a queue of its own. */
void panel_clean_dialogue(struct app *app)
{
	struct dialogue each[2];
	cl_program program = program_new(app, ROUNDS("reply"), "");

	for (int i = 0; i < 2; i++)
		each[i] = (struct dialogue){
			.app = app, .kernel = kernel_new(program, "reply"), .number = i};
	threads_run(2, dialogue_main, each, sizeof(*each));
	answer(each[0].sum + each[1].sum);
	DROP(each[0].kernel);
	DROP(each[1].kernel);
	DROP(program);
}

/* Batches whose input all comes at the start and whose results all go at the end. */
void panel_clean_batches(struct app *app)
{
	enum { BATCHES = 8, ITEMS = 128 * 1024, PASSES = 100 };
	cl_program program = program_new(app, ROUNDS("settle_batch"), "");
	cl_kernel kernel = kernel_new(program, "settle_batch");
	float *data = memory(ITEMS * sizeof(float));
	cl_mem batches[BATCHES];
	double sum = 0;

	for (int i = 0; i < BATCHES; i++)
		batches[i] = filled(app, ITEMS * sizeof(float), (unsigned)i + 1);
	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < BATCHES; i++) {
			args(kernel, "bi", batches[i], 2);
			run(app->queue, kernel, ITEMS, 64);
		}
		flush(app->queue);
	}
	for (int i = 0; i < BATCHES; i++) {
		get(app->queue, batches[i], ITEMS * sizeof(float), data);
		sum += total(data, ITEMS);
		DROP(batches[i]);
	}
	answer(sum);
	free(data);
	DROP(kernel);
	DROP(program);
}

/* A ladder of resolutions: each level needs the one before, its buffer and its kernel's size. */
void panel_clean_ladder(struct app *app)
{
	enum { LEVELS = 4, FINEST = 256 * 1024, CYCLES = 40 };
	static const char source[] =
		"kernel void restrict_level(global const float *fine, global float *coarse)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	coarse[i] = (fine[2 * i] + fine[2 * i + 1]) * 0.5f;\n"
		"}\n"
		"kernel void smooth_level(global float *v)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	float a = v[i];\n"
		"	for (int r = 0; r < 8; r++)\n"
		"		a = a * 0.96875f + 0.015625f;\n"
		"	v[i] = a;\n"
		"}\n";
	cl_program program = program_new(app, source, "");
	cl_kernel down = kernel_new(program, "restrict_level");
	cl_kernel smooth = kernel_new(program, "smooth_level");
	cl_mem levels[LEVELS];
	float *end = memory((FINEST >> (LEVELS - 1)) * sizeof(float));

	for (int i = 0; i < LEVELS; i++)
		levels[i] = filled(app, (FINEST >> i) * sizeof(float), (unsigned)i + 1);
	for (int cycle = 0; cycle < CYCLES; cycle++) {
		for (int i = 0; i < LEVELS; i++) {
			args(smooth, "b", levels[i]);
			for (int j = 0; j < 4; j++)
				run(app->queue, smooth, (size_t)FINEST >> i, 64);
			if (i + 1 < LEVELS) {
				args(down, "bb", levels[i], levels[i + 1]);
				run(app->queue, down, (size_t)FINEST >> (i + 1), 64);
			}
		}
		flush(app->queue);
	}
	get(app->queue, levels[LEVELS - 1], (FINEST >> (LEVELS - 1)) * sizeof(float), end);
	answer(total(end, FINEST >> (LEVELS - 1)));
	free(end);
	for (int i = 0; i < LEVELS; i++)
		DROP(levels[i]);
	DROP(smooth);
	DROP(down);
	DROP(program);
}
