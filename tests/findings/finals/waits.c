/* SPDX-License-Identifier: MIT */
/* Waits that need not be: after commands, for nothing, in loops. */
#include "finals.h"

#include <pthread.h>
#include <stdatomic.h>

/* A solver of the Poisson equation, whose library has a debug check that was left on. */

static const char *const jacobi_source =
	"kernel void sweep(global const float *u, global float *w, global const float *f, int n)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % n, y = i / n;\n"
	"	float s = 0;\n"
	"	if (x > 0) s += u[i - 1];\n"
	"	if (x < n - 1) s += u[i + 1];\n"
	"	if (y > 0) s += u[i - n];\n"
	"	if (y < n - 1) s += u[i + n];\n"
	"	w[i] = 0.25f * (s - f[i]);\n"
	"}\n";

struct solver {
	cl_command_queue queue;
	cl_kernel sweep;
	bool checked;
};

static void solver_check(const struct solver *solver)
{
	if (solver->checked)
		finish(solver->queue);
}

static void solver_sweep(const struct solver *solver, cl_mem from, cl_mem to, cl_mem f, int n)
{
	args(solver->sweep, "bbbi", from, to, f, n);
	run(solver->queue, solver->sweep, (size_t)n * (size_t)n, 64);
	solver_check(solver);
}

void final_jacobi_sweeps(struct app *app)
{
	enum { N = 64, SWEEPS = 6000 };
	float *field = floats(N * N, 7);
	cl_mem u = loaded(app, N * N * 4, field), w = loaded(app, N * N * 4, field),
	       f = loaded(app, N * N * 4, field);
	struct solver solver = {app->queue, kernel_of(app, jacobi_source, "sweep"), !app->repaired};

	for (int i = 0; i < SWEEPS; i += 2) {
		solver_sweep(&solver, u, w, f, N);
		solver_sweep(&solver, w, u, f, N);
		if (i % 100 == 98)
			finish(app->queue); /* no more than that at once */
	}
	get(app->queue, u, N * N * 4, field);
	answer(total(field, N * N));
	DROP(solver.sweep);
	DROP(u);
	DROP(w);
	DROP(f);
}

/* Inference of many small layers; forward() of each returns when its layer is done. */

static const char *const dense_source =
	"kernel void dense(global const float *in, global float *out, global const float *w, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float s = 0;\n"
	"	for (int k = 0; k < n; k++)\n"
	"		s += in[k] * w[k * n + i];\n"
	"	out[i] = fmax(s / n, 0.01f * s);\n"
	"}\n";

struct layer {
	cl_kernel kernel;
	cl_mem weights;
	int width;
};

static void layer_forward(const struct layer *layer, cl_command_queue queue, cl_mem in, cl_mem out,
			  bool is_last)
{
	cl_event done;

	args(layer->kernel, "bbbi", in, out, layer->weights, layer->width);
	done = run_after(queue, layer->kernel, (size_t)layer->width, 64, 0, NULL);
	if (is_last)
		TRY(clWaitForEvents(1, &done));
	forget(done);
}

void final_network_layers(struct app *app)
{
	enum { WIDTH = 128, LAYERS = 24, REQUESTS = 250 };
	float *weights = floats(WIDTH * WIDTH, 3), *input = floats(WIDTH, 5), sum = 0;
	cl_mem two[2] = {buffer_new(app, WIDTH * 4), buffer_new(app, WIDTH * 4)};
	struct layer layers[LAYERS];
	cl_program program = program_new(app, dense_source, "");

	for (int i = 0; i < LAYERS; i++)
		layers[i] = (struct layer){kernel_new(program, "dense"),
					   loaded(app, WIDTH * WIDTH * 4, weights), WIDTH};
	for (int request = 0; request < REQUESTS; request++) {
		refill(input, WIDTH, request);
		put(app->queue, two[0], WIDTH * 4, input);
		for (int i = 0; i < LAYERS; i++)
			layer_forward(&layers[i], app->queue, two[i % 2], two[(i + 1) % 2],
				      !app->repaired || i == LAYERS - 1);
		get(app->queue, two[0], WIDTH * 4, input);
		sum += input[1];
	}
	answer((double)sum);
	for (int i = 0; i < LAYERS; i++) {
		DROP(layers[i].kernel);
		DROP(layers[i].weights);
	}
	DROP(program);
	DROP(two[0]);
	DROP(two[1]);
}

/* Conjugate-gradient-like steps: the residual is asked for in each, though it only decides whether
 * to go on, which may be known some steps later. */

static const char *const descent_source =
	"kernel void descend(global float *x, global const float *b, global float *r, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float left = i ? x[i - 1] : 0, right = i < n - 1 ? x[i + 1] : 0;\n"
	"	r[i] = b[i] - (2.5f * x[i] - left - right);\n"
	"	x[i] += 0.2f * r[i];\n"
	"}\n"
	"kernel void norm(global const float *r, global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0), k = n / (int)get_global_size(0);\n"
	"	float s = 0;\n"
	"	for (int j = 0; j < k; j++)\n"
	"		s += r[i * k + j] * r[i * k + j];\n"
	"	out[i] = s;\n"
	"}\n";

