/* SPDX-License-Identifier: MIT */
/* Programs that have nothing wrong, and are near to what has. */
#include "finals.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Newton's method: each step is chosen by the residual of the last, so that it must be read; the
 * kernels between are long. */

static const char *const residual_source =
	"kernel void residual(global const float *v, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0), k = n / (int)get_global_size(0);\n"
	"	float s = 0;\n"
	"	for (int j = 0; j < k; j++)\n"
	"		s += v[j * get_global_size(0) + i];\n"
	"	out[i] = s / k;\n"
	"}\n";

void final_clean_newton(struct app *app)
{
	enum { N = 1 << 18, STEPS = 64, PARTS = 2048 };
	float *x = floats(N, 1), *parts = floats(PARTS, 2);
	cl_mem v = loaded(app, N * 4, x), r = buffer_new(app, PARTS * 4);
	cl_program program = program_new(app, MIX("iterate"), ""),
		   reduce = program_new(app, residual_source, "");
	cl_kernel iterate = kernel_new(program, "iterate"), norm = kernel_new(reduce, "residual");
	int rounds = 5;

	args(norm, "bbi", v, r, N);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 4; i++) {
			args(iterate, "bi", v, rounds);
			run(app->queue, iterate, N, 64);
		}
		run(app->queue, norm, PARTS, 64);
		get(app->queue, r, PARTS * 4, parts);
		rounds = total(parts, PARTS) > PARTS / 2 ? 5 : 6;
	}
	get(app->queue, v, N * 4, x);
	answer(total(x, N));
	DROP(iterate);
	DROP(norm);
	DROP(program);
	DROP(reduce);
	DROP(v);
	DROP(r);
}

/* Video by three queues and three slots. */

void final_clean_video(struct app *app)
{
	enum { N = 1 << 17, FRAMES = 400, SLOTS = 3 };
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	cl_kernel scale = kernel_of(app, MIX("scale"), "scale");
	float *in[SLOTS], *out[SLOTS];
	cl_mem slots[SLOTS];
	cl_event read[SLOTS] = {NULL};
	double sum = 0;

	for (unsigned i = 0; i < SLOTS; i++) {
		slots[i] = buffer_new(app, N * 4);
		in[i] = floats(N, i);
		out[i] = floats(N, i);
	}
	for (int frame = 0; frame < FRAMES; frame++) {
		int slot = frame % SLOTS;
		cl_event written, scaled;

		if (read[slot]) {
			settle(read[slot]);
			sum += (double)out[slot][frame];
		}
		refill(in[slot], N, frame);
		written = put_after(up, slots[slot], N * 4, in[slot], 0, NULL);
		flush(up);
		args(scale, "bi", slots[slot], 4);
		scaled = run_after(app->queue, scale, N, 64, 1, &written);
		flush(app->queue);
		read[slot] = get_after(down, slots[slot], N * 4, out[slot], 1, &scaled);
		flush(down);
		DROP(written);
		DROP(scaled);
	}
	for (int i = 0; i < SLOTS; i++) {
		settle(read[i]);
		DROP(slots[i]);
	}
	answer(sum);
	DROP(scale);
	DROP(up);
	DROP(down);
}

/* A server: two threads with a queue, a kernel and buffers of their own, kept for all requests. */

struct service {
	struct app *app;
	cl_kernel kernel;
	int number;
	double sum;
};

static void *service_run(void *data)
{
	enum { N = 1 << 16, REQUESTS = 120 };
	struct service *service = data;
	cl_command_queue queue = queue_new(service->app, 0);
	float *request = floats(N, 1), *reply = floats(N, 2);
	cl_mem v = buffer_new(service->app, N * 4);

	args(service->kernel, "bi", v, 20);
	for (int i = 0; i < REQUESTS; i++) {
		refill(request, N, i * 2 + service->number);
		put(queue, v, N * 4, request);
		run(queue, service->kernel, N, 64);
		get(queue, v, N * 4, reply);
		service->sum += (double)reply[i];
	}
	free(request);
	free(reply);
	DROP(v);
	DROP(queue);
	return NULL;
}

void final_clean_server(struct app *app)
{
	struct service services[2];

	app->program = program_new(app, MIX("serve"), "");
	for (int i = 0; i < 2; i++)
		services[i] = (struct service){app, kernel_new(app->program, "serve"), i, 0};
	threads_run(2, service_run, services, sizeof(services[0]));
	answer(services[0].sum + services[1].sum);
	DROP(services[0].kernel);
	DROP(services[1].kernel);
}

/* A library of operators: several programs, each other in source, built once, with all kernels that
 * they have. */

