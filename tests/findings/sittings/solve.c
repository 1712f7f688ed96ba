/* SPDX-License-Identifier: MIT */
/* Solvers and simulations. */
#include "sittings.h"

#include <stdlib.h>

/* Tide heights in a bay: relaxation until the residual is small. */
enum { BAY = 192, CELLS = BAY * BAY, PARTS = 256, MOST_SWEEPS = 600, LOOK = 25 };

static const char tide_source[] =
	"kernel void relax(global const float *h, global float *next, global const float *depth)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % 192, y = i / 192;\n"
	"	float w = h[y * 192 + max(x - 1, 0)], e = h[y * 192 + min(x + 1, 191)];\n"
	"	float n = h[max(y - 1, 0) * 192 + x], s = h[min(y + 1, 191) * 192 + x];\n"
	"	float v = 0.25f * (w + e + n + s), d = depth[i];\n"
	"	for (int r = 0; r < 4; r++) /* the wind */\n"
	"		v += 0.00002f * (d - v * d);\n"
	"	next[i] = v;\n"
	"}\n"
	"kernel void residual(global const float *h, global const float *next,\n"
	"		     global float *history, int step)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int j = i; j < 192 * 192; j += 256)\n"
	"		sum += fabs(h[j] - next[j]);\n"
	"	history[step * 256 + i] = sum;\n"
	"}\n";

/* Whether one of the steps from `first` on has come to rest. */
static bool tide_rests(struct app *app, cl_mem history, float *parts, int first, int count)
{
	get_part(app->queue, history, (size_t)first * PARTS * sizeof(float),
		 (size_t)count * PARTS * sizeof(float), parts);
	finish(app->queue);
	for (int i = 0; i < count; i++)
		if (total(parts + (size_t)i * PARTS, PARTS) < 1e-9)
			return true;
	return false;
}

void sitting_tide_residual(struct app *app)
{
	int every = app->repaired ? LOOK : 1, steps = 0;
	cl_program program = program_new(app, tide_source, "");
	cl_kernel relax = kernel_new(program, "relax"), measure = kernel_new(program, "residual");
	cl_mem heights[2] = {seeded(app, CELLS * sizeof(float), 1),
			     seeded(app, CELLS * sizeof(float), 2)};
	cl_mem depth = seeded(app, CELLS * sizeof(float), 3);
	cl_mem history = seeded(app, MOST_SWEEPS * PARTS * sizeof(float), 4);
	float *parts = memory(LOOK * PARTS * sizeof(float));

	while (steps < MOST_SWEEPS) {
		cl_mem from = heights[steps % 2], to = heights[(steps + 1) % 2];

		args(relax, "bbb", from, to, depth);
		run(app->queue, relax, CELLS, 64);
		args(measure, "bbbi", from, to, history, steps);
		run(app->queue, measure, PARTS, 64);
		steps++;
		if (steps % every == 0 && tide_rests(app, history, parts, steps - every, every))
			break;
	}
	answer(steps);
	free(parts);
	DROP(heights[0]);
	DROP(heights[1]);
	DROP(depth);
	DROP(history);
	DROP(relax);
	DROP(measure);
	DROP(program);
}

/* Local alignment of reads: the cells of a diagonal do not depend on each other. */
enum { READS = 12, LETTERS = 240 };

static const char align_source[] =
	"kernel void diagonal(global const uchar *a, global const uchar *b, global int *cells,\n"
	"		     global int *best, int d, int first, int last, int pair)\n"
	"{\n"
	"	int row = first + get_global_id(0), column = d - row, p = pair + get_global_id(1);\n"
	"	if (row > last)\n"
	"		return;\n"
	"	global int *h = cells + p * 3 * 240;\n"
	"	int now = d % 3 * 240, one = (d + 2) % 3 * 240, two = (d + 1) % 3 * 240;\n"
	"	int match = a[p * 240 + row] == b[p * 240 + column] ? 3 : -2;\n"
	"	int up = row && column < 240 ? h[one + row - 1] - 4 : 0;\n"
	"	int left = column ? h[one + row] - 4 : 0;\n"
	"	int both = (row && column ? h[two + row - 1] : 0) + match;\n"
	"	int score = max(max(up, left), max(both, 0));\n"
	"	h[now + row] = score;\n"
	"	best[p * 240 + row] = max(best[p * 240 + row], score);\n"
	"}\n";

static cl_mem letters_new(struct app *app, unsigned seed)
{
	unsigned char *letters = memory(READS * LETTERS);
	cl_mem buffer = buffer_new(app, READS * LETTERS);

	for (int i = 0; i < READS * LETTERS; i++) {
		seed = seed * 69069u + 12345u;
		letters[i] = (unsigned char)"ACGT"[seed >> 30];
	}
	put_now(app->queue, buffer, READS * LETTERS, letters);
	free(letters);
	return buffer;
}

