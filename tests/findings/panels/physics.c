/* SPDX-License-Identifier: MIT */
/* Solvers and simulations. */
#include "panels.h"

#include <stdlib.h>

/* A gas in a tube. The time step follows the largest speed. */
enum { TUBE = 16 * 1024, TUBE_GROUP = 64, TUBE_GROUPS = TUBE / TUBE_GROUP, TUBE_STEPS = 1000 };

static const char tube_source[] =
	"kernel void top_speed(global const float *u, global float *top)\n"
	"{\n"
	"	local float best[64];\n"
	"	int l = get_local_id(0);\n"
	"	best[l] = fabs(u[get_global_id(0)]);\n"
	"	for (int s = 32; s; s >>= 1) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (l < s)\n"
	"			best[l] = fmax(best[l], best[l + s]);\n"
	"	}\n"
	"	if (!l)\n"
	"		top[get_group_id(0)] = best[0];\n"
	"}\n"
	"kernel void time_step(global const float *top, int count, global float *dt)\n"
	"{\n"
	"	local float best[64];\n"
	"	int l = get_local_id(0);\n"
	"	float m = 0.125f;\n"
	"	for (int i = l; i < count; i += 64)\n"
	"		m = fmax(m, top[i]);\n"
	"	best[l] = m;\n"
	"	for (int s = 32; s; s >>= 1) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (l < s)\n"
	"			best[l] = fmax(best[l], best[l + s]);\n"
	"	}\n"
	"	if (!l)\n"
	"		dt[0] = 0.4f / best[0];\n"
	"}\n"
	"kernel void advance(global float *u, float dt)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	u[i] = u[i] * (1 - dt * 0.001f) + 0.0001f;\n"
	"}\n"
	"kernel void advance_by(global float *u, global const float *dt)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	u[i] = u[i] * (1 - dt[0] * 0.001f) + 0.0001f;\n"
	"}\n";

static float largest(const float *top)
{
	float most = 0.125f;

	for (int i = 0; i < TUBE_GROUPS; i++)
		most = top[i] > most ? top[i] : most;
	return most;
}

void panel_cfl_step(struct app *app)
{
	cl_program program = program_new(app, tube_source, "");
	cl_kernel speed = kernel_new(program, "top_speed"),
		  limit = kernel_new(program, "time_step");
	cl_kernel advance = kernel_new(program, app->repaired ? "advance_by" : "advance");
	cl_mem u = filled(app, TUBE * sizeof(float), 3);
	cl_mem tops = filled(app, TUBE_GROUPS * sizeof(float), 4),
	       dt = buffer_new(app, sizeof(float));
	float top[TUBE_GROUPS], *state = memory(TUBE * sizeof(float));

	args(speed, "bb", u, tops);
	args(limit, "bib", tops, TUBE_GROUPS, dt);
	if (app->repaired)
		args(advance, "bb", u, dt);
	for (int step = 0; step < TUBE_STEPS; step++) {
		run(app->queue, speed, TUBE, TUBE_GROUP);
		if (app->repaired) {
			run(app->queue, limit, 64, 64);
		} else {
			get(app->queue, tops, sizeof(top), top);
			args(advance, "bf", u, 0.4 / (double)largest(top));
		}
		run(app->queue, advance, TUBE, TUBE_GROUP);
		if (step % 64 == 63)
			flush(app->queue);
	}
	get(app->queue, u, TUBE * sizeof(float), state);
	answer(total(state, TUBE));
	free(state);
	DROP(dt);
	DROP(tops);
	DROP(u);
	DROP(advance);
	DROP(limit);
	DROP(speed);
	DROP(program);
}

/* An ocean in four parts, which the code could also spread over four devices. Each has a halo for
 * what its neighbours have at their edges. */
enum { PARTS = 4, PART_CELLS = 48 * 1024, EDGE = 32 * KIB, OCEAN_STEPS = 200 };

struct ocean {
	cl_mem parts[PARTS], halos[PARTS][2];
	void *staging;
};

