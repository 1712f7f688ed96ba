/* SPDX-License-Identifier: MIT */
/* Programs without a fault, with something in each that may look like one. */
#include "trials.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char krylov_source[] =
	"kernel void product(global const float *x, global float *y, int n, float shift)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 4 * x[i];\n"
	"	for (int d = 1; d < 24; d++)\n"
	"		sum += (x[max(i - d, 0)] + x[min(i + d, n - 1)]) / (8 * d) * shift;\n"
	"	y[i] = sum;\n"
	"}\n"
	"kernel void partial(global const float *y, global float *sums, int each)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int j = 0; j < each; j++)\n"
	"		sum += y[i * each + j] * 0.001f;\n"
	"	sums[i] = sum;\n"
	"}\n";

/* An iterative solver: the next step's shift is made of the sums of this one's result, so that the
 * host has to wait for them, a small read in each step. */
void trial_clean_krylov(struct app *app)
{
	enum { n = 256 * KIB, bytes = n * sizeof(float), parts = 256, steps = 100 };
	cl_program program = program_new(app, krylov_source, "");
	cl_kernel product = kernel_new(program, "product"),
		  partial = kernel_new(program, "partial");
	cl_mem x = buffer_new(app, bytes), y = buffer_new(app, bytes);
	cl_mem sums = buffer_new(app, parts * sizeof(float));
	float *data = floats(n, 60), part[parts];
	double shift = 1, sum = 0;

	put_now(app->queue, x, bytes, data);
	args(partial, "bbi", y, sums, n / parts);
	for (int i = 0; i < steps; i++) {
		args(product, "bbif", x, y, n, shift);
		run(app->queue, product, n, 64);
		run(app->queue, partial, parts, 16);
		get(app->queue, sums, sizeof(part), part);
		shift = 1 / (1 + total(part, parts) * 0.001 + i * 0.01);
		sum += shift;
	}
	answer(sum);
	DROP(product);
	DROP(partial);
	DROP(program);
	DROP(x);
	DROP(y);
	DROP(sums);
	free(data);
}

struct intake {
	sem_t full[2], empty[2];
	float *place[2];
	size_t items;
	int count;
};

static void *intake_run(void *pointer)
{
	struct intake *in = pointer;

	for (int i = 0; i < in->count; i++) {
		sem_wait(&in->empty[i % 2]);
		for (size_t j = 0; j < in->items; j += 8)
			in->place[i % 2][j] = (float)((size_t)i * j % 1009);
		sem_post(&in->full[i % 2]);
	}
	return NULL;
}

/* A thread fills one of two places while the device has what was in the other; it waits for the
 * device most of the time, as it has to. */
void trial_clean_ingest(struct app *app)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), count = 160 };
	struct intake in = {
		.place = {memory(bytes), memory(bytes)}, .items = items, .count = count};
	cl_kernel digest = kernel_of(app, MIX("digest"), "digest");
	cl_mem stomach[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	cl_event up[2] = {NULL, NULL};
	float *data = memory(bytes);
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		sem_init(&in.full[i], 0, 0);
		sem_init(&in.empty[i], 0, 1);
	}
	pthread_create(&thread, NULL, intake_run, &in);
	for (int i = 0; i < count; i++) {
		int at = i % 2;

		sem_wait(&in.full[at]);
		up[at] = put_after(app->queue, stomach[at], bytes, in.place[at], 0, NULL);
		args(digest, "bi", stomach[at], 36);
		run(app->queue, digest, items, 64);
		flush(app->queue);
		if (!i)
			continue;
		settle(up[1 - at]);
		sem_post(&in.empty[1 - at]);
	}
	settle(up[(count - 1) % 2]);
	pthread_join(thread, NULL);
	get(app->queue, stomach[(count - 1) % 2], bytes, data);
	answer(total(data, items));
	DROP(digest);
	for (int i = 0; i < 2; i++) {
		DROP(stomach[i]);
		free(in.place[i]);
	}
	free(data);
}

