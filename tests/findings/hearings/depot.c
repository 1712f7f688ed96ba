/* SPDX-License-Identifier: MIT */
/* A warehouse's robots, and a bakery's ovens. */
#include "hearings.h"

#include <stdlib.h>

static const char depot_source[] =
	"kernel void routes(global const float *orders, global float *ways, int turns)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float way = orders[i], best = 1000;\n"
	"	for (int k = 0; k < turns; k++) {\n"
	"		way = way * 0.97f + (float)((i + k) % 13) * 0.02f;\n"
	"		best = fmin(best, way + k * 0.001f);\n"
	"	}\n"
	"	ways[i] = best;\n"
	"}\n";

enum { ORDERS = 32 * KIB, WAYS = 256 };

static bool depot_ready(cl_event event)
{
	cl_int status;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

/* The fleet's orders come in waves; each wave's routes are planned, and given to the robots. */
void hearing_robot_routes(struct app *app)
{
	enum { WAVES = 180 };
	const size_t bytes = ORDERS * sizeof(float);
	cl_kernel routes = kernel_of(app, depot_source, "routes");
	cl_mem orders = buffer_new(app, bytes), ways = buffer_new(app, bytes);
	float *wave = memory(bytes), given[WAYS];
	double sum = 0;

	args(routes, "bbi", orders, ways, 8);
	for (int i = 0; i < WAVES; i++) {
		cl_event planned;

		refill(wave, ORDERS, i);
		put(app->queue, orders, bytes, wave);
		run(app->queue, routes, ORDERS, 64);
		planned = get_after(app->queue, ways, sizeof(given), given, 0, NULL);
		flush(app->queue);
		if (app->repaired)
			TRY(clWaitForEvents(1, &planned));
		else
			while (!depot_ready(planned))
				nap(1000);
		DROP(planned);
		sum += total(given, WAYS);
	}
	answer(sum);
	free(wave);
	DROP(orders);
	DROP(ways);
	DROP(routes);
}

/* The robots are steered by the host in ticks of its own; a wave of routes is asked for long before
 * it is due, and taken over at the first tick that finds it ready. */
void hearing_clean_depot(struct app *app)
{
	enum { WAVES = 16, TICKS = 16, ROBOTS = 32 * KIB };
	const size_t bytes = ORDERS * sizeof(float);
	cl_kernel routes = kernel_of(app, depot_source, "routes");
	cl_mem orders = buffer_new(app, bytes), ways = buffer_new(app, bytes);
	float *wave = memory(bytes), *fleet = floats(ROBOTS, 71), given[WAYS];
	double sum = 0;

	args(routes, "bbi", orders, ways, 60);
	for (int i = 0; i < WAVES; i++) {
		bool taken = false;
		cl_event planned;

		refill(wave, ORDERS, i);
		put(app->queue, orders, bytes, wave);
		run(app->queue, routes, ORDERS, 64);
		planned = get_after(app->queue, ways, sizeof(given), given, 0, NULL);
		flush(app->queue);
		for (int tick = 0; tick < TICKS; tick++) {
			busy(fleet, ROBOTS, 4);
			if (!taken && depot_ready(planned)) {
				taken = true;
				sum += total(given, WAYS);
			}
		}
		settle(planned);
		if (!taken)
			sum += total(given, WAYS);
	}
	answer(sum);
	free(wave);
	free(fleet);
	DROP(orders);
	DROP(ways);
	DROP(routes);
}

/* Ovens: the heat of each zone is worked out from its burners; a computer without a device that can
 * do it does it itself. */

static const char oven_source[] =
	"kernel void zones(global const uint *burners, global uint *heat, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = burners[i];\n"
	"	for (int k = 0; k < rounds; k++)\n"
	"		u = (u ^ (u >> 9)) * 2654435761u + 40503u;\n"
	"	heat[i] = u;\n"
	"}\n";

static void oven_by_host(const cl_uint *burners, cl_uint *heat, size_t zones, int rounds)
{
	for (size_t i = 0; i < zones; i++) {
		cl_uint u = burners[i];

		for (int k = 0; k < rounds; k++)
			u = (u ^ (u >> 9)) * 2654435761u + 40503u;
		heat[i] = u;
	}
}

void hearing_oven_zones(struct app *app)
{
	enum { ZONES = 128 * KIB, BATCHES = 24, ROUNDS = 40 };
	const size_t bytes = ZONES * sizeof(cl_uint);
	size_t zones = ZONES, row = app->repaired ? 64 : 16 * KIB;
	cl_kernel kernel = kernel_of(app, oven_source, "zones");
	cl_mem burners = buffer_new(app, bytes), heat = buffer_new(app, bytes);
	cl_uint *set = memory(bytes), *reached = memory(bytes);
	double sum = 0;

	args(kernel, "bbi", burners, heat, ROUNDS);
	for (int batch = 0; batch < BATCHES; batch++) {
		cl_int status;

		for (cl_uint i = 0; i < ZONES; i++)
			set[i] = i * 40503u + (cl_uint)batch;
		put_now(app->queue, burners, bytes, set);
		status = clEnqueueNDRangeKernel(app->queue, kernel, 1, NULL, &zones, &row, 0, NULL,
						NULL);
		if (status == CL_SUCCESS)
			get(app->queue, heat, bytes, reached);
		else
			oven_by_host(set, reached, ZONES, ROUNDS);
		for (size_t i = 0; i < ZONES; i += 64)
			sum += reached[i] >> 16;
	}
	answer(sum);
	free(set);
	free(reached);
	DROP(burners);
	DROP(heat);
	DROP(kernel);
}
