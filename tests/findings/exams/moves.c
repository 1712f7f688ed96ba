/* SPDX-License-Identifier: MIT */
/* Transfers that are too many, too slow, or need not be. */
#include "exams.h"

#include <stdlib.h>
#include <string.h>

static const char path_source[] =
	"kernel void paths(global float *p, int each, int day)\n"
	"{\n"
	"	int i = get_global_id(0), at = i * each;\n"
	"	uint s = i * 747796405u + day + 1u;\n"
	"	float x = 1;\n"
	"	for (int k = 0; k < each; k++) {\n"
	"		s = s * 1664525u + 1013904223u;\n"
	"		x += (float)(s >> 16) * (1.0f / 65536) - 0.5f;\n"
	"		p[at + k] = x;\n"
	"	}\n"
	"}\n"
	"kernel void ends(global const float *p, global float *last, int each)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	last[i] = p[i * each + each - 1];\n"
	"}\n";

/* Prices' paths, of each of which the end is fetched by a read of four bytes. Repaired, a kernel
 * gathers the ends, and one read has them all. */
void exam_path_results(struct app *app)
{
	enum { paths = 128, each = 64, days = 180, bytes = paths * sizeof(float) };
	cl_program program = program_new(app, path_source, "");
	cl_kernel walk = kernel_new(program, "paths"), ends = kernel_new(program, "ends");
	cl_mem all = buffer_new(app, bytes * each), last = buffer_new(app, bytes);
	float *prices = memory(bytes);
	double sum = 0;

	args(ends, "bbi", all, last, each);
	for (int i = 0; i < days; i++) {
		args(walk, "bii", all, each, i);
		run(app->queue, walk, paths, 16);
		if (app->repaired)
			run(app->queue, ends, paths, 16);
		for (size_t j = 0; j < paths && !app->repaired; j++)
			TRY(clEnqueueReadBuffer(app->queue, all, j == paths - 1,
						(j * each + each - 1) * sizeof(float),
						sizeof(float), &prices[j], 0, NULL, NULL));
		if (app->repaired)
			get(app->queue, last, bytes, prices);
		sum += total(prices, paths);
	}
	answer(sum);
	DROP(walk);
	DROP(ends);
	DROP(program);
	DROP(all);
	DROP(last);
	free(prices);
}

struct octree {
	struct app *app;
	cl_mem nodes;
	float node[73][8];
	int count;
};

/* Makes a node and those below it; a node that is complete goes to the device. */
static void octree_add(struct octree *tree, float size, int depth)
{
	size_t at = (size_t)tree->count++;
	float *node = tree->node[at];

	for (int i = 0; i < 8; i++)
		node[i] = size * (float)(i + 1);
	for (int i = 0; i < 8 && depth; i++)
		octree_add(tree, size * 0.5f + (float)i * 0.01f, depth - 1);
	if (!tree->app->repaired)
		put_at(tree->app->queue, tree->nodes, at * sizeof(tree->node[0]),
		       sizeof(tree->node[0]), node);
}

static const char octree_source[] =
	"kernel void march(global const float *nodes, global float *film, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float light = 0;\n"
	"	for (int n = 0; n < count; n++)\n"
	"		light += nodes[n * 8 + (i & 7)] / (float)(n + 1);\n"
	"	film[i] = light;\n"
	"}\n";

/* A scene's octree is made anew for each frame, and each node goes to the device when it is
 * complete, 32 bytes. Repaired, the tree goes when it is. */
