/* SPDX-License-Identifier: MIT */
/* Data that is moved too often, too much of it, or in too small pieces. */
#include "outside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Twelve parameters of a step, each in a buffer of its own, or all in one. */
void outside_scalars_each(struct outside *outside)
{
	enum { steps = 300, parameters = 12, items = 16 * KIB };
	static float values[steps][parameters];
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel add = kernel_of(outside->program, "add");
	cl_mem field = memory_of(outside, items * sizeof(float));
	cl_mem other = memory_of(outside, items * sizeof(float));
	cl_mem memory[parameters];

	for (int i = 0; i < parameters; i++)
		memory[i] = memory_of(outside, sizeof(values[0]));
	set(advance, "mii", field, 6, items);
	set(add, "mmf", other, field, 0.5);
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < parameters; j++)
			values[i][j] = (float)(i * j) + 0.5f;
		if (outside->repaired)
			put(outside->queue, memory[0], false, sizeof(values[i]), values[i]);
		for (int j = 0; !outside->repaired && j < parameters; j++)
			put(outside->queue, memory[j], true, sizeof(float), &values[i][j]);
		run(outside->queue, advance, items, 64);
		run(outside->queue, add, items, 64);
	}
	finish(outside->queue);
	for (int i = 0; i < parameters; i++)
		free_memory(memory[i]);
	free_memory(field);
	free_memory(other);
	free_kernel(advance);
	free_kernel(add);
}

/* Some steps are looked at by a probe: of a field of 8 MiB it needs one row. */
void outside_probe_field(struct outside *outside)
{
	enum { items = 2 * MIB, row = 1024, work = 64 * KIB };
	float *host = calloc(items, sizeof(*host)), seen = 0;
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, items * sizeof(float));

	put(outside->queue, field, true, items * sizeof(float), host);
	set(advance, "mii", field, 2, work);
	for (int i = 0; i < 100; i++)
		run(outside->queue, advance, work, 64);
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 2; j++)
			run(outside->queue, advance, work, 64);
		get(outside->queue, field, true, (outside->repaired ? row : items) * sizeof(float),
		    host);
		for (int j = 0; j < row; j++)
			seen += host[j];
	}
	if (seen < 0)
		must(-1, "probe");
	free(host);
	free_memory(field);
	free_kernel(advance);
}

static void put_table(struct outside *outside, cl_mem memory, size_t side, const float *table)
{
	size_t zero[3] = {0}, region[3] = {side * sizeof(float), side, 1};

	must(clEnqueueWriteBufferRect(outside->queue, memory, CL_FALSE, zero, zero, region,
				      side * sizeof(float), 0, 2 * side * sizeof(float), 0, table,
				      0, NULL, NULL),
	     "clEnqueueWriteBufferRect");
}

/* The table of the lens goes to the device for each picture, with what did change. */
void outside_lens_table(struct outside *outside)
{
	enum { side = 1024, small = 1024, pictures = 300 };
	static float lens[2 * side * side], look[pictures][small];
	cl_kernel remap = kernel_of(outside->program, "remap");
	cl_kernel sharpen = kernel_of(outside->program, "sharpen");
	cl_mem image[2], table = memory_of(outside, side * side * sizeof(float));
	cl_mem looks = memory_of(outside, sizeof(look[0]));

	for (int i = 0; i < 2 * side * side; i++)
		lens[i] = 1 + (float)(i % 2000) / 1999;
	for (int i = 0; i < 2; i++)
		image[i] = memory_of(outside, side * side * sizeof(float));
	set(remap, "mmmm", image[0], table, image[1], looks);
	set(sharpen, "mmf", image[1], image[0], 0.125);
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < small; j++)
			look[i][j] = (float)(i + j);
		if (!outside->repaired || !i)
			put_table(outside, table, side, lens);
		put(outside->queue, looks, false, sizeof(look[i]), look[i]);
		run(outside->queue, remap, side * side, 64);
		if (i % 6 != 5)
			continue;
		run(outside->queue, sharpen, side * side, 64);
		finish(outside->queue);
	}
	finish(outside->queue);
	for (int i = 0; i < 2; i++)
		free_memory(image[i]);
	free_memory(table);
	free_memory(looks);
	free_kernel(remap);
	free_kernel(sharpen);
}