static bool residual_is_small(cl_command_queue queue, cl_mem norms)
{
	float parts[32];

	get(queue, norms, sizeof(parts), parts);
	return total(parts, 32) < 0;
}

void final_cg_residual(struct app *app)
{
	enum { N = 8192, STEPS = 4000 };
	int every = app->repaired ? 50 : 1;
	float *b = floats(N, 9);
	cl_mem x = loaded(app, N * 4, b), rhs = loaded(app, N * 4, b), r = buffer_new(app, N * 4),
	       norms = buffer_new(app, 32 * 4);
	cl_program program = program_new(app, descent_source, "");
	cl_kernel descend = kernel_new(program, "descend"), norm = kernel_new(program, "norm");

	args(descend, "bbbi", x, rhs, r, N);
	args(norm, "bbi", r, norms, N);
	for (int step = 1; step <= STEPS; step++) {
		run(app->queue, descend, N, 64);
		run(app->queue, norm, 32, 16);
		if (step % every == 0 && residual_is_small(app->queue, norms))
			break;
	}
	get(app->queue, x, N * 4, b);
	answer(total(b, N));
	DROP(descend);
	DROP(norm);
	DROP(program);
	DROP(x);
	DROP(rhs);
	DROP(r);
	DROP(norms);
}

/* A class of fields, of which each setter makes sure that the device is done. */

struct field {
	cl_command_queue queue;
	bool safe;
	float spacing[3], origin[3], scale;
};

static void field_quiet(struct field *field)
{
	if (field->safe)
		finish(field->queue);
}

static void field_set(struct field *field, float *member, float value)
{
	field_quiet(field);
	*member = value;
}

void final_field_setters(struct app *app)
{
	enum { N = 2048, FIELDS = 60, STEPS = 1000 };
	struct field fields[FIELDS];
	float *data = floats(N, 2);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel advect = kernel_of(app, MIX("advect"), "advect");

	args(advect, "bi", v, 20);
	for (int i = 0; i < FIELDS; i++)
		fields[i] = (struct field){.queue = app->queue, .safe = !app->repaired};
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, advect, N, 64);
		finish(app->queue);
		for (int i = 0; i < FIELDS; i++) {
			for (int d = 0; d < 3; d++) {
				field_set(&fields[i], &fields[i].spacing[d], 0.1f);
				field_set(&fields[i], &fields[i].origin[d], (float)step);
			}
			field_set(&fields[i], &fields[i].scale, 1);
		}
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N) + (double)fields[3].origin[1]);
	DROP(advect);
	DROP(v);
}

/* A renderer whose main loop looks for the frame now and then. */

