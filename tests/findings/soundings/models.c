/* SPDX-License-Identifier: MIT */
/* Simulations. */
#include "soundings.h"

#include <stdlib.h>

/* Water in the ground: the flow between the cells of a map, then what it leaves in each. */
static const char seepage_source[] =
	"kernel void flow(global const float *head, global float *east, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width;\n"
	"	float here = head[i], there = x + 1 < width ? head[i + 1] : here;\n"
	"	east[i] = 0.2f * (here - there) * (1 + 0.01f * here);\n"
	"}\n"
	"kernel void settle(global const float *east, global float *head, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width;\n"
	"	head[i] += (x ? east[i - 1] : 0) - east[i];\n"
	"}\n";

void sounding_seepage(struct app *app)
{
	enum { WIDTH = 128, CELLS = WIDTH * 96, STEPS = 1800 };

	cl_program program = program_new(app, seepage_source, "");
	cl_kernel flow = kernel_new(program, "flow"), level = kernel_new(program, "settle");
	cl_mem head = filled(app, CELLS, 5), east = buffer_new(app, CELLS * sizeof(float));

	args(flow, "bbi", head, east, WIDTH);
	args(level, "bbi", east, head, WIDTH);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, flow, CELLS, 64);
		if (!app->repaired)
			finish(app->queue);
		run(app->queue, level, CELLS, 64);
		if (!app->repaired)
			finish(app->queue);
	}
	finish(app->queue);
	answer(sum_of(app, head, CELLS));
	DROP(head);
	DROP(east);
	DROP(flow);
	DROP(level);
	DROP(program);
}

/* A crystal grows; a film of it has every sixteenth step. */
static const char crystal_source[] =
	"kernel void grow(global const float *old, global float *new, int width, int height)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1), i = y * width + x;\n"
	"	float a = old[i];\n"
	"	float west = old[x ? i - 1 : i], east = old[x + 1 < width ? i + 1 : i];\n"
	"	float north = old[y ? i - width : i], south = old[y + 1 < height ? i + width : i];\n"
	"	float spread = west + east + north + south - 4 * a;\n"
	"	new[i] = a + 0.1f * spread + 0.05f * a * (1 - a) * (a - 0.4f);\n"
	"}\n";

void sounding_crystal(struct app *app)
{
	enum { WIDTH = 512, HEIGHT = 384, CELLS = WIDTH * HEIGHT, STEPS = 480, EACH = 16 };

	size_t bytes = CELLS * sizeof(float);
	cl_kernel grow = kernel_of(app, crystal_source, "grow");
	cl_mem phase[2] = {filled(app, CELLS, 11), buffer_new(app, bytes)};
	float *image = memory(bytes);
	double film = 0;

	for (int step = 0; step < STEPS; step++) {
		bool shown = step % EACH == EACH - 1;

		args(grow, "bbii", phase[step % 2], phase[(step + 1) % 2], WIDTH, HEIGHT);
		run_plane(app->queue, grow, WIDTH, HEIGHT, 64, 1);
		if (shown || !app->repaired)
			get(app->queue, phase[(step + 1) % 2], bytes, image);
		if (shown)
			film += total(image, CELLS);
	}
	answer(film);
	free(image);
	DROP(phase[0]);
	DROP(phase[1]);
	DROP(grow);
}

/* Sorts particles into cells: counts, where each cell starts, each particle's place, a move. */
static const char bucket_source[] =
	"kernel void tally(global const float *at, global int *counts, int cells)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	atomic_inc(&counts[(int)(at[i] * cells) % cells]);\n"
	"}\n"
	"kernel void starts(global int *counts, int each, local int *sums)\n"
	"{\n"
	"	int me = get_local_id(0), size = get_local_size(0), sum = 0;\n"
	"	global int *own = counts + me * each;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += own[i];\n"
	"	sums[me] = sum;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!me)\n"
	"		for (int i = 0, before = 0; i < size; i++) {\n"
	"			int mine = sums[i];\n"
	"			sums[i] = before;\n"
	"			before += mine;\n"
	"		}\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	sum = sums[me];\n"
	"	for (int i = 0; i < each; i++) {\n"
	"		int mine = own[i];\n"
	"		own[i] = sum;\n"
	"		sum += mine;\n"
	"	}\n"
	"}\n"
	"kernel void shift(global float *at, global const int *starts, int cells, float scale)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = at[i];\n"
	"	x += 0.001f + starts[(int)(x * cells) % cells] * scale;\n"
	"	at[i] = x - floor(x);\n"
	"}\n";

