/* SPDX-License-Identifier: MIT */
/* Programs whose commands, threads and queues depend on each other, more or less. */
#include "fittings.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* A seismic survey: shots go to the device, are migrated, and come back. */
void fitting_chunk_queue(struct app *app)
{
	enum { SHOT = 1 << 16, SHOTS = 300, SLOTS = 3 };
	cl_kernel kernel = kernel_of(app, STIR("migrate_shot"), "migrate_shot");
	size_t bytes = SHOT * sizeof(float);
	cl_command_queue up = app->queue, down = app->queue, work = app->queue;
	float *survey = floats(SHOT + 16 * SHOTS, 71), *image = memory(bytes * SLOTS);
	cl_mem in[SLOTS], out[SLOTS];
	cl_event read[SLOTS] = {NULL};
	double sum;

	if (app->repaired) {
		up = queue_new(app, 0);
		down = queue_new(app, 0);
	}
	for (int s = 0; s < SLOTS; s++) {
		in[s] = buffer_new(app, bytes);
		out[s] = buffer_new(app, bytes);
	}
	for (int shot = 0; shot < SHOTS; shot++) {
		int s = shot % SLOTS;
		cl_event written, done;

		if (read[s])
			settle(read[s]);
		written = put_after(up, in[s], bytes, survey + (size_t)shot * 16, 0, NULL);
		flush(up);
		args(kernel, "bbi", in[s], out[s], 8);
		done = run_after(work, kernel, SHOT, 64, 1, &written);
		flush(work);
		read[s] = get_after(down, out[s], bytes, image + (size_t)s * SHOT, 1, &done);
		flush(down);
		DROP(written);
		DROP(done);
	}
	for (int s = 0; s < SLOTS; s++) {
		settle(read[s]);
		DROP(in[s]);
		DROP(out[s]);
	}
	sum = total(image, SHOT * SLOTS);
	answer(sum);
	if (app->repaired) {
		DROP(up);
		DROP(down);
	}
	free(survey);
	free(image);
	DROP(kernel);
}

/* A decision forest: the nodes of a layer look at parts of the data of their own. */
void fitting_node_layers(struct app *app)
{
	enum { NODES = 4, PART = 64, LAYERS = 250 };
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, STIR("split_node"), "");
	cl_kernel kernels[NODES];
	cl_mem nodes[NODES];
	cl_event before[NODES] = {NULL};
	double sum = 0;

	for (int n = 0; n < NODES; n++) {
		nodes[n] = seeded(app, PART, (unsigned)n + 72);
		kernels[n] = kernel_new(program, "split_node");
		args(kernels[n], "bbi", nodes[n], nodes[n], 4000);
	}
	for (int layer = 0; layer < LAYERS; layer++) {
		for (int n = 0; n < NODES; n++) {
			if (app->repaired) {
				cl_event done = run_after(queue, kernels[n], PART, PART,
							  before[n] != NULL, &before[n]);

				if (before[n])
					DROP(before[n]);
				before[n] = done;
			} else {
				run(queue, kernels[n], PART, PART);
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
			}
		}
		flush(queue);
		if (layer % 10 == 9)
			finish(queue); /* a tree is done */
	}
	finish(queue);
	for (int n = 0; n < NODES; n++) {
		sum += sum_of(app->queue, nodes[n], PART);
		DROP(nodes[n]);
		DROP(kernels[n]);
		if (before[n])
			DROP(before[n]);
	}
	answer(sum);
	DROP(queue);
	DROP(program);
}

/* Two chains of a sampler, each with a queue and a state of its own. */
void fitting_twin_chains(struct app *app)
{
	enum { STATE = 64, STEPS = 400 };
	cl_command_queue queues[2] = {app->queue, queue_new(app, 0)};
	cl_program program = program_new(app, STIR("sample_chain"), "");
	cl_kernel kernels[2];
	cl_mem chains[2] = {seeded(app, STATE, 75), seeded(app, STATE, 76)};
	cl_event last = NULL, marker;

	for (int c = 0; c < 2; c++) {
		kernels[c] = kernel_new(program, "sample_chain");
		args(kernels[c], "bbi", chains[c], chains[c], 5000);
	}
	for (int step = 0; step < STEPS; step++)
		for (int c = 0; c < 2; c++) {
			run_with(queues[c], kernels[c], STATE, STATE, !app->repaired && last, &last,
				 NULL);
			TRY(clEnqueueMarkerWithWaitList(queues[c], 0, NULL, &marker));
			flush(queues[c]);
			if (last)
				DROP(last);
			last = marker;
		}
	DROP(last);
	finish(queues[0]);
	finish(queues[1]);
	answer(sum_of(app->queue, chains[0], STATE) + sum_of(app->queue, chains[1], STATE));
	DROP(queues[1]);
	DROP(chains[0]);
	DROP(chains[1]);
	DROP(kernels[0]);
	DROP(kernels[1]);
	DROP(program);
}

