/* SPDX-License-Identifier: MIT */
/* More programs without a fault: with events that are needed, a look at a status now and then,
 * callbacks that do little, and threads that hand each other work. */
#include "workloads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const char steady_source[] =
	"kernel void advance(global const float *from, global float *to, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float v = from[i];\n"
	"	for (int j = 0; j < rounds; j++)\n"
	"		v = v * 0.997f + 0.002f;\n"
	"	to[i] = v;\n"
	"}\n";

enum { steady_items = 128 * KIB, steady_bytes = steady_items * sizeof(float) };

/* A long batch, whose progress is shown: the host asks for the last event's status each 25 ms, and
 * sleeps in between. */
void workload_clean_progress(struct app *w)
{
	enum { batches = 3, launches = 200 };
	float *x = new_field(steady_items, 5);
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	cl_mem memory[2] = {buffer_new(w, steady_bytes), buffer_new(w, steady_bytes)};

	put_now(w->queue, memory[0], steady_bytes, x);
	for (int i = 0; i < batches; i++) {
		cl_event last = NULL;
		cl_int status = CL_QUEUED;

		for (int j = 0; j < launches; j++) {
			args(advance, "bbi", memory[j % 2], memory[1 - j % 2], 60);
			run_with(w->queue, advance, steady_items, 64, 0, NULL,
				 j == launches - 1 ? &last : NULL);
		}
		flush(w->queue);
		for (int j = 0; j < 2 && status > CL_COMPLETE; j++) {
			nap(25000);
			TRY(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					   &status, NULL));
		}
		TRY(clWaitForEvents(1, &last));
		DROP(last);
	}
	get(w->queue, memory[0], steady_bytes, x);
	answer(total(x, steady_items));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(advance);
	free(x);
}

/* Stages in a queue that keeps no order; each needs what the one before wrote, and waits for it. */
void workload_clean_stages(struct app *w)
{
	enum { stages = 800 };
	cl_command_queue queue = queue_new(w, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	float *x = new_field(steady_items, 6);
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	cl_mem memory[2] = {buffer_new(w, steady_bytes), buffer_new(w, steady_bytes)};
	cl_event before = NULL;

	put_now(queue, memory[0], steady_bytes, x);
	for (int i = 0; i < stages; i++) {
		cl_event done;

		args(advance, "bbi", memory[i % 2], memory[1 - i % 2], 30);
		done = run_after(queue, advance, steady_items, 64, before ? 1 : 0, &before);
		if (before)
			DROP(before);
		before = done;
		if (i % 100 == 99)
			flush(queue);
	}
	TRY(clWaitForEvents(1, &before));
	DROP(before);
	get(queue, memory[0], steady_bytes, x);
	answer(total(x, steady_items));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(advance);
	DROP(queue);
	free(x);
}

/* A field of 256 KiB that another library gives, of which a few values are new each time; where,
 * nobody knows but the library. */
void workload_clean_patch(struct app *w)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), times = 200 };
	float *x = new_field(items, 5);
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	cl_mem memory[2] = {buffer_new(w, bytes), buffer_new(w, bytes)};
	unsigned seed = 1;

	for (int i = 0; i < times; i++) {
		for (int j = 0; j < 5; j++) {
			seed = seed * 1664525u + 1013904223u;
			x[seed % items] += 0.5f;
		}
		put_now(w->queue, memory[0], bytes, x);
		for (int j = 0; j < 4; j++) {
			args(advance, "bbi", memory[j % 2], memory[1 - j % 2], 60);
			run(w->queue, advance, items, 64);
		}
	}
	get(w->queue, memory[0], bytes, x);
	answer(total(x, items));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(advance);
	free(x);
}

/* A list on the device that grows: when it is full, there is a buffer twice as large, to which it
 * is copied. */
