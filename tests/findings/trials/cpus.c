/* SPDX-License-Identifier: MIT */
/* Threads, processes and callbacks in the driver's way, and errors that nobody reads. */
#include "trials.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

struct progress {
	atomic_int done;
	int all;
	bool repaired;
	char line[64];
};

/* Keeps a line for whoever looks. */
static void *progress_show(void *pointer)
{
	struct progress *p = pointer;

	for (int done = 0; done < p->all;) {
		done = atomic_load(&p->done);
		snprintf(p->line, sizeof(p->line), "%d of %d (%.1f %%)", done, p->all,
			 100.0 * done / p->all);
		if (p->repaired)
			nap(10000);
	}
	return NULL;
}

/* A line of progress is written by a thread again and again, without a rest, on a CPU that the
 * driver wants; repaired, a hundred times a second. */
void trial_progress_spin(struct app *app)
{
	enum { items = 128 * KIB, steps = 200 };
	struct progress progress = {.all = steps, .repaired = app->repaired};
	cl_kernel fold = kernel_of(app, MIX("fold"), "fold");
	cl_mem chain = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 40);
	pthread_t thread;
	double sum = 0;

	put_now(app->queue, chain, items * sizeof(float), data);
	args(fold, "bi", chain, 10);
	pthread_create(&thread, NULL, progress_show, &progress);
	for (int i = 0; i < steps; i++) {
		run(app->queue, fold, items, 64);
		get(app->queue, chain, 4 * KIB, data);
		sum += (double)data[i];
		atomic_fetch_add(&progress.done, 1);
	}
	pthread_join(thread, NULL);
	answer(sum);
	DROP(fold);
	DROP(chain);
	free(data);
}

/* Binds the program to a CPU, so that its clock's readings compare, and with it, as it is the first
 * thing done, each thread that the driver starts. Repaired, it does not. */
void pinned_driver_early(bool repaired)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (!repaired && sched_setaffinity(0, sizeof(set), &set))
		must(-1, "sched_setaffinity");
}

struct half {
	struct app *app;
	cl_command_queue queue;
	cl_kernel kernel;
	int number;
	double sum;
};

static void *half_run(void *pointer)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), blocks = 200 };
	struct half *half = pointer;
	cl_mem work = buffer_new(half->app, bytes);
	float *data = memory(bytes);

	args(half->kernel, "bi", work, 14);
	for (int i = 0; i < blocks; i++) {
		refill(data, items, i * 2 + half->number);
		put_now(half->queue, work, bytes, data);
		run(half->queue, half->kernel, items, 64);
		get(half->queue, work, bytes, data);
		half->sum += total(data, items);
	}
	DROP(work);
	free(data);
	return NULL;
}

/* Two halves of a job, a thread each, on the one CPU that the program was bound to. */
void trial_pinned_driver(struct app *app)
{
	cl_program program = program_new(app, MIX("halve"), "");
	struct half halves[2];

	for (int i = 0; i < 2; i++)
		halves[i] =
			(struct half){app, queue_new(app, 0), kernel_new(program, "halve"), i, 0};
	threads_run(2, half_run, halves, sizeof(*halves));
	answer(halves[0].sum + halves[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(halves[i].queue);
		DROP(halves[i].kernel);
	}
	DROP(program);
}

static double epochs_train(struct app *app, int count, unsigned seed)
{
	enum { items = 96 * KIB, bytes = items * sizeof(float) };
	cl_kernel epoch = kernel_of(app, MIX("epoch"), "epoch");
	cl_mem net = buffer_new(app, bytes);
	float *data = floats(items, seed);
	double sum = 0;

	put_now(app->queue, net, bytes, data);
	args(epoch, "bi", net, 14);
	for (int i = 0; i < count; i++) {
		run(app->queue, epoch, items, 64);
		get(app->queue, net, KIB, data);
		sum += (double)data[i % 256];
	}
	DROP(epoch);
	DROP(net);
	free(data);
	return sum;
}

void trial_shadow(struct app *app)
{
	answer(epochs_train(app, 60, 41));
}

/* While a net is trained, a second process trains a shadow of it on the same device, for a
 * statistic that nobody reads; repaired, it is trained another day. */
void trial_shadow_process(struct app *app)
{
	char *const words[] = {(char *)app->self, "shadow", NULL};
	posix_spawn_file_actions_t actions;
	pid_t shadow = 0;
	double sum;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	if (!app->repaired && posix_spawn(&shadow, app->self, &actions, NULL, words, environ))
		must(-1, "posix_spawn");
	sum = epochs_train(app, 220, 42);
	if (shadow)
		waitpid(shadow, NULL, 0);
	posix_spawn_file_actions_destroy(&actions);
	answer(sum);
}

enum { ZIP_ITEMS = 16 * KIB, ZIP_PLACES = 4 };

struct zip {
	float *block;
	unsigned packed;
};

/* As many bytes as the block has changes of its upper bits, and a checksum. */
static void zip_pack(struct zip *zip)
{
	unsigned last = 0;

	for (int round = 0; round < 12; round++)
		for (int i = 0; i < ZIP_ITEMS; i++) {
			unsigned value = (unsigned)(zip->block[i] * 65536);

			zip->packed = zip->packed * 31 + (value ^ last);
			last = value;
		}
}

static void CL_CALLBACK zip_ready(cl_event event, cl_int status, void *zip)
{
	(void)event, (void)status;
	zip_pack(zip);
}

/* Snapshots of a simulation are packed in the callback of each read, so by the driver's thread.
 * Repaired, the program's thread packs the one before while the next is made. */
void trial_zip_callback(struct app *app)
{
	enum { items = 128 * KIB, snapshots = 200, bytes = ZIP_ITEMS * sizeof(float) };
	cl_kernel flow = kernel_of(app, MIX("flow"), "flow");
	cl_mem field = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 43);
	struct zip zips[ZIP_PLACES];
	cl_event reads[ZIP_PLACES];
	unsigned sum = 0;

	for (int i = 0; i < ZIP_PLACES; i++)
		zips[i] = (struct zip){memory(bytes), 0};
	put_now(app->queue, field, items * sizeof(float), data);
	args(flow, "bi", field, 8);
	for (int i = 0; i < snapshots + ZIP_PLACES; i++) {
		int at = i % ZIP_PLACES;

		if (i >= ZIP_PLACES) {
			settle(reads[at]);
			if (app->repaired)
				zip_pack(&zips[at]);
		}
		if (i >= snapshots)
			continue;
		run(app->queue, flow, items, 64);
		reads[at] = get_after(app->queue, field, bytes, zips[at].block, 0, NULL);
		if (!app->repaired)
			TRY(clSetEventCallback(reads[at], CL_COMPLETE, zip_ready, &zips[at]));
		flush(app->queue);
	}
	finish(app->queue);
	nap(5000); /* for the last callbacks */
	for (int i = 0; i < ZIP_PLACES; i++) {
		sum += zips[i].packed;
		free(zips[i].block);
	}
	answer(sum);
	DROP(flow);
	DROP(field);
	free(data);
}

