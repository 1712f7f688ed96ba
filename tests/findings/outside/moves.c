/* SPDX-License-Identifier: MIT */
/* Data that is moved too often, too much of it, or in too small pieces. */
#include "outside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Twelve parameters of a step, each in a buffer of its own, or all in one. */
void outside_scalars_each(struct app *app)
{
	enum { steps = 300, parameters = 12, items = 16 * KIB };
	static float values[steps][parameters];
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel add = kernel_new(app->program, "add");
	cl_mem field = buffer_new(app, items * sizeof(float));
	cl_mem other = buffer_new(app, items * sizeof(float));
	cl_mem memory[parameters];

	for (int i = 0; i < parameters; i++)
		memory[i] = buffer_new(app, sizeof(values[0]));
	args(advance, "bii", field, 6, items);
	args(add, "bbf", other, field, 0.5);
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < parameters; j++)
			values[i][j] = (float)(i * j) + 0.5f;
		if (app->repaired)
			put(app->queue, memory[0], sizeof(values[i]), values[i]);
		for (int j = 0; !app->repaired && j < parameters; j++)
			put_now(app->queue, memory[j], sizeof(float), &values[i][j]);
		run(app->queue, advance, items, 64);
		run(app->queue, add, items, 64);
	}
	finish(app->queue);
	for (int i = 0; i < parameters; i++)
		DROP(memory[i]);
	DROP(field);
	DROP(other);
	DROP(advance);
	DROP(add);
}

/* Some steps are looked at by a probe: of a field of 8 MiB it needs one row. */
void outside_probe_field(struct app *app)
{
	enum { items = 2 * MIB, row = 1024, work = 64 * KIB };
	float *host = calloc(items, sizeof(*host)), seen = 0;
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, items * sizeof(float));

	put_now(app->queue, field, items * sizeof(float), host);
	args(advance, "bii", field, 2, work);
	for (int i = 0; i < 100; i++)
		run(app->queue, advance, work, 64);
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 2; j++)
			run(app->queue, advance, work, 64);
		get(app->queue, field, (app->repaired ? row : items) * sizeof(float), host);
		for (int j = 0; j < row; j++)
			seen += host[j];
	}
	if (seen < 0)
		must(-1, "probe");
	free(host);
	DROP(field);
	DROP(advance);
}

static void put_table(struct app *app, cl_mem memory, size_t side, const float *table)
{
	size_t zero[3] = {0}, region[3] = {side * sizeof(float), side, 1};

	TRY(clEnqueueWriteBufferRect(app->queue, memory, CL_FALSE, zero, zero, region,
				     side * sizeof(float), 0, 2 * side * sizeof(float), 0, table, 0,
				     NULL, NULL));
}

/* The table of the lens goes to the device for each picture, with what did change. */
void outside_lens_table(struct app *app)
{
	enum { side = 1024, small = 1024, pictures = 300 };
	static float lens[2 * side * side], look[pictures][small];
	cl_kernel remap = kernel_new(app->program, "remap");
	cl_kernel sharpen = kernel_new(app->program, "sharpen");
	cl_mem image[2], table = buffer_new(app, side * side * sizeof(float));
	cl_mem looks = buffer_new(app, sizeof(look[0]));

	for (int i = 0; i < 2 * side * side; i++)
		lens[i] = 1 + (float)(i % 2000) / 1999;
	for (int i = 0; i < 2; i++)
		image[i] = buffer_new(app, side * side * sizeof(float));
	args(remap, "bbbb", image[0], table, image[1], looks);
	args(sharpen, "bbf", image[1], image[0], 0.125);
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < small; j++)
			look[i][j] = (float)(i + j);
		if (!app->repaired || !i)
			put_table(app, table, side, lens);
		put(app->queue, looks, sizeof(look[i]), look[i]);
		run(app->queue, remap, side * side, 64);
		if (i % 6 != 5)
			continue;
		run(app->queue, sharpen, side * side, 64);
		finish(app->queue);
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++)
		DROP(image[i]);
	DROP(table);
	DROP(looks);
	DROP(remap);
	DROP(sharpen);
}

