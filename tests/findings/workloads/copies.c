/* SPDX-License-Identifier: MIT */
/* Data is moved that need not be. */
#include "workloads.h"

#include <stdlib.h>

static const char pyramid_source[] =
	"kernel void half_size(global const float *from, global float *to, int width)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), at = 2 * (y * width + x);\n"
	"	to[y * (width / 2) + x] = 0.25f * (from[at] + from[at + 1] + from[at + width] +\n"
	"					   from[at + width + 1]);\n"
	"}\n";

/* A pyramid of an image. What a level's kernel wrote is read by the host, and written as it is to
 * the next one's input; repaired, the next kernel reads it where it is. */
void workload_pyramid_levels(struct app *w)
{
	enum { width = 512, levels = 5, images = 400 };
	float *image = new_field(width * width, 41), *level = malloc(sizeof(float) * width * width);
	cl_kernel half_size = kernel_of(w, pyramid_source, "half_size");
	cl_mem in[levels], out[levels];
	double sum = 0;

	for (int i = 0; i < levels; i++) {
		size_t bytes = sizeof(float) * (width >> i) * (width >> i);

		in[i] = buffer_new(w, bytes);
		out[i] = buffer_new(w, bytes / 4);
	}
	for (int i = 0; i < images; i++) {
		for (int j = i % 32; j < width * width; j += 32)
			image[j] = (float)(i + j % 89) / images;
		put_now(w->queue, in[0], sizeof(float) * width * width, image);
		for (int j = 0; j < levels; j++) {
			size_t wide = width >> j, bytes = sizeof(float) * wide / 2 * wide / 2;

			args(half_size, "bbi", j && w->repaired ? out[j - 1] : in[j], out[j],
			     (int)wide);
			run_plane(w->queue, half_size, wide / 2, wide / 2, 16, 4);
			if (w->repaired || j == levels - 1)
				continue;
			get(w->queue, out[j], bytes, level);
			put_now(w->queue, in[j + 1], bytes, level);
		}
		get(w->queue, out[levels - 1], 16 * 16 * sizeof(float), level);
		sum += total(level, 256);
	}
	answer(sum);
	for (int i = 0; i < levels; i++) {
		DROP(in[i]);
		DROP(out[i]);
	}
	DROP(half_size);
	free(image);
	free(level);
}

static const char halo_source[] =
	"kernel void stencil(global const float *from, global float *to, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0) + width, x = i % width;\n"
	"	float left = x ? from[i - 1] : from[i];\n"
	"	float right = x < width - 1 ? from[i + 1] : from[i];\n"
	"	to[i] = 0.25f * (left + right + from[i - width] + from[i + width]);\n"
	"}\n";

enum { halo_width = 1024, halo_rows = 16, halo_row = halo_width * sizeof(float) };

/* One row of a buffer to another. */
static void halo_row_copy(struct app *w, cl_mem from, int from_row, cl_mem to, int to_row)
{
	static float row[halo_width];
	size_t at = (size_t)from_row * halo_row, there = (size_t)to_row * halo_row;

	if (w->repaired) {
		TRY(clEnqueueCopyBuffer(w->queue, from, to, at, there, halo_row, 0, NULL, NULL));
		return;
	}
	TRY(clEnqueueReadBuffer(w->queue, from, CL_TRUE, at, halo_row, row, 0, NULL, NULL));
	TRY(clEnqueueWriteBuffer(w->queue, to, CL_TRUE, there, halo_row, row, 0, NULL, NULL));
}

/* A stencil on two halves of a field, whose edges are swapped after each step, by way of the host;
 * repaired, the device copies them. */