enum { MASK_ITEMS = 128 * KIB };

struct mask {
	float *values;
	int frame;
};

/* The grain of a frame. */
static void CL_CALLBACK mask_native(void *pointer)
{
	const struct mask *mask = pointer;

	for (int i = 0; i < MASK_ITEMS; i++) {
		unsigned grain = (unsigned)i * 2654435761u + (unsigned)mask->frame;

		grain ^= grain >> 15;
		mask->values[i] = (float)(grain % 1021) / 1024.0f;
	}
}

static const char mask_source[] = "kernel void grain(global float *v, int frame)\n"
				  "{\n"
				  "	uint grain = get_global_id(0) * 2654435761u + frame;\n"
				  "	grain ^= grain >> 15;\n"
				  "	v[get_global_id(0)] = (float)(grain % 1021) / 1024.0f;\n"
				  "}\n" MIX("print");

/* A film's grain is made by a function of the host in the device's queue, one thread, for each of
 * the frames; repaired, by a kernel. */
void trial_native_grain(struct app *app)
{
	enum { bytes = MASK_ITEMS * sizeof(float), frames = 400 };
	cl_program program = program_new(app, mask_source, "");
	cl_kernel grain = kernel_new(program, "grain"), print = kernel_new(program, "print");
	cl_mem film = buffer_new(app, bytes);
	float seen[256];
	double sum = 0;

	args(print, "bi", film, 3);
	for (int i = 0; i < frames; i++) {
		struct mask mask = {NULL, i};
		const void *place = &mask.values;

		if (app->repaired) {
			args(grain, "bi", film, i);
			run(app->queue, grain, MASK_ITEMS, 64);
		} else {
			TRY(clEnqueueNativeKernel(app->queue, mask_native, &mask, sizeof(mask), 1,
						  &film, (const void **)&place, 0, NULL, NULL));
		}
		run(app->queue, print, MASK_ITEMS, 64);
		get(app->queue, film, sizeof(seen), seen);
		sum += (double)seen[i % 256];
	}
	answer(sum);
	DROP(grain);
	DROP(print);
	DROP(program);
	DROP(film);
}

/* A kernel lost an argument, and the program still sets it with each launch, without a look at what
 * is returned. Repaired, it does not. */
void trial_stale_argument(struct app *app)
{
	enum { items = 16 * KIB, launches = 300, bytes = items * sizeof(float) };
	cl_kernel bend = kernel_of(app, MIX("bend"), "bend");
	cl_mem beam = buffer_new(app, bytes);
	float *data = floats(items, 45);

	put_now(app->queue, beam, bytes, data);
	for (int i = 0; i < launches; i++) {
		const cl_float stiffness = 0.5f;

		args(bend, "bi", beam, 5 + i % 3);
		if (!app->repaired)
			clSetKernelArg(bend, 2, sizeof(stiffness), &stiffness);
		run(app->queue, bend, items, 64);
	}
	get(app->queue, beam, bytes, data);
	answer(total(data, items));
	DROP(bend);
	DROP(beam);
	free(data);
}

/* For each volume the program asks for memory for all of it, more than the device gives at once,
 * and takes less when that fails. Repaired, it asks the device how much there may be. */
void trial_greedy_scratch(struct app *app)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), volumes = 60 };
	cl_kernel march = kernel_of(app, MIX("march"), "march");
	float *data = memory(bytes);
	cl_mem slab = buffer_new(app, bytes);
	cl_ulong most;
	double sum = 0;
	cl_int status;

	TRY(clGetDeviceInfo(app->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
	args(march, "bi", slab, 20);
	for (int i = 0; i < volumes; i++) {
		size_t volume = most + ((size_t)(i + 1) << 30);

		if (!app->repaired || volume <= most) {
			cl_mem whole = clCreateBuffer(app->context, CL_MEM_READ_WRITE, volume, NULL,
						      &status);

			if (status == CL_SUCCESS)
				DROP(whole);
		}
		refill(data, items, i);
		put(app->queue, slab, bytes, data);
		for (int j = 0; j < 4; j++)
			run(app->queue, march, items, 64);
		get(app->queue, slab, bytes, data);
		sum += total(data, items);
	}
	answer(sum);
	DROP(march);
	DROP(slab);
	free(data);
}