void final_clean_operators(struct app *app)
{
	enum { N = 1 << 17, PROGRAMS = 4, ROUNDS = 60 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel kernels[PROGRAMS];
	cl_program programs[PROGRAMS];

	for (int i = 0; i < PROGRAMS; i++) {
		char source[4096];

		snprintf(source, sizeof(source), "%skernel void op%d_copy(global float *v)\n{\n}\n",
			 MIX("operate"), i);
		programs[i] = program_new(app, source, "");
		kernels[i] = kernel_new(programs[i], "operate");
		args(kernels[i], "bi", v, 7 + 3 * i);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < PROGRAMS; i++)
			run(app->queue, kernels[i], N, 64);
	get(app->queue, v, N * 4, data);
	answer(total(data, N));
	for (int i = 0; i < PROGRAMS; i++) {
		DROP(kernels[i]);
		DROP(programs[i]);
	}
	DROP(v);
}

/* Training: the parameters change in each epoch, by the host, from what the device found. */

void final_clean_epochs(struct app *app)
{
	enum { N = 1 << 18, PARAMETERS = 256, EPOCHS = 160 };
	float *samples = floats(N, 1), *parameters = floats(PARAMETERS, 2);
	cl_mem v = loaded(app, N * 4, samples), p = buffer_new(app, PARAMETERS * 4);
	cl_kernel fit = kernel_of(app, MIX("fit"), "fit");

	for (int epoch = 0; epoch < EPOCHS; epoch++) {
		put(app->queue, p, PARAMETERS * 4, parameters);
		args(fit, "bi", p, 10);
		run(app->queue, fit, PARAMETERS, 64);
		args(fit, "bi", v, 7);
		run(app->queue, fit, N, 64);
		get(app->queue, p, PARAMETERS * 4, parameters);
		for (int i = 0; i < PARAMETERS; i++)
			parameters[i] = parameters[i] * 0.9f + 0.05f;
	}
	finish(app->queue);
	answer(total(parameters, PARAMETERS));
	DROP(fit);
	DROP(v);
	DROP(p);
}

/* A pool of buffers and events: all that is made at the start is released at the end. */

void final_clean_pool(struct app *app)
{
	enum { N = 1 << 16, POOL = 16, JOBS = 800 };
	float *data = floats(N, 1);
	cl_mem pool[POOL];
	cl_event events[POOL] = {NULL};
	cl_kernel crunch = kernel_of(app, MIX("crunch"), "crunch");

	for (int i = 0; i < POOL; i++)
		pool[i] = loaded(app, N * 4, data);
	for (int job = 0; job < JOBS; job++) {
		int at = (int)((unsigned)job * 2654435761u >> 28);

		if (events[at])
			DROP(events[at]);
		args(crunch, "bi", pool[at], 8);
		events[at] = run_after(app->queue, crunch, N, 64, 0, NULL);
		if (job % 50 == 49)
			flush(app->queue);
	}
	finish(app->queue);
	get(app->queue, pool[3], N * 4, data);
	answer(total(data, N));
	for (int i = 0; i < POOL; i++) {
		if (events[i])
			DROP(events[i]);
		DROP(pool[i]);
	}
	DROP(crunch);
}

/* A film of a simulation: each state that is read is used, by a checksum that is cheap, and many
 * steps are between two of them. */

void final_clean_movie(struct app *app)
{
	enum { N = 1 << 17, PICTURES = 45, STEPS = 8 };
	float *state = floats(N, 1);
	cl_mem v = loaded(app, N * 4, state);
	cl_kernel move = kernel_of(app, MIX("move_all"), "move_all");
	double sum = 0;

	args(move, "bi", v, 6);
	for (int picture = 0; picture < PICTURES; picture++) {
		for (int i = 0; i < STEPS; i++)
			run(app->queue, move, N, 64);
		get(app->queue, v, N * 4, state);
		sum += total(state, N);
	}
	answer(sum);
	DROP(move);
	DROP(v);
}

/* Stages in a queue that keeps no order, each after the one it needs, by events: two chains that
 * meet at the end. */

void final_clean_stages(struct app *app)
{
	enum { N = 1 << 16, STAGES = 200 };
	float *data = floats(N, 1);
	cl_command_queue queue = unordered_queue(app);
	cl_program program = program_new(app, MIX("stage"), "");
	cl_mem chains[2] = {loaded(app, N * 4, data), loaded(app, N * 4, data)};
	cl_kernel kernels[2] = {kernel_new(program, "stage"), kernel_new(program, "stage")};
	cl_event before[2] = {NULL, NULL};

	for (int i = 0; i < 2; i++)
		args(kernels[i], "bi", chains[i], 13);
	for (int stage = 0; stage < STAGES; stage++)
		for (int i = 0; i < 2; i++) {
			cl_event next =
				run_after(queue, kernels[i], N, 64, before[i] ? 1 : 0, &before[i]);

			if (before[i])
				DROP(before[i]);
			before[i] = next;
		}
	TRY(clEnqueueBarrierWithWaitList(queue, 2, before, NULL));
	args(kernels[0], "bi", chains[1], 5);
	run(queue, kernels[0], N, 64);
	finish(queue);
	get(queue, chains[1], N * 4, data);
	answer(total(data, N));
	for (int i = 0; i < 2; i++) {
		DROP(before[i]);
		DROP(kernels[i]);
		DROP(chains[i]);
	}
	DROP(program);
	DROP(queue);
}

/* Callbacks that only count, and a thread that waits until all have come. */

struct counter {
	pthread_mutex_t lock;
	pthread_cond_t all;
	int left;
};

static void CL_CALLBACK counter_down(cl_event event, cl_int status, void *data)
{
	struct counter *counter = data;

	(void)event;
	must(status, "job");
	pthread_mutex_lock(&counter->lock);
	if (!--counter->left)
		pthread_cond_signal(&counter->all);
	pthread_mutex_unlock(&counter->lock);
}

void final_clean_callbacks(struct app *app)
{
	enum { N = 1 << 17, JOBS = 400 };
	struct counter counter = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, JOBS};
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel work = kernel_of(app, MIX("work"), "work");

	args(work, "bi", v, 6);
	for (int i = 0; i < JOBS; i++) {
		cl_event done = run_after(app->queue, work, N, 64, 0, NULL);

		TRY(clSetEventCallback(done, CL_COMPLETE, counter_down, &counter));
		DROP(done);
		if (i % 10 == 0)
			flush(app->queue);
	}
	flush(app->queue);
	pthread_mutex_lock(&counter.lock);
	while (counter.left)
		pthread_cond_wait(&counter.all, &counter.lock);
	pthread_mutex_unlock(&counter.lock);
	get(app->queue, v, N * 4, data);
	answer(total(data, N));
	DROP(work);
	DROP(v);
}