void exam_octree_nodes(struct app *app)
{
	enum { pixels = 2 * KIB, bytes = pixels * sizeof(float), frames = 300 };
	struct octree tree = {.app = app, .nodes = buffer_new(app, sizeof(tree.node))};
	cl_kernel march = kernel_of(app, octree_source, "march");
	cl_mem film = buffer_new(app, bytes);
	float *seen = memory(bytes);
	double sum = 0;

	for (int i = 0; i < frames; i++) {
		tree.count = 0;
		octree_add(&tree, (float)(i + 1) * 0.1f, 2);
		if (app->repaired)
			put(app->queue, tree.nodes, sizeof(tree.node), tree.node);
		args(march, "bbi", tree.nodes, film, tree.count);
		run(app->queue, march, pixels, 64);
		get(app->queue, film, bytes, seen);
		sum += (double)seen[i];
	}
	answer(sum);
	DROP(march);
	DROP(tree.nodes);
	DROP(film);
	free(seen);
}

static const char lanes_source[] = "kernel void mass(global const float4 *p, global float *m)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	m[i] = max(max(p[i].x, p[i].y), max(p[i].z, p[i].w));\n"
				   "}\n";

/* Particles, whose four coordinates the host keeps in an array each, and the device side by side:
 * each goes there as a box four bytes wide. Repaired, the host puts them side by side, and one
 * write has them all. */
void exam_particle_lanes(struct app *app)
{
	enum { count = 24 * KIB, lanes = 4, bytes = count * sizeof(float), steps = 90 };
	cl_kernel mass = kernel_of(app, lanes_source, "mass");
	cl_mem places = buffer_new(app, lanes * bytes), masses = buffer_new(app, bytes);
	float *lane[lanes], *aside = memory(lanes * bytes), *seen = memory(bytes);
	double sum = 0;

	for (int i = 0; i < lanes; i++)
		lane[i] = memory(bytes);
	args(mass, "bb", places, masses);
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < lanes; j++)
			refill(lane[j], count, i * lanes + j);
		for (int j = 0; j < count * lanes && app->repaired; j++)
			aside[j] = lane[j % lanes][j / lanes];
		if (app->repaired)
			put(app->queue, places, lanes * bytes, aside);
		for (size_t j = 0; j < lanes && !app->repaired; j++) {
			const size_t to[3] = {j * sizeof(float), 0, 0}, from[3] = {0, 0, 0};
			const size_t box[3] = {sizeof(float), count, 1};

			TRY(clEnqueueWriteBufferRect(app->queue, places, CL_FALSE, to, from, box,
						     lanes * sizeof(float), 0, sizeof(float), 0,
						     lane[j], 0, NULL, NULL));
		}
		run(app->queue, mass, count, 64);
		get(app->queue, masses, bytes, seen);
		sum += total(seen, count);
	}
	answer(sum);
	DROP(mass);
	DROP(places);
	DROP(masses);
	for (int i = 0; i < lanes; i++)
		free(lane[i]);
	free(aside);
	free(seen);
}

/* Memory that is handed out in pieces, in front of each of which its size stands. */
struct arena {
	char *memory;
	size_t used, head;
};

static void *arena_take(struct arena *arena, size_t bytes)
{
	char *head = arena->memory + arena->used;

	memcpy(head, &bytes, sizeof(bytes));
	arena->used += arena->head + bytes;
	return head + arena->head;
}

/* Frames from a capture library with an allocator of its own, whose head of 16 bytes before each
 * frame makes the device's engine copy it first. Repaired, the head is as long as a line of the
 * cache. */
void exam_arena_frames(struct app *app)
{
	enum { places = 3, items = 32 * KIB, bytes = items * sizeof(float), frames = 260 };
	struct arena arena = {memory(2 * places * (bytes + 64)), 0, app->repaired ? 64 : 16};
	cl_kernel denoise = kernel_of(app, STIR("denoise"), "denoise");
	cl_mem frame = buffer_new(app, bytes);
	float *in[places], *out[places];
	double sum = 0;

	for (int i = 0; i < places; i++) {
		in[i] = arena_take(&arena, bytes);
		out[i] = arena_take(&arena, bytes);
	}
	args(denoise, "bi", frame, 4);
	for (int i = 0; i < frames; i++) {
		int at = i % places;

		refill(in[at], items, i);
		put(app->queue, frame, bytes, in[at]);
		run(app->queue, denoise, items, 64);
		get(app->queue, frame, bytes, out[at]);
		sum += (double)out[at][i];
	}
	answer(sum);
	DROP(denoise);
	DROP(frame);
	free(arena.memory);
}

