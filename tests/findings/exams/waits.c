/* SPDX-License-Identifier: MIT */
/* Waits that need not be, or are done the wrong way. */
#include "exams.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const char verlet_source[] =
	"kernel void kick(global float *v, global const float *f, float h)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	v[i] += 0.5f * h * f[i];\n"
	"}\n"
	"kernel void drift(global float *x, global const float *v, float h)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	x[i] += h * v[i];\n"
	"}\n"
	"kernel void forces(global float *f, global const float *x, float stiff)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int d = 1; d <= 8; d++)\n"
	"		sum += (x[min(i + d, n - 1)] + x[max(i - d, 0)] - 2 * x[i]) / d;\n"
	"	f[i] = stiff * sum;\n"
	"}\n";

/* One of an integrator's stages. */
struct stage {
	void (*launch)(const struct stage *stage, cl_command_queue queue);
	cl_kernel kernel;
	cl_mem target, source;
	double factor;
	size_t atoms;
};

static void stage_launch(const struct stage *stage, cl_command_queue queue)
{
	args(stage->kernel, "bbf", stage->target, stage->source, stage->factor);
	run(queue, stage->kernel, stage->atoms, 64);
}

static void integrator_step(const struct stage *const *stages, cl_command_queue queue, bool checked)
{
	for (; *stages; stages++) {
		(*stages)->launch(*stages, queue);
		if (checked)
			finish(queue);
	}
}

/* Molecular dynamics, whose integrator goes through a list of stages. It finishes each of them
 * before the next, so that an error would be seen where it is made; repaired, the frame that is
 * written after each 25 steps is what waits. */
void exam_verlet_stages(struct app *app)
{
	enum { atoms = 2 * KIB, bytes = atoms * sizeof(float), frames = 28, steps = 25 };
	cl_program program = program_new(app, verlet_source, "");
	cl_kernel kick = kernel_new(program, "kick"), drift = kernel_new(program, "drift");
	cl_kernel forces = kernel_new(program, "forces");
	cl_mem x = buffer_new(app, bytes), v = buffer_new(app, bytes), f = buffer_new(app, bytes);
	const struct stage kicks = {stage_launch, kick, v, f, 0.01, atoms};
	const struct stage drifts = {stage_launch, drift, x, v, 0.01, atoms};
	const struct stage pulls = {stage_launch, forces, f, x, 0.5, atoms};
	const struct stage *const stages[] = {&kicks, &drifts, &pulls, &kicks, NULL};
	float *frame = floats(atoms, 1);
	double sum = 0;

	put_now(app->queue, x, bytes, frame);
	put_now(app->queue, v, bytes, frame);
	stage_launch(&pulls, app->queue);
	for (int i = 0; i < frames; i++) {
		for (int j = 0; j < steps; j++)
			integrator_step(stages, app->queue, !app->repaired);
		get(app->queue, x, bytes, frame);
		sum += total(frame, atoms);
	}
	answer(sum);
	DROP(kick);
	DROP(drift);
	DROP(forces);
	DROP(program);
	DROP(x);
	DROP(v);
	DROP(f);
	free(frame);
}

static const char shader_source[] =
	"kernel void shade(global float *film, constant float *u, int draw)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float c = film[i] * 0.5f;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		c = c * 0.75f + u[k] * (float)((i + draw + k) & 7) * 0.01f;\n"
	"	film[i] = c;\n"
	"}\n";

/* Draws of a renderer, each with 16 numbers of its own. They lie in one place on the host, so their
 * write is a blocking one, which stands behind the draw before. Repaired, each draw of a frame has
 * a place, and nothing waits but the frame's read. */
