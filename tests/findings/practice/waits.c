/* SPDX-License-Identifier: MIT */
/* The host waits more often, or in another way, than it has to. */
#include "practice.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static const char wave_source[] =
	"kernel void speed(global float *v, global const float *u, constant float *p)\n"
	"{\n"
	"	int i = get_global_id(0), last = get_global_size(0) - 1;\n"
	"	v[i] += p[0] * (u[max(i - 1, 0)] + u[min(i + 1, last)] - 2 * u[i]);\n"
	"}\n"
	"kernel void place(global float *u, global const float *v, constant float *p)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	u[i] = u[i] * p[1] + v[i] * 0.5f;\n"
	"}\n";

struct stepper {
	cl_command_queue queue;
	cl_kernel speed, place;
	cl_mem parameters;
	bool guarded;
};

/* One step, whose parameters are its own. */
static void stepper_step(struct stepper *s, const float *parameters, size_t items)
{
	put(s->queue, s->parameters, 2 * sizeof(float), parameters);
	for (int half = 0; half < 2; half++) {
		run(s->queue, s->speed, items, 64);
		run(s->queue, s->place, items, 64);
	}
	if (s->guarded)
		finish(s->queue);
	else
		flush(s->queue);
}

/* Waves on a string. The stepper's guard finishes the queue at each step's end, so that an error
 * would show where it happens; repaired, it is off, and the last step is waited for. */
void app_wave_guard(struct app *app)
{
	enum { items = 32768, steps = 1300 };
	float *u = floats(items, 4), *steady = memory(steps * 2 * sizeof(float));
	float *noise = floats(512, 8);
	cl_program program = program_new(app, wave_source, "");
	struct stepper s = {app->queue, kernel_new(program, "speed"), kernel_new(program, "place"),
			    buffer_new(app, 2 * sizeof(float)), !app->repaired};
	cl_mem place = buffer_new(app, items * sizeof(float));
	cl_mem speed = buffer_new(app, items * sizeof(float));

	put_now(app->queue, place, items * sizeof(float), u);
	put_now(app->queue, speed, items * sizeof(float), u);
	args(s.speed, "bbb", speed, place, s.parameters);
	args(s.place, "bbb", place, speed, s.parameters);
	for (int i = 0; i < steps; i++) {
		busy(noise, 512, 40);
		steady[2 * i] = 0.1f + 0.01f * noise[i % 512];
		steady[2 * i + 1] = 0.5f;
		stepper_step(&s, &steady[2 * i], items);
	}
	get(app->queue, place, items * sizeof(float), u);
	answer(total(u, items));
	DROP(place);
	DROP(speed);
	DROP(s.parameters);
	DROP(s.speed);
	DROP(s.place);
	DROP(program);
	free(u);
	free(steady);
	free(noise);
}

static const char quad_source[] =
	"kernel void sample(global const float2 *spans, global float *f)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float2 span = spans[i / 64];\n"
	"	float x = span.x + (span.y - span.x) * (i % 64 + 0.5f) / 64;\n"
	"	f[i] = 1 / (0.0002f + (x - 0.3f) * (x - 0.3f)) +\n"
	"	       1 / (0.0001f + (x - 0.7f) * (x - 0.7f));\n"
	"}\n" CHAIN("tabulate");

struct quad {
	cl_command_queue queue;
	cl_kernel sample;
	cl_mem spans, values;
	float *host;
	double sum;
};

/* Whether the two halves of the samples say the same; then they count. */
static bool quad_is_flat(struct quad *q, const float *f, cl_float2 span)
{
	double even = 0, odd = 0;

	for (int i = 0; i < 64; i += 2) {
		even += (double)f[i];
		odd += (double)f[i + 1];
	}
	if ((even - odd) * (even - odd) > 1e-5 * even * even && span.s[1] - span.s[0] > 1e-4f)
		return false;
	q->sum += (even + odd) / 64 * (double)(span.s[1] - span.s[0]);
	return true;
}

static void quad_split(cl_float2 span, cl_float2 halves[2])
{
	float middle = (span.s[0] + span.s[1]) / 2;

	halves[0] = (cl_float2){{span.s[0], middle}};
	halves[1] = (cl_float2){{middle, span.s[1]}};
}

static void quad_recurse(struct quad *q, cl_float2 span)
{
	cl_float2 halves[2];

	put(q->queue, q->spans, sizeof(span), &span);
	run(q->queue, q->sample, 64, 64);
	get(q->queue, q->values, 64 * sizeof(float), q->host);
	if (quad_is_flat(q, q->host, span))
		return;
	quad_split(span, halves);
	quad_recurse(q, halves[0]);
	quad_recurse(q, halves[1]);
}

