/* SPDX-License-Identifier: MIT */
/* The host waits for the device more often than it has to. */
#include "workloads.h"

#include <stdlib.h>

static const char jacobi_source[] =
	"kernel void relax(global const float *from, global float *to, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width;\n"
	"	int last = get_global_size(0) - 1;\n"
	"	float left = x ? from[i - 1] : 0, right = x < width - 1 ? from[i + 1] : 0;\n"
	"	to[i] = 0.25f * (left + right + from[max(i - width, 0)] + from[min(i + width, last)]);\n"
	"}\n";

/* Jacobi sweeps over a small plate: the host waits behind every sweep before it swaps the two
 * buffers. Repaired, only the last sweep is waited for, since the queue is in order anyway. */
void workload_jacobi_sweeps(struct app *w)
{
	enum { width = 96, items = width * width, sweeps = 8000 };
	float *plate = new_field(items, 7);
	cl_kernel relax = kernel_of(w, jacobi_source, "relax");
	cl_mem plates[2] = {buffer_new(w, items * sizeof(float)),
			    buffer_new(w, items * sizeof(float))};

	put_now(w->queue, plates[0], items * sizeof(float), plate);
	for (int i = 0; i < sweeps; i++) {
		args(relax, "bbi", plates[i % 2], plates[1 - i % 2], width);
		run(w->queue, relax, items, 96);
		if (!w->repaired)
			finish(w->queue);
	}
	get(w->queue, plates[0], items * sizeof(float), plate);
	answer(total(plate, items));
	DROP(plates[0]);
	DROP(plates[1]);
	DROP(relax);
	free(plate);
}

static const char lu_source[] = "kernel void panel(global float *a, int n, int k)\n"
				"{\n"
				"	int row = k + 1 + get_global_id(0);\n"
				"	if (row < n)\n"
				"		a[row * n + k] /= a[k * n + k];\n"
				"}\n"
				"kernel void update(global float *a, int n, int k)\n"
				"{\n"
				"	int col = k + 1 + get_global_id(0);\n"
				"	if (col >= n)\n"
				"		return;\n"
				"	float top = a[k * n + col];\n"
				"	for (int row = k + 1; row < min(n, k + 24); row++)\n"
				"		a[row * n + col] -= a[row * n + k] * top;\n"
				"}\n";

/* A banded LU decomposition column by column. Each kernel gives an event, and the host waits for it
 * before the next one is enqueued; repaired, the events are not asked for at all. */
void workload_lu_panels(struct app *w)
{
	enum { n = 192, times = 24 };
	float *matrix = new_field(n * n, 3);
	cl_program program = program_new(w, lu_source, "");
	cl_kernel kernels[2] = {kernel_new(program, "panel"), kernel_new(program, "update")};
	cl_mem a = buffer_new(w, n * n * sizeof(float));

	for (int i = 0; i < n; i++)
		matrix[i * n + i] += 100;
	for (int i = 0; i < times; i++) {
		matrix[0] = 100 + (float)i;
		put_now(w->queue, a, n * n * sizeof(float), matrix);
		for (int k = 0; k < n - 1; k++)
			for (int j = 0; j < 2; j++) {
				cl_event done;

				args(kernels[j], "bii", a, n, k);
				run_with(w->queue, kernels[j], n, 64, 0, NULL,
					 w->repaired ? NULL : &done);
				if (w->repaired)
					continue;
				TRY(clWaitForEvents(1, &done));
				DROP(done);
			}
	}
	get(w->queue, a, n * n * sizeof(float), matrix);
	answer(total(matrix, n * n));
	for (int j = 0; j < 2; j++)
		DROP(kernels[j]);
	DROP(program);
	DROP(a);
	free(matrix);
}

static const char bfs_source[] =
	"kernel void expand(global int *level, global int *more, int depth, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width, count = get_global_size(0);\n"
	"	if (level[i] >= 0)\n"
	"		return;\n"
	"	if ((x && level[i - 1] == depth) || (i >= width && level[i - width] == depth) ||\n"
	"	    (x < width - 1 && level[i + 1] == depth) ||\n"
	"	    (i + width < count && level[i + width] == depth)) {\n"
	"		level[i] = depth + 1;\n"
	"		*more = depth + 1;\n"
	"	}\n"
	"}\n";

/* Breadth-first search through a long grid. Behind each level the host reads whether anything was
 * reached; repaired, it looks behind every 32nd, and the last ones find nothing. */
void workload_bfs_flag(struct app *w)
{
	enum { width = 4, items = width * 4000 };
	int *level = malloc(items * sizeof(*level)), more = 0, every = w->repaired ? 32 : 1;
	cl_kernel expand = kernel_of(w, bfs_source, "expand");
	cl_mem levels = buffer_new(w, items * sizeof(*level));
	cl_mem flag = buffer_new(w, sizeof(more));
	bool growing = true;
	long sum = 0;

	for (int i = 0; i < items; i++)
		level[i] = i ? -1 : 0;
	put_now(w->queue, levels, items * sizeof(*level), level);
	put_now(w->queue, flag, sizeof(more), &more);
	for (int depth = 0; growing; depth++) {
		args(expand, "bbii", levels, flag, depth, width);
		run(w->queue, expand, items, 64);
		if (depth % every != every - 1)
			continue;
		get(w->queue, flag, sizeof(more), &more);
		growing = more > depth;
	}
	get(w->queue, levels, items * sizeof(*level), level);
	for (int i = 0; i < items; i++)
		sum += level[i];
	answer((double)sum);
	DROP(levels);
	DROP(flag);
	DROP(expand);
	free(level);
}

static const char streams_source[] = "kernel void blend(global float *x, float by)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	x[i] = x[i] * 0.75f + by;\n"
				     "}\n";

/* A library with a pool of 24 streams: whoever has read a result calls settle(), which finishes
 * every stream, though nothing was left in any. Repaired, the read is enough. */
void workload_streams_settle(struct app *w)
{
	enum { streams = 24, items = 512, requests = 40000 };
	float *data = new_field(items, 5);
	cl_command_queue queues[streams];
	cl_kernel blend = kernel_of(w, streams_source, "blend");
	cl_mem memory = buffer_new(w, items * sizeof(float));
	double sum = 0;

	for (int i = 0; i < streams; i++)
		queues[i] = queue_new(w, 0);
	put_now(w->queue, memory, items * sizeof(float), data);
	for (int i = 0; i < requests; i++) {
		args(blend, "bf", memory, i * 0.001);
		run(queues[i % streams], blend, items, 64);
		get(queues[i % streams], memory, items * sizeof(float), data);
		sum += data[i % items];
		for (int j = 0; j < streams && !w->repaired; j++)
			finish(queues[j]);
	}
	answer(sum);
	for (int i = 0; i < streams; i++)
		DROP(queues[i]);
	DROP(blend);
	DROP(memory);
	free(data);
}