static const char net_source[] = "kernel void leaky(global float *v)\n"
				 "{\n"
				 "	size_t i = get_global_id(0);\n"
				 "	v[i] = v[i] > 0.5f ? v[i] : v[i] * 0.25f;\n"
				 "}\n" STIR("dense");

/* The device's plan for a node that it has no kernel for. */
static void node_by_host(cl_command_queue queue, cl_mem tensor, float *data, size_t count)
{
	get(queue, tensor, count * sizeof(*data), data);
	for (size_t i = 0; i < count; i++)
		data[i] = data[i] > 0.5f ? data[i] : data[i] * 0.25f;
	put_now(queue, tensor, count * sizeof(*data), data);
}

/* A net's runtime, which has no kernel for one kind of node, and so brings the tensor home, has the
 * host work on it, and sends it back, two times a sample. Repaired, it has one. */
void exam_fallback_op(struct app *app)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), samples = 70, nodes = 4 };
	cl_program program = program_new(app, net_source, "");
	cl_kernel dense = kernel_new(program, "dense"), leaky = kernel_new(program, "leaky");
	cl_mem tensor = buffer_new(app, bytes);
	float *data = memory(bytes), scores[256];
	double sum = 0;

	args(dense, "bi", tensor, 3);
	args(leaky, "b", tensor);
	for (int i = 0; i < samples; i++) {
		refill(data, items, i);
		put_now(app->queue, tensor, bytes, data);
		for (int j = 0; j < nodes; j++) {
			if (j % 2 == 0)
				run(app->queue, dense, items, 64);
			else if (app->repaired)
				run(app->queue, leaky, items, 64);
			else
				node_by_host(app->queue, tensor, data, items);
		}
		get(app->queue, tensor, sizeof(scores), scores);
		sum += total(scores, 256);
	}
	answer(sum);
	DROP(dense);
	DROP(leaky);
	DROP(program);
	DROP(tensor);
	free(data);
}

struct plugin {
	cl_kernel kernel;
	cl_mem in, out;
	int rounds;
};

static void plugin_run(const struct plugin *plugin, cl_command_queue queue, size_t items)
{
	TRY(clEnqueueCopyBuffer(queue, plugin->in, plugin->out, 0, 0, items * sizeof(float), 0,
				NULL, NULL));
	args(plugin->kernel, "bi", plugin->out, plugin->rounds);
	run(queue, plugin->kernel, items, 64);
}

/* Plugins of a sound program, each with an input and an output on the device. The bus between them
 * carries what one has made to the next one in a message, in the host's memory, as if they were on
 * different machines. Repaired, the device copies it. */
void exam_plugin_bus(struct app *app)
{
	enum { plugins = 4, items = 96 * KIB, bytes = items * sizeof(float), blocks = 70 };
	cl_program program = program_new(app, STIR("echo"), "");
	struct plugin chain[plugins];
	float *message = memory(bytes), level[256];
	double sum = 0;

	for (int i = 0; i < plugins; i++)
		chain[i] = (struct plugin){kernel_new(program, "echo"), buffer_new(app, bytes),
					   buffer_new(app, bytes), 2 + i};
	for (int i = 0; i < blocks; i++) {
		refill(message, items / 4, i);
		put_now(app->queue, chain[0].in, bytes, message);
		for (int j = 0; j < plugins; j++) {
			plugin_run(&chain[j], app->queue, items);
			if (j == plugins - 1)
				break;
			if (app->repaired) {
				TRY(clEnqueueCopyBuffer(app->queue, chain[j].out, chain[j + 1].in,
							0, 0, bytes, 0, NULL, NULL));
				continue;
			}
			get(app->queue, chain[j].out, bytes, message);
			put_now(app->queue, chain[j + 1].in, bytes, message);
		}
		get(app->queue, chain[plugins - 1].out, sizeof(level), level);
		sum += total(level, 256);
	}
	answer(sum);
	for (int i = 0; i < plugins; i++) {
		DROP(chain[i].kernel);
		DROP(chain[i].in);
		DROP(chain[i].out);
	}
	DROP(program);
	free(message);
}

