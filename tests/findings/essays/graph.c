/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>

/* A graph of image filters, whose nodes are run in turn: each builds its program when it is run.
 * Repaired: a node's kernel is kept by its graph. */
enum { PIXELS = 64 * KIB, NODES = 3, IMAGES = 8 };

static const char *const node_names[NODES] = {"blend_node", "gain_node", "fade_node"};
static const char *const node_sources[NODES] = {SWEEP("blend_node"), SWEEP("gain_node"),
						SWEEP("fade_node")};

struct graph {
	const struct app *app;
	cl_kernel kernels[NODES];
};

static void node_run(struct graph *graph, int node, cl_mem image)
{
	cl_kernel kernel = graph->kernels[node];

	if (!kernel)
		kernel = kernel_of(graph->app, node_sources[node], node_names[node]);
	args(kernel, "bi", image, 4);
	run(graph->app->queue, kernel, PIXELS, 64);
	if (graph->app->repaired)
		graph->kernels[node] = kernel;
	else
		DROP(kernel);
}

void essay_filter_nodes(struct app *app)
{
	struct graph graph = {.app = app};
	cl_mem image = buffer_new(app, PIXELS * sizeof(float));
	float *pixels = floats(PIXELS, 8);
	double sum = 0;

	for (int number = 0; number < IMAGES; number++) {
		refill(pixels, PIXELS, number);
		put(app->queue, image, PIXELS * sizeof(float), pixels);
		for (int node = 0; node < NODES; node++)
			node_run(&graph, node, image);
		get(app->queue, image, PIXELS * sizeof(float), pixels);
		sum += (double)pixels[3];
	}
	answer(sum);
	for (int node = 0; node < NODES; node++)
		if (graph.kernels[node])
			DROP(graph.kernels[node]);
	DROP(image);
	free(pixels);
}

/* A wave is computed in three planes, which move on by one after each step, by way of the host.
 * Repaired: the device copies. */
enum { PLANE = 4 * MIB, STEPS = 60 };

static const char wave_source[] =
	"kernel void wave_step(global const float *old, global const float *now, global float *next)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float around = now[i ? i - 1 : n - 1] + now[i + 1 < n ? i + 1 : 0];\n"
	"	next[i] = 1.5f * now[i] - 0.75f * old[i] + 0.125f * around;\n"
	"}\n";

static void plane_keep(const struct app *app, cl_mem from, cl_mem to, void *host)
{
	if (app->repaired) {
		TRY(clEnqueueCopyBuffer(app->queue, from, to, 0, 0, PLANE, 0, NULL, NULL));
		return;
	}
	get(app->queue, from, PLANE, host);
	put_now(app->queue, to, PLANE, host);
}

void essay_plane_copies(struct app *app)
{
	cl_kernel step = kernel_of(app, wave_source, "wave_step");
	cl_mem old = filled(app, PLANE, 1), now = filled(app, PLANE, 2);
	cl_mem next = filled(app, PLANE, 3);
	float *host = memory(PLANE);

	args(step, "bbb", old, now, next);
	for (int number = 0; number < STEPS; number++) {
		run(app->queue, step, PLANE / sizeof(float), 64);
		plane_keep(app, now, old, host);
		plane_keep(app, next, now, host);
	}
	get(app->queue, now, PLANE, host);
	answer((double)host[1]);
	DROP(step);
	DROP(old);
	DROP(now);
	DROP(next);
	free(host);
}
