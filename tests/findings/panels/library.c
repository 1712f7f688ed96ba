/* SPDX-License-Identifier: MIT */
/* Libraries, and programs that are made of them. */
#include "panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads of a sequencer, each decoded step by step. */
enum { STATES = 256, READ_STEPS = 128, READS = 96, SCORES = STATES * READS };

void panel_viterbi_reads(struct app *app)
{
	static const char source[] =
		"kernel void viterbi(global const float *from, global float *to,\n"
		"		    global const float *seen, int first, int step)\n"
		"{\n"
		"	int i = first * 256 + get_global_id(0), s = i % 256, base = i - s;\n"
		"	float stay = from[i], go = from[base + (s + 255) % 256];\n"
		"	float jump = from[base + (s * 4) % 256];\n"
		"	to[i] = fmax(fmax(stay, go * 0.98f), jump * 0.9f) * 0.9f +\n"
		"		seen[i / 256 * 128 + step] * 0.1f;\n"
		"}\n";
	cl_kernel kernel = kernel_of(app, source, "viterbi");
	cl_mem scores[2] = {filled(app, SCORES * sizeof(float), 1),
			    filled(app, SCORES * sizeof(float), 2)};
	cl_mem seen = filled(app, READS * READ_STEPS * sizeof(float), 3);
	int at_once = app->repaired ? READS : 1;
	float *end = memory(SCORES * sizeof(float));

	for (int first = 0; first < READS; first += at_once) {
		for (int step = 0; step < READ_STEPS; step++) {
			args(kernel, "bbbii", scores[step % 2], scores[(step + 1) % 2], seen, first,
			     step);
			run(app->queue, kernel, (size_t)(STATES * at_once), 64);
		}
		flush(app->queue);
	}
	get(app->queue, scores[0], SCORES * sizeof(float), end);
	answer(total(end, SCORES));
	free(end);
	DROP(seen);
	DROP(scores[0]);
	DROP(scores[1]);
	DROP(kernel);
}

/* A library that takes and returns host memory, and a program that applies it again and again. */
enum { MESH = 128 * 1024, MESH_BYTES = MESH * 4, SMOOTHINGS = 160 };

struct smoother {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem mesh;
};

static void smooth_begin(struct smoother *smoother, const float *mesh)
{
	put_now(smoother->queue, smoother->mesh, MESH_BYTES, mesh);
}

static void smooth_apply(struct smoother *smoother)
{
	for (int pass = 0; pass < 3; pass++)
		run(smoother->queue, smoother->kernel, MESH, 64);
	flush(smoother->queue);
}

static void smooth_end(struct smoother *smoother, float *mesh)
{
	get(smoother->queue, smoother->mesh, MESH_BYTES, mesh);
}

static void smooth(struct smoother *smoother, float *mesh)
{
	smooth_begin(smoother, mesh);
	smooth_apply(smoother);
	smooth_end(smoother, mesh);
}

void panel_smooth_api(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("laplace"), "");
	struct smoother smoother = {app->queue, kernel_new(program, "laplace"),
				    buffer_new(app, MESH_BYTES)};
	float *mesh = floats(MESH, 1);

	args(smoother.kernel, "bi", smoother.mesh, 3);
	if (app->repaired)
		smooth_begin(&smoother, mesh);
	for (int i = 0; i < SMOOTHINGS; i++) {
		if (app->repaired)
			smooth_apply(&smoother);
		else
			smooth(&smoother, mesh);
	}
	if (app->repaired)
		smooth_end(&smoother, mesh);
	answer(total(mesh, MESH));
	free(mesh);
	DROP(smoother.mesh);
	DROP(smoother.kernel);
	DROP(program);
}

/* Matrices whose operators return new ones. */
enum { MATRIX = 9 * 1024 * 1024, MATRIX_BYTES = MATRIX * 4, EXPRESSIONS = 12, POOL = 2 };

struct algebra {
	const struct app *app;
	cl_kernel kernel;
	cl_mem pool[POOL];
	int pooled;
};

static cl_mem matrix_new(struct algebra *algebra)
{
	if (algebra->app->repaired && algebra->pooled)
		return algebra->pool[--algebra->pooled];
	return buffer_new(algebra->app, MATRIX_BYTES);
}

static void matrix_free(struct algebra *algebra, cl_mem matrix)
{
	if (algebra->app->repaired && algebra->pooled < POOL)
		algebra->pool[algebra->pooled++] = matrix;
	else
		DROP(matrix);
}

static cl_mem matrix_mix(struct algebra *algebra, cl_mem a, cl_mem b, double weight)
{
	cl_mem result = matrix_new(algebra);

	args(algebra->kernel, "bbbf", a, b, result, weight);
	run(algebra->app->queue, algebra->kernel, MATRIX / 4, 64);
	return result;
}