static void edge_send(const struct app *app, struct ocean *ocean, int from, int to)
{
	cl_mem halo = ocean->halos[to][from > to];
	size_t offset = from > to ? 0 : PART_CELLS * sizeof(float) - EDGE;

	if (app->repaired) {
		TRY(clEnqueueCopyBuffer(app->queue, ocean->parts[from], halo, offset, 0, EDGE, 0,
					NULL, NULL));
		return;
	}
	get_at(app->queue, ocean->parts[from], offset, EDGE, ocean->staging);
	put_now(app->queue, halo, EDGE, ocean->staging);
}

void panel_halo_staging(struct app *app)
{
	static const char source[] =
		"kernel void currents(global float *v, global const float *left,\n"
		"		     global const float *right, int edge)\n"
		"{\n"
		"	int i = get_global_id(0), n = get_global_size(0);\n"
		"	float a = i < edge ? left[i] : 0, b = i >= n - edge ? right[i - n + edge] : 0;\n"
		"	v[i] = v[i] * 0.99f + (a + b) * 0.005f;\n"
		"}\n";
	cl_kernel kernel = kernel_of(app, source, "currents");
	struct ocean ocean = {.staging = memory(EDGE)};
	float *end = memory(PART_CELLS * sizeof(float));

	for (int i = 0; i < PARTS; i++) {
		ocean.parts[i] = filled(app, PART_CELLS * sizeof(float), (unsigned)i + 1);
		for (int side = 0; side < 2; side++)
			ocean.halos[i][side] = filled(app, EDGE, (unsigned)(i * 2 + side) + 9);
	}
	for (int step = 0; step < OCEAN_STEPS; step++) {
		for (int i = 0; i < PARTS; i++) {
			args(kernel, "bbbi", ocean.parts[i], ocean.halos[i][0], ocean.halos[i][1],
			     EDGE / (int)sizeof(float));
			run(app->queue, kernel, PART_CELLS, 64);
		}
		for (int i = 0; i + 1 < PARTS; i++) {
			edge_send(app, &ocean, i, i + 1);
			edge_send(app, &ocean, i + 1, i);
		}
		flush(app->queue);
	}
	get(app->queue, ocean.parts[1], PART_CELLS * sizeof(float), end);
	answer(total(end, PART_CELLS));
	free(end);
	free(ocean.staging);
	for (int i = 0; i < PARTS; i++) {
		DROP(ocean.parts[i]);
		DROP(ocean.halos[i][0]);
		DROP(ocean.halos[i][1]);
	}
	DROP(kernel);
}

/* Waves in the ground, of which some receivers keep what passes them. */
enum { GROUND = 512, RECEIVERS = 24, GROUND_BYTES = GROUND * GROUND * 4, SHOT_STEPS = 250 };

static const char ground_source[] =
	"kernel void propagate(global const float *now, global float *next)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);\n"
	"	int i = y * w + x;\n"
	"	float e = x + 1 < w ? now[i + 1] : 0, f = x ? now[i - 1] : 0;\n"
	"	float g = y + 1 < w ? now[i + w] : 0, h = y ? now[i - w] : 0;\n"
	"	next[i] = 1.2f * now[i] - 0.7f * next[i] + 0.12f * (e + f + g + h);\n"
	"}\n"
	"kernel void receive(global const float *field, global const int *at, global float *traces,\n"
	"		    int step)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	traces[step * get_global_size(0) + i] = field[at[i]];\n"
	"}\n";

void panel_receiver_traces(struct app *app)
{
	cl_program program = program_new(app, ground_source, "");
	cl_kernel propagate = kernel_new(program, "propagate"),
		  receive = kernel_new(program, "receive");
	cl_mem fields[2] = {filled(app, GROUND_BYTES, 1), filled(app, GROUND_BYTES, 2)};
	cl_mem traces = filled(app, SHOT_STEPS * RECEIVERS * sizeof(float), 3);
	cl_mem places = buffer_new(app, RECEIVERS * sizeof(int));
	float *field = memory(GROUND_BYTES),
	      *trace = memory(SHOT_STEPS * RECEIVERS * sizeof(float));
	int at[RECEIVERS];

	for (int i = 0; i < RECEIVERS; i++)
		at[i] = 8 * GROUND + 20 * i;
	put_now(app->queue, places, sizeof(at), at);
	for (int step = 0; step < SHOT_STEPS; step++) {
		cl_mem next = fields[(step + 1) % 2];

		args(propagate, "bb", fields[step % 2], next);
		run_plane(app->queue, propagate, GROUND, GROUND, 64, 1);
		if (app->repaired) {
			args(receive, "bbbi", next, places, traces, step);
			run(app->queue, receive, RECEIVERS, 0);
			flush(app->queue);
			continue;
		}
		get(app->queue, next, GROUND_BYTES, field);
		for (int i = 0; i < RECEIVERS; i++)
			trace[step * RECEIVERS + i] = field[at[i]];
	}
	if (app->repaired)
		get(app->queue, traces, SHOT_STEPS * RECEIVERS * sizeof(float), trace);
	answer(total(trace, SHOT_STEPS * RECEIVERS));
	free(trace);
	free(field);
	DROP(places);
	DROP(traces);
	DROP(fields[0]);
	DROP(fields[1]);
	DROP(receive);
	DROP(propagate);
	DROP(program);
}

