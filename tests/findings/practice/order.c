/* SPDX-License-Identifier: MIT */
/* Work that could go on at the same time does not. */
#include "practice.h"

#include <pthread.h>
#include <stdlib.h>

/* Slabs of a volume go up, are smoothed, and come down, in one queue; repaired, each of the three
 * has a queue, and events lead a slab from one to the next, through three buffers. */
void app_slab_volume(struct app *app)
{
	enum { items = 192 * KIB, bytes = items * sizeof(float), slabs = 150, depth = 3 };
	float *in[depth], *out[depth];
	cl_kernel smooth = kernel_of(app, CHAIN("smooth"), "smooth");
	cl_command_queue queues[3] = {app->queue, app->queue, app->queue};
	cl_mem buffers[depth];
	cl_event down[depth];
	double sum = 0;

	for (int i = 0; i < depth; i++) {
		in[i] = floats(items, 20u + (unsigned)i);
		out[i] = memory(bytes);
		buffers[i] = buffer_new(app, bytes);
	}
	if (app->repaired) {
		queues[1] = queue_new(app, 0);
		queues[2] = queue_new(app, 0);
	}
	for (int i = 0; i < slabs + depth; i++) {
		int at = i % depth;

		if (i >= depth) {
			settle(down[at]);
			sum += (double)out[at][i];
		}
		if (i >= slabs)
			continue;
		refill(in[at], items, i);

		cl_event up = put_after(queues[0], buffers[at], bytes, in[at], 0, NULL);

		flush(queues[0]);
		args(smooth, "bi", buffers[at], 7);

		cl_event done = run_after(queues[1], smooth, items, 64, 1, &up);

		for (int j = 1; j < 3; j++) {
			DROP(done);
			done = run_after(queues[1], smooth, items, 64, 0, NULL);
		}

		flush(queues[1]);
		down[at] = get_after(queues[2], buffers[at], bytes, out[at], 1, &done);
		flush(queues[2]);
		DROP(up);
		DROP(done);
	}
	answer(sum);
	if (app->repaired) {
		DROP(queues[1]);
		DROP(queues[2]);
	}
	for (int i = 0; i < depth; i++) {
		DROP(buffers[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(smooth);
}

struct strip {
	struct app *app;
	cl_kernel scan;
	cl_command_queue queue;
	int first, step;
	double sum;
};

/* Strips of a scan, one after the other, each with calls that block. */
static void *strips_scan(void *pointer)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), strips = 160 };
	struct strip *s = pointer;
	float *data = floats(items, 21);
	cl_mem strip = buffer_new(s->app, bytes);

	args(s->scan, "bi", strip, 12);
	for (int i = s->first; i < strips; i += s->step) {
		refill(data, items, i);
		put_now(s->queue, strip, bytes, data);
		run(s->queue, s->scan, items, 64);
		get(s->queue, strip, bytes, data);
		s->sum += (double)data[i];
	}
	DROP(strip);
	free(data);
	return NULL;
}

/* A scanner's strips are cleaned by one thread, whose device either copies or computes; repaired,
 * by two, with a queue each. */
void app_strip_scan(struct app *app)
{
	struct strip strips[2];
	int count = app->repaired ? 2 : 1;
	double sum = 0;

	for (int i = 0; i < count; i++)
		strips[i] = (struct strip){
			app, kernel_of(app, CHAIN("clean"), "clean"), queue_new(app, 0), i, count,
			0};
	threads_run(count, strips_scan, strips, sizeof(*strips));
	for (int i = 0; i < count; i++) {
		sum += strips[i].sum;
		DROP(strips[i].queue);
		DROP(strips[i].scan);
	}
	answer(sum);
}

/* A day's weather: four regions, each with a kernel of one group that the others do not concern,
 * and a night in which all are put together. A barrier is between any two commands; repaired, there
 * is one before the night, and one behind it. */
