/* SPDX-License-Identifier: MIT */
/* Waves, training, and flow. */
#include "symposia.h"

#include <stdlib.h>

/* Elastic waves along a line: velocities, stresses, and a source that fires in the middle. */
static const char elastic[] =
	"kernel void velocity(global float *v, global const float *s)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	v[i] = v[i] * 0.999f + 0.25f * (s[i + 1 < n ? i + 1 : 0] - s[i]);\n"
	"}\n"
	"kernel void stress(global float *s, global const float *v)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	s[i] += 0.25f * (v[i] - v[i ? i - 1 : n - 1]);\n"
	"}\n"
	"kernel void source(global float *s, int step)\n"
	"{\n"
	"	s[8000 + get_global_id(0)] += 0.01f * (float)(step % 32 - 15);\n"
	"}\n";

static void stage(const struct app *app, cl_kernel kernel, size_t items)
{
	run(app->queue, kernel, items, 0);
	if (!app->repaired)
		finish(app->queue);
}

void symposium_seismic_steps(struct app *app)
{
	enum { POINTS = 16384, STEPS = 1200 };
	cl_program program = program_new(app, elastic, "");
	cl_kernel velocity = kernel_new(program, "velocity"),
		  stress = kernel_new(program, "stress");
	cl_kernel source = kernel_new(program, "source");
	cl_mem v = stocked(app, POINTS, 3), s = stocked(app, POINTS, 4);

	args(velocity, "bb", v, s);
	args(stress, "bb", s, v);
	for (int step = 0; step < STEPS; step++) {
		stage(app, velocity, POINTS);
		stage(app, stress, POINTS);
		args(source, "bi", s, step);
		stage(app, source, 64);
	}
	answer(summed(app, s, POINTS));
	DROP(velocity);
	DROP(stress);
	DROP(source);
	DROP(program);
	DROP(v);
	DROP(s);
}

/* Logistic regression by gradient descent, with the loss of each step for the learning curve. */
static const char regression[] =
	"kernel void slopes(global const float4 *x, global const float *w, global float4 *part)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 s = x[i];\n"
	"	float z = s.x * w[0] + s.y * w[1] + s.z * w[2];\n"
	"	float e = 1.0f / (1.0f + exp(-z)) - (s.w > 0.5f ? 1.0f : 0.0f);\n"
	"	part[i] = (float4)(s.xyz * e, e * e);\n"
	"}\n"
	"kernel void fold(global const float4 *part, global float4 *sums, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float4 sum = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		sum += part[i + (size_t)k * n];\n"
	"	sums[i] = sum;\n"
	"}\n"
	"kernel void learn(global const float4 *sums, global float *w, global float *curve,\n"
	"		  int count, int slot)\n"
	"{\n"
	"	float4 sum = 0;\n"
	"	for (int k = 0; k < count; k++)\n"
	"		sum += sums[k];\n"
	"	sum *= 1.0f / 16384;\n"
	"	w[0] -= sum.x;\n"
	"	w[1] -= sum.y;\n"
	"	w[2] -= sum.z;\n"
	"	curve[slot] = sum.w;\n"
	"}\n";

void symposium_loss_log(struct app *app)
{
	enum { SAMPLES = 16384, SUMS = 256, STEPS = 1500 };
	cl_program program = program_new(app, regression, "");
	cl_kernel slopes = kernel_new(program, "slopes"), fold = kernel_new(program, "fold");
	cl_kernel learn = kernel_new(program, "learn");
	cl_mem x = stocked(app, SAMPLES * 4, 11), w = stocked(app, 4, 12);
	cl_mem part = buffer_new(app, SAMPLES * sizeof(cl_float4));
	cl_mem sums = buffer_new(app, SUMS * sizeof(cl_float4));
	cl_mem curve = buffer_new(app, STEPS * sizeof(float));
	float *losses = memory(STEPS * sizeof(*losses));

	args(slopes, "bbb", x, w, part);
	args(fold, "bbi", part, sums, SAMPLES / SUMS);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, slopes, SAMPLES, 0);
		run(app->queue, fold, SUMS, 0);
		args(learn, "bbbii", sums, w, curve, SUMS, app->repaired ? step : 0);
		run(app->queue, learn, 1, 0);
		if (!app->repaired)
			get(app->queue, curve, sizeof(*losses), &losses[step]);
		else if (step % 32 == 31)
			flush(app->queue);
	}
	if (app->repaired)
		get(app->queue, curve, STEPS * sizeof(*losses), losses);
	answer(total(losses, STEPS));
	free(losses);
	DROP(slopes);
	DROP(fold);
	DROP(learn);
	DROP(program);
	DROP(x);
	DROP(w);
	DROP(part);
	DROP(sums);
	DROP(curve);
}

/* Flow in a cavity whose lid moves: the inner cells relax, then the walls are set. */
static const char cavity[] =
	"kernel void relax(global const float *in, global float *out, int width)\n"
	"{\n"
	"	int x = (int)get_global_id(0), y = (int)get_global_id(1), i = y * width + x;\n"
	"	if (!x || !y || x == width - 1 || y == width - 1)\n"
	"		out[i] = in[i];\n"
	"	else\n"
	"		out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);\n"
	"}\n"
	"kernel void walls(global float *out, int width, float lid)\n"
	"{\n"
	"	int x = (int)get_global_id(0);\n"
	"	out[x * width] = 0;\n"
	"	out[x * width + width - 1] = 0;\n"
	"	out[(width - 1) * width + x] = 0;\n"
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"	out[x] = lid;\n"
	"}\n";

static void walls_set(float *cells, size_t width, float lid)
{
	for (size_t i = 0; i < width; i++) {
		cells[i * width] = 0;
		cells[i * width + width - 1] = 0;
		cells[(width - 1) * width + i] = 0;
	}
	for (size_t i = 0; i < width; i++)
		cells[i] = lid;
}

void symposium_cavity_walls(struct app *app)
{
	enum { WIDTH = 256, CELLS = WIDTH * WIDTH, STEPS = 700 };
	cl_program program = program_new(app, cavity, "");
	cl_kernel relax = kernel_new(program, "relax"), walls = kernel_new(program, "walls");
	cl_mem cells[2] = {stocked(app, CELLS, 21), stocked(app, CELLS, 22)};
	float *host = memory(CELLS * sizeof(*host));

	for (int step = 0; step < STEPS; step++) {
		cl_mem now = cells[(step + 1) % 2];
		float lid = (float)(step % 8) * 0.125f;

		args(relax, "bbi", cells[step % 2], now, WIDTH);
		run_plane(app->queue, relax, WIDTH, WIDTH, 0, 0);
		if (app->repaired) {
			args(walls, "bif", now, WIDTH, (double)lid);
			run(app->queue, walls, WIDTH, WIDTH);
		} else {
			get(app->queue, now, CELLS * sizeof(*host), host);
			walls_set(host, WIDTH, lid);
			put(app->queue, now, CELLS * sizeof(*host), host);
		}
	}
	answer(summed(app, cells[0], CELLS));
	free(host);
	DROP(relax);
	DROP(walls);
	DROP(program);
	DROP(cells[0]);
	DROP(cells[1]);
}
