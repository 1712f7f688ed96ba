/* SPDX-License-Identifier: MIT */
/* Programs without a fault, though one who looks in a hurry might see some: with little overlap,
 * few waits that are needed, and data that changes little. */
#include "workloads.h"

#include <stdlib.h>

static const char cg_source[] =
	"kernel void apply(global const float *p, global float *q)\n"
	"{\n"
	"	int i = get_global_id(0), last = get_global_size(0) - 1;\n"
	"	q[i] = 2.1f * p[i] - p[max(i - 1, 0)] - p[min(i + 1, last)];\n"
	"}\n"
	"kernel void descend(global float *x, global const float *q, global const float *b)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	x[i] += 0.3f * (b[i] - q[i]);\n"
	"}\n"
	"kernel void residual(global const float *q, global const float *b, global float *to, int each)\n"
	"{\n"
	"	size_t at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += (b[at + i] - q[at + i]) * (b[at + i] - q[at + i]);\n"
	"	to[get_global_id(0)] = sum;\n"
	"}\n";

/* An iterative solver. All vectors stay on the device; each 40 steps the host fetches 256 partial
 * sums of the residual, without which it cannot know when to end. */
void workload_clean_cg(struct app *w)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), parts = 256, most = 1200 };
	float *x = new_field(items, 8), sums[parts];
	cl_program program = program_new(w, cg_source, "");
	cl_kernel apply = kernel_new(program, "apply"), descend = kernel_new(program, "descend");
	cl_kernel residual = kernel_new(program, "residual");
	cl_mem p = buffer_new(w, bytes), q = buffer_new(w, bytes), b = buffer_new(w, bytes);
	cl_mem to = buffer_new(w, sizeof(sums));

	put(w->queue, p, bytes, x);
	put(w->queue, b, bytes, x);
	args(apply, "bb", p, q);
	args(descend, "bbb", p, q, b);
	args(residual, "bbbi", q, b, to, items / parts);
	for (int i = 1; i <= most; i++) {
		run(w->queue, apply, items, 64);
		run(w->queue, descend, items, 64);
		if (i % 40)
			continue;
		run(w->queue, residual, parts, 8);
		get(w->queue, to, sizeof(sums), sums);
		if (total(sums, parts) < 0)
			break;
	}
	answer(total(sums, parts));
	DROP(p);
	DROP(q);
	DROP(b);
	DROP(to);
	DROP(apply);
	DROP(descend);
	DROP(residual);
	DROP(program);
	free(x);
}

static const char video_source[] =
	"kernel void denoise(global const float *from, global float *to, int width, int rounds)\n"
	"{\n"
	"	int i = get_global_id(0), last = get_global_size(0) - 1;\n"
	"	float v = from[i];\n"
	"	for (int j = 0; j < rounds; j++)\n"
	"		v = 0.5f * v + 0.125f * (from[max(i - 1, 0)] + from[min(i + 1, last)] +\n"
	"					 from[max(i - width, 0)] + from[min(i + width, last)]);\n"
	"	to[i] = v;\n"
	"}\n";

/* Frames of a video by two queues in turn. When a ring place comes around again, the host waits for
 * the frame before in it, since it has to have been written. */
void workload_clean_video(struct app *w)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), ring = 4, frames = 800 };
	cl_command_queue queues[2] = {w->queue, queue_new(w, 0)};
	cl_kernel denoise = kernel_of(w, video_source, "denoise");
	cl_mem in[ring], out[ring];
	cl_event done[ring] = {NULL};
	float *frame[ring], *result[ring];
	double sum = 0;

	for (int i = 0; i < ring; i++) {
		in[i] = buffer_new(w, bytes);
		out[i] = buffer_new(w, bytes);
		frame[i] = new_field(items, (unsigned)i);
		result[i] = new_field(items, 1);
	}
	for (int i = 0; i < frames; i++) {
		int at = i % ring;

		if (done[at]) {
			TRY(clWaitForEvents(1, &done[at]));
			DROP(done[at]);
			sum += result[at][i];
		}
		for (int j = 0; j < items; j += 4)
			frame[at][j] = (float)((i + j) % 251) / 251;
		put(queues[i % 2], in[at], bytes, frame[at]);
		args(denoise, "bbii", in[at], out[at], 256, 12);
		run(queues[i % 2], denoise, items, 64);
		TRY(clEnqueueReadBuffer(queues[i % 2], out[at], CL_FALSE, 0, bytes, result[at], 0,
					NULL, &done[at]));
		flush(queues[i % 2]);
	}
	finish(queues[0]);
	finish(queues[1]);
	for (int i = 0; i < ring; i++) {
		DROP(done[i]);
		DROP(in[i]);
		DROP(out[i]);
		free(frame[i]);
		free(result[i]);
	}
	answer(sum);
	DROP(denoise);
	DROP(queues[1]);
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