static const char newton_source[] =
	"kernel void relax(global const int *column, global const float *value,\n"
	"		  global const float *x, global float *y)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 4; k++)\n"
	"		sum += value[4 * i + k] * x[column[4 * i + k]];\n"
	"	y[i] = sum * 0.25f;\n"
	"}\n";

/* Newton's method: the Jacobian's values are new in each iteration, and go to the device together
 * with the numbers of their columns, which the mesh has fixed. Repaired, these go there before. */
void exam_newton_structure(struct app *app)
{
	enum { n = 128 * KIB, each = 4 * n * sizeof(float), steps = 36, sweeps = 3 };
	cl_kernel relax = kernel_of(app, newton_source, "relax");
	cl_mem columns = buffer_new(app, each), values = buffer_new(app, each);
	cl_mem x[2] = {buffer_new(app, each / 4), buffer_new(app, each / 4)};
	int *column = memory(each);
	float *value = memory(each), *seen = floats(n, 5);
	double sum = 0;

	for (int i = 0; i < 4 * n; i++)
		column[i] = (int)((unsigned)i / 4u + (unsigned)(i % 4) * 97u) % n;
	put_now(app->queue, x[0], each / 4, seen);
	if (app->repaired)
		put(app->queue, columns, each, column);
	for (int i = 0; i < steps; i++) {
		refill(value, (size_t)4 * n, i);
		if (!app->repaired)
			put(app->queue, columns, each, column);
		put(app->queue, values, each, value);
		for (int j = 0; j < sweeps; j++) {
			args(relax, "bbbb", columns, values, x[j % 2], x[1 - j % 2]);
			run(app->queue, relax, n, 64);
		}
		get_at(app->queue, x[1], 0, 4 * KIB, seen);
		sum += (double)seen[i];
	}
	answer(sum);
	DROP(relax);
	DROP(columns);
	DROP(values);
	DROP(x[0]);
	DROP(x[1]);
	free(column);
	free(value);
	free(seen);
}

struct detector {
	struct app *app;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem gains;
	int number;
	double sum;
};

enum { DETECTOR_CELLS = 48 * KIB, DETECTOR_BYTES = DETECTOR_CELLS * sizeof(float) };

static void *detector_run(void *pointer)
{
	enum { shots = 70 };
	struct detector *d = pointer;
	float *gain = memory(DETECTOR_BYTES), *shot = memory(DETECTOR_BYTES);
	cl_mem cells = buffer_new(d->app, DETECTOR_BYTES);

	args(d->kernel, "bi", cells, 3);
	if (d->app->repaired)
		get(d->queue, d->gains, DETECTOR_BYTES, gain);
	for (int i = 0; i < shots; i++) {
		refill(shot, DETECTOR_CELLS, 2 * i + d->number);
		put(d->queue, cells, DETECTOR_BYTES, shot);
		run(d->queue, d->kernel, DETECTOR_CELLS, 64);
		get(d->queue, cells, DETECTOR_BYTES, shot);
		if (!d->app->repaired)
			get(d->queue, d->gains, DETECTOR_BYTES, gain);
		for (int j = 0; j < DETECTOR_CELLS; j++)
			d->sum += (double)(shot[j] * gain[j]);
	}
	DROP(cells);
	free(gain);
	free(shot);
	return NULL;
}

/* Two detectors, with a thread and a queue each. The gains of their cells were found on the device
 * once, before, and are fetched again with each shot; repaired, each thread fetches them once. */