static void change_records(struct outside *outside, cl_mem memory, size_t offset, size_t bytes,
			   size_t each)
{
	cl_int status;
	char *at = clEnqueueMapBuffer(outside->queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
				      offset, bytes, 0, NULL, NULL, &status);

	must(status, "clEnqueueMapBuffer");
	for (size_t i = 0; i < bytes; i += each)
		at[i] = (char)(at[i] + 1);
	must(clEnqueueUnmapMemObject(outside->queue, memory, at, 0, NULL, NULL),
	     "clEnqueueUnmapMemObject");
}

/* Every so many steps the records of a table are changed: each is mapped, or the table is. */
void outside_map_records(struct outside *outside)
{
	enum { records = 200, each = 64, items = 32 * KIB };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, items * sizeof(float));
	cl_mem table = memory_of(outside, records * each);
	size_t piece = outside->repaired ? records * each : each;

	change_records(outside, table, 0, records * each, each);
	set(advance, "mii", field, 6, items);
	for (int i = 0; i < 50; i++) {
		for (int j = 0; j < 4; j++)
			run(outside->queue, advance, items, 64);
		for (size_t at = 0; at < records * each; at += piece)
			change_records(outside, table, at, piece, each);
	}
	finish(outside->queue);
	free_memory(field);
	free_memory(table);
	free_kernel(advance);
}

/* Four domains; each one gets what its neighbour computed, by messages in the host's memory. */
void outside_ring_by_host(struct outside *outside)
{
	enum { domains = 4, items = 512 * KIB, bytes = items * (int)sizeof(float) };
	float *inbox = calloc(1, bytes), *outbox = calloc(1, bytes);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem domain[domains], ghost[domains];

	for (int i = 0; i < domains; i++) {
		domain[i] = memory_of(outside, bytes);
		ghost[i] = memory_of(outside, bytes);
		put(outside->queue, domain[i], true, bytes, inbox);
	}
	for (int i = 0; i < 50; i++) {
		for (int j = 0; j < domains; j++) {
			set(advance, "mii", domain[j], 1, items);
			run(outside->queue, advance, items, 64);
		}
		for (int j = 0; j < domains; j++) {
			cl_mem to = ghost[(j + 1) % domains];

			if (outside->repaired) {
				must(clEnqueueCopyBuffer(outside->queue, domain[j], to, 0, 0, bytes,
							 0, NULL, NULL),
				     "clEnqueueCopyBuffer");
				continue;
			}
			get(outside->queue, domain[j], true, bytes, inbox);
			memcpy(outbox, inbox, bytes);
			put(outside->queue, to, true, bytes, outbox);
		}
	}
	finish(outside->queue);
	for (int i = 0; i < domains; i++) {
		free_memory(domain[i]);
		free_memory(ghost[i]);
	}
	free(inbox);
	free(outbox);
	free_kernel(advance);
}

/* A library whose functions take and give arrays of the host. */
static void pass(struct outside *outside, cl_kernel kernel, cl_mem memory, size_t items,
		 float *host)
{
	if (host)
		put(outside->queue, memory, false, items * sizeof(float), host);
	set(kernel, "mii", memory, 1, (int)items);
	run(outside->queue, kernel, items, 64);
	if (host)
		get(outside->queue, memory, true, items * sizeof(float), host);
}

/* Six of them in turn over the same array. */
void outside_passes_home(struct outside *outside)
{
	enum { items = 256 * KIB, passes = 6 };
	float *host = calloc(items, sizeof(*host));
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, items * sizeof(float));

	for (int i = 0; i < 250; i++) {
		crunch(host, 1024, 4);
		if (outside->repaired)
			put(outside->queue, memory, false, items * sizeof(float), host);
		for (int j = 0; j < passes; j++)
			pass(outside, advance, memory, items, outside->repaired ? NULL : host);
		if (outside->repaired)
			get(outside->queue, memory, true, items * sizeof(float), host);
	}
	free(host);
	free_memory(memory);
	free_kernel(advance);
}