void app_region_barriers(struct app *app)
{
	enum { regions = 4, each = 64, days = 60, all_bytes = regions * 1024 * sizeof(float) };
	float *air = floats(regions * 1024, 22);
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, CHAIN("region") CHAIN("night"), "");
	cl_kernel kernels[regions], night = kernel_new(program, "night");
	cl_mem all = buffer_new(app, all_bytes), parts[regions];
	cl_int status;

	put_now(queue, all, all_bytes, air);
	args(night, "bi", all, 100);
	for (size_t i = 0; i < regions; i++) {
		cl_buffer_region part = {i * 1024 * sizeof(float), 1024 * sizeof(float)};

		parts[i] = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					     &part, &status);
		must(status, "clCreateSubBuffer");
		kernels[i] = kernel_new(program, "region");
		args(kernels[i], "bi", parts[i], 40000);
	}
	for (int i = 0; i < days; i++) {
		for (int j = 0; j < regions; j++) {
			run(queue, kernels[j], each, each);
			if (!app->repaired || j == regions - 1)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		}
		run(queue, night, regions * 1024, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	}
	get(queue, all, all_bytes, air);
	answer(total(air, regions * 1024));
	for (int i = 0; i < regions; i++) {
		DROP(kernels[i]);
		DROP(parts[i]);
	}
	DROP(night);
	DROP(program);
	DROP(all);
	DROP(queue);
	free(air);
}

/* Parcels are weighed in a queue that keeps no order. What belongs together is held together by
 * events, and yet a barrier follows each parcel; repaired, there is none. */