static void change_records(struct app *app, cl_mem memory, size_t offset, size_t bytes, size_t each)
{
	cl_int status;
	char *at = clEnqueueMapBuffer(app->queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
				      offset, bytes, 0, NULL, NULL, &status);

	must(status, "clEnqueueMapBuffer");
	for (size_t i = 0; i < bytes; i += each)
		at[i] = (char)(at[i] + 1);
	TRY(clEnqueueUnmapMemObject(app->queue, memory, at, 0, NULL, NULL));
}

/* Every so many steps the records of a table are changed: each is mapped, or the table is. */
void outside_map_records(struct app *app)
{
	enum { records = 200, each = 64, items = 32 * KIB };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, items * sizeof(float));
	cl_mem table = buffer_new(app, records * each);
	size_t piece = app->repaired ? records * each : each;

	change_records(app, table, 0, records * each, each);
	args(advance, "bii", field, 6, items);
	for (int i = 0; i < 50; i++) {
		for (int j = 0; j < 4; j++)
			run(app->queue, advance, items, 64);
		for (size_t at = 0; at < records * each; at += piece)
			change_records(app, table, at, piece, each);
	}
	finish(app->queue);
	DROP(field);
	DROP(table);
	DROP(advance);
}

/* Four domains; each one gets what its neighbour computed, by messages in the host's memory. */
void outside_ring_by_host(struct app *app)
{
	enum { domains = 4, items = 512 * KIB, bytes = items * (int)sizeof(float) };
	float *inbox = calloc(1, bytes), *outbox = calloc(1, bytes);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem domain[domains], ghost[domains];

	for (int i = 0; i < domains; i++) {
		domain[i] = buffer_new(app, bytes);
		ghost[i] = buffer_new(app, bytes);
		put_now(app->queue, domain[i], bytes, inbox);
	}
	for (int i = 0; i < 50; i++) {
		for (int j = 0; j < domains; j++) {
			args(advance, "bii", domain[j], 1, items);
			run(app->queue, advance, items, 64);
		}
		for (int j = 0; j < domains; j++) {
			cl_mem to = ghost[(j + 1) % domains];

			if (app->repaired) {
				TRY(clEnqueueCopyBuffer(app->queue, domain[j], to, 0, 0, bytes, 0,
							NULL, NULL));
				continue;
			}
			get(app->queue, domain[j], bytes, inbox);
			memcpy(outbox, inbox, bytes);
			put_now(app->queue, to, bytes, outbox);
		}
	}
	finish(app->queue);
	for (int i = 0; i < domains; i++) {
		DROP(domain[i]);
		DROP(ghost[i]);
	}
	free(inbox);
	free(outbox);
	DROP(advance);
}

/* A library whose functions take and give arrays of the host. */
static void pass(struct app *app, cl_kernel kernel, cl_mem memory, size_t items, float *host)
{
	if (host)
		put(app->queue, memory, items * sizeof(float), host);
	args(kernel, "bii", memory, 1, (int)items);
	run(app->queue, kernel, items, 64);
	if (host)
		get(app->queue, memory, items * sizeof(float), host);
}

/* Six of them in turn over the same array. */
void outside_passes_home(struct app *app)
{
	enum { items = 256 * KIB, passes = 6 };
	float *host = calloc(items, sizeof(*host));
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, items * sizeof(float));

	for (int i = 0; i < 250; i++) {
		crunch(host, 1024, 4);
		if (app->repaired)
			put(app->queue, memory, items * sizeof(float), host);
		for (int j = 0; j < passes; j++)
			pass(app, advance, memory, items, app->repaired ? NULL : host);
		if (app->repaired)
			get(app->queue, memory, items * sizeof(float), host);
	}
	free(host);
	DROP(memory);
	DROP(advance);
}