static void quad_levels(struct quad *q, cl_float2 *spans, size_t count)
{
	while (count) {
		cl_float2 *next = memory(2 * count * sizeof(*next));
		size_t more = 0;

		put(q->queue, q->spans, count * sizeof(*spans), spans);
		run(q->queue, q->sample, count * 64, 64);
		get(q->queue, q->values, count * 64 * sizeof(float), q->host);
		for (size_t i = 0; i < count; i++)
			if (!quad_is_flat(q, q->host + 64 * i, spans[i])) {
				quad_split(spans[i], next + more);
				more += 2;
			}
		free(spans);
		spans = next;
		count = more;
	}
	free(spans);
}

/* Adaptive integration: a recursive function has one interval sampled, fetches the samples, and
 * goes on with its halves. Repaired, all intervals of a depth are sampled at once. */
void app_quad_recursive(struct app *app)
{
	enum { most = 4096, starts = 96, table = 128 * KIB, times = 30 };
	cl_program program = program_new(app, quad_source, "");
	struct quad q = {app->queue,
			 kernel_new(program, "sample"),
			 buffer_new(app, most * sizeof(cl_float2)),
			 buffer_new(app, most * 64 * sizeof(float)),
			 memory(most * 64 * sizeof(float)),
			 0};
	cl_kernel tabulate = kernel_new(program, "tabulate");
	cl_mem values = buffer_new(app, table * sizeof(float));
	float *host = floats(table, 2);

	args(q.sample, "bb", q.spans, q.values);
	for (int i = 0; i < 16; i++) {
		cl_float2 *spans = memory(starts * sizeof(*spans));

		for (int j = 0; j < starts; j++)
			spans[j] = (cl_float2){{(float)j / starts, (float)(j + 1) / starts}};
		if (app->repaired) {
			quad_levels(&q, spans, starts);
			continue;
		}
		for (int j = 0; j < starts; j++)
			quad_recurse(&q, spans[j]);
		free(spans);
	}
	put_now(app->queue, values, table * sizeof(float), host);
	args(tabulate, "bi", values, 130);
	for (int i = 0; i < times; i++)
		run(app->queue, tabulate, table, 64);
	get(app->queue, values, table * sizeof(float), host);
	answer(q.sum + total(host, table));
	DROP(q.sample);
	DROP(q.spans);
	DROP(q.values);
	DROP(tabulate);
	DROP(program);
	DROP(values);
	free(q.host);
	free(host);
}

/* Requests for a small model. For each, the host waits for all events of its history, which holds
 * the last 200, and only drops them when they fall out of it; repaired, for the request's own. */
void app_history_wait(struct app *app)
{
	enum { items = 2048, history = 200, requests = 8000 };
	float *state = floats(items, 6);
	cl_kernel respond = kernel_of(app, CHAIN("respond"), "respond");
	cl_mem memory_of = buffer_new(app, items * sizeof(float));
	cl_event events[history];
	double sum = 0;

	put_now(app->queue, memory_of, items * sizeof(float), state);
	args(respond, "bi", memory_of, 20);
	for (int i = 0; i < requests; i++) {
		int at = i % history;

		if (i >= history)
			DROP(events[at]);
		run(app->queue, respond, items, 64);
		events[at] = get_after(app->queue, memory_of, 64, state, 0, NULL);
		if (app->repaired)
			TRY(clWaitForEvents(1, &events[at]));
		else
			TRY(clWaitForEvents(i < history ? (cl_uint)i + 1 : history, events));
		sum += (double)state[i % 16];
	}
	for (int i = 0; i < history; i++)
		DROP(events[i]);
	answer(sum);
	DROP(respond);
	DROP(memory_of);
	free(state);
}

/* So that nobody's commands are under way, whoever they are. */
static void fence(const cl_command_queue *queues, int count)
{
	for (int i = 0; i < count; i++) {
		cl_event mark;

		TRY(clEnqueueMarkerWithWaitList(queues[i], 0, NULL, &mark));
		settle(mark);
	}
}

/* Letters are stamped by one of six queues in turn, and each stamp is read, so that it is through.
 * Before the next, a fence waits for a marker of every queue. Repaired, there is no fence. */
