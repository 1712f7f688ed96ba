/* SPDX-License-Identifier: MIT */
/* Programs that look wrong and are not. */
#include "drills.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How far the next step goes hangs on the result of this one. */
void drill_clean_cg(struct app *app)
{
	enum { N = 64 * KIB, STEPS = 60 };
	cl_program program = program_new(app, SWEEP("matvec") SWEEP("scale"), "");
	cl_kernel matvec = kernel_new(program, "matvec"), scale = kernel_new(program, "scale");
	cl_mem x = filled(app, N * sizeof(float), 3);
	float alpha = 1;

	args(matvec, "bi", x, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int k = 0; k < 20; k++)
			run(app->queue, matvec, N, 64);
		get(app->queue, x, sizeof(alpha), &alpha);
		args(scale, "bi", x, (int)alpha % 3 + 1);
		run(app->queue, scale, N, 64);
	}
	answer((double)alpha);
	DROP(matvec);
	DROP(scale);
	DROP(program);
	DROP(x);
}

/* A table that is uploaded for each picture, as each has another exposure. */
void drill_clean_exposure(struct app *app)
{
	enum { TABLE = 4096, ITEMS = 128 * KIB };
	float *table = memory(2 * TABLE * sizeof(float)), first;
	cl_mem curve = buffer_new(app, TABLE * sizeof(float));
	cl_mem picture = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel apply = kernel_of(app, SWEEP("develop"), "develop");
	cl_event sent[2] = {NULL, NULL};

	args(apply, "bi", picture, 3);
	for (int i = 0; i < 200; i++) {
		float *own = table + i % 2 * TABLE;

		if (sent[i % 2])
			settle(sent[i % 2]);
		for (int k = 0; k < TABLE; k++)
			own[k] = (float)(k * (i + 1) % 251);
		sent[i % 2] = put_after(app->queue, curve, TABLE * sizeof(float), own, 0, NULL);
		for (int k = 0; k < 3; k++)
			run(app->queue, apply, ITEMS, 64);
		flush(app->queue);
	}
	settle(sent[0]);
	settle(sent[1]);
	get(app->queue, picture, sizeof(first), &first);
	answer((double)first);
	DROP(apply);
	DROP(picture);
	DROP(curve);
	free(table);
}

/* A wait for each frame, but for the one before the last. */
void drill_clean_inflight(struct app *app)
{
	enum { FRAMES = 200, ITEMS = 96 * KIB };
	cl_mem frame = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel draw = kernel_of(app, SWEEP("draw_frame"), "draw_frame");
	cl_event done[3] = {NULL, NULL, NULL};
	float first;

	args(draw, "bi", frame, 2);
	for (int i = 0; i < FRAMES; i++) {
		if (done[i % 3])
			settle(done[i % 3]);
		run(app->queue, draw, ITEMS, 64);
		run(app->queue, draw, ITEMS, 64);
		run(app->queue, draw, ITEMS, 64);
		done[i % 3] = run_after(app->queue, draw, ITEMS, 64, 0, NULL);
		flush(app->queue);
	}
	for (int i = 0; i < 3; i++)
		settle(done[i]);
	get(app->queue, frame, sizeof(first), &first);
	answer((double)first);
	DROP(draw);
	DROP(frame);
}

/* Coarse grids are small, and take little of the time. */
void drill_clean_multigrid(struct app *app)
{
	enum { N = 128 * KIB, CYCLES = 40 };
	cl_mem grid = filled(app, N * sizeof(float), 5);
	cl_kernel smooth = kernel_of(app, SWEEP("smooth_grid"), "smooth_grid");
	float first;

	args(smooth, "bi", grid, 4);
	for (int cycle = 0; cycle < CYCLES; cycle++) {
		for (size_t n = N; n >= 2048; n /= 4)
			for (int k = 0; k < (n == N ? 12 : 2); k++)
				run(app->queue, smooth, n, 64);
		flush(app->queue);
	}
	get(app->queue, grid, sizeof(first), &first);
	answer((double)first);
	DROP(smooth);
	DROP(grid);
}

/* Two contexts, one after the other: nobody waits for anybody. */
void drill_clean_tenants(struct app *app)
{
	float first = 0;

	for (int tenant = 0; tenant < 2; tenant++) {
		struct app own = *app;

		own.context = context_new(app);
		own.queue = queue_new(&own, 0);

		cl_mem v = filled(&own, 512 * KIB, 3);
		cl_kernel work = kernel_of(&own, SWEEP("tenant_work"), "tenant_work");

		args(work, "bi", v, 4);
		for (int i = 0; i < 400; i++) {
			run(own.queue, work, 128 * KIB, 64);
			if (i % 16 == 15)
				flush(own.queue);
		}
		get(own.queue, v, sizeof(first), &first);
		DROP(work);
		DROP(v);
		DROP(own.queue);
		DROP(own.context);
	}
	answer((double)first);
}

