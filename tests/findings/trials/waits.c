/* SPDX-License-Identifier: MIT */
/* Waits that need not be, or are done the wrong way. */
#include "trials.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static const char gauss_source[] = "kernel void factor(global float *m, int n, int k)\n"
				   "{\n"
				   "	int row = get_global_id(0);\n"
				   "	if (row > k)\n"
				   "		m[row * n + k] /= m[k * n + k];\n"
				   "}\n"
				   "kernel void eliminate(global float *m, int n, int k)\n"
				   "{\n"
				   "	int row = get_global_id(0);\n"
				   "	float f = m[row * n + k];\n"
				   "	for (int j = k + 1; row > k && j < n; j++)\n"
				   "		m[row * n + j] -= f * m[k * n + j];\n"
				   "}\n";

/* LU factors of matrices, two kernels for each pivot. The host waits for the queue to run dry after
 * each pivot, though it looks at nothing; repaired, the read at the end waits. */
void trial_gauss_pivots(struct app *app)
{
	enum { n = 128, items = n * n, bytes = items * sizeof(float), matrices = 40 };
	float *m = memory(bytes);
	cl_program program = program_new(app, gauss_source, "");
	cl_kernel factor = kernel_new(program, "factor");
	cl_kernel eliminate = kernel_new(program, "eliminate");
	cl_mem matrix = buffer_new(app, bytes);
	double sum = 0;

	for (int i = 0; i < matrices; i++) {
		refill(m, items, i);
		for (int j = 0; j < n; j++)
			m[j * n + j] += n;
		put_now(app->queue, matrix, bytes, m);
		for (int k = 0; k < n - 1; k++) {
			args(factor, "bii", matrix, n, k);
			run(app->queue, factor, n, 32);
			args(eliminate, "bii", matrix, n, k);
			run(app->queue, eliminate, n, 32);
			if (!app->repaired)
				finish(app->queue);
		}
		get(app->queue, matrix, bytes, m);
		sum += (double)m[items - 1 - i];
	}
	answer(sum);
	DROP(factor);
	DROP(eliminate);
	DROP(program);
	DROP(matrix);
	free(m);
}

static cl_ulong time_of(cl_event event)
{
	cl_ulong start, end;

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	DROP(event);
	return end - start;
}

/* A network's layers are timed, as its log has them: the launcher waits for each kernel, to ask
 * when it ran. Repaired, it keeps the events, and asks after the batch's result has come. */
void trial_layer_times(struct app *app)
{
	enum { layers = 12, items = 1024, bytes = items * sizeof(float), batches = 220 };
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel dense = kernel_of(app, MIX("dense"), "dense");
	cl_mem act = buffer_new(app, bytes);
	float *batch = memory(bytes);
	cl_ulong times[layers] = {0}, all = 0;
	cl_event events[layers];
	double sum = 0;

	for (int i = 0; i < batches; i++) {
		refill(batch, items, i);
		put(queue, act, bytes, batch);
		for (int j = 0; j < layers; j++) {
			args(dense, "bi", act, 10 + j);
			events[j] = run_after(queue, dense, items, 64, 0, NULL);
			if (app->repaired)
				continue;
			TRY(clWaitForEvents(1, &events[j]));
			times[j] += time_of(events[j]);
		}
		get(queue, act, bytes, batch);
		for (int j = 0; j < layers && app->repaired; j++)
			times[j] += time_of(events[j]);
		sum += (double)batch[i];
	}
	for (int j = 0; j < layers; j++)
		all += times[j];
	answer(all ? sum : 0);
	DROP(dense);
	DROP(act);
	DROP(queue);
	free(batch);
}