/* Frames of which each one has its data brought, computed and fetched, in one queue or in three. */
void outside_one_queue_frames(struct app *app)
{
	enum { slots = 3, items = 128 * KIB, frames = 240 };
	static float in[slots][items], out[slots][items];
	cl_command_queue queue[3] = {app->queue, app->queue, app->queue};
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory[slots];
	cl_event gone[slots] = {NULL};

	for (int i = 1; app->repaired && i < 3; i++)
		queue[i] = queue_new(app, 0);
	for (int i = 0; i < slots; i++)
		memory[i] = buffer_new(app, sizeof(in[i]));
	for (int i = 0; i < frames; i++) {
		int at = i % slots;
		cl_event there, done;

		if (gone[at])
			TRY(clWaitForEvents(1, &gone[at]));
		free_event(&gone[at]);
		for (int j = 0; j < 64; j++)
			in[at][j * 1024] = out[at][j] + (float)i;
		TRY(clEnqueueWriteBuffer(queue[0], memory[at], CL_FALSE, 0, sizeof(in[at]), in[at],
					 0, NULL, &there));
		flush(queue[0]);
		args(advance, "bii", memory[at], 1, items);
		done = run_after(queue[1], advance, items, 64, 1, &there);
		flush(queue[1]);
		TRY(clEnqueueReadBuffer(queue[2], memory[at], CL_FALSE, 0, sizeof(out[at]), out[at],
					1, &done, &gone[at]));
		flush(queue[2]);
		free_event(&there);
		free_event(&done);
	}
	for (int i = 0; i < 3; i++)
		finish(queue[i]);
	for (int i = 0; i < slots; i++) {
		free_event(&gone[i]);
		DROP(memory[i]);
	}
	for (int i = 1; app->repaired && i < 3; i++)
		DROP(queue[i]);
	DROP(advance);
}

static void *consumer_main(void *argument)
{
	enum { records = 128, each = 64, items = records * each / (int)sizeof(float) };
	struct app *app = *(struct app **)argument;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, 16 * KIB * sizeof(float));
	char table[records * each];
	size_t piece = app->repaired ? sizeof(table) : each;

	args(advance, "bii", memory, 10, 16 * KIB);
	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 20; j++)
			run(queue, advance, 16 * KIB, 64);
		for (size_t at = 0; at < sizeof(table); at += piece)
			TRY(clEnqueueReadBuffer(queue, memory, CL_TRUE, at, piece, table + at, 0,
						NULL, NULL));
	}
	DROP(memory);
	DROP(advance);
	DROP(queue);
	return NULL;
}

/* Two threads fetch the records of their results, one by one. */
void outside_records_each(struct app *app)
{
	struct app *both[2] = {app, app};

	threads_run(2, consumer_main, both, sizeof(*both));
}

/* A solver's scalar product, by the host over all of both vectors; or by the device. */
void outside_host_dot(struct app *app)
{
	enum { items = 1 * MIB, groups = 64, group = 64 };
	float *a = calloc(items, sizeof(*a)), sums[groups], dot = 0;
	cl_kernel add = kernel_new(app->program, "add");
	cl_kernel part = kernel_new(app->program, "dot_part");
	cl_mem x = buffer_new(app, items * sizeof(float));
	cl_mem r = buffer_new(app, items * sizeof(float));
	cl_mem device_sums = buffer_new(app, sizeof(sums));

	put_now(app->queue, x, items * sizeof(float), a);
	put_now(app->queue, r, items * sizeof(float), a);
	args(part, "bbbli", x, r, device_sums, group * sizeof(float), items / (groups * group));
	for (int i = 0; i < 100; i++) {
		args(add, "bbf", x, r, dot > 1e6f ? 0.25 : 0.5);
		run(app->queue, add, items, 64);
		dot = 0;
		if (app->repaired) {
			run(app->queue, part, (size_t)groups * group, group);
			get(app->queue, device_sums, sizeof(sums), sums);
			for (int j = 0; j < groups; j++)
				dot += sums[j];
			continue;
		}
		get(app->queue, x, items * sizeof(float), a);
		for (int j = 0; j < items; j++)
			dot += a[j] * a[j];
	}
	free(a);
	DROP(x);
	DROP(r);
	DROP(device_sums);
	DROP(add);
	DROP(part);
}