void app_marker_fence(struct app *app)
{
	enum { lanes = 6, items = 8192, letters = 3500 };
	float *letter = floats(items, 9);
	cl_kernel stamp = kernel_of(app, CHAIN("stamp"), "stamp");
	cl_command_queue queues[lanes];
	cl_mem page = buffer_new(app, items * sizeof(float));
	double sum = 0;

	for (int i = 0; i < lanes; i++)
		queues[i] = queue_new(app, 0);
	args(stamp, "bi", page, 30);
	for (int i = 0; i < letters; i++) {
		refill(letter, items, i);
		if (!app->repaired)
			fence(queues, lanes);
		put(queues[i % lanes], page, items * sizeof(float), letter);
		run(queues[i % lanes], stamp, items, 64);
		get(queues[i % lanes], page, items * sizeof(float), letter);
		sum += (double)letter[i % items];
	}
	answer(sum);
	for (int i = 0; i < lanes; i++)
		DROP(queues[i]);
	DROP(stamp);
	DROP(page);
	free(letter);
}

struct desk {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	cl_event open; /* handed in, and not seen to be over */
	bool closed, repaired;
	int noticed;
};

/* Looks after what was handed in. */
static void *desk_supervise(void *pointer)
{
	struct desk *desk = pointer;

	pthread_mutex_lock(&desk->lock);
	for (;;) {
		cl_int status = CL_QUEUED;
		cl_event event = desk->open;

		if (!event && desk->closed)
			break;
		if (!event) {
			pthread_cond_wait(&desk->changed, &desk->lock);
			continue;
		}
		pthread_mutex_unlock(&desk->lock);
		if (desk->repaired)
			TRY(clWaitForEvents(1, &event));
		while (status > CL_COMPLETE) {
			TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					   &status, NULL));
			sched_yield();
		}
		DROP(event);
		pthread_mutex_lock(&desk->lock);
		desk->open = NULL;
		desk->noticed++;
		pthread_cond_broadcast(&desk->changed);
	}
	pthread_mutex_unlock(&desk->lock);
	return NULL;
}

/* Batches of letters are hashed. A supervisor asks for the status of what is under way until it is
 * over, and takes the device's CPU with that; repaired, it waits for the event first. */
void app_desk_supervisor(struct app *app)
{
	enum { items = 64 * KIB, batches = 60 };
	struct desk desk = {
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false, app->repaired, 0};
	float *letters = floats(items, 12);
	cl_kernel hash = kernel_of(app, CHAIN("hash"), "hash");
	cl_mem buffer = buffer_new(app, items * sizeof(float));
	pthread_t supervisor;

	put_now(app->queue, buffer, items * sizeof(float), letters);
	args(hash, "bi", buffer, 60);
	pthread_create(&supervisor, NULL, desk_supervise, &desk);
	for (int i = 0; i < batches; i++) {
		cl_event event = NULL;

		for (int j = 0; j < 3; j++) {
			if (event)
				DROP(event);
			event = run_after(app->queue, hash, items, 64, 0, NULL);
		}
		flush(app->queue);
		pthread_mutex_lock(&desk.lock);
		desk.open = event;
		pthread_cond_broadcast(&desk.changed);
		while (desk.noticed <= i)
			pthread_cond_wait(&desk.changed, &desk.lock);
		pthread_mutex_unlock(&desk.lock);
	}
	pthread_mutex_lock(&desk.lock);
	desk.closed = true;
	pthread_cond_broadcast(&desk.changed);
	pthread_mutex_unlock(&desk.lock);
	pthread_join(supervisor, NULL);
	get(app->queue, buffer, items * sizeof(float), letters);
	answer(total(letters, items));
	DROP(hash);
	DROP(buffer);
	free(letters);
}

/* A tuner that measures each of its trials. It asks for the time at which the kernel ended until
 * there is one, each two milliseconds; repaired, it waits for the kernel, and then asks. */
void app_stamp_poll(struct app *app)
{
	enum { items = 512 * KIB, trials = 160 };
	float *data = floats(items, 3);
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel trial = kernel_of(app, CHAIN("trial"), "trial");
	cl_mem buffer = buffer_new(app, items * sizeof(float));

	put_now(queue, buffer, items * sizeof(float), data);
	for (int i = 0; i < trials; i++) {
		cl_ulong end = 0;

		args(trial, "bi", buffer, 7 + i % 3);
		cl_event event = run_after(queue, trial, items, 64, 0, NULL);

		flush(queue);
		if (app->repaired)
			TRY(clWaitForEvents(1, &event));
		while (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
					       NULL))
			nap(2000);
		DROP(event);
	}
	get(queue, buffer, items * sizeof(float), data);
	answer(total(data, items));
	DROP(queue);
	DROP(trial);
	DROP(buffer);
	free(data);
}