void workload_clean_growth(struct app *w)
{
	enum { first = 4 * KIB, growths = 6, launches = 100 };
	float *x = new_field(first, 5);
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	size_t items = first;
	cl_mem list = buffer_new(w, items * sizeof(float));

	put_now(w->queue, list, first * sizeof(float), x);
	for (int i = 0; i < growths; i++) {
		cl_mem larger = buffer_new(w, 2 * items * sizeof(float));

		TRY(clEnqueueCopyBuffer(w->queue, list, larger, 0, 0, items * sizeof(float), 0,
					NULL, NULL));
		TRY(clEnqueueCopyBuffer(w->queue, list, larger, 0, items * sizeof(float),
					items * sizeof(float), 0, NULL, NULL));
		finish(w->queue); /* who has the old one must be through */
		DROP(list);
		list = larger;
		items *= 2;
		args(advance, "bbi", list, list, 60);
		for (int j = 0; j < launches; j++)
			run(w->queue, advance, items, 64);
	}
	get(w->queue, list, first * sizeof(float), x);
	answer(total(x, first));
	DROP(list);
	DROP(advance);
	free(x);
}

struct relay {
	struct app *w;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int made, used;
	float *blocks[4];
};

enum { relay_items = 64 * KIB, relay_count = 160 };

static void *relay_main(void *argument)
{
	struct relay *relay = argument;

	for (int i = 0; i < relay_count; i++) {
		pthread_mutex_lock(&relay->lock);
		while (relay->made - relay->used == 4)
			pthread_cond_wait(&relay->changed, &relay->lock);
		pthread_mutex_unlock(&relay->lock);
		for (int j = 0; j < relay_items; j += 16)
			relay->blocks[i % 4][j] = (float)(i + j) / 65536;
		pthread_mutex_lock(&relay->lock);
		relay->made++;
		pthread_cond_broadcast(&relay->changed);
		pthread_mutex_unlock(&relay->lock);
	}
	return NULL;
}

/* One thread makes blocks, four ahead; the other one has the device work on them. */
void workload_clean_relay(struct app *w)
{
	enum { bytes = relay_items * sizeof(float) };
	struct relay relay = {
		.w = w, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	cl_mem from = buffer_new(w, bytes), to = buffer_new(w, bytes);
	float *x = new_field(relay_items, 1);
	double sum = 0;
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		relay.blocks[i] = new_field(relay_items, (unsigned)i);
	args(advance, "bbi", from, to, 200);
	if (pthread_create(&thread, NULL, relay_main, &relay))
		must(-1, "pthread_create");
	for (int i = 0; i < relay_count; i++) {
		pthread_mutex_lock(&relay.lock);
		while (relay.made <= i)
			pthread_cond_wait(&relay.changed, &relay.lock);
		pthread_mutex_unlock(&relay.lock);
		put(w->queue, from, bytes, relay.blocks[i % 4]);
		run(w->queue, advance, relay_items, 64);
		get(w->queue, to, bytes, x);
		sum += x[i];
		pthread_mutex_lock(&relay.lock);
		relay.used++;
		pthread_cond_broadcast(&relay.changed);
		pthread_mutex_unlock(&relay.lock);
	}
	pthread_join(thread, NULL);
	answer(sum);
	for (int i = 0; i < 4; i++)
		free(relay.blocks[i]);
	DROP(from);
	DROP(to);
	DROP(advance);
	free(x);
}

static atomic_int notes;

static void CL_CALLBACK note_taken(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	atomic_fetch_add(&notes, 1);
}

/* Steps with a callback each, which only counts. */
void workload_clean_light_notes(struct app *w)
{
	enum { steps = 600 };
	float *x = new_field(steady_items, 5);
	cl_kernel advance = kernel_of(w, steady_source, "advance");
	cl_mem memory[2] = {buffer_new(w, steady_bytes), buffer_new(w, steady_bytes)};

	put_now(w->queue, memory[0], steady_bytes, x);
	for (int i = 0; i < steps; i++) {
		cl_event done;

		args(advance, "bbi", memory[i % 2], memory[1 - i % 2], 40);
		done = run_after(w->queue, advance, steady_items, 64, 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, note_taken, NULL));
		DROP(done);
		if (i % 60 == 59)
			finish(w->queue);
	}
	get(w->queue, memory[0], steady_bytes, x);
	while (atomic_load(&notes) < steps)
		nap(100);
	answer(total(x, steady_items) + atomic_load(&notes));
	DROP(memory[0]);
	DROP(memory[1]);
	DROP(advance);
	free(x);
}