/* Three programs, each built once and with a kernel of its own, all of which the steps need. */
void trial_clean_phases(struct app *app)
{
	enum { items = 128 * KIB, steps = 100, bytes = items * sizeof(float) };
	cl_kernel kernels[3] = {kernel_of(app, MIX("push"), "push"),
				kernel_of(app, MIX("deposit"), "deposit"),
				kernel_of(app, MIX("field"), "field")};
	cl_mem plasma = buffer_new(app, bytes);
	float *data = floats(items, 61);

	put_now(app->queue, plasma, bytes, data);
	for (int i = 0; i < steps; i++)
		for (int j = 0; j < 3; j++) {
			args(kernels[j], "bi", plasma, 4 + j);
			run(app->queue, kernels[j], items, 64);
		}
	get(app->queue, plasma, bytes, data);
	answer(total(data, items));
	for (int j = 0; j < 3; j++)
		DROP(kernels[j]);
	DROP(plasma);
	free(data);
}

/* A wavefront in a queue without order: a barrier after each front, and each front needs all of the
 * one before. */
void trial_clean_wavefront(struct app *app)
{
	enum { items = 128 * KIB, fronts = 200, bytes = items * sizeof(float) };
	cl_command_queue queue = loose_queue(app);
	cl_kernel front = kernel_of(app, MIX("front"), "front");
	cl_mem table = buffer_new(app, bytes);
	float *data = floats(items, 62);

	put_now(queue, table, bytes, data);
	args(front, "bi", table, 8);
	for (int i = 0; i < fronts; i++) {
		run(queue, front, items, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
	}
	get(queue, table, bytes, data);
	answer(total(data, items));
	DROP(front);
	DROP(table);
	DROP(queue);
	free(data);
}

/* Levels of a tree, each with a buffer and a kernel object of its own, made in a loop; all of them
 * live until the end. */
void trial_clean_arena(struct app *app)
{
	enum { levels = 48, items = 32 * KIB, bytes = items * sizeof(float), passes = 4 };
	cl_program program = program_new(app, MIX("level"), "");
	cl_kernel kernel[levels];
	cl_mem level[levels];
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < levels; i++) {
		level[i] = buffer_new(app, bytes);
		kernel[i] = kernel_new(program, "level");
		args(kernel[i], "bi", level[i], 14 + i / 4);
		refill(data, items, i);
		put_now(app->queue, level[i], bytes, data);
	}
	for (int i = 0; i < passes * levels; i++)
		run(app->queue, kernel[i % levels], items, 64);
	for (int i = 0; i < levels; i++) {
		get(app->queue, level[i], bytes, data);
		sum += total(data, items);
		DROP(level[i]);
		DROP(kernel[i]);
	}
	answer(sum);
	DROP(program);
	free(data);
}

/* A plate of metal whose border is looked at, a rectangle of few bytes a row, after every 20th
 * step; it costs next to nothing. */
void trial_clean_border(struct app *app)
{
	enum { w = 512, h = 256, items = w * h, steps = 240, bytes = items * sizeof(float) };
	cl_kernel roll = kernel_of(app, MIX("roll"), "roll");
	cl_mem plate = buffer_new(app, bytes);
	float *data = floats(items, 63), border[h * 2];
	double sum = 0;

	put_now(app->queue, plate, bytes, data);
	args(roll, "bi", plate, 8);
	for (int i = 0; i < steps; i++) {
		const size_t origin[3] = {0, 0, 0}, part[3] = {2 * sizeof(float), h, 1};

		run(app->queue, roll, items, 64);
		if (i % 20 != 19)
			continue;
		TRY(clEnqueueReadBufferRect(app->queue, plate, CL_TRUE, origin, origin, part,
					    w * sizeof(float), 0, 0, 0, border, 0, NULL, NULL));
		sum += total(border, (size_t)h * 2);
	}
	answer(sum);
	DROP(roll);
	DROP(plate);
	free(data);
}

struct lane {
	struct app *app;
	cl_command_queue queue;
	cl_kernel kernel;
	int number;
	double sum;
};

static void *lane_run(void *pointer)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), cars = 60 };
	struct lane *lane = pointer;
	cl_mem road = buffer_new(lane->app, bytes);
	float *data = memory(bytes);

	args(lane->kernel, "bi", road, 30);
	for (int i = 0; i < cars; i++) {
		refill(data, items / 2, i * 3 + lane->number);
		put_now(lane->queue, road, bytes, data);
		run(lane->queue, lane->kernel, items, 64);
		get(lane->queue, road, bytes, data);
		lane->sum += (double)data[i];
	}
	DROP(road);
	free(data);
	return NULL;
}

