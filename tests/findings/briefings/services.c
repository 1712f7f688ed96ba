/* SPDX-License-Identifier: MIT */
/* Services and instruments: a database's sessions, a slicer, a mass spectrometer, power meters. */
#include "briefings.h"

#include <stdio.h>
#include <stdlib.h>

/* Two sessions of a database in memory. A query's condition is compiled into its kernel. */
enum { SESSIONS = 2, ROWS = 128 * KIB, SCANNERS = 2048, QUERIES = 6, PLANS = 2 };

static const char query_source[] =
	"kernel void query(global const float *price, global const float *amount,\n"
	"		  global float *sums, int rows)\n"
	"{\n"
	"	int first = get_global_id(0), all = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int i = first; i < rows; i += all)\n"
	"		sum += CONDITION ? price[i] * amount[i] : 0.0f;\n"
	"	sums[first] = sum;\n"
	"}\n";

/* What each session's user asks for, again and again. */
static const char *const conditions[SESSIONS][PLANS] = {
	{"(price[i]>0.5f)", "(amount[i]<0.25f&&price[i]<0.9f)"},
	{"(price[i]>amount[i])", "(price[i]*amount[i]>0.125f)"},
};

struct session {
	struct app *app;
	cl_command_queue queue;
	cl_mem price, amount;
	cl_kernel plans[PLANS]; /* what was compiled before */
	const char *const *conditions;
	double revenue;
};

static cl_kernel plan_new(const struct app *app, const char *condition)
{
	char options[128];

	snprintf(options, sizeof(options), "-DCONDITION=%s", condition);

	cl_program program = program_new(app, query_source, options);
	cl_kernel plan = kernel_new(program, "query");

	DROP(program);
	return plan;
}

static void *session_main(void *argument)
{
	struct session *session = argument;
	struct app *app = session->app;
	float *sums = memory(SCANNERS * sizeof(*sums));
	cl_mem result = buffer_new(app, SCANNERS * sizeof(*sums));

	for (int i = 0; i < QUERIES; i++) {
		cl_kernel *kept = &session->plans[i % PLANS];
		cl_kernel plan = *kept ? *kept : plan_new(app, session->conditions[i % PLANS]);

		args(plan, "bbbi", session->price, session->amount, result, ROWS);
		run(session->queue, plan, SCANNERS, 64);
		get(session->queue, result, SCANNERS * sizeof(*sums), sums);
		session->revenue += total(sums, SCANNERS);
		if (app->repaired)
			*kept = plan;
		else
			DROP(plan);
	}
	DROP(result);
	free(sums);
	return NULL;
}

void briefing_queries(struct app *app)
{
	float *price = floats(ROWS, 31), *amount = floats(ROWS, 77);
	cl_mem price_column = loaded(app, ROWS * sizeof(float), price);
	cl_mem amount_column = loaded(app, ROWS * sizeof(float), amount);
	struct session sessions[SESSIONS];

	for (int i = 0; i < SESSIONS; i++)
		sessions[i] = (struct session){.app = app,
					       .queue = queue_new(app, 0),
					       .price = price_column,
					       .amount = amount_column,
					       .conditions = conditions[i]};
	threads_run(SESSIONS, session_main, sessions, sizeof(*sessions));
	answer(sessions[0].revenue + sessions[1].revenue);
	for (int i = 0; i < SESSIONS; i++) {
		for (int plan = 0; plan < PLANS; plan++)
			if (sessions[i].plans[plan])
				DROP(sessions[i].plans[plan]);
		DROP(sessions[i].queue);
	}
	DROP(price_column);
	DROP(amount_column);
	free(price);
	free(amount);
}

/* A slicer for printers: each layer's fill is computed, and its path's length goes to the plan. */
enum { CELLS = 256 * KIB, LAYERS = 130 };

static const char layer_source[] = "kernel void fill(global float *cells, int layer, int rounds)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	uint u = (uint)(i + layer * 7919);\n"
				   "	for (int r = 0; r < rounds; r++)\n"
				   "		u = (u ^ (u >> 9)) * 2654435761u + 40503u;\n"
				   "	cells[i] = (float)(u >> 8) / 16777216.0f;\n"
				   "}\n";

static void layer_wait(const struct app *app, cl_event done)
{
	cl_int status = CL_QUEUED;

	if (app->repaired) {
		TRY(clWaitForEvents(1, &done));
		return;
	}
	for (;;) {
		TRY(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				   NULL));
		if (status <= CL_COMPLETE)
			return;
		nap(2000); /* the CPU is not ours alone */
	}
}

void briefing_slicer(struct app *app)
{
	cl_kernel fill = kernel_of(app, layer_source, "fill");
	cl_mem cells = buffer_new(app, CELLS * sizeof(float));
	float *path = memory(1024 * sizeof(*path));
	double length = 0;

	for (int layer = 0; layer < LAYERS; layer++) {
		args(fill, "bii", cells, layer, 6);
		run(app->queue, fill, CELLS, 64);

		cl_event done = get_after(app->queue, cells, 1024 * sizeof(*path), path, 0, NULL);

		flush(app->queue);
		layer_wait(app, done);
		DROP(done);
		length += total(path, 1024);
	}
	answer(length);
	DROP(cells);
	DROP(fill);
	free(path);
}