void panel_matrix_temps(struct app *app)
{
	static const char source[] =
		"kernel void mix_matrices(global const float4 *a, global const float4 *b,\n"
		"			 global float4 *c, float weight)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	c[i] = a[i] * weight + b[i];\n"
		"}\n";
	struct algebra algebra = {.app = app, .kernel = kernel_of(app, source, "mix_matrices")};
	cl_mem a = filled(app, MATRIX_BYTES, 1), b = filled(app, MATRIX_BYTES, 2);
	float part[256];
	double sum = 0;

	for (int i = 0; i < EXPRESSIONS; i++) {
		cl_mem c = matrix_mix(&algebra, a, b, 0.5 + i);
		cl_mem d = matrix_mix(&algebra, c, a, 0.25);

		matrix_free(&algebra, c);
		c = matrix_mix(&algebra, d, b, 0.125);
		matrix_free(&algebra, d);
		get(app->queue, c, sizeof(part), part);
		sum += total(part, 256);
		matrix_free(&algebra, c);
	}
	answer(sum);
	while (algebra.pooled)
		DROP(algebra.pool[--algebra.pooled]);
	DROP(b);
	DROP(a);
	DROP(algebra.kernel);
}

/* Transforms by plans, as FFT libraries have them: a plan is a program for one length. */
enum { LENGTH = 32 * 1024, BLOCKS = 20 };

struct plan {
	cl_program program;
	cl_kernel rows, twiddle;
	int length;
};

static struct plan plan_new(const struct app *app, int length)
{
	static const char source[] =
		"kernel void rows(global float *v)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	for (int r = 0; r < 60; r++)\n"
		"		v[i] = v[i] * 0.99f + (float)(i % LENGTH) * 0.00001f;\n"
		"}\n"
		"kernel void twiddle(global float *v)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	v[i] = cos(v[i] / LENGTH);\n"
		"}\n";
	struct plan plan = {.length = length};
	char options[32];

	snprintf(options, sizeof(options), "-DLENGTH=%d", length);
	plan.program = program_new(app, source, options);
	plan.rows = kernel_new(plan.program, "rows");
	plan.twiddle = kernel_new(plan.program, "twiddle");
	return plan;
}

static void plan_free(struct plan *plan)
{
	DROP(plan->twiddle);
	DROP(plan->rows);
	DROP(plan->program);
}

static void plan_run(const struct app *app, struct plan *plan, cl_mem data)
{
	args(plan->rows, "b", data);
	args(plan->twiddle, "b", data);
	for (int pass = 0; pass < 15; pass++) {
		run(app->queue, plan->rows, (size_t)plan->length, 64);
		run(app->queue, plan->twiddle, (size_t)plan->length, 64);
	}
}

void panel_fft_plans(struct app *app)
{
	cl_mem data = buffer_new(app, LENGTH * sizeof(float));
	float *block = memory(LENGTH * sizeof(float));
	struct plan plan;
	double sum = 0;

	for (int i = 0; i < BLOCKS; i++) {
		if (!i || !app->repaired)
			plan = plan_new(app, LENGTH);
		refill(block, LENGTH, i);
		put(app->queue, data, LENGTH * sizeof(float), block);
		plan_run(app, &plan, data);
		get(app->queue, data, LENGTH * sizeof(float), block);
		sum += (double)block[i];
		if (i == BLOCKS - 1 || !app->repaired)
			plan_free(&plan);
	}
	answer(sum);
	free(block);
	DROP(data);
}

/* Operators of a network, each in a fast variant that not every device can have. */
enum { OPERATORS = 4, ACTIVATIONS = 128 * 1024, INFERENCES = 12 };

static bool has_half(const struct app *app)
{
	char extensions[8192] = "";

	TRY(clGetDeviceInfo(app->device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions,
			    NULL));
	return strstr(extensions, "cl_khr_fp16");
}

static cl_kernel operator_build(const struct app *app, int number, bool half)
{
	char source[1024], name[16];
	const char *text = source;
	cl_kernel kernel = NULL;
	cl_program program;
	cl_int status;

	snprintf(name, sizeof(name), "layer_%d", number);
	snprintf(source, sizeof(source),
		 "#ifdef HALF\n"
		 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
		 "typedef half real;\n"
		 "#else\n"
		 "typedef float real;\n"
		 "#endif\n"
		 "kernel void layer_%d(global float *v)\n"
		 "{\n"
		 "	size_t i = get_global_id(0);\n"
		 "	real a = (real)v[i];\n"
		 "	for (int r = 0; r < 40; r++)\n"
		 "		a = (a > 0 ? a * (real)0.9%df : 0) + (real)0.01f;\n"
		 "	v[i] = (float)a;\n"
		 "}\n",
		 number, number + 1);
	program = clCreateProgramWithSource(app->context, 1, &text, NULL, &status);
	must(status, "clCreateProgramWithSource");
	if (!clBuildProgram(program, 1, &app->device, half ? "-DHALF" : "", NULL, NULL))
		kernel = kernel_new(program, name);
	DROP(program);
	return kernel;
}