/* Three threads with blocking calls, each with a queue of its own: while one waits or fills, the
 * others' kernels have the device. */
void trial_clean_lanes(struct app *app)
{
	enum { count = 3 };
	cl_program program = program_new(app, MIX("drive"), "");
	struct lane lanes[count];
	double sum = 0;

	for (int i = 0; i < count; i++)
		lanes[i] =
			(struct lane){app, queue_new(app, 0), kernel_new(program, "drive"), i, 0};
	threads_run(count, lane_run, lanes, sizeof(*lanes));
	for (int i = 0; i < count; i++) {
		sum += lanes[i].sum;
		DROP(lanes[i].queue);
		DROP(lanes[i].kernel);
	}
	answer(sum);
	DROP(program);
}

static void CL_CALLBACK signal_done(cl_event event, cl_int status, void *ready)
{
	(void)event, (void)status;
	sem_post(ready);
}

/* The callback of each read only posts a semaphore; three reads are under way, and the program's
 * thread sleeps until there is one. */
void trial_clean_signal(struct app *app)
{
	enum { items = 96 * KIB, shown = 256, ahead = 3, count = 200 };
	cl_kernel sense = kernel_of(app, MIX("sense"), "sense");
	cl_mem field = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 64), seen[ahead][shown];
	double sum = 0;
	sem_t ready;

	sem_init(&ready, 0, 0);
	put_now(app->queue, field, items * sizeof(float), data);
	args(sense, "bi", field, 12);
	for (int i = 0; i < count + ahead; i++) {
		if (i >= ahead) {
			sem_wait(&ready);
			sum += (double)seen[i % ahead][i % shown];
		}
		if (i >= count)
			continue;
		run(app->queue, sense, items, 64);

		cl_event read =
			get_after(app->queue, field, sizeof(seen[0]), seen[i % ahead], 0, NULL);

		TRY(clSetEventCallback(read, CL_COMPLETE, signal_done, &ready));
		flush(app->queue);
		DROP(read);
	}
	answer(sum);
	DROP(sense);
	DROP(field);
	free(data);
}

/* Weights go to the device anew in each step of a descent. They are as many as before, and most of
 * them are hardly different, but no two steps have the same. */
void trial_clean_descent(struct app *app)
{
	enum { weights = 16 * KIB, small = weights * sizeof(float), items = 128 * KIB };
	enum { steps = 120 };
	cl_kernel loss = kernel_of(app, MIX("loss"), "loss");
	cl_mem net = buffer_new(app, small), work = buffer_new(app, items * sizeof(float));
	float *w = floats(weights, 65), *data = floats(items, 66), gradient[64];
	double sum = 0;

	put_now(app->queue, work, items * sizeof(float), data);
	args(loss, "bi", work, 12);
	for (int i = 0; i < steps; i++) {
		put(app->queue, net, small, w);
		TRY(clEnqueueCopyBuffer(app->queue, net, work, 0, 0, small, 0, NULL, NULL));
		run(app->queue, loss, items, 64);
		get_from(app->queue, work, 0, sizeof(gradient), gradient);
		for (int j = 0; j < 64; j++)
			w[(i * 97 + j * 211) % weights] -= 0.01f * gradient[j];
		sum += (double)gradient[i % 64];
	}
	answer(sum);
	DROP(loss);
	DROP(net);
	DROP(work);
	free(w);
	free(data);
}

/* The host paints into one of two mapped canvases, while the device works on the other one; a map
 * and an unmap for each picture. */