/* Many buffers, all made before they are used, and released when all is done. */
void drill_clean_arena(struct app *app)
{
	enum { BUFFERS = 32, ITEMS = 64 * KIB };
	cl_mem buffers[BUFFERS];
	cl_kernel sweep = kernel_of(app, SWEEP("sweep_arena"), "sweep_arena");
	float first;

	for (unsigned i = 0; i < BUFFERS; i++)
		buffers[i] = filled(app, ITEMS * sizeof(float), i);
	for (int pass = 0; pass < 30; pass++) {
		for (int i = 0; i < BUFFERS; i++) {
			args(sweep, "bi", buffers[i], 3);
			run(app->queue, sweep, ITEMS, 64);
		}
		flush(app->queue);
	}
	get(app->queue, buffers[5], sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < BUFFERS; i++)
		DROP(buffers[i]);
	DROP(sweep);
}

/* Callbacks that only wake who waits for them. */

struct signals {
	pthread_mutex_t lock;
	pthread_cond_t news;
	int done;
};

static void CL_CALLBACK signal_done(cl_event event, cl_int status, void *argument)
{
	struct signals *signals = argument;

	(void)event;
	must(status, "signal");
	pthread_mutex_lock(&signals->lock);
	signals->done++;
	pthread_cond_signal(&signals->news);
	pthread_mutex_unlock(&signals->lock);
}

void drill_clean_signals(struct app *app)
{
	enum { JOBS = 150, ITEMS = 128 * KIB };
	struct signals signals = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
	cl_mem v = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel work = kernel_of(app, SWEEP("serve_job"), "serve_job");
	float first;

	args(work, "bi", v, 3);
	for (int i = 0; i < JOBS; i++) {
		run(app->queue, work, ITEMS, 64);
		run(app->queue, work, ITEMS, 64);

		cl_event done = run_after(app->queue, work, ITEMS, 64, 0, NULL);

		TRY(clSetEventCallback(done, CL_COMPLETE, signal_done, &signals));
		flush(app->queue);
		DROP(done);
		pthread_mutex_lock(&signals.lock);
		while (signals.done < i - 2) /* a few jobs ahead */
			pthread_cond_wait(&signals.news, &signals.lock);
		pthread_mutex_unlock(&signals.lock);
	}
	pthread_mutex_lock(&signals.lock);
	while (signals.done < JOBS)
		pthread_cond_wait(&signals.news, &signals.lock);
	pthread_mutex_unlock(&signals.lock);
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(work);
	DROP(v);
}

