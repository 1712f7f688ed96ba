/* SPDX-License-Identifier: MIT */
/* Programs built again and failing builds. */
#include "orals.h"

#include <stdio.h>

static const char *const options = "-DORDER=2";

static cl_program compiled(const struct app *app, const char *source)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &status);

	must(status, "clCreateProgramWithSource");
	TRY(clCompileProgram(program, 1, &app->device, options, 0, NULL, NULL, NULL, NULL));
	return program;
}

/* A simulator of circuits: each circuit compiles the models of its parts, and links them. */

static cl_program circuit_linked(const struct app *app)
{
	cl_int status;
	cl_program parts[2] = {compiled(app, STIR("diode")), compiled(app, STIR("node"))};
	cl_program linked =
		clLinkProgram(app->context, 1, &app->device, NULL, 2, parts, NULL, NULL, &status);

	must(status, "clLinkProgram");
	DROP(parts[0]);
	DROP(parts[1]);
	return linked;
}

void oral_circuit_links(struct app *app)
{
	enum { CIRCUITS = 6, NODES = 4096, STEPS = 6 };
	static float volts[NODES];
	cl_mem v = buffer_new(app, sizeof(volts));
	cl_program program = NULL;
	double sum = 0;

	for (int circuit = 0; circuit < CIRCUITS; circuit++) {
		cl_kernel diode, node;

		if (!program)
			program = circuit_linked(app);
		diode = kernel_new(program, "diode");
		node = kernel_new(program, "node");
		refill(volts, NODES, circuit);
		put(app->queue, v, sizeof(volts), volts);
		args(diode, "bi", v, 200);
		args(node, "bi", v, 200);
		for (int step = 0; step < STEPS; step++) {
			run(app->queue, diode, NODES, 64);
			run(app->queue, node, NODES, 64);
		}
		get(app->queue, v, sizeof(volts), volts);
		sum += total(volts, NODES);
		DROP(node);
		DROP(diode);
		if (!app->repaired) {
			DROP(program);
			program = NULL;
		}
	}
	answer(sum);
	if (program)
		DROP(program);
	DROP(v);
}

/* A router that builds a variant for each class of vehicle at its start; requests are of one. */

void oral_route_variants(struct app *app)
{
	enum { CLASSES = 7, USED = 3, ROADS = 8192, REQUESTS = 20 };
	static float costs[ROADS];
	cl_program variants[CLASSES] = {NULL};
	cl_mem v = buffer_new(app, sizeof(costs));
	double sum = 0;

	for (int i = 0; i < CLASSES; i++) {
		char text[64];

		snprintf(text, sizeof(text), "-DCLASS=%d -DTURNS=%d", i, i * 3 + 1);
		if (i == USED || !app->repaired)
			variants[i] = program_new(app, STIR("relax"), text);
	}
	for (int request = 0; request < REQUESTS; request++) {
		cl_kernel relax = kernel_new(variants[USED], "relax");

		refill(costs, ROADS, request);
		put(app->queue, v, sizeof(costs), costs);
		args(relax, "bi", v, 200);
		run(app->queue, relax, ROADS, 64);
		get(app->queue, v, sizeof(costs), costs);
		sum += total(costs, ROADS);
		DROP(relax);
	}
	answer(sum);
	for (int i = 0; i < CLASSES; i++)
		if (variants[i])
			DROP(variants[i]);
	DROP(v);
}

/* A library that tries a kernel of a device's vendor before each batch; its build fails. */

static const char *const vendor_source =
	STIR("blend") "kernel void fast(global float *v) { v[0] = vendor_dot8(v[1]); }\n";

void oral_probe_builds(struct app *app)
{
	enum { BATCHES = 10, ITEMS = 8192 };
	static float data[ITEMS];
	cl_kernel blend = kernel_of(app, STIR("blend"), "blend");
	cl_mem v = buffer_new(app, sizeof(data));
	double sum = 0;

	for (int batch = 0; batch < BATCHES; batch++) {
		if (!batch || !app->repaired) {
			cl_int status;
			cl_program vendor = clCreateProgramWithSource(
				app->context, 1, (const char **)&vendor_source, NULL, &status);

			must(status, "clCreateProgramWithSource");
			(void)clBuildProgram(vendor, 1, &app->device, "", NULL, NULL);
			DROP(vendor);
		}
		refill(data, ITEMS, batch);
		put(app->queue, v, sizeof(data), data);
		args(blend, "bi", v, 300);
		run(app->queue, blend, ITEMS, 64);
		get(app->queue, v, sizeof(data), data);
		sum += total(data, ITEMS);
	}
	answer(sum);
	DROP(blend);
	DROP(v);
}

/* A server whose tenants each have a program of their own, which nobody releases. */

void oral_tenant_programs(struct app *app)
{
	enum { CALLS = 16, ITEMS = 8192 };
	static float data[ITEMS];
	cl_program program = NULL;
	cl_mem v = buffer_new(app, sizeof(data));
	double sum = 0;

	for (int call = 0; call < CALLS; call++) {
		cl_kernel score;

		if (!program || !app->repaired)
			program = program_new(app, STIR("score"), ""); /* the last one is lost */
		score = kernel_new(program, "score");
		refill(data, ITEMS, call);
		put(app->queue, v, sizeof(data), data);
		args(score, "bi", v, 300);
		run(app->queue, score, ITEMS, 64);
		get(app->queue, v, sizeof(data), data);
		sum += total(data, ITEMS);
		DROP(score);
	}
	answer(sum);
	DROP(program);
	DROP(v);
}
