/* SPDX-License-Identifier: MIT */
/* More programs with nothing wrong. */
#include "vivas.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* An archive's writer: a callback does no more than wake a thread, which then has a report to
 * write while the device goes on. */
enum { REPORTS = 200, ROWS = 262144 };

static void CL_CALLBACK report_ready(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	sem_post(data);
}

static void *writer_main(void *data)
{
	float page[1024] = {0};

	for (int i = 0; i < REPORTS; i++) {
		while (sem_wait(data))
			;
		busy(page, 1024, 60);
	}
	return NULL;
}

void viva_clean_writer(struct app *app)
{
	cl_kernel kernel = kernel_of(app, FIELD("aggregate"), "aggregate");
	cl_mem rows = seeded(app, ROWS * sizeof(float), 16);
	pthread_t writer;
	sem_t ready;
	float first = 0;

	sem_init(&ready, 0, 0);
	if (pthread_create(&writer, NULL, writer_main, &ready))
		must(-1, "pthread_create");
	args(kernel, "bi", rows, 3);
	for (int i = 0; i < REPORTS; i++) {
		run(app->queue, kernel, ROWS, 64);

		cl_event event = run_after(app->queue, kernel, ROWS, 64, 0, NULL);

		TRY(clSetEventCallback(event, CL_COMPLETE, report_ready, &ready));
		DROP(event);
		flush(app->queue);
	}
	finish(app->queue);
	pthread_join(writer, NULL);
	get(app->queue, rows, sizeof(first), &first);
	answer((double)first);
	DROP(rows);
	DROP(kernel);
}

/* A map of heights of which the window that has changed is read: rows of 4 KiB, by one box. */
void viva_clean_window(struct app *app)
{
	enum { WIDTH = 2048, HEIGHT = 256, STEPS = 200 };
	const size_t pitch = WIDTH * sizeof(float), row = pitch / 2, rows = 32;
	cl_kernel kernel = kernel_of(app, FIELD("erode"), "erode");
	cl_mem map = seeded(app, HEIGHT * pitch, 18);
	float *window = memory(rows * row);
	double sum = 0;

	args(kernel, "bi", map, 1);
	for (int step = 0; step < STEPS; step++) {
		size_t from[3] = {(size_t)(step % 2) * row, (size_t)(step % 8) * rows, 0};
		size_t to[3] = {0, 0, 0}, box[3] = {row, rows, 1};

		run(app->queue, kernel, WIDTH * HEIGHT, 64);
		TRY(clEnqueueReadBufferRect(app->queue, map, CL_TRUE, from, to, box, pitch, 0, row,
					    0, window, 0, NULL, NULL));
		sum += (double)window[1];
	}
	answer(sum);
	free(window);
	DROP(map);
	DROP(kernel);
}

/* Phases of a tournament: each player's next state follows from the states of all of them, which
 * the kernels of the phase before have computed, so a barrier stands between the phases in a queue
 * out of order, and nowhere else. */
void viva_clean_phases(struct app *app)
{
	enum { PLAYERS = 4, COUNT = 2097152, PHASES = 8, ROUNDS = 5 };
	cl_command_queue queue = loose_queue(app);
	cl_kernel kernel = kernel_of(app,
				     "kernel void meet(global float *to, global const float *a,\n"
				     "		 global const float *b, global const float *c,\n"
				     "		 global const float *d, int player,\n"
				     "		 int rounds)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	uint u = as_uint(a[i] + b[i]) ^ as_uint(c[i] + d[i]);\n"
				     "	u += player;\n"
				     "	for (int r = 0; r < rounds; r++)\n"
				     "		u = (u ^ (u >> 7)) * 1664525u + 1013904223u;\n"
				     "	to[i] = (float)(u >> 8) / 16777216.0f;\n"
				     "}\n",
				     "meet");
	cl_mem now[PLAYERS], next[PLAYERS];
	float first = 0;

	for (int i = 0; i < PLAYERS; i++) {
		now[i] = seeded(app, COUNT * sizeof(float), (unsigned)i);
		next[i] = buffer_new(app, COUNT * sizeof(float));
	}
	for (int phase = 0; phase < PHASES; phase++) {
		cl_mem *to = phase % 2 ? now : next, *from = phase % 2 ? next : now;

		if (phase)
			TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		for (int i = 0; i < PLAYERS; i++) {
			args(kernel, "bbbbbii", to[i], from[0], from[1], from[2], from[3], i,
			     ROUNDS);
			run(queue, kernel, COUNT, 64);
		}
		flush(queue);
	}
	finish(queue);
	get(app->queue, now[0], sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < PLAYERS; i++) {
		DROP(now[i]);
		DROP(next[i]);
	}
	DROP(queue);
	DROP(kernel);
}

/* Two services share a process: each has a queue and a batch of its own, and waits for it in a
 * thread, once for each batch of eight kernels. */
struct service {
	const struct app *app;
	float result;
};

static void *service_main(void *data)
{
	struct service *service = data;
	const struct app *app = service->app;
	enum { COUNT = 65536 };
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel kernel = kernel_new(app->program, "score");
	cl_mem batch = seeded(app, COUNT * sizeof(float), 22);

	args(kernel, "bi", batch, 6);
	for (int i = 0; i < 60; i++) {
		for (int layer = 0; layer < 8; layer++)
			run(queue, kernel, COUNT, 64);
		get(queue, batch, sizeof(service->result), &service->result);
	}
	DROP(batch);
	DROP(kernel);
	DROP(queue);
	return NULL;
}

void viva_clean_services(struct app *app)
{
	struct service services[2] = {{app, 0}, {app, 0}};

	app->program = program_new(app, FIELD("score"), "");
	threads_run(2, service_main, services, sizeof(*services));
	answer((double)(services[0].result + services[1].result));
}

/* A tuner tries three sizes of work-groups for a moment, each one waited for to be timed, and the
 * rest of the run is launched with the best one. */
void viva_clean_tuner(struct app *app)
{
	enum { COUNT = 131072 };
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernel = kernel_of(app, FIELD("blur_rows"), "blur_rows");
	cl_mem rows = seeded(app, COUNT * sizeof(float), 24);
	size_t best = 64;
	cl_ulong shortest = ~0ull;
	float first = 0;

	args(kernel, "bi", rows, 6);
	for (size_t local = 32; local <= 128; local *= 2) {
		cl_event event = run_after(queue, kernel, COUNT, local, 0, NULL);
		cl_ulong start, end;

		TRY(clWaitForEvents(1, &event));
		TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start),
					    &start, NULL));
		TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
					    NULL));
		DROP(event);
		if (end - start < shortest) {
			shortest = end - start;
			best = local;
		}
	}
	for (int i = 0; i < 500; i++)
		run(queue, kernel, COUNT, best);
	get(queue, rows, sizeof(first), &first);
	answer((double)first);
	DROP(rows);
	DROP(kernel);
	DROP(queue);
}
