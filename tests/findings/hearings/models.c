/* SPDX-License-Identifier: MIT */
/* Models that step through time: fish stocks, a swarm of drones, water in pipes, bread in an oven. */
#include "hearings.h"

#include <stdlib.h>

static const char fish_source[] =
	"kernel void year(global float *stock, global const float *catch_rate, int months)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float fish = stock[i], rate = catch_rate[i] * 0.01f;\n"
	"	for (int m = 0; m < months; m++)\n"
	"		fish += fish * (1 - fish) * 0.21f - rate * fish;\n"
	"	stock[i] = fish;\n"
	"}\n";

/* Fish stocks: many scenarios of catch rates, year by year. */
void hearing_fish_scenarios(struct app *app)
{
	enum { SCENARIOS = 64 * KIB, YEARS = 800 };
	cl_kernel year = kernel_of(app, fish_source, "year");
	cl_mem stock = loaded(app, SCENARIOS, 31), catch_rate = loaded(app, SCENARIOS, 32);

	args(year, "bbi", stock, catch_rate, 3);
	for (int i = 0; i < YEARS; i++)
		run(app->queue, year, SCENARIOS, app->repaired ? 64 : 1);
	answer(summed(app, stock, SCENARIOS));
	DROP(stock);
	DROP(catch_rate);
	DROP(year);
}

/* One stock in many bays: long runs of years that need nothing of the host. */
void hearing_clean_shoal(struct app *app)
{
	enum { BAYS = 96 * KIB, YEARS = 200 };
	cl_kernel year = kernel_of(app, fish_source, "year");
	cl_mem stock = loaded(app, BAYS, 33), catch_rate = loaded(app, BAYS, 34);

	args(year, "bbi", stock, catch_rate, 8);
	for (int i = 0; i < YEARS; i++) {
		run(app->queue, year, BAYS, 96);
		if (i % 50 == 0)
			flush(app->queue);
	}
	answer(summed(app, stock, BAYS));
	DROP(stock);
	DROP(catch_rate);
	DROP(year);
}

/* Drones: a swarm flies in flocks, which know nothing of each other until the air traffic control
 * sees them all. */

static const char swarm_source[] =
	"kernel void steer(global const float *at, global float *turn, int drones)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float mine = at[i], sum = 0;\n"
	"	for (int k = 0; k < drones; k++)\n"
	"		sum += (at[k] - mine) / (1 + fabs(at[k] - mine));\n"
	"	turn[i] = sum / drones;\n"
	"}\n"
	"kernel void move(global float *at, global const float *turn)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	at[i] += 0.25f * turn[i] + 0.001f;\n"
	"}\n";

enum { FLOCKS = 8 };

struct swarm {
	struct app *app;
	cl_command_queue queue; /* out of order */
	cl_program program;
	cl_kernel steer[FLOCKS], move[FLOCKS];
	cl_mem at[FLOCKS], turn[FLOCKS];
	int drones; /* of a flock */
};

static void swarm_start(struct swarm *swarm, struct app *app, int drones)
{
	swarm->app = app;
	swarm->drones = drones;
	swarm->queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	swarm->program = program_new(app, swarm_source, "");
	for (int i = 0; i < FLOCKS; i++) {
		swarm->at[i] = loaded(app, (size_t)drones, 41 + (unsigned)i);
		swarm->turn[i] = loaded(app, (size_t)drones, 61 + (unsigned)i);
		swarm->steer[i] = kernel_new(swarm->program, "steer");
		swarm->move[i] = kernel_new(swarm->program, "move");
		args(swarm->steer[i], "bbi", swarm->at[i], swarm->turn[i], drones);
		args(swarm->move[i], "bb", swarm->at[i], swarm->turn[i]);
	}
}

static void swarm_end(struct swarm *swarm, double seen)
{
	finish(swarm->queue);
	for (int i = 0; i < FLOCKS; i++) {
		seen += summed(swarm->app, swarm->at[i], (size_t)swarm->drones);
		DROP(swarm->at[i]);
		DROP(swarm->turn[i]);
		DROP(swarm->steer[i]);
		DROP(swarm->move[i]);
	}
	answer(seen);
	DROP(swarm->program);
	DROP(swarm->queue);
}

static void swarm_meet(const struct swarm *swarm)
{
	TRY(clEnqueueBarrierWithWaitList(swarm->queue, 0, NULL, NULL));
}

void hearing_swarm_steps(struct app *app)
{
	enum { STEPS = 72, DRONES = 512, SEEN = 64 };
	struct swarm swarm;
	float seen[SEEN];
	double sum = 0;

	swarm_start(&swarm, app, DRONES);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < FLOCKS; i++) {
			run(swarm.queue, swarm.steer[i], DRONES, 256);
			if (!app->repaired)
				swarm_meet(&swarm);
		}
		if (app->repaired)
			swarm_meet(&swarm);
		for (int i = 0; i < FLOCKS; i++) {
			run(swarm.queue, swarm.move[i], DRONES, 256);
			if (!app->repaired)
				swarm_meet(&swarm);
		}
		if (app->repaired)
			swarm_meet(&swarm);
		if (step % 3 == 2) { /* the control looks at them */
			TRY(clEnqueueReadBuffer(swarm.queue, swarm.at[0], CL_TRUE, 0, sizeof(seen),
						seen, 0, NULL, NULL));
			sum += total(seen, SEEN);
		}
	}
	swarm_end(&swarm, sum);
}