/* The state of a flow, eight numbers a cell; the viewer wants the pressure. */
enum { FLOW_CELLS = 256 * 1024, FLOW_FIELDS = 8, FLOW_STEPS = 100, PRESSURE = 4 };

static const char flow_source[] =
	"kernel void flow(global float8 *state)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	state[i] = state[i] * 0.98f + 0.01f;\n"
	"}\n"
	"kernel void one_field(global const float *state, global float *out, int fields, int field)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = state[i * fields + field];\n"
	"}\n";

static void pressure_read(const struct app *app, cl_mem state, float *pressure)
{
	const size_t from[3] = {PRESSURE * sizeof(float)}, to[3] = {0};
	const size_t box[3] = {sizeof(float), FLOW_CELLS, 1};

	TRY(clEnqueueReadBufferRect(app->queue, state, CL_TRUE, from, to, box,
				    FLOW_FIELDS * sizeof(float), 0, sizeof(float), 0, pressure, 0,
				    NULL, NULL));
}

void panel_pressure_export(struct app *app)
{
	cl_program program = program_new(app, flow_source, "");
	cl_kernel flow = kernel_new(program, "flow"), pick = kernel_new(program, "one_field");
	cl_mem state = filled(app, FLOW_CELLS * FLOW_FIELDS * sizeof(float), 6);
	cl_mem field = filled(app, FLOW_CELLS * sizeof(float), 7);
	float *pressure = memory(FLOW_CELLS * sizeof(float));
	double sum = 0;

	args(flow, "b", state);
	args(pick, "bbii", state, field, FLOW_FIELDS, PRESSURE);
	for (int step = 0; step < FLOW_STEPS; step++) {
		run(app->queue, flow, FLOW_CELLS, 64);
		if (app->repaired) {
			run(app->queue, pick, FLOW_CELLS, 64);
			get(app->queue, field, FLOW_CELLS * sizeof(float), pressure);
		} else {
			pressure_read(app, state, pressure);
		}
		sum += (double)pressure[step * 64];
	}
	answer(sum);
	free(pressure);
	DROP(field);
	DROP(state);
	DROP(pick);
	DROP(flow);
	DROP(program);
}

/* A nonlinear problem: each iteration has new values in a matrix of the same structure. */
enum {
	ROWS = 64 * 1024,
	ROW_ENTRIES = 5,
	ENTRIES = ROWS * ROW_ENTRIES,
	SWEEPS = 6,
	NONLINEAR = 80
};

struct csr {
	cl_mem starts, columns, values;
	int *start, *column;
	float *value;
};

static void structure_upload(const struct app *app, const struct csr *m)
{
	put(app->queue, m->starts, (ROWS + 1) * sizeof(int), m->start);
	put(app->queue, m->columns, ENTRIES * sizeof(int), m->column);
}

static void matrix_upload(const struct app *app, const struct csr *m)
{
	if (!app->repaired)
		structure_upload(app, m);
	put_now(app->queue, m->values, ENTRIES * sizeof(float), m->value);
}