/* Asks after all tiles under way, until that one is done. */
static void tile_await(const cl_event *tiles, int first, int count, int wanted)
{
	cl_int state;

	for (bool done = false; !done; sched_yield())
		for (int i = first; i < count; i++) {
			TRY(clGetEventInfo(tiles[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
					   sizeof(state), &state, NULL));
			done |= i == wanted && state == CL_COMPLETE;
		}
}

/* A tiled renderer has four tiles under way, asks all of them in turn whether they are done, and
 * gives that one's place to the next. Repaired, it waits for the oldest. */
void trial_tile_status(struct app *app)
{
	enum { places = 4, items = 8 * KIB, bytes = items * sizeof(float), tiles = 400 };
	cl_kernel shade = kernel_of(app, MIX("shade"), "shade");
	cl_mem buffers[places];
	float *pixels[places];
	cl_event done[places];
	double sum = 0;

	for (int i = 0; i < places; i++) {
		buffers[i] = buffer_new(app, bytes);
		pixels[i] = floats(items, (unsigned)i);
		put_now(app->queue, buffers[i], bytes, pixels[i]);
	}
	for (int i = 0; i < tiles + places; i++) {
		int at = i % places;

		if (i >= places) {
			if (!app->repaired)
				tile_await(done, i < tiles ? 0 : at, places, at);
			settle(done[at]);
			sum += (double)pixels[at][i];
		}
		if (i >= tiles)
			continue;
		args(shade, "bi", buffers[at], 70);
		run(app->queue, shade, items, 64);
		done[at] = get_after(app->queue, buffers[at], bytes, pixels[at], 0, NULL);
		flush(app->queue);
	}
	answer(sum);
	for (int i = 0; i < places; i++) {
		DROP(buffers[i]);
		free(pixels[i]);
	}
	DROP(shade);
}

/* Nodes of a graph that an executor runs. Before each it waits for all that ran before, one by one,
 * for any of them may be an input; repaired, for the one node that it does read. */
void trial_graph_inputs(struct app *app)
{
	enum { nodes = 2600, items = 3 * KIB, bytes = items * sizeof(float) };
	cl_event *ran = memory(nodes * sizeof(cl_event));
	cl_kernel node = kernel_of(app, MIX("node"), "node");
	cl_mem tensor = buffer_new(app, bytes);
	float *data = floats(items, 4);
	double sum = 0;

	put_now(app->queue, tensor, bytes, data);
	args(node, "bi", tensor, 20);
	for (int i = 0; i < nodes; i++) {
		for (int j = app->repaired && i ? i - 1 : 0; j < i; j++)
			TRY(clWaitForEvents(1, &ran[j]));
		if (i)
			sum += (double)data[i];
		run(app->queue, node, items, 64);
		ran[i] = get_after(app->queue, tensor, bytes, data, 0, NULL);
		flush(app->queue);
	}
	finish(app->queue);
	answer(sum);
	for (int i = 0; i < nodes; i++)
		DROP(ran[i]);
	DROP(node);
	DROP(tensor);
	free(data);
	free(ran);
}

static atomic_int frames_shown;

static void CL_CALLBACK frame_shown(cl_event event, cl_int status, void *nothing)
{
	(void)event, (void)status, (void)nothing;
	atomic_fetch_add(&frames_shown, 1);
}

/* A callback counts the frames that have come, and the program's thread runs around until there is
 * one more, on a CPU that the device could use. Repaired, it waits for the frame's event. */
void trial_flag_callback(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), seen = 256, frames = 260 };
	cl_kernel trace = kernel_of(app, MIX("trace"), "trace");
	cl_mem film = buffer_new(app, bytes);
	float *data = floats(items, 5);
	double sum = 0;

	put_now(app->queue, film, bytes, data);
	args(trace, "bi", film, 24);
	for (int i = 0; i < frames; i++) {
		run(app->queue, trace, items, 64);

		cl_event came = get_after(app->queue, film, seen * sizeof(float), data, 0, NULL);

		TRY(clSetEventCallback(came, CL_COMPLETE, frame_shown, NULL));
		flush(app->queue);
		while (!app->repaired && atomic_load(&frames_shown) <= i)
			continue;
		settle(came);
		sum += (double)data[i % seen];
	}
	answer(sum);
	DROP(trace);
	DROP(film);
	free(data);
}