/* Frames of which each one has its data brought, computed and fetched, in one queue or in three. */
void outside_one_queue_frames(struct outside *outside)
{
	enum { slots = 3, items = 128 * KIB, frames = 240 };
	static float in[slots][items], out[slots][items];
	cl_command_queue queue[3] = {outside->queue, outside->queue, outside->queue};
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory[slots];
	cl_event gone[slots] = {NULL};

	for (int i = 1; outside->repaired && i < 3; i++)
		queue[i] = queue_of(outside, 0);
	for (int i = 0; i < slots; i++)
		memory[i] = memory_of(outside, sizeof(in[i]));
	for (int i = 0; i < frames; i++) {
		int at = i % slots;
		cl_event there, done;

		if (gone[at])
			must(clWaitForEvents(1, &gone[at]), "clWaitForEvents");
		free_event(&gone[at]);
		for (int j = 0; j < 64; j++)
			in[at][j * 1024] = out[at][j] + (float)i;
		must(clEnqueueWriteBuffer(queue[0], memory[at], CL_FALSE, 0, sizeof(in[at]), in[at],
					  0, NULL, &there),
		     "clEnqueueWriteBuffer");
		flush(queue[0]);
		set(advance, "mii", memory[at], 1, items);
		run_after(queue[1], advance, items, 64, 1, &there, &done);
		flush(queue[1]);
		must(clEnqueueReadBuffer(queue[2], memory[at], CL_FALSE, 0, sizeof(out[at]),
					 out[at], 1, &done, &gone[at]),
		     "clEnqueueReadBuffer");
		flush(queue[2]);
		free_event(&there);
		free_event(&done);
	}
	for (int i = 0; i < 3; i++)
		finish(queue[i]);
	for (int i = 0; i < slots; i++) {
		free_event(&gone[i]);
		free_memory(memory[i]);
	}
	for (int i = 1; outside->repaired && i < 3; i++)
		free_queue(queue[i]);
	free_kernel(advance);
}

static void *consumer_main(void *argument)
{
	enum { records = 128, each = 64, items = records * each / (int)sizeof(float) };
	struct outside *outside = *(struct outside **)argument;
	cl_command_queue queue = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, 16 * KIB * sizeof(float));
	char table[records * each];
	size_t piece = outside->repaired ? sizeof(table) : each;

	set(advance, "mii", memory, 10, 16 * KIB);
	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 20; j++)
			run(queue, advance, 16 * KIB, 64);
		for (size_t at = 0; at < sizeof(table); at += piece)
			must(clEnqueueReadBuffer(queue, memory, CL_TRUE, at, piece, table + at, 0,
						 NULL, NULL),
			     "clEnqueueReadBuffer");
	}
	free_memory(memory);
	free_kernel(advance);
	free_queue(queue);
	return NULL;
}

/* Two threads fetch the records of their results, one by one. */
void outside_records_each(struct outside *outside)
{
	struct outside *both[2] = {outside, outside};

	in_threads(2, consumer_main, both, sizeof(*both));
}

/* A solver's scalar product, by the host over all of both vectors; or by the device. */
void outside_host_dot(struct outside *outside)
{
	enum { items = 1 * MIB, groups = 64, group = 64 };
	float *a = calloc(items, sizeof(*a)), sums[groups], dot = 0;
	cl_kernel add = kernel_of(outside->program, "add");
	cl_kernel part = kernel_of(outside->program, "dot_part");
	cl_mem x = memory_of(outside, items * sizeof(float));
	cl_mem r = memory_of(outside, items * sizeof(float));
	cl_mem device_sums = memory_of(outside, sizeof(sums));

	put(outside->queue, x, true, items * sizeof(float), a);
	put(outside->queue, r, true, items * sizeof(float), a);
	set(part, "mmmli", x, r, device_sums, group * sizeof(float), items / (groups * group));
	for (int i = 0; i < 100; i++) {
		set(add, "mmf", x, r, dot > 1e6f ? 0.25 : 0.5);
		run(outside->queue, add, items, 64);
		dot = 0;
		if (outside->repaired) {
			run(outside->queue, part, (size_t)groups * group, group);
			get(outside->queue, device_sums, true, sizeof(sums), sums);
			for (int j = 0; j < groups; j++)
				dot += sums[j];
			continue;
		}
		get(outside->queue, x, true, items * sizeof(float), a);
		for (int j = 0; j < items; j++)
			dot += a[j] * a[j];
	}
	free(a);
	free_memory(x);
	free_memory(r);
	free_memory(device_sums);
	free_kernel(add);
	free_kernel(part);
}