void exam_shader_uniforms(struct app *app)
{
	enum { pixels = 16 * KIB, bytes = pixels * sizeof(float), draws = 24, frames = 70 };
	cl_kernel shade = kernel_of(app, shader_source, "shade");
	cl_mem film = buffer_new(app, bytes), uniforms = buffer_new(app, 16 * sizeof(float));
	float *seen = floats(pixels, 2), all[draws][16];
	double sum = 0;

	put_now(app->queue, film, bytes, seen);
	for (int i = 0; i < frames; i++) {
		for (int j = 0; j < draws; j++) {
			float *own = all[app->repaired ? j : 0];

			for (int k = 0; k < 16; k++)
				own[k] = (float)((i * 31 + j * 7 + k * 3) % 101) * 0.01f;
			if (app->repaired)
				put(app->queue, uniforms, sizeof(all[0]), own);
			else
				put_now(app->queue, uniforms, sizeof(all[0]), own);
			args(shade, "bbi", film, uniforms, j);
			run(app->queue, shade, pixels, 64);
		}
		get(app->queue, film, bytes, seen);
		sum += (double)seen[i * 16];
	}
	answer(sum);
	DROP(shade);
	DROP(film);
	DROP(uniforms);
	free(seen);
}

/* A tensor's handle, as a wrapper's copies and destructors have it. */
struct handle {
	cl_mem memory;
	cl_command_queue queue;
	bool settles;
};

static struct handle handle_copy(struct handle handle)
{
	TRY(clRetainMemObject(handle.memory));
	return handle;
}

static void handle_drop(struct handle handle)
{
	if (handle.settles)
		finish(handle.queue);
	DROP(handle.memory);
}

/* What a request's nodes do with its tensor on the host: they hand handles on. */
static void handles_pass(struct handle handle, int depth)
{
	struct handle own = handle_copy(handle);

	for (int i = 0; i < 3 && depth; i++)
		handles_pass(own, depth - 1);
	handle_drop(own);
}

/* A wrapper of memory objects finishes the queue whenever a handle goes, for the memory may be in
 * use. Repaired, it trusts the driver, which keeps what is in use. By then the request's read was
 * waited for, so that nothing is left to finish. */
void exam_handle_drop(struct app *app)
{
	enum { items = 4 * KIB, bytes = items * sizeof(float), requests = 500 };
	cl_kernel apply = kernel_of(app, STIR("apply"), "apply");
	struct handle tensor = {buffer_new(app, bytes), app->queue, !app->repaired};
	float *data = memory(bytes);
	double sum = 0;

	args(apply, "bi", tensor.memory, 20);
	for (int i = 0; i < requests; i++) {
		refill(data, items, i);
		put(app->queue, tensor.memory, bytes, data);
		run(app->queue, apply, items, 64);
		get(app->queue, tensor.memory, bytes, data);
		handles_pass(tensor, 4);
		sum += (double)data[i];
	}
	answer(sum);
	DROP(apply);
	DROP(tensor.memory);
	free(data);
}

static void CL_CALLBACK reactor_wake(cl_event event, cl_int status, void *wake)
{
	const uint64_t one = 1;

	(void)event, (void)status;
	if (write(*(int *)wake, &one, sizeof(one)) != sizeof(one))
		must(-1, "write");
}

static bool is_over(cl_event event)
{
	cl_int state;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL));
	return state == CL_COMPLETE;
}

/* A server with one thread has two jobs under way. Its loop looks each millisecond which of them
 * are over. Repaired, a job's callback writes to what the loop sleeps on. */
void exam_reactor_ticks(struct app *app)
{
	enum { places = 2, items = 24 * KIB, bytes = items * sizeof(float), jobs = 180 };
	cl_kernel serve = kernel_of(app, STIR("serve"), "serve");
	cl_event home[places] = {NULL, NULL};
	cl_mem work[places];
	float *data[places];
	int wake = eventfd(0, 0), begun = 0, ended = 0;
	uint64_t count;
	double sum = 0;

	for (int i = 0; i < places; i++) {
		work[i] = buffer_new(app, bytes);
		data[i] = memory(bytes);
	}
	while (ended < jobs) {
		for (int i = 0; i < places && begun < jobs; i++) {
			if (home[i])
				continue;
			refill(data[i], items, begun++);
			args(serve, "bi", work[i], 12);
			put(app->queue, work[i], bytes, data[i]);
			run(app->queue, serve, items, 64);
			home[i] = get_after(app->queue, work[i], bytes, data[i], 0, NULL);
			if (app->repaired)
				TRY(clSetEventCallback(home[i], CL_COMPLETE, reactor_wake, &wake));
			flush(app->queue);
		}
		poll(&(struct pollfd){wake, POLLIN, 0}, 1, app->repaired ? -1 : 1);
		if (app->repaired && read(wake, &count, sizeof(count)) != sizeof(count))
			must(-1, "read");
		for (int i = 0; i < places; i++) {
			if (!home[i] || !is_over(home[i]))
				continue;
			sum += total(data[i], KIB);
			DROP(home[i]);
			home[i] = NULL;
			ended++;
		}
	}
	answer(sum);
	for (int i = 0; i < places; i++) {
		DROP(work[i]);
		free(data[i]);
	}
	DROP(serve);
	close(wake);
}