/* A mass spectrometer: its scans come over the wire, and each one's peaks are found. */
enum { BINS = 192 * KIB, PEAKS = 256, SCANS = 90 };

static const char scan_source[] =
	"kernel void baseline(global const float *scan, global float *flat, int rounds)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float v = scan[i / 4], base = 0;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		base = base * 0.9f + v / (1.5f + base);\n"
	"	flat[i] = v - 0.1f * base;\n"
	"}\n"
	"kernel void peaks(global const float *flat, global float *found, int length)\n"
	"{\n"
	"	int first = get_global_id(0) * length;\n"
	"	float best = flat[first];\n"
	"	for (int i = first + 1; i < first + length; i++)\n"
	"		best = max(best, flat[i]);\n"
	"	found[get_global_id(0)] = best;\n"
	"}\n";

/* As long as the instrument takes to send one. */
static void scan_receive(float *scan, int number)
{
	nap(1200);
	refill(scan, BINS / 4, number);
}

void briefing_mass_scans(struct app *app)
{
	cl_program program = program_new(app, scan_source, "");
	cl_kernel baseline = kernel_new(program, "baseline"), peaks = kernel_new(program, "peaks");
	size_t bytes = BINS / 4 * sizeof(float), found_bytes = PEAKS * sizeof(float);
	float *scans[2] = {memory(bytes), memory(bytes)}, *list = memory(found_bytes);
	cl_mem scan = buffer_new(app, bytes), flat = buffer_new(app, BINS * sizeof(float));
	cl_mem found = buffer_new(app, found_bytes);
	double height = 0;

	args(baseline, "bbi", scan, flat, 20);
	args(peaks, "bbi", flat, found, BINS / PEAKS);
	if (app->repaired)
		scan_receive(scans[0], 0);
	for (int i = 0; i < SCANS; i++) {
		if (!app->repaired)
			scan_receive(scans[i % 2], i);
		put(app->queue, scan, bytes, scans[i % 2]);
		run(app->queue, baseline, BINS, 64);
		run(app->queue, peaks, PEAKS, 16);

		cl_event done = get_after(app->queue, found, found_bytes, list, 0, NULL);

		flush(app->queue);
		if (app->repaired && i + 1 < SCANS)
			scan_receive(scans[(i + 1) % 2], i + 1);
		settle(done);
		height += total(list, PEAKS);
	}
	answer(height);
	DROP(scan);
	DROP(flat);
	DROP(found);
	DROP(baseline);
	DROP(peaks);
	DROP(program);
	free(scans[0]);
	free(scans[1]);
	free(list);
}

/* Power meters: each household's day of quarters of an hour is smoothed, then the town's load is
 * forecast from all of them.
 */
enum { HOUSES = 24, QUARTERS = 128, DAY = HOUSES * QUARTERS, DAYS = 200, GRID_POINTS = 128 * KIB };

static const char meter_source[] =
	"kernel void household(global const float *day, global float *curve, int first)\n"
	"{\n"
	"	int i = first + get_global_id(0), q = i % 128;\n"
	"	float before = day[q ? i - 1 : i], after = day[q < 127 ? i + 1 : i];\n"
	"	curve[i] = 0.25f * before + 0.5f * day[i] + 0.25f * after;\n"
	"}\n"
	"kernel void forecast(global const float *curve, global float *load, int houses)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int h = i % 8; h < houses; h += 8)\n"
	"		sum += curve[h * 128 + i % 128];\n"
	"	load[i] = load[i] * 0.75f + sum;\n"
	"}\n";

void briefing_meters(struct app *app)
{
	cl_program program = program_new(app, meter_source, "");
	cl_kernel household = kernel_new(program, "household");
	cl_kernel forecast = kernel_new(program, "forecast");
	float *readings = memory(DAY * sizeof(float)), *town = memory(GRID_POINTS * sizeof(float));
	cl_mem day = buffer_new(app, DAY * sizeof(float));
	cl_mem curve = buffer_new(app, DAY * sizeof(float));
	cl_mem load = loaded(app, GRID_POINTS * sizeof(float), town);

	args(forecast, "bbi", curve, load, HOUSES);
	for (int i = 0; i < DAYS; i++) {
		refill(readings, DAY, i);
		put_now(app->queue, day, DAY * sizeof(float), readings);
		if (app->repaired) {
			args(household, "bbi", day, curve, 0);
			run(app->queue, household, DAY, 64);
		}
		for (int house = 0; house < HOUSES && !app->repaired; house++) {
			args(household, "bbi", day, curve, house * QUARTERS);
			run(app->queue, household, QUARTERS, 64);
		}
		run(app->queue, forecast, GRID_POINTS, 64);
	}
	get(app->queue, load, GRID_POINTS * sizeof(float), town);
	answer(total(town, GRID_POINTS));
	DROP(day);
	DROP(curve);
	DROP(load);
	DROP(household);
	DROP(forecast);
	DROP(program);
	free(readings);
	free(town);
}