/* Two staging buffers, so that one is filled while the other is used. */

void final_clean_halves(struct app *app)
{
	enum { N = 1 << 17, BLOCKS = 450 };
	cl_command_queue loads = queue_new(app, 0);
	float *in[2] = {floats(N, 1), floats(N, 2)}, *out = floats(N, 3);
	cl_mem halves[2] = {buffer_new(app, N * 4), buffer_new(app, N * 4)};
	cl_event used[2] = {NULL, NULL};
	cl_kernel fir = kernel_of(app, MIX("fir"), "fir");

	for (int block = 0; block < BLOCKS; block++) {
		int at = block % 2;
		cl_event come;

		if (used[at])
			settle(used[at]); /* so that `in` may be filled as well */
		refill(in[at], N, block);
		come = put_after(loads, halves[at], N * 4, in[at], 0, NULL);
		flush(loads);
		args(fir, "bi", halves[at], 5);
		used[at] = run_after(app->queue, fir, N, 64, 1, &come);
		flush(app->queue);
		DROP(come);
	}
	for (int i = 0; i < 2; i++)
		settle(used[i]);
	get(app->queue, halves[0], N * 4, out);
	answer(total(out, N));
	DROP(halves[0]);
	DROP(halves[1]);
	DROP(fir);
	DROP(loads);
}

/* A filter of an image in good groups, whose border is done by a kernel of few. */

void final_clean_filter(struct app *app)
{
	enum { N = 1 << 18, BORDER = 256, FRAMES = 120 };
	float *image = floats(N, 1);
	cl_mem v = loaded(app, N * 4, image), b = loaded(app, BORDER * 4, image);
	cl_program program = program_new(app, MIX("inner") MIX("border"), "");
	cl_kernel inner = kernel_new(program, "inner"), border = kernel_new(program, "border");

	args(inner, "bi", v, 8);
	args(border, "bi", b, 2);
	for (int frame = 0; frame < FRAMES; frame++) {
		run(app->queue, inner, N, 64);
		run(app->queue, border, BORDER, 16);
	}
	get(app->queue, v, N * 4, image);
	answer(total(image, N));
	DROP(inner);
	DROP(border);
	DROP(program);
	DROP(v);
	DROP(b);
}

/* Two workers that wait for their turn by a condition, and use the device for most of the time. */

struct turns {
	struct app *app;
	pthread_mutex_t lock;
	pthread_cond_t next;
	int turn;
	cl_mem v;
	cl_kernel kernel;
};

struct turn_worker {
	struct turns *turns;
	int number;
};

static void *turn_run(void *data)
{
	enum { N = 1 << 16, TURNS = 200 };
	const struct turn_worker *worker = data;
	struct turns *turns = worker->turns;
	cl_command_queue queue = queue_new(turns->app, 0);

	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&turns->lock);
		while (turns->turn % 2 != worker->number)
			pthread_cond_wait(&turns->next, &turns->lock);
		pthread_mutex_unlock(&turns->lock);
		for (int k = 0; k < 3; k++)
			run(queue, turns->kernel, N, 64);
		finish(queue);
		pthread_mutex_lock(&turns->lock);
		turns->turn++;
		pthread_cond_broadcast(&turns->next);
		pthread_mutex_unlock(&turns->lock);
	}
	DROP(queue);
	return NULL;
}

void final_clean_workers(struct app *app)
{
	enum { N = 1 << 16 };
	float *data = floats(N, 1);
	struct turns turns = {
		app, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
		0,   loaded(app, N * 4, data),	kernel_of(app, MIX("share"), "share")};
	struct turn_worker workers[2] = {{&turns, 0}, {&turns, 1}};

	args(turns.kernel, "bi", turns.v, 5);
	threads_run(2, turn_run, workers, sizeof(workers[0]));
	get(app->queue, turns.v, N * 4, data);
	answer(total(data, N));
	DROP(turns.kernel);
	DROP(turns.v);
}
