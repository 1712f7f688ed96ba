/* SPDX-License-Identifier: MIT */
/* Work that has nothing to do with each other is kept in one order. */
#include "workloads.h"

#include <stdlib.h>

static const char frame_source[] = "kernel void grade(global float *x, float gain)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	x[i] = clamp(x[i] * gain + 0.01f, 0.0f, 1.0f);\n"
				   "}\n";

/* Frames of a video go up, are graded, and come down, all in one queue; repaired, two queues have
 * every other frame each. */
void workload_video_frames(struct app *w)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), frames = 800, ring = 4 };
	cl_command_queue queues[2] = {w->queue, queue_new(w, 0)};
	cl_kernel grade = kernel_of(w, frame_source, "grade");
	cl_mem memory[ring];
	float *frame[ring], *graded[ring];
	double sum = 0;

	for (int i = 0; i < ring; i++) {
		memory[i] = buffer_new(w, bytes);
		frame[i] = new_field(items, (unsigned)i);
		graded[i] = new_field(items, 1);
	}
	for (int i = 0; i < frames; i += ring) {
		for (int j = 0; j < ring; j++) {
			cl_command_queue queue = queues[w->repaired ? j % 2 : 0];

			for (int k = 0; k < items; k += 16)
				frame[j][k] = (float)(i + j + k % 97) / frames;
			put(queue, memory[j], bytes, frame[j]);
			args(grade, "bf", memory[j], 0.95);
			run(queue, grade, items, 64);
			TRY(clEnqueueReadBuffer(queue, memory[j], CL_FALSE, 0, bytes, graded[j], 0,
						NULL, NULL));
			flush(queue);
		}
		finish(queues[0]);
		finish(queues[1]);
	}
	for (int i = 0; i < ring; i++) {
		sum += total(graded[i], items);
		DROP(memory[i]);
		free(frame[i]);
		free(graded[i]);
	}
	answer(sum);
	DROP(queues[1]);
	DROP(grade);
}

/* One group; as much work as rounds. */
static const char group_source[] =
	"kernel void solve(global const float *from, global float *to, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = from[i], b = to[i];\n"
	"	for (int j = 0; j < rounds; j++) {\n"
	"		b = b * 0.999f + 0.001f * a;\n"
	"		a = a * 0.998f + 0.002f * b;\n"
	"	}\n"
	"	to[i] = b;\n"
	"}\n";

/* Two small systems, each solved by kernels of one group, all in one queue though they share
 * nothing; repaired, each system has its queue. */
void workload_twin_solvers(struct app *w)
{
	enum { items = 128, bytes = items * sizeof(float), steps = 500 };
	cl_command_queue queues[2] = {w->queue, queue_new(w, 0)};
	cl_kernel solve = kernel_of(w, group_source, "solve");
	float *x = new_field(items, 12);
	cl_mem right[2], left[2];
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		right[i] = buffer_new(w, bytes);
		left[i] = buffer_new(w, bytes);
		put_now(w->queue, right[i], bytes, x);
		put_now(w->queue, left[i], bytes, x);
	}
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < 2; j++) {
			cl_command_queue queue = queues[w->repaired ? j : 0];

			args(solve, "bbi", right[j], left[j], 2500);
			run(queue, solve, items, items);
			flush(queue);
		}
		if (i % 50 == 49) {
			finish(queues[0]);
			finish(queues[1]);
		}
	}
	for (int i = 0; i < 2; i++) {
		get(w->queue, left[i], bytes, x);
		sum += total(x, items);
		DROP(right[i]);
		DROP(left[i]);
	}
	answer(sum);
	DROP(solve);
	DROP(queues[1]);
	free(x);
}

/* Books of options are priced in a queue that keeps no order, with a barrier behind each command.
 * Repaired, a book's kernel waits for its data, and these for the book's kernel before. */