void panel_half_variant(struct app *app)
{
	cl_mem values = filled(app, ACTIVATIONS * sizeof(float), 1);
	cl_kernel layers[OPERATORS];
	float *end = memory(ACTIVATIONS * sizeof(float));

	for (int i = 0; i < OPERATORS; i++) {
		layers[i] = NULL;
		if (!app->repaired || has_half(app))
			layers[i] = operator_build(app, i, true);
		if (!layers[i])
			layers[i] = operator_build(app, i, false);
		must(layers[i] ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE, "operator_build");
		args(layers[i], "b", values);
	}
	for (int n = 0; n < INFERENCES; n++) {
		for (int i = 0; i < OPERATORS; i++)
			run(app->queue, layers[i], ACTIVATIONS, 64);
		flush(app->queue);
	}
	get(app->queue, values, ACTIVATIONS * sizeof(float), end);
	answer(total(end, ACTIVATIONS));
	for (int i = 0; i < OPERATORS; i++)
		DROP(layers[i]);
	free(end);
	DROP(values);
}

/* A pipeline that knows how long each of its stages takes. */
enum { STAGES = 6, STAGE_ITEMS = 8 * 1024, TIMED_FRAMES = 500 };

static double event_seconds(cl_event event)
{
	cl_ulong start, end;

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	DROP(event);
	return (double)(end - start) / 1e9;
}

void panel_stage_times(struct app *app)
{
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_program program = program_new(app, ROUNDS("stage"), "");
	cl_kernel kernel = kernel_new(program, "stage");
	cl_mem frame = filled(app, STAGE_ITEMS * sizeof(float), 1);
	double seconds[STAGES] = {0};
	float *end = memory(STAGE_ITEMS * sizeof(float));

	for (int i = 0; i < TIMED_FRAMES; i++) {
		cl_event events[STAGES];

		for (int stage = 0; stage < STAGES; stage++) {
			args(kernel, "bi", frame, 4 + stage);
			events[stage] = run_after(queue, kernel, STAGE_ITEMS, 64, 0, NULL);
			if (app->repaired)
				continue;
			TRY(clWaitForEvents(1, &events[stage]));
			seconds[stage] += event_seconds(events[stage]);
		}
		if (!app->repaired)
			continue;
		TRY(clWaitForEvents(1, &events[STAGES - 1]));
		for (int stage = 0; stage < STAGES; stage++)
			seconds[stage] += event_seconds(events[stage]);
	}
	fprintf(stderr, "slowest stages: %.3f s, %.3f s\n", seconds[0], seconds[STAGES - 1]);
	get(queue, frame, STAGE_ITEMS * sizeof(float), end);
	answer(total(end, STAGE_ITEMS));
	free(end);
	DROP(frame);
	DROP(kernel);
	DROP(program);
	DROP(queue);
}

/* A search in the lines of a log. */
enum { LINES = 128 * 1024, LINE = 32, SEARCHES = 120 };

void panel_line_match(struct app *app)
{
	static const char source[] =
		"kernel void match(global const char *text, int wanted, global int *hits)\n"
		"{\n"
		"	int i = get_global_id(0), found = 0;\n"
		"	for (int c = 0; c < 32; c++)\n"
		"		found += text[i * 32 + c] == wanted;\n"
		"	hits[i] += found;\n"
		"}\n";
	cl_kernel match = kernel_of(app, source, "match");
	cl_mem text = buffer_new(app, LINES * LINE), hits = filled(app, LINES * sizeof(int), 1);
	size_t local = app->repaired ? 64 : 1; /* a line a group, as the configuration has it */
	char *log = memory(LINES * LINE);
	int *found = memory(LINES * sizeof(*found));
	long sum = 0;

	for (int i = 0; i < LINES * LINE; i++)
		log[i] = (char)(' ' + i * 7 % 90);
	put_now(app->queue, text, LINES * LINE, log);
	for (int i = 0; i < SEARCHES; i++) {
		args(match, "bib", text, 'A' + i % 26, hits);
		run(app->queue, match, LINES, local);
	}
	get(app->queue, hits, LINES * sizeof(*found), found);
	for (int i = 0; i < LINES; i++)
		sum ^= found[i];
	answer((double)sum);
	free(found);
	free(log);
	DROP(hits);
	DROP(text);
	DROP(match);
}