void panel_csr_pattern(struct app *app)
{
	static const char source[] =
		"kernel void relax(global const int *starts, global const int *columns,\n"
		"		  global const float *values, global const float *x, global float *y)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float sum = 0;\n"
		"	for (int j = starts[i]; j < starts[i + 1]; j++)\n"
		"		sum += values[j] * x[columns[j]];\n"
		"	y[i] = 0.9f * x[i] + 0.01f * sum;\n"
		"}\n";
	cl_kernel relax = kernel_of(app, source, "relax");
	cl_mem x[2] = {filled(app, ROWS * sizeof(float), 1), filled(app, ROWS * sizeof(float), 2)};
	struct csr m = {.starts = buffer_new(app, (ROWS + 1) * sizeof(int)),
			.columns = buffer_new(app, ENTRIES * sizeof(int)),
			.values = buffer_new(app, ENTRIES * sizeof(float)),
			.start = memory((ROWS + 1) * sizeof(int)),
			.column = memory(ENTRIES * sizeof(int)),
			.value = memory(ENTRIES * sizeof(float))};
	float *end = memory(ROWS * sizeof(float));

	for (int i = 0; i <= ROWS; i++)
		m.start[i] = i * ROW_ENTRIES;
	for (int j = 0; j < ENTRIES; j++)
		m.column[j] = (j / ROW_ENTRIES + (j % ROW_ENTRIES - 2) * 255 + ROWS) % ROWS;
	if (app->repaired)
		structure_upload(app, &m);
	for (int i = 0; i < NONLINEAR; i++) {
		refill(m.value, ENTRIES, i);
		matrix_upload(app, &m);
		for (int sweep = 0; sweep < SWEEPS; sweep++) {
			args(relax, "bbbbb", m.starts, m.columns, m.values, x[sweep % 2],
			     x[(sweep + 1) % 2]);
			run(app->queue, relax, ROWS, 64);
		}
		flush(app->queue);
	}
	get(app->queue, x[0], ROWS * sizeof(float), end);
	answer(total(end, ROWS));
	free(end);
	free(m.value);
	free(m.column);
	free(m.start);
	DROP(m.values);
	DROP(m.columns);
	DROP(m.starts);
	DROP(x[0]);
	DROP(x[1]);
	DROP(relax);
}

/* The energy of a molecule: one work-group goes through all pairs, so that nothing is left to add. */
enum { ATOMS = 4096, ENERGY_LOCAL = 128, ENERGY_GROUPS = 32, MOVES = 20 };

void panel_energy_group(struct app *app)
{
	static const char source[] =
		"kernel void energy(global const float *at, int atoms, global float *sums,\n"
		"		   local float *part)\n"
		"{\n"
		"	int l = get_local_id(0);\n"
		"	float sum = 0;\n"
		"	for (int i = get_global_id(0); i < atoms; i += get_global_size(0))\n"
		"		for (int j = 0; j < atoms; j++) {\n"
		"			float d = at[i] - at[j] + 0.5f;\n"
		"			sum += 1.0f / (d * d + 0.125f);\n"
		"		}\n"
		"	part[l] = sum;\n"
		"	for (int s = get_local_size(0) / 2; s; s >>= 1) {\n"
		"		barrier(CLK_LOCAL_MEM_FENCE);\n"
		"		if (l < s)\n"
		"			part[l] += part[l + s];\n"
		"	}\n"
		"	if (!l)\n"
		"		sums[get_group_id(0)] = part[0];\n"
		"}\n";
	int groups = app->repaired ? ENERGY_GROUPS : 1;
	cl_kernel kernel = kernel_of(app, source, "energy");
	cl_mem at = filled(app, ATOMS * sizeof(float), 1),
	       sums = buffer_new(app, sizeof(float) * 32);
	float *place = floats(ATOMS, 2), sum[ENERGY_GROUPS];
	double all = 0;

	args(kernel, "bibl", at, ATOMS, sums, ENERGY_LOCAL * sizeof(float));
	for (int move = 0; move < MOVES; move++) {
		refill(place, ATOMS, move);
		put(app->queue, at, ATOMS * sizeof(float), place);
		run(app->queue, kernel, (size_t)(ENERGY_LOCAL * groups), ENERGY_LOCAL);
		get(app->queue, sums, (size_t)groups * sizeof(float), sum);
		all += total(sum, (size_t)groups);
	}
	answer(all);
	free(place);
	DROP(sums);
	DROP(at);
	DROP(kernel);
}