void trial_clean_canvas(struct app *app)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), pictures = 140 };
	cl_kernel glaze = kernel_of(app, MIX("glaze"), "glaze");
	cl_mem canvas[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	cl_event mapped[2] = {NULL, NULL};
	float *paint[2], *data = memory(bytes);
	double sum = 0;
	cl_int status;

	for (int i = 0; i < pictures + 2; i++) {
		int at = i % 2;

		if (i >= 2) {
			settle(mapped[at]);
			sum += (double)paint[at][i];
		} else {
			paint[at] =
				clEnqueueMapBuffer(app->queue, canvas[at], CL_TRUE, CL_MAP_WRITE, 0,
						   bytes, 0, NULL, NULL, &status);
			must(status, "clEnqueueMapBuffer");
		}
		if (i < pictures)
			refill(paint[at], items / 8, i);
		TRY(clEnqueueUnmapMemObject(app->queue, canvas[at], paint[at], 0, NULL, NULL));
		if (i >= pictures)
			continue;
		args(glaze, "bi", canvas[at], 40);
		run(app->queue, glaze, items, 64);
		paint[at] = clEnqueueMapBuffer(app->queue, canvas[at], CL_FALSE,
					       CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
					       &mapped[at], &status);
		must(status, "clEnqueueMapBuffer");
		flush(app->queue);
	}
	answer(sum);
	DROP(glaze);
	DROP(canvas[0]);
	DROP(canvas[1]);
	free(data);
}

/* A kernel of many groups, and one of a single group that has the last 64 numbers, after each
 * other: the small one takes too little time to matter. */
void trial_clean_tail(struct app *app)
{
	enum { items = 160 * KIB, last = 64, rounds = 160, bytes = items * sizeof(float) };
	cl_program program = program_new(app, MIX("sum_blocks") MIX("sum_last"), "");
	cl_kernel blocks = kernel_new(program, "sum_blocks"), end = kernel_new(program, "sum_last");
	cl_mem numbers = buffer_new(app, bytes);
	float *data = floats(items, 67);

	put_now(app->queue, numbers, bytes, data);
	args(blocks, "bi", numbers, 8);
	args(end, "bi", numbers, 8);
	for (int i = 0; i < rounds; i++) {
		run(app->queue, blocks, items, 64);
		run(app->queue, end, last, 64);
	}
	get(app->queue, numbers, bytes, data);
	answer(total(data, items));
	DROP(blocks);
	DROP(end);
	DROP(program);
	DROP(numbers);
	free(data);
}

struct dog {
	pthread_mutex_t lock;
	pthread_cond_t fed;
	bool over;
	int barks;
};

/* Looks after the program every 20 ms, and sleeps otherwise. */
static void *dog_watch(void *pointer)
{
	struct dog *dog = pointer;
	struct timespec until;

	pthread_mutex_lock(&dog->lock);
	while (!dog->over) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		dog->barks += pthread_cond_timedwait(&dog->fed, &dog->lock, &until) != 0;
	}
	pthread_mutex_unlock(&dog->lock);
	return NULL;
}

/* Until it is told to quit. */
static void *orders_read(void *pointer)
{
	char order = 0;

	while (read(*(int *)pointer, &order, 1) == 1 && order != 'q')
		continue;
	return NULL;
}

/* A long run under a watchdog, and beside a thread that reads orders from a pipe that has none
 * until the end: both of them sleep, and cost nothing. */
void trial_clean_watchdog(struct app *app)
{
	enum { items = 128 * KIB, steps = 220, bytes = items * sizeof(float) };
	struct dog dog = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};
	cl_kernel orbit = kernel_of(app, MIX("orbit"), "orbit");
	cl_mem bodies = buffer_new(app, bytes);
	float *data = floats(items, 68);
	pthread_t threads[2];
	int ends[2];

	if (pipe(ends))
		must(-1, "pipe");
	pthread_create(&threads[0], NULL, dog_watch, &dog);
	pthread_create(&threads[1], NULL, orders_read, &ends[0]);
	put_now(app->queue, bodies, bytes, data);
	args(orbit, "bi", bodies, 8);
	for (int i = 0; i < steps; i++) {
		run(app->queue, orbit, items, 64);
		if (i % 10 == 9)
			flush(app->queue);
	}
	get(app->queue, bodies, bytes, data);
	pthread_mutex_lock(&dog.lock);
	dog.over = true;
	pthread_cond_signal(&dog.fed);
	pthread_mutex_unlock(&dog.lock);
	if (write(ends[1], "q", 1) != 1)
		must(-1, "write");
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		close(ends[i]);
	}
	answer(total(data, items));
	DROP(orbit);
	DROP(bodies);
	free(data);
}