/* Breadth-first search in a broad grid; behind each 24th level the host looks at the flag. */
void workload_clean_bfs(struct app *w)
{
	enum { width = 512, items = width * 320, every = 24, levels = width + 320 };
	int *level = malloc(items * sizeof(*level)), more = 0;
	cl_kernel expand = kernel_of(w, bfs_source, "expand");
	cl_mem grid = buffer_new(w, items * sizeof(*level)), flag = buffer_new(w, sizeof(more));
	double sum = 0;

	for (int i = 0; i < items; i++)
		level[i] = i ? -1 : 0;
	put_now(w->queue, grid, items * sizeof(*level), level);
	put_now(w->queue, flag, sizeof(more), &more);
	for (int depth = 0; depth < levels; depth++) {
		args(expand, "bbii", grid, flag, depth, width);
		run(w->queue, expand, items, 64);
		if (depth % every == every - 1)
			get(w->queue, flag, sizeof(more), &more);
	}
	get(w->queue, grid, items * sizeof(*level), level);
	for (int i = 0; i < items; i++)
		sum += level[i];
	answer(sum + more);
	DROP(grid);
	DROP(flag);
	DROP(expand);
	free(level);
}

static const char shade_source[] =
	"kernel void shade(global float *to, global const float *camera, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float v = to[i];\n"
	"	for (int j = 0; j < rounds; j++)\n"
	"		v = v * 0.9f + camera[j % 16] * 0.01f;\n"
	"	to[i] = v;\n"
	"}\n";

/* Each frame has 64 bytes of parameters of its own, which go to the device in front of a kernel
 * that takes a hundred times as long. */
void workload_clean_parameters(struct app *w)
{
	enum { items = 256 * KIB, frames = 150 };
	static float cameras[frames][16];
	float *image = new_field(items, 3);
	cl_kernel shade = kernel_of(w, shade_source, "shade");
	cl_mem memory = buffer_new(w, items * sizeof(float)), camera = buffer_new(w, 64);

	put_now(w->queue, memory, items * sizeof(float), image);
	args(shade, "bbi", memory, camera, 32);
	for (int i = 0; i < frames; i++) {
		for (int j = 0; j < 16; j++)
			cameras[i][j] = (float)(i * 16 + j) / 2400;
		put(w->queue, camera, 64, cameras[i]);
		run(w->queue, shade, items, 64);
		flush(w->queue);
	}
	get(w->queue, memory, items * sizeof(float), image);
	answer(total(image, items));
	DROP(memory);
	DROP(camera);
	DROP(shade);
	free(image);
}

/* Frames come from a camera at its own pace, and each is worked on when it is there: that the
 * device waits in between is as it should be. */
void workload_clean_camera(struct app *w)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), frames = 100 };
	float *frame = new_field(items, 3), *result = new_field(items, 4);
	cl_kernel denoise = kernel_of(w, video_source, "denoise");
	cl_mem in = buffer_new(w, bytes), out = buffer_new(w, bytes);
	double sum = 0;

	args(denoise, "bbii", in, out, 256, 10);
	for (int i = 0; i < frames; i++) {
		nap(5000); /* the camera */
		for (int j = 0; j < items; j += 2)
			frame[j] = (float)((i * 7 + j) % 241) / 241;
		put(w->queue, in, bytes, frame);
		run(w->queue, denoise, items, 64);
		get(w->queue, out, bytes, result);
		sum += result[i];
	}
	answer(sum);
	DROP(in);
	DROP(out);
	DROP(denoise);
	free(frame);
	free(result);
}