/* Two flocks that both steer by where the first one's drones are: all steer, and then all move. */
void hearing_clean_swarm(struct app *app)
{
	enum { STEPS = 160, DRONES = KIB, SEEN = 64 };
	struct swarm swarm;
	float seen[SEEN];
	double sum = 0;

	swarm_start(&swarm, app, DRONES);
	args(swarm.steer[1], "bbi", swarm.at[0], swarm.turn[1], DRONES);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 2; i++)
			run(swarm.queue, swarm.steer[i], DRONES, 64);
		swarm_meet(&swarm);
		for (int i = 0; i < 2; i++)
			run(swarm.queue, swarm.move[i], DRONES, 64);
		swarm_meet(&swarm);
		if (step % 10 == 9) {
			TRY(clEnqueueReadBuffer(swarm.queue, swarm.at[1], CL_TRUE, 0, sizeof(seen),
						seen, 0, NULL, NULL));
			sum += total(seen, SEEN);
		}
	}
	swarm_end(&swarm, sum);
}

/* Water in pipes: the pressure at the nodes of a town's network is balanced, sweep by sweep, and the
 * log has by how much the gauges still move. */

static const char pipe_source[] =
	"kernel void balance(global const float *before, global float *after,\n"
	"		    global const float *width, global float *moved, int nodes)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int left = max(i - 1, 0), right = min(i + 1, nodes - 1);\n"
	"	float in = width[left] * sqrt(fabs(before[left] - before[i]) + 0.01f);\n"
	"	float out = width[right] * sqrt(fabs(before[right] - before[i]) + 0.01f);\n"
	"	after[i] = before[i] + 0.01f * (in - out);\n"
	"	moved[i] = fabs(after[i] - before[i]);\n"
	"}\n";

void hearing_pipe_network(struct app *app)
{
	enum { NODES = 12 * KIB, SWEEPS = 2000, GAUGES = 32, LOGGED = 25 };
	cl_kernel balance = kernel_of(app, pipe_source, "balance");
	cl_mem pressure[2] = {loaded(app, NODES, 51), loaded(app, NODES, 52)};
	cl_mem width = loaded(app, NODES, 53), moved = buffer_new(app, NODES * sizeof(float));
	float gauges[GAUGES];
	double log = 0;

	for (int i = 1; i <= SWEEPS; i++) {
		args(balance, "bbbbi", pressure[(i + 1) % 2], pressure[i % 2], width, moved, NODES);
		run(app->queue, balance, NODES, 64);
		if (!app->repaired || i % LOGGED == 0) {
			get(app->queue, moved, sizeof(gauges), gauges);
			log = total(gauges, GAUGES) / GAUGES;
		}
	}
	answer(log + summed(app, pressure[SWEEPS % 2], NODES));
	DROP(pressure[0]);
	DROP(pressure[1]);
	DROP(width);
	DROP(moved);
	DROP(balance);
}

/* Bread: heat and moisture in the crumb of a tray of loaves. */

static const char bread_source[] =
	"kernel void gradient(global const float *heat, global float *flow)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	flow[i] = heat[min(i + 1, n - 1)] - heat[i];\n"
	"}\n"
	"kernel void steam(global const float *flow, global float *vapour)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	vapour[i] = fmax(flow[i] * 0.5f, 0.0f) + 0.0625f;\n"
	"}\n"
	"kernel void bake(global float *heat, global const float *flow, global const float *vapour)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	heat[i] += 0.1f * flow[i] - 0.01f * vapour[i];\n"
	"}\n";

struct crumb {
	size_t cells;
	cl_mem heat, flow, vapour;
	cl_kernel gradient, steam, bake;
};

static void crumb_scratch_new(struct app *app, struct crumb *crumb)
{
	crumb->flow = buffer_new(app, crumb->cells * sizeof(float));
	crumb->vapour = buffer_new(app, crumb->cells * sizeof(float));
}

static void crumb_scratch_end(struct crumb *crumb)
{
	DROP(crumb->flow);
	DROP(crumb->vapour);
}

static void crumb_minute(struct app *app, struct crumb *crumb)
{
	if (!app->repaired)
		crumb_scratch_new(app, crumb);
	args(crumb->gradient, "bb", crumb->heat, crumb->flow);
	args(crumb->steam, "bb", crumb->flow, crumb->vapour);
	args(crumb->bake, "bbb", crumb->heat, crumb->flow, crumb->vapour);
	run(app->queue, crumb->gradient, crumb->cells, 256);
	run(app->queue, crumb->steam, crumb->cells, 256);
	run(app->queue, crumb->bake, crumb->cells, 256);
	if (!app->repaired)
		crumb_scratch_end(crumb);
}

void hearing_crumb_scratch(struct app *app)
{
	enum { MINUTES = 48, SHOWN = 64 };
	cl_program program = program_new(app, bread_source, "");
	struct crumb crumb = {.cells = MIB,
			      .heat = loaded(app, MIB, 61),
			      .gradient = kernel_new(program, "gradient"),
			      .steam = kernel_new(program, "steam"),
			      .bake = kernel_new(program, "bake")};
	float crust[SHOWN];

	if (app->repaired)
		crumb_scratch_new(app, &crumb);
	for (int i = 0; i < MINUTES; i++) {
		crumb_minute(app, &crumb);
		if (i % 4 == 3)
			get(app->queue, crumb.heat, sizeof(crust), crust);
	}
	answer(total(crust, SHOWN));
	if (app->repaired)
		crumb_scratch_end(&crumb);
	DROP(crumb.heat);
	DROP(crumb.gradient);
	DROP(crumb.steam);
	DROP(crumb.bake);
	DROP(program);
}