void workload_pricing_books(struct app *w)
{
	enum { books = 8, items = 256, bytes = 256 * KIB, days = 50 };
	cl_command_queue queue = queue_new(w, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel solve = kernel_of(w, group_source, "solve");
	cl_event last[books] = {NULL};
	cl_mem quotes[books], prices[books];
	float *quote[books];
	double sum = 0;

	for (int i = 0; i < books; i++) {
		quotes[i] = buffer_new(w, bytes);
		prices[i] = buffer_new(w, items * sizeof(float));
		quote[i] = new_field(bytes / sizeof(float) + days * 16, (unsigned)i);
		put_now(queue, prices[i], items * sizeof(float), quote[i]);
	}
	for (int day = 0; day < days; day++) {
		for (int i = 0; i < books; i++) {
			cl_event there;

			TRY(clEnqueueWriteBuffer(queue, quotes[i], CL_FALSE, 0, bytes,
						 quote[i] + day * 16, last[i] ? 1 : 0,
						 last[i] ? &last[i] : NULL, &there));
			if (!w->repaired)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
			if (last[i])
				DROP(last[i]);
			args(solve, "bbi", quotes[i], prices[i], 1500);
			last[i] = run_after(queue, solve, items, items, 1, &there);
			if (!w->repaired)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
			DROP(there);
		}
		flush(queue);
		if (day % 10 == 9)
			finish(queue);
	}
	for (int i = 0; i < books; i++) {
		get(queue, prices[i], items * sizeof(float), quote[i]);
		sum += total(quote[i], items);
		DROP(last[i]);
		DROP(quotes[i]);
		DROP(prices[i]);
		free(quote[i]);
	}
	answer(sum);
	DROP(solve);
	DROP(queue);
}

static const char align_source[] =
	"kernel void align_tile(global const float *left, global const float *top, global float *to,\n"
	"		       int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = left[i], b = top[i];\n"
	"	for (int j = 0; j < rounds; j++) {\n"
	"		a = max(a - 0.01f, b * 0.5f);\n"
	"		b = max(b - 0.02f, a * 0.25f + 0.1f);\n"
	"	}\n"
	"	to[i] = a + b;\n"
	"}\n";

/* Tiles of an alignment (Smith-Waterman), in a queue that keeps no order: each waits for the one
 * that was enqueued before it. Repaired, each waits for its left and its upper neighbour. */
void workload_align_tiles(struct app *w)
{
	enum { side = 6, items = 128, bytes = items * sizeof(float), pairs = 30 };
	cl_command_queue queue = queue_new(w, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel align_tile = kernel_of(w, align_source, "align_tile");
	float *edge = new_field(items, 9);
	cl_mem tiles[side][side], border = buffer_new(w, bytes);
	double sum = 0;

	for (int i = 0; i < side * side; i++)
		tiles[i / side][i % side] = buffer_new(w, bytes);
	for (int pair = 0; pair < pairs; pair++) {
		cl_event done[side][side], before = NULL;

		edge[pair] = 0.5f;
		put_now(queue, border, bytes, edge);
		for (int y = 0; y < side; y++)
			for (int x = 0; x < side; x++) {
				cl_event waits[2];
				cl_uint count = 0;

				if (!w->repaired && before)
					waits[count++] = before;
				if (w->repaired && x)
					waits[count++] = done[y][x - 1];
				if (w->repaired && y)
					waits[count++] = done[y - 1][x];
				args(align_tile, "bbbi", x ? tiles[y][x - 1] : border,
				     y ? tiles[y - 1][x] : border, tiles[y][x], 2500);
				done[y][x] =
					run_after(queue, align_tile, items, items, count, waits);
				before = done[y][x];
			}
		finish(queue);
		get(queue, tiles[side - 1][side - 1], bytes, edge);
		sum += total(edge, items);
		for (int i = 0; i < side * side; i++)
			DROP(done[i / side][i % side]);
	}
	answer(sum);
	for (int i = 0; i < side * side; i++)
		DROP(tiles[i / side][i % side]);
	DROP(border);
	DROP(align_tile);
	DROP(queue);
	free(edge);
}

/* Two cameras with a queue each. The picture of one goes up when the kernel of the other is
 * through, so that they take turns, as for the one buffer that they once shared; repaired, each
 * queue goes on by itself. */
void workload_two_cameras(struct app *w)
{
	enum { items = 256, bytes = 192 * KIB, pictures = 400 };
	cl_command_queue queues[2] = {w->queue, queue_new(w, 0)};
	cl_kernel solve = kernel_of(w, group_source, "solve");
	cl_mem picture[2], state[2];
	cl_event before = NULL;
	float *data[2];
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		picture[i] = buffer_new(w, bytes);
		state[i] = buffer_new(w, items * sizeof(float));
		data[i] = new_field(bytes / sizeof(float) + pictures * 16, (unsigned)i);
		put_now(w->queue, state[i], items * sizeof(float), data[i]);
	}
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < 2; j++) {
			cl_event done;

			TRY(clEnqueueWriteBuffer(queues[j], picture[j], CL_FALSE, 0, bytes,
						 data[j] + i * 16, before && !w->repaired ? 1 : 0,
						 before && !w->repaired ? &before : NULL, NULL));
			args(solve, "bbi", picture[j], state[j], 900);
			done = run_after(queues[j], solve, items, items, 0, NULL);
			flush(queues[j]);
			if (before)
				DROP(before);
			before = done;
		}
		if (i % 8 != 7)
			continue;
		finish(queues[0]);
		finish(queues[1]);
	}
	DROP(before);
	for (int i = 0; i < 2; i++) {
		get(w->queue, state[i], items * sizeof(float), data[i]);
		sum += total(data[i], items);
		DROP(picture[i]);
		DROP(state[i]);
		free(data[i]);
	}
	answer(sum);
	DROP(solve);
	DROP(queues[1]);
}