struct backtest {
	struct app *app;
	cl_command_queue queue;
	cl_kernel kernel;
	int number;
	double sum;
};

static void *backtest_run(void *pointer)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), days = 160 };
	struct backtest *test = pointer;
	cl_mem book = buffer_new(test->app, bytes);
	float *data = memory(bytes);

	for (int i = 0; i < days; i++) {
		data[i] = (float)(i + test->number);
		put(test->queue, book, bytes, data);
		args(test->kernel, "bi", book, 30);
		run(test->queue, test->kernel, items, 64);

		cl_event home = get_after(test->queue, book, KIB, data, 0, NULL);

		flush(test->queue);
		while (!test->app->repaired && !is_over(home))
			sched_yield();
		settle(home);
		test->sum += (double)data[i];
	}
	DROP(book);
	free(data);
	return NULL;
}

/* Strategies are tested by two workers, each of which asks for its day's status until it is over,
 * on a CPU that the device could use; repaired, they wait. */
void exam_backtest_poll(struct app *app)
{
	cl_program program = program_new(app, STIR("trade"), "");
	struct backtest tests[2];

	for (int i = 0; i < 2; i++)
		tests[i] = (struct backtest){app, queue_new(app, 0), kernel_new(program, "trade"),
					     i, 0};
	threads_run(2, backtest_run, tests, sizeof(*tests));
	answer(tests[0].sum + tests[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(tests[i].queue);
		DROP(tests[i].kernel);
	}
	DROP(program);
}

struct counter {
	struct app *app;
	pthread_mutex_t lock;
	atomic_uint next, serving;
	cl_kernel kernel;
	cl_mem work;
};

struct customer {
	struct counter *counter;
	int number;
	double sum;
};

static void counter_enter(struct counter *counter)
{
	if (counter->app->repaired) {
		pthread_mutex_lock(&counter->lock);
		return;
	}

	unsigned mine = atomic_fetch_add(&counter->next, 1);

	while (atomic_load(&counter->serving) != mine)
		continue;
}

static void counter_leave(struct counter *counter)
{
	if (counter->app->repaired)
		pthread_mutex_unlock(&counter->lock);
	else
		atomic_fetch_add(&counter->serving, 1);
}

static void *customer_run(void *pointer)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), orders = 100 };
	struct customer *customer = pointer;
	struct counter *counter = customer->counter;
	cl_command_queue queue = counter->app->queue;
	float *data = memory(bytes);

	for (int i = 0; i < orders; i++) {
		for (int j = 0; j < items; j += 16)
			data[j] = (float)((i + j + customer->number) % 1009);
		counter_enter(counter);
		put(queue, counter->work, bytes, data);
		args(counter->kernel, "bi", counter->work, 30);
		run(queue, counter->kernel, items, 64);
		get(queue, counter->work, KIB, data);
		counter_leave(counter);
		customer->sum += (double)data[i];
	}
	free(data);
	return NULL;
}

/* Two threads share a queue and its buffer. They have it by turns, which they draw tickets for, and
 * whoever waits for its number runs in a loop, on a CPU that the device wants. Repaired, a mutex
 * has it sleep. */
void exam_ticket_spin(struct app *app)
{
	struct counter counter = {.app = app, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct customer customers[2] = {{&counter, 0, 0}, {&counter, 1, 0}};

	counter.kernel = kernel_of(app, STIR("fill_order"), "fill_order");
	counter.work = buffer_new(app, 48 * KIB * sizeof(float));
	threads_run(2, customer_run, customers, sizeof(*customers));
	answer(customers[0].sum + customers[1].sum);
	DROP(counter.kernel);
	DROP(counter.work);
}