void workload_halo_swap(struct app *w)
{
	enum { items = halo_width * (halo_rows + 2), bytes = items * sizeof(float), steps = 2000 };
	float *field = new_field(items, 51);
	cl_kernel stencil = kernel_of(w, halo_source, "stencil");
	cl_mem half[2][2];

	for (int i = 0; i < 4; i++) {
		half[i / 2][i % 2] = buffer_new(w, bytes);
		put_now(w->queue, half[i / 2][i % 2], bytes, field);
	}
	for (int i = 0; i < steps; i++) {
		int now = i % 2, next = 1 - now;

		for (int j = 0; j < 2; j++) {
			args(stencil, "bbi", half[j][now], half[j][next], halo_width);
			run(w->queue, stencil, halo_width * halo_rows, 64);
		}
		halo_row_copy(w, half[0][next], halo_rows, half[1][next], 0);
		halo_row_copy(w, half[1][next], 1, half[0][next], halo_rows + 1);
	}
	get(w->queue, half[0][0], bytes, field);
	answer(total(field, items));
	for (int i = 0; i < 4; i++)
		DROP(half[i / 2][i % 2]);
	DROP(stencil);
	free(field);
}

static const char conv_source[] =
	"kernel void layer(global const float *in, global const float *weight, global float *out,\n"
	"		  int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int j = 0; j < 32; j++)\n"
	"		sum += in[i + j] * weight[j * count + i];\n"
	"	out[i] = max(sum * 0.06f, 0.0f);\n"
	"}\n";

/* Layers of a network: with each batch of inputs all weights are written again, though nothing
 * trains them here. Repaired, they are written at the start. */
void workload_conv_weights(struct app *w)
{
	enum { items = 4 * KIB, layers = 3, weights = items * 32, batches = 600 };
	float *in = new_field(items + 32, 61), *out = new_field(items, 1), *weight[layers];
	cl_kernel layer = kernel_of(w, conv_source, "layer");
	cl_mem memory[layers],
		data[2] = {buffer_new(w, items * 4 + 128), buffer_new(w, items * 4 + 128)};
	double sum = 0;

	for (int j = 0; j < layers; j++) {
		weight[j] = new_field(weights, (unsigned)j);
		memory[j] = buffer_new(w, weights * sizeof(float));
	}
	put_now(w->queue, data[1], items * 4 + 128, in);
	for (int i = 0; i < batches; i++) {
		for (int j = i % 8; j < items; j += 8)
			in[j] = (float)(i + j % 83) / batches;
		for (int j = 0; j < layers && (!i || !w->repaired); j++)
			put(w->queue, memory[j], weights * sizeof(float), weight[j]);
		put(w->queue, data[0], items * 4 + 128, in);
		for (int j = 0; j < layers; j++) {
			args(layer, "bbbi", data[j % 2], memory[j], data[1 - j % 2], items);
			run(w->queue, layer, items, 64);
		}
		get(w->queue, data[layers % 2], items * 4, out);
		sum += out[i];
	}
	answer(sum);
	for (int j = 0; j < layers; j++) {
		DROP(memory[j]);
		free(weight[j]);
	}
	DROP(data[0]);
	DROP(data[1]);
	DROP(layer);
	free(in);
	free(out);
}

static const char lens_source[] =
	"kernel void lens(global float *table)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	table[i] = 1 + 0.001f * (i % 512);\n"
	"}\n"
	"kernel void correct(global float *image, global const float *table)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	image[i] = image[i] * 0.5f + 0.25f * table[i];\n"
	"}\n";

/* A lens's table is computed once, on the device. For each frame the host fetches it again, to
 * look up one value for its overlay; repaired, it keeps what it fetched. */
void workload_lens_table(struct app *w)
{
	enum { items = 512 * KIB, used = 64 * KIB, frames = 600 };
	float *table = new_field(items, 1), *image = new_field(used, 2);
	float *shown = new_field(used, 3);
	cl_program program = program_new(w, lens_source, "");
	cl_kernel lens = kernel_new(program, "lens"), correct = kernel_new(program, "correct");
	cl_mem tables = buffer_new(w, items * sizeof(float));
	cl_mem images = buffer_new(w, used * sizeof(float));
	double sum = 0;

	args(lens, "b", tables);
	run(w->queue, lens, items, 64);
	args(correct, "bb", images, tables);
	for (int i = 0; i < frames; i++) {
		for (int j = i % 16; j < used; j += 16)
			image[j] = (float)(i + j % 79) / frames;
		put(w->queue, images, used * sizeof(float), image);
		run(w->queue, correct, used, 64);
		if (!i || !w->repaired)
			get(w->queue, tables, items * sizeof(float), table);
		sum += table[i * 1601 % items];
		get(w->queue, images, used * sizeof(float), shown);
	}
	answer(sum + total(shown, used));
	DROP(tables);
	DROP(images);
	DROP(lens);
	DROP(correct);
	DROP(program);
	free(table);
	free(image);
	free(shown);
}