void app_parcel_barriers(struct app *app)
{
	enum { shelves = 4, items = 32 * KIB, bytes = items * sizeof(float), parcels = 400 };
	float *in[shelves], *out[shelves];
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel weigh = kernel_of(app, CHAIN("weigh"), "weigh");
	cl_mem buffers[shelves];
	cl_event down[shelves];
	double sum = 0;

	for (int i = 0; i < shelves; i++) {
		in[i] = floats(items, 23u + (unsigned)i);
		out[i] = memory(bytes);
		buffers[i] = buffer_new(app, bytes);
	}
	for (int i = 0; i < parcels + shelves; i++) {
		int at = i % shelves;

		if (i >= shelves) {
			settle(down[at]);
			sum += (double)out[at][i];
		}
		if (i >= parcels)
			continue;
		refill(in[at], items, i);
		args(weigh, "bi", buffers[at], 20000);

		cl_event up = put_after(queue, buffers[at], bytes, in[at], 0, NULL);
		cl_event done = run_after(queue, weigh, 64, 64, 1, &up);

		down[at] = get_after(queue, buffers[at], bytes, out[at], 1, &done);
		if (!app->repaired)
			TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
		DROP(up);
		DROP(done);
	}
	answer(sum);
	for (int i = 0; i < shelves; i++) {
		DROP(buffers[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(weigh);
	DROP(queue);
}

struct trial {
	cl_kernel kernel;
	cl_mem weights;
	cl_event last;
};

/* Six trials of a training, with other rates each, are independent of one another. A step of a
 * trial waits for what was enqueued last, whatever that was; repaired, for the trial's own step. */
void app_trial_chain(struct app *app)
{
	enum { trials = 6, each = 128, steps = 50 };
	struct trial all[trials];
	float *weights = floats(each, 24);
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, CHAIN("learn"), "");
	cl_event last = NULL;
	double sum = 0;

	for (int i = 0; i < trials; i++) {
		all[i] = (struct trial){kernel_new(program, "learn"),
					buffer_new(app, each * sizeof(float)), NULL};
		put_now(queue, all[i].weights, each * sizeof(float), weights);
		args(all[i].kernel, "bi", all[i].weights, 12000 + 1600 * i);
	}
	for (int i = 0; i < steps * trials; i++) {
		struct trial *t = &all[i % trials];
		cl_event wait = app->repaired ? t->last : last;

		last = run_after(queue, t->kernel, each, each, wait ? 1 : 0, &wait);
		if (t->last)
			DROP(t->last);
		t->last = last;
		flush(queue);
	}
	for (int i = 0; i < trials; i++) {
		settle(all[i].last);
		get(queue, all[i].weights, each * sizeof(float), weights);
		sum += total(weights, each);
		DROP(all[i].kernel);
		DROP(all[i].weights);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
	free(weights);
}

struct gate {
	cl_event open;
	float *atlas;
};

/* The atlas comes from a slow place. */
static void *gate_load(void *pointer)
{
	struct gate *gate = pointer;

	for (int i = 0; i < 64; i++) {
		nap(2500);
		gate->atlas[i] = (float)i;
	}
	TRY(clSetUserEventStatus(gate->open, CL_COMPLETE));
	return NULL;
}

/* A scene is drawn from shapes and an atlas that a thread loads. A gate, a user event, holds all of
 * it back until the atlas is there; repaired, only what needs it. */
void app_atlas_gate(struct app *app)
{
	enum { items = 256 * KIB, shapes = 90, skins = 130 };
	float *points = floats(items, 25), *result = memory(items * sizeof(float));
	struct gate gate = {.atlas = floats(64, 26)};
	cl_kernel draw = kernel_of(app, CHAIN("draw"), "draw");
	cl_mem scene = buffer_new(app, items * sizeof(float));
	pthread_t loader;
	cl_int status;

	gate.open = clCreateUserEvent(app->context, &status);
	must(status, "clCreateUserEvent");
	pthread_create(&loader, NULL, gate_load, &gate);
	args(draw, "bi", scene, 12);
	DROP(put_after(app->queue, scene, items * sizeof(float), points, app->repaired ? 0 : 1,
		       &gate.open));
	for (int i = 0; i < shapes; i++)
		run(app->queue, draw, items, 64);
	flush(app->queue);
	TRY(clEnqueueWriteBuffer(app->queue, scene, CL_FALSE, 0, 64 * sizeof(float), gate.atlas, 1,
				 &gate.open, NULL));
	for (int i = 0; i < skins; i++)
		run(app->queue, draw, items, 64);
	get(app->queue, scene, items * sizeof(float), result);
	pthread_join(loader, NULL);
	answer(total(result, items));
	DROP(gate.open);
	DROP(draw);
	DROP(scene);
	free(points);
	free(result);
	free(gate.atlas);
}

/* Three ports of a router, each with a queue and buffers of its own. What goes up for a port waits
 * for the kernel of the port before it, as when they shared a staging buffer; repaired, it does not
 * wait. */
void app_port_turns(struct app *app)
{
	enum { ports = 3, items = 64, bytes = MIB, rounds = 120 };
	float *packets[ports], few[64];
	cl_command_queue queues[ports];
	cl_program program = program_new(app, CHAIN("route"), "");
	cl_kernel route[ports];
	cl_mem buffers[ports];
	cl_event last = NULL;
	double sum = 0;

	for (int i = 0; i < ports; i++) {
		packets[i] = floats(256 * KIB, 27u + (unsigned)i);
		queues[i] = queue_new(app, 0);
		route[i] = kernel_new(program, "route");
		buffers[i] = buffer_new(app, bytes);
		args(route[i], "bi", buffers[i], 12000);
	}
	for (int i = 0; i < rounds * ports; i++) {
		int at = i % ports;
		cl_uint waits = last && !app->repaired ? 1 : 0;
		cl_event done;

		DROP(put_after(queues[at], buffers[at], bytes, packets[at], waits, &last));
		done = run_after(queues[at], route[at], items, items, 0, NULL);
		flush(queues[at]);
		if (last)
			DROP(last);
		last = done;
		if (i % 60 == 59)
			for (int j = 0; j < ports; j++)
				finish(queues[j]);
	}
	DROP(last);
	for (int i = 0; i < ports; i++) {
		get(queues[i], buffers[i], sizeof(few), few);
		sum += total(few, 64);
		DROP(queues[i]);
		DROP(route[i]);
		DROP(buffers[i]);
		free(packets[i]);
	}
	DROP(program);
	answer(sum);
}