/* Weather: north and south are computed by a half of the device each. */
void fitting_split_halves(struct app *app)
{
	enum { CELLS = 1 << 15, STEPS = 200 };
	const char *source = STIR("half_step");
	cl_uint units;
	cl_device_id halves[2];
	cl_command_queue queues[2];
	cl_context context;
	cl_program program;
	cl_kernel kernels[2];
	cl_mem cells[2];
	cl_int status;
	double sum = 0;

	TRY(clGetDeviceInfo(app->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	TRY(clCreateSubDevices(
		app->device,
		(cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, units / 2, 0}, 2,
		halves, NULL));
	context = clCreateContext(NULL, 2, halves, NULL, NULL, &status);
	must(status, "clCreateContext");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
	must(status, "clCreateProgramWithSource");
	TRY(clBuildProgram(program, 2, halves, "", NULL, NULL));
	for (int h = 0; h < 2; h++) {
		float *start = floats(CELLS, (unsigned)h + 77);

		queues[h] = clCreateCommandQueue(context, halves[h], 0, &status);
		must(status, "clCreateCommandQueue");
		kernels[h] = kernel_new(program, "half_step");
		cells[h] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, CELLS * sizeof(*start),
					  start, &status);
		must(status, "clCreateBuffer");
		args(kernels[h], "bbi", cells[h], cells[h], 25);
		free(start);
	}
	for (int step = 0; step < STEPS; step++) {
		for (int h = 0; h < 2; h++) {
			run(queues[h], kernels[h], CELLS, 64);
			flush(queues[h]);
			if (!app->repaired)
				finish(queues[h]);
		}
		finish(queues[0]);
		finish(queues[1]);
	}
	for (int h = 0; h < 2; h++) {
		sum += sum_of(queues[h], cells[h], CELLS);
		DROP(cells[h]);
		DROP(kernels[h]);
		DROP(queues[h]);
	}
	answer(sum);
	DROP(program);
	DROP(context);
	TRY(clReleaseDevice(halves[0]));
	TRY(clReleaseDevice(halves[1]));
}

static void decode(float *frame, size_t count, int number)
{
	refill(frame, count, number);
	busy(frame, count, 8);
}

/* A film is decoded by the host and graded by the device. */
void fitting_decode_frames(struct app *app)
{
	enum { PIXELS = 1 << 17, FRAMES = 80 };
	cl_kernel kernel = kernel_of(app, STIR("grade_frame"), "grade_frame");
	size_t bytes = PIXELS * sizeof(float);
	float *frames[2] = {memory(bytes), memory(bytes)}, *graded = memory(bytes);
	cl_mem in = buffer_new(app, bytes), out = buffer_new(app, bytes);
	double sum = 0;

	decode(frames[0], PIXELS, 0);
	for (int f = 0; f < FRAMES; f++) {
		cl_event read;

		put(app->queue, in, bytes, frames[f % 2]);
		args(kernel, "bbi", in, out, 8);
		run(app->queue, kernel, PIXELS, 64);
		read = get_after(app->queue, out, bytes, graded, 0, NULL);
		flush(app->queue);
		if (!app->repaired)
			TRY(clWaitForEvents(1, &read));
		if (f + 1 < FRAMES)
			decode(frames[(f + 1) % 2], PIXELS, f + 1);
		if (app->repaired)
			TRY(clWaitForEvents(1, &read));
		DROP(read);
		sum += (double)graded[f];
	}
	answer(sum);
	free(frames[0]);
	free(frames[1]);
	free(graded);
	DROP(in);
	DROP(out);
	DROP(kernel);
}

/* A map's tiles come from a server, one by one, and get their relief on the device. */
void fitting_tile_fetch(struct app *app)
{
	enum { CELLS = 1 << 16, TILES = 100 };
	cl_kernel kernel = kernel_of(app, STIR("shade_relief"), "shade_relief");
	size_t bytes = CELLS * sizeof(float);
	float *tiles = floats(CELLS + 16 * TILES, 81);
	cl_mem in, relief = buffer_new(app, bytes);
	cl_int status;

	in = clCreateBuffer(app->context, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, bytes, NULL,
			    &status);
	must(status, "clCreateBuffer");
	nap(2000);
	for (int t = 0; t < TILES; t++) {
		put(app->queue, in, bytes, tiles + (size_t)t * 16);
		args(kernel, "bbi", in, relief, 30);
		run(app->queue, kernel, CELLS, 64);
		flush(app->queue);
		if (!app->repaired)
			finish(app->queue);
		if (t + 1 < TILES)
			nap(2000); /* the server's answer */
		if (app->repaired)
			finish(app->queue);
	}
	answer(sum_of(app->queue, relief, CELLS));
	free(tiles);
	DROP(in);
	DROP(relief);
	DROP(kernel);
}

static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;
static int book_orders;

struct desk {
	struct app *app;
	cl_mem orders;
	double result;
};

static void book(struct desk *desk, cl_command_queue queue, cl_kernel kernel)
{
	args(kernel, "bbi", desk->orders, desk->orders, 15);
	run(queue, kernel, 1 << 15, 64);
	finish(queue);
	nap(1000); /* the exchange confirms */
}

static void *desk_main(void *argument)
{
	struct desk *desk = argument;
	cl_command_queue queue = queue_new(desk->app, 0);
	cl_kernel kernel = kernel_new(desk->app->program, "match_orders");

	for (int i = 0; i < 120; i++) {
		if (desk->app->repaired)
			book(desk, queue, kernel);
		pthread_mutex_lock(&book_lock);
		if (!desk->app->repaired)
			book(desk, queue, kernel);
		book_orders++;
		pthread_mutex_unlock(&book_lock);
	}
	desk->result = sum_of(queue, desk->orders, 1 << 15);
	DROP(kernel);
	DROP(queue);
	return NULL;
}

/* Traders' desks with orders of their own, and one book that counts all of them. */
void fitting_order_desk(struct app *app)
{
	enum { DESKS = 2 };
	struct desk desks[DESKS];

	app->program = program_new(app, STIR("match_orders"), "");
	for (int d = 0; d < DESKS; d++)
		desks[d] = (struct desk){app, seeded(app, 1 << 15, (unsigned)d + 83), 0};
	threads_run(DESKS, desk_main, desks, sizeof(*desks));
	answer(desks[0].result + desks[1].result + book_orders);
	DROP(desks[0].orders);
	DROP(desks[1].orders);
}

enum { CODE = 1 << 14, CODES = 80 };

static struct coder {
	float *frames;
	bool own_thread;
	_Atomic int ended;
	sem_t ready, encoded;
} coder;

static void encode(void)
{
	busy(coder.frames + (size_t)coder.ended++ * CODE, CODE, 100);
	sem_post(&coder.encoded);
}

static void CL_CALLBACK frame_read(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
	if (coder.own_thread)
		sem_post(&coder.ready);
	else
		encode();
}

static void *coder_main(void *argument)
{
	for (int f = 0; f < CODES; f++) {
		sem_wait(&coder.ready);
		encode();
	}
	return argument;
}

/* A video call: frames are denoised by the device and encoded as soon as they are back. */
void fitting_encode_hook(struct app *app)
{
	cl_kernel kernel = kernel_of(app, STIR("denoise"), "denoise");
	cl_mem scene = seeded(app, CODE, 91);
	pthread_t thread;

	coder.frames = memory(sizeof(float) * CODE * CODES);
	coder.own_thread = app->repaired;
	sem_init(&coder.ready, 0, 0);
	sem_init(&coder.encoded, 0, 0);
	if (app->repaired && pthread_create(&thread, NULL, coder_main, NULL))
		must(-1, "pthread_create");
	for (int f = 0; f < CODES; f++) {
		cl_event read;

		args(kernel, "bbi", scene, scene, 60);
		run(app->queue, kernel, CODE, 64);
		read = get_after(app->queue, scene, CODE * sizeof(float),
				 coder.frames + (size_t)f * CODE, 0, NULL);
		TRY(clSetEventCallback(read, CL_COMPLETE, frame_read, NULL));
		flush(app->queue);
		DROP(read);
	}
	for (int f = 0; f < CODES; f++)
		sem_wait(&coder.encoded);
	if (app->repaired)
		pthread_join(thread, NULL);
	answer(total(coder.frames + (size_t)(CODES - 1) * CODE + 1, CODE - 1));
	free(coder.frames);
	DROP(scene);
	DROP(kernel);
}