static bool frame_is_there(cl_event frame)
{
	cl_int status;

	TRY(clGetEventInfo(frame, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

void final_render_polls(struct app *app)
{
	enum { N = 1 << 16, FRAMES = 80 };
	float *pixels = floats(N, 4);
	cl_mem v = loaded(app, N * 4, pixels);
	cl_kernel shade = kernel_of(app, MIX("shade"), "shade");
	double sum = 0;

	args(shade, "bi", v, 40);
	for (int frame = 0; frame < FRAMES; frame++) {
		cl_event ready;

		run(app->queue, shade, N, 64);
		ready = get_after(app->queue, v, N * 4, pixels, 0, NULL);
		flush(app->queue);
		if (app->repaired)
			TRY(clWaitForEvents(1, &ready));
		while (!frame_is_there(ready))
			nap(10000);
		sum += (double)pixels[frame];
		DROP(ready);
	}
	answer(sum);
	DROP(shade);
	DROP(v);
}

/* A batch job that shows how far it is, by asking each of its events again and again. */

void final_progress_bar(struct app *app)
{
	enum { N = 1 << 14, JOBS = 40, ROUNDS = 6 };
	float *data = floats(N, 6);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel price = kernel_of(app, MIX("price"), "price");
	cl_event jobs[JOBS];
	long looks = 0;

	args(price, "bi", v, 75);
	for (int round = 0; round < ROUNDS; round++) {
		int over = 0;

		for (int i = 0; i < JOBS; i++)
			jobs[i] = run_after(app->queue, price, N, 64, 0, NULL);
		flush(app->queue);
		if (app->repaired)
			TRY(clWaitForEvents(JOBS, jobs));
		for (; over < JOBS; looks++) {
			over = 0;
			for (int i = 0; i < JOBS; i++)
				over += frame_is_there(jobs[i]);
		}
		for (int i = 0; i < JOBS; i++)
			DROP(jobs[i]);
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N) + (looks < 0));
	DROP(price);
	DROP(v);
}

/* A consumer at the end of a ring, that spins until there is something in it. */

struct ring {
	cl_command_queue queue;
	cl_mem buffer;
	cl_kernel kernel;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	_Atomic int head;
	int count;
	bool blocks;
	double sum;
	float *slots;
	size_t items;
};

static void ring_wait(struct ring *ring, int tail)
{
	if (ring->blocks) {
		pthread_mutex_lock(&ring->lock);
		while (atomic_load(&ring->head) == tail)
			pthread_cond_wait(&ring->filled, &ring->lock);
		pthread_mutex_unlock(&ring->lock);
		return;
	}
	while (atomic_load(&ring->head) == tail)
		; /* the producer is quick */
}

static void *ring_consume(void *data)
{
	struct ring *ring = data;

	for (int tail = 0; tail < ring->count; tail++) {
		ring_wait(ring, tail);
		ring->sum += (double)ring->slots[(size_t)tail % 8 * ring->items];
	}
	return NULL;
}

static void ring_push(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	atomic_fetch_add(&ring->head, 1);
	pthread_cond_signal(&ring->filled);
	pthread_mutex_unlock(&ring->lock);
}

void final_ring_spin(struct app *app)
{
	enum { N = 1 << 14, COUNT = 60 };
	float *data = floats(N, 8);
	struct ring ring = {.queue = app->queue,
			    .buffer = loaded(app, N * 4, data),
			    .kernel = kernel_of(app, MIX("decode"), "decode"),
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .filled = PTHREAD_COND_INITIALIZER,
			    .count = COUNT,
			    .blocks = app->repaired,
			    .slots = memory((size_t)N * 4 * 8),
			    .items = N};
	pthread_t consumer;

	args(ring.kernel, "bi", ring.buffer, 400);
	if (pthread_create(&consumer, NULL, ring_consume, &ring))
		must(-1, "pthread_create");
	for (int i = 0; i < COUNT; i++) {
		run(app->queue, ring.kernel, N, 64);
		get(app->queue, ring.buffer, N * 4, ring.slots + (size_t)(i % 8) * N);
		ring_push(&ring);
	}
	pthread_join(consumer, NULL);
	answer(ring.sum);
	DROP(ring.kernel);
	DROP(ring.buffer);
}

/* Two stages of a pipeline, each a thread with a queue; the later loops until the earlier's block
 * is complete, as a callback tells. */

struct stage {
	struct app *app;
	_Atomic int *ready; /* blocks that are complete */
	pthread_mutex_t *lock;
	pthread_cond_t *more;
	int number, blocks;
	double sum;
};

static void CL_CALLBACK stage_block_done(cl_event event, cl_int status, void *data)
{
	struct stage *stage = data;

	(void)event;
	must(status, "block");
	pthread_mutex_lock(stage->lock);
	atomic_fetch_add(stage->ready, 1);
	pthread_cond_broadcast(stage->more);
	pthread_mutex_unlock(stage->lock);
}

static void stage_await(struct stage *stage, int block)
{
	if (stage->app->repaired) {
		pthread_mutex_lock(stage->lock);
		while (atomic_load(stage->ready) <= block)
			pthread_cond_wait(stage->more, stage->lock);
		pthread_mutex_unlock(stage->lock);
	}
	while (atomic_load(stage->ready) <= block)
		; /* it comes at any moment */
}

static void *stage_run(void *data)
{
	enum { N = 1 << 14 };
	struct stage *stage = data;
	float *block = floats(N, 12);
	cl_command_queue queue = queue_new(stage->app, 0);
	cl_mem v = buffer_new(stage->app, N * 4);
	cl_kernel kernel = kernel_new(stage->app->program, "fir");

	put_now(queue, v, N * 4, block);
	args(kernel, "bi", v, stage->number ? 40 : 300);
	for (int i = 0; i < stage->blocks; i++) {
		if (stage->number) {
			stage_await(stage, i);
			run(queue, kernel, N, 64);
			finish(queue);
		} else {
			cl_event done = run_after(queue, kernel, N, 64, 0, NULL);

			TRY(clSetEventCallback(done, CL_COMPLETE, stage_block_done, stage));
			flush(queue);
			settle(done);
		}
	}
	get(queue, v, N * 4, block);
	stage->sum = total(block, N);
	DROP(kernel);
	DROP(v);
	DROP(queue);
	return NULL;
}

void final_stage_spin(struct app *app)
{
	_Atomic int ready = 0;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t more = PTHREAD_COND_INITIALIZER;
	struct stage stages[2] = {{app, &ready, &lock, &more, 0, 60, 0},
				  {app, &ready, &lock, &more, 1, 60, 0}};

	app->program = program_new(app, MIX("fir"), "");
	threads_run(2, stage_run, stages, sizeof(stages[0]));
	answer(stages[0].sum + stages[1].sum);
}