void exam_calibration_reads(struct app *app)
{
	cl_program program = program_new(app, STIR("develop") STIR("calibrate"), "");
	cl_kernel calibrate = kernel_new(program, "calibrate");
	cl_mem gains = buffer_new(app, DETECTOR_BYTES);
	float *data = floats(DETECTOR_CELLS, 6);
	struct detector detectors[2];

	put_now(app->queue, gains, DETECTOR_BYTES, data);
	args(calibrate, "bi", gains, 8);
	run(app->queue, calibrate, DETECTOR_CELLS, 64);
	finish(app->queue);
	for (int i = 0; i < 2; i++)
		detectors[i] = (struct detector){
			app, queue_new(app, 0), kernel_new(program, "develop"), gains, i, 0};
	threads_run(2, detector_run, detectors, sizeof(*detectors));
	answer(detectors[0].sum + detectors[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(detectors[i].queue);
		DROP(detectors[i].kernel);
	}
	DROP(calibrate);
	DROP(program);
	DROP(gains);
	free(data);
}

static const char preview_source[] =
	"kernel void thumbnail(global const float *film, global float *small, int w)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	small[y * get_global_size(0) + x] = film[y * 8 * w + x * 8];\n"
	"}\n" STIR("render");

/* A renderer's preview: the frame of 2 MiB comes home, and the host takes one pixel of 64 from it.
 * Repaired, a kernel takes them, and they come home. */
void exam_frame_preview(struct app *app)
{
	enum { w = 1024, h = 512, items = w * h, small = items / 64, frames = 90 };
	const size_t all[2] = {w / 8, h / 8};
	cl_program program = program_new(app, preview_source, "");
	cl_kernel render = kernel_new(program, "render"), less = kernel_new(program, "thumbnail");
	cl_mem film = buffer_new(app, items * sizeof(float));
	cl_mem thumb = buffer_new(app, small * sizeof(float));
	float *frame = floats(items, 7);
	double sum = 0;

	put_now(app->queue, film, items * sizeof(float), frame);
	args(render, "bi", film, 4);
	args(less, "bbi", film, thumb, w);
	for (int i = 0; i < frames; i++) {
		run(app->queue, render, items / 8, 64);
		if (app->repaired) {
			launch(app->queue, less, 2, NULL, all, NULL);
			get(app->queue, thumb, small * sizeof(float), frame);
			sum += total(frame, small);
			continue;
		}
		get(app->queue, film, items * sizeof(float), frame);
		for (int y = 0; y < h; y += 8)
			for (int x = 0; x < w; x += 8)
				sum += (double)frame[y * w + x];
	}
	answer(sum);
	DROP(render);
	DROP(less);
	DROP(program);
	DROP(film);
	DROP(thumb);
	free(frame);
}

/* A car's laser looks all around, and each turn goes to the device, of which the kernel looks at
 * the sector ahead. Repaired, that sector goes there. */
void exam_lidar_crop(struct app *app)
{
	enum { points = 1536 * KIB, sector = points / 48, turns = 50 };
	enum { bytes = sector * sizeof(float) };
	cl_kernel classify = kernel_of(app, STIR("classify"), "classify");
	cl_mem cloud = buffer_new(app, points * sizeof(float));
	float *turn = floats(points, 8), found[256];
	double sum = 0;

	args(classify, "bi", cloud, 6);
	for (int i = 0; i < turns; i++) {
		for (int j = 0; j < points; j += 32)
			turn[j] = (float)((i + 1) * (j / 32) % 1009);
		put(app->queue, cloud, app->repaired ? bytes : points * sizeof(float), turn);
		run(app->queue, classify, sector, 64);
		get(app->queue, cloud, sizeof(found), found);
		sum += total(found, 256);
	}
	answer(sum);
	DROP(classify);
	DROP(cloud);
	free(turn);
}