static const char mc_source[] =
	"kernel void payoff(global float *to, uint seed, int steps)\n"
	"{\n"
	"	uint s = seed + get_global_id(0) * 747796405u;\n"
	"	float price = 1;\n"
	"	for (int i = 0; i < steps; i++) {\n"
	"		s = s * 1664525u + 1013904223u;\n"
	"		price *= 1 + 0.02f * ((s >> 8) / 16777216.0f - 0.498f);\n"
	"	}\n"
	"	to[get_global_id(0)] = max(price - 1, 0.0f);\n"
	"}\n"
	"kernel void gather(global const float *from, global float *to, int each)\n"
	"{\n"
	"	size_t at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += from[at + i];\n"
	"	to[get_global_id(0)] = sum;\n"
	"}\n";

/* Options by Monte Carlo: the payoff of each path comes back, and the host adds them up. Repaired,
 * a kernel adds up parts of them, which come back. */
void workload_mc_payoffs(struct app *w)
{
	enum { paths = 256 * KIB, parts = 512, options = 500 };
	float *payoffs = new_field(paths, 5);
	size_t count = w->repaired ? parts : paths;
	cl_program program = program_new(w, mc_source, "");
	cl_kernel payoff = kernel_new(program, "payoff"), gather = kernel_new(program, "gather");
	cl_mem memory = buffer_new(w, paths * sizeof(float));
	cl_mem sums = buffer_new(w, parts * sizeof(float));
	double sum = 0;

	for (int i = 0; i < options; i++) {
		args(payoff, "bii", memory, i * 7919, 1);
		run(w->queue, payoff, paths, 64);
		if (w->repaired) {
			args(gather, "bbi", memory, sums, paths / parts);
			run(w->queue, gather, parts, 16);
		}
		get(w->queue, w->repaired ? sums : memory, count * sizeof(float), payoffs);
		sum += total(payoffs, count) / paths;
	}
	answer(sum);
	DROP(memory);
	DROP(sums);
	DROP(payoff);
	DROP(gather);
	DROP(program);
	free(payoffs);
}

static const char focus_source[] =
	"kernel void depth(global float4 *to, float angle, int width, int row)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1) * 4 + row;\n"
	"	float t = 1 + angle * x / width + (1 - angle) * y / width;\n"
	"	to[y * width + x] = (float4)(t, t * 0.5f, t * t, 1);\n"
	"}\n";

/* A viewer with an autofocus, which draws every fourth line of a picture in turn: after each turn
 * it fetches the picture, of 4 MiB, and looks at the point in the middle; repaired, it fetches that
 * point. */
void workload_ray_focus(struct app *w)
{
	enum { width = 512, items = width * width, frames = 320 };
	float *picture = new_field((size_t)items * 4, 3);
	size_t middle = (size_t)(items / 2 + width / 2) * 16;
	cl_kernel depth = kernel_of(w, focus_source, "depth");
	cl_mem memory = buffer_new(w, (size_t)items * 16);
	float angle = 0.5f;

	put_now(w->queue, memory, (size_t)items * 16, picture);
	for (int i = 0; i < frames; i++) {
		args(depth, "bfii", memory, (double)angle, width, i % 4);
		run_plane(w->queue, depth, width, width / 4, 64, 1);
		TRY(clEnqueueReadBuffer(w->queue, memory, CL_TRUE, w->repaired ? middle : 0,
					w->repaired ? 16 : (size_t)items * 16,
					(char *)picture + (w->repaired ? middle : 0), 0, NULL,
					NULL));
		angle = 0.9f * angle + 0.01f * picture[middle / 4] + 0.001f * (float)(i % 3);
	}
	answer((double)angle);
	DROP(memory);
	DROP(depth);
	free(picture);
}