/* Barriers in a queue out of order, between steps that do depend on each other. */
void drill_clean_pingpong(struct app *app)
{
	enum { STEPS = 500, ITEMS = 128 * KIB };
	cl_command_queue queue = loose_queue(app);
	cl_mem v[2] = {filled(app, ITEMS * sizeof(float), 1),
		       filled(app, ITEMS * sizeof(float), 2)};
	cl_kernel step = kernel_of(
		app,
		"kernel void diffuse(global const float *a, global float *b,\n"
		"		    int rounds)\n"
		"{\n"
		"	int i = get_global_id(0), n = get_global_size(0);\n"
		"	float x = a[i];\n"
		"	for (int r = 0; r < rounds; r++)\n"
		"		x = 0.5f * x + 0.25f * (a[(i + r) % n] + a[(i + n - r) % n]);\n"
		"	b[i] = x;\n"
		"}\n",
		"diffuse");
	float first;

	for (int i = 0; i < STEPS; i++) {
		args(step, "bbi", v[i % 2], v[1 - i % 2], 2);
		run(queue, step, ITEMS, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		if (i % 20 == 19)
			flush(queue);
	}
	finish(queue);
	get(app->queue, v[0], sizeof(first), &first);
	answer((double)first);
	DROP(step);
	DROP(v[0]);
	DROP(v[1]);
	DROP(queue);
}

/* A few programs, each built once and each needed. */
void drill_clean_modules(struct app *app)
{
	static const char *const options[] = {"-DSTAGE=0", "-DSTAGE=1", "-DSTAGE=2"};
	cl_mem v = filled(app, 512 * KIB, 3);
	cl_program programs[3];
	cl_kernel stages[3];
	float first;

	for (int i = 0; i < 3; i++) {
		programs[i] = program_new(app, SWEEP("stage"), options[i]);
		stages[i] = kernel_new(programs[i], "stage");
		args(stages[i], "bi", v, 3);
	}
	for (int i = 0; i < 900; i++) {
		run(app->queue, stages[i % 3], 128 * KIB, 64);
		if (i % 30 == 29)
			flush(app->queue);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < 3; i++) {
		DROP(stages[i]);
		DROP(programs[i]);
	}
	DROP(v);
}

/* Boxes of wide rows, now and then. */
void drill_clean_bands(struct app *app)
{
	enum { WIDTH = 1024, HEIGHT = 256, ROW = WIDTH * 4 };
	cl_mem picture = filled(app, ROW * HEIGHT, 3);
	cl_kernel shade = kernel_of(app, SWEEP("shade_band"), "shade_band");
	float *band = memory(ROW * HEIGHT);
	size_t there[3] = {256 * 4, 64, 0}, here[3] = {0}, box[3] = {512 * 4, 64, 1};

	args(shade, "bi", picture, 4);
	for (int i = 0; i < 30; i++) {
		for (int k = 0; k < 24; k++)
			run(app->queue, shade, 128 * KIB, 64);
		TRY(clEnqueueReadBufferRect(app->queue, picture, CL_FALSE, there, here, box, ROW, 0,
					    512 * 4, 0, band, 0, NULL, NULL));
		flush(app->queue);
	}
	finish(app->queue);
	answer(total(band, 16) > 0);
	DROP(shade);
	DROP(picture);
	free(band);
}

/* Another process makes what is worked on, and is asked early enough. */
void drill_clean_source(struct app *app)
{
	enum { ITEMS = 16 * KIB, MESHES = 12 };
	int ask, meshes;
	pid_t source = self_start(app, "mesh_source", &ask, &meshes);
	float *mesh = memory(2 * ITEMS * sizeof(float)), first;
	cl_mem v = buffer_new(app, ITEMS * sizeof(float));
	cl_kernel refine = kernel_of(app, SWEEP("refine_mesh"), "refine_mesh");

	args(refine, "bi", v, 4);
	if (write(ask, "m", 1) != 1)
		must(-1, "write");
	for (int i = 0; i < MESHES; i++) {
		float *own = mesh + i % 2 * ITEMS;

		read_all(meshes, own, ITEMS * sizeof(float));
		if (i < MESHES - 1 && write(ask, "m", 1) != 1)
			must(-1, "write");
		put(app->queue, v, ITEMS * sizeof(float), own);
		for (int k = 0; k < 250; k++)
			run(app->queue, refine, ITEMS, 64);
		get(app->queue, v, sizeof(first), &first);
	}
	answer((double)first);
	close(ask);
	close(meshes);
	self_end(source);
	DROP(refine);
	DROP(v);
	free(mesh);
}

/* What the device lacks is asked for once. */
void drill_clean_fallback(struct app *app)
{
	static const char *const lacking = "#error not on this device\n";
	cl_int status;
	cl_program fast =
		clCreateProgramWithSource(app->context, 1, (const char **)&lacking, NULL, &status);
	cl_mem v = filled(app, 512 * KIB, 3);
	cl_kernel plain = kernel_of(app, SWEEP("plain_sort"), "plain_sort");
	float first;

	must(status, "clCreateProgramWithSource");
	if (clBuildProgram(fast, 1, &app->device, "", NULL, NULL) == CL_SUCCESS)
		must(-1, "clBuildProgram");
	DROP(fast);
	args(plain, "bi", v, 4);
	for (int i = 0; i < 900; i++) {
		run(app->queue, plain, 128 * KIB, 64);
		if (i % 30 == 29)
			flush(app->queue);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(plain);
	DROP(v);
}

/* A batch that begins when all of it is enqueued, which takes no time. */
void drill_clean_gate(struct app *app)
{
	enum { BATCHES = 12, KERNELS = 60, ITEMS = 128 * KIB };
	cl_mem v = filled(app, ITEMS * sizeof(float), 3);
	cl_kernel work = kernel_of(app, SWEEP("gated_work"), "gated_work");
	float first;

	args(work, "bi", v, 3);
	for (int i = 0; i < BATCHES; i++) {
		cl_event gate = user_event(app);
		cl_event begun = run_after(app->queue, work, ITEMS, 64, 1, &gate);

		for (int k = 1; k < KERNELS; k++)
			run(app->queue, work, ITEMS, 64);
		flush(app->queue);
		TRY(clSetUserEventStatus(gate, CL_COMPLETE));
		DROP(begun);
		DROP(gate);
		finish(app->queue);
	}
	get(app->queue, v, sizeof(first), &first);
	answer((double)first);
	DROP(work);
	DROP(v);
}

/* Threads with a queue each, which keep the device busy between them. */

struct lane {
	const struct app *app;
	cl_program program;
	cl_mem v;
};

static void *lane_main(void *argument)
{
	struct lane *lane = argument;
	cl_command_queue queue = queue_new(lane->app, 0);
	cl_kernel work = kernel_new(lane->program, "lane_work");
	float first;

	args(work, "bi", lane->v, 3);
	for (int i = 0; i < 60; i++) {
		for (int k = 0; k < 8; k++)
			run(queue, work, 64 * KIB, 64);
		get(queue, lane->v, sizeof(first), &first);
	}
	DROP(work);
	DROP(queue);
	return NULL;
}

void drill_clean_lanes(struct app *app)
{
	struct lane lanes[3];
	cl_program program = program_new(app, SWEEP("lane_work"), "");

	for (unsigned i = 0; i < 3; i++)
		lanes[i] = (struct lane){app, program, filled(app, 256 * KIB, i)};
	threads_run(3, lane_main, lanes, sizeof(*lanes));
	answer(3);
	for (int i = 0; i < 3; i++)
		DROP(lanes[i].v);
	DROP(program);
}