static void align(struct app *app, cl_kernel kernel, const cl_mem *buffers, int pair, int pairs)
{
	for (int d = 0; d < 2 * LETTERS - 1; d++) {
		int first = d < LETTERS ? 0 : d - LETTERS + 1;
		int last = d < LETTERS ? d : LETTERS - 1;

		args(kernel, "bbbbiiii", buffers[0], buffers[1], buffers[2], buffers[3], d, first,
		     last, pair);
		run_plane(app->queue, kernel, (size_t)(last - first + 32) / 32 * 32, (size_t)pairs,
			  32, 1);
	}
	flush(app->queue);
}

void sitting_align_reads(struct app *app)
{
	enum { BYTES = READS * LETTERS * sizeof(int) };
	cl_kernel kernel = kernel_of(app, align_source, "diagonal");
	int *best = memory(BYTES), most = 0;
	cl_mem buffers[4] = {letters_new(app, 5), letters_new(app, 6), buffer_new(app, 3 * BYTES),
			     buffer_new(app, BYTES)};

	put_now(app->queue, buffers[3], BYTES, best);
	if (app->repaired)
		align(app, kernel, buffers, 0, READS);
	else
		for (int i = 0; i < READS; i++)
			align(app, kernel, buffers, i, 1);
	get(app->queue, buffers[3], BYTES, best);
	for (int i = 0; i < READS * LETTERS; i++)
		most = best[i] > most ? best[i] : most;
	answer(most);
	for (int i = 0; i < 4; i++)
		DROP(buffers[i]);
	free(best);
	DROP(kernel);
}

/* Molecules, with a clock around each kernel: its times go to the log. */
enum { ATOMS = 24576, MOVES = 300, LOGGED = 30, PHASES = 4 };

static const char atoms_source[] =
	"kernel void forces(global const float4 *x, global float4 *f)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float4 sum = 0;\n"
	"	for (int j = 1; j <= 6; j++) {\n"
	"		float4 d = x[(i + j * j) % 24576] - x[i];\n"
	"		float r = dot(d, d) + 0.1f;\n"
	"		sum += d * (1 / (r * r) - 0.5f / r);\n"
	"	}\n"
	"	f[i] = sum;\n"
	"}\n"
	"kernel void kick(global float4 *v, global const float4 *f)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	v[i] = v[i] * 0.999f + clamp(f[i], -1.0f, 1.0f) * 0.001f;\n"
	"}\n"
	"kernel void drift(global float4 *x, global const float4 *v)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	x[i] += v[i] * 0.01f;\n"
	"	x[i] -= floor(x[i]);\n"
	"}\n"
	"kernel void bath(global float4 *v, global const float4 *f)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float hot = dot(v[i], v[i]);\n"
	"	for (int r = 0; r < 3; r++)\n"
	"		hot = 0.5f * (hot + 0.3f / (hot + 0.1f));\n"
	"	v[i] *= 1 - 0.001f * hot;\n"
	"}\n";

struct scopes {
	cl_event events[LOGGED * PHASES];
	int count;
	bool at_once; /* each is read when it ends */
	double sum_ns;
};

static void scopes_read(struct scopes *scopes)
{
	for (int i = 0; i < scopes->count; i++) {
		cl_ulong start = 0, end = 0;

		TRY(clWaitForEvents(1, &scopes->events[i]));
		TRY(clGetEventProfilingInfo(scopes->events[i], CL_PROFILING_COMMAND_START,
					    sizeof(start), &start, NULL));
		TRY(clGetEventProfilingInfo(scopes->events[i], CL_PROFILING_COMMAND_END,
					    sizeof(end), &end, NULL));
		scopes->sum_ns += (double)(end - start);
		DROP(scopes->events[i]);
	}
	scopes->count = 0;
}

static void timed_run(cl_command_queue queue, cl_kernel kernel, struct scopes *scopes)
{
	run_with(queue, kernel, ATOMS, 64, 0, NULL, &scopes->events[scopes->count++]);
	if (scopes->at_once)
		scopes_read(scopes);
}

void sitting_timed_scopes(struct app *app)
{
	static const char *const names[PHASES] = {"forces", "kick", "drift", "bath"};
	enum { BYTES = ATOMS * 4 * sizeof(float) };
	struct scopes scopes = {.at_once = !app->repaired};
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_program program = program_new(app, atoms_source, "");
	cl_mem x = seeded(app, BYTES, 7), v = seeded(app, BYTES, 8), f = seeded(app, BYTES, 9);
	float *places = memory(BYTES);
	cl_kernel kernels[PHASES];

	for (int i = 0; i < PHASES; i++)
		kernels[i] = kernel_new(program, names[i]);
	args(kernels[0], "bb", x, f);
	args(kernels[1], "bb", v, f);
	args(kernels[2], "bb", x, v);
	args(kernels[3], "bb", v, f);
	for (int move = 0; move < MOVES; move++) {
		for (int i = 0; i < PHASES; i++)
			timed_run(queue, kernels[i], &scopes);
		if (move % LOGGED == LOGGED - 1)
			scopes_read(&scopes);
	}
	get(queue, x, BYTES, places);
	answer(total(places, ATOMS) + (scopes.sum_ns < 0));
	for (int i = 0; i < PHASES; i++)
		DROP(kernels[i]);
	DROP(x);
	DROP(v);
	DROP(f);
	free(places);
	DROP(program);
	DROP(queue);
}