void sounding_bucket_counts(struct app *app)
{
	enum { PARTICLES = 32768, CELLS = 32768, STEPS = 220, GROUP = 64 };

	size_t bytes = CELLS * sizeof(cl_int), group = GROUP;
	cl_program program = program_new(app, bucket_source, "");
	cl_kernel tally = kernel_new(program, "tally"), starts = kernel_new(program, "starts");
	cl_kernel shift = kernel_new(program, "shift");
	cl_mem at = filled(app, PARTICLES, 3), counts = buffer_new(app, bytes);
	cl_int *cells = memory(bytes), zero = 0;

	args(tally, "bbi", at, counts, CELLS);
	args(starts, "bil", counts, CELLS / GROUP, group * sizeof(cl_int));
	args(shift, "bbif", at, counts, CELLS, 0.01 / PARTICLES);
	for (int step = 0; step < STEPS; step++) {
		TRY(clEnqueueFillBuffer(app->queue, counts, &zero, sizeof(zero), 0, bytes, 0, NULL,
					NULL));
		run(app->queue, tally, PARTICLES, 64);
		if (app->repaired) {
			run(app->queue, starts, GROUP, GROUP);
		} else {
			get(app->queue, counts, bytes, cells);
			for (int i = 0, before = 0; i < CELLS; i++) {
				int mine = cells[i];

				cells[i] = before;
				before += mine;
			}
			put(app->queue, counts, bytes, cells);
		}
		run(app->queue, shift, PARTICLES, 64);
	}
	answer(sum_of(app, at, PARTICLES));
	free(cells);
	DROP(at);
	DROP(counts);
	DROP(tally);
	DROP(starts);
	DROP(shift);
	DROP(program);
}

/* Seismometers: in each hour's traces, the arrivals that each station saw. */
static const char stations_source[] =
	"kernel void arrivals(global const float *traces, global float *strength, int first,\n"
	"		     int samples)\n"
	"{\n"
	"	size_t i = first + get_global_id(0);\n"
	"	float slow = 0.01f, fast = 0, best = 0;\n"
	"	for (int s = 0; s < samples; s++) {\n"
	"		float power = traces[i * samples + s];\n"
	"		power *= power;\n"
	"		slow += 0.01f * (power - slow);\n"
	"		fast += 0.2f * (power - fast);\n"
	"		best = fmax(best, fast / slow);\n"
	"	}\n"
	"	strength[i] = best;\n"
	"}\n";

void sounding_stations(struct app *app)
{
	enum { STATIONS = 32, WINDOWS = 64, SAMPLES = 128, HOURS = 60 };

	size_t count = (size_t)STATIONS * WINDOWS, bytes = count * SAMPLES * sizeof(float);
	cl_kernel arrivals = kernel_of(app, stations_source, "arrivals");
	cl_mem traces = buffer_new(app, bytes), strength = buffer_new(app, count * sizeof(float));
	float *hour = floats(count * SAMPLES, 77);
	double sum = 0;

	for (int h = 0; h < HOURS; h++) {
		refill(hour, count, h);
		put_now(app->queue, traces, bytes, hour);
		if (app->repaired) {
			args(arrivals, "bbii", traces, strength, 0, SAMPLES);
			run(app->queue, arrivals, count, WINDOWS);
		} else {
			for (int station = 0; station < STATIONS; station++) {
				args(arrivals, "bbii", traces, strength, station * WINDOWS,
				     SAMPLES);
				run(app->queue, arrivals, WINDOWS, WINDOWS);
			}
		}
		sum += sum_of(app, strength, count);
	}
	answer(sum);
	free(hour);
	DROP(traces);
	DROP(strength);
	DROP(arrivals);
}
