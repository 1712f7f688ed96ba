/* SPDX-License-Identifier: MIT */
/* Kernels that are launched in shapes that do not suit the device. */
#include "workloads.h"

#include <stdlib.h>

static const char life_source[] =
	"kernel void life(global const uchar *from, global uchar *to, int width, int height, int y)\n"
	"{\n"
	"	int x = get_global_id(0) % width;\n"
	"	y += get_global_id(0) / width;\n"
	"	int n = 0;\n"
	"	for (int j = -1; j <= 1; j++)\n"
	"		for (int i = -1; i <= 1; i++)\n"
	"			n += from[(y + j + height) % height * width + (x + i + width) % width];\n"
	"	int here = from[y * width + x];\n"
	"	to[y * width + x] = n - here == 3 || (here && n - here == 2);\n"
	"}\n";

/* The game of life, with a launch for each row of the board; repaired, one for all of it. */
void workload_life_rows(struct app *w)
{
	enum { width = 256, height = 64, generations = 150 };
	unsigned char *board = malloc(width * height);
	cl_kernel life = kernel_of(w, life_source, "life");
	cl_mem boards[2] = {buffer_new(w, width * height), buffer_new(w, width * height)};
	long alive = 0;

	for (int i = 0; i < width * height; i++)
		board[i] = i * 7919 % 13 < 5;
	put_now(w->queue, boards[0], width * height, board);
	for (int i = 0; i < generations; i++)
		for (int y = 0; y < height; y += w->repaired ? height : 1) {
			args(life, "bbiii", boards[i % 2], boards[1 - i % 2], width, height, y);
			run(w->queue, life, w->repaired ? width * height : width, 64);
		}
	get(w->queue, boards[0], width * height, board);
	for (int i = 0; i < width * height; i++)
		alive += board[i];
	answer((double)alive);
	DROP(boards[0]);
	DROP(boards[1]);
	DROP(life);
	free(board);
}

static const char mesh_source[] =
	"kernel void turn(global const float4 *from, global float4 *to, float by, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	float4 p = from[i];\n"
	"	to[i] = (float4)(p.x - by * p.y, p.y + by * p.x, p.z * 0.99f, p.w);\n"
	"}\n";

/* The points of a mesh are turned. Their number is a prime, and the driver may choose the groups;
 * repaired, the launch is rounded up to groups of 64. */
void workload_mesh_points(struct app *w)
{
	enum { points = 30011, turns = 3000 };
	float *mesh = new_field(points * 4, 31);
	cl_kernel turn = kernel_of(w, mesh_source, "turn");
	cl_mem meshes[2] = {buffer_new(w, points * 16), buffer_new(w, points * 16)};

	put_now(w->queue, meshes[0], points * 16, mesh);
	for (int i = 0; i < turns; i++) {
		args(turn, "bbfi", meshes[i % 2], meshes[1 - i % 2], 0.002, points);
		run(w->queue, turn, w->repaired ? (points + 63) / 64 * 64 : points,
		    w->repaired ? 64 : 0);
	}
	get(w->queue, meshes[0], points * 16, mesh);
	answer(total(mesh, points * 4));
	DROP(meshes[0]);
	DROP(meshes[1]);
	DROP(turn);
	free(mesh);
}

static const char raymarch_source[] =
	"kernel void march(global float *to, float angle, int width, int steps)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float a = x * 2.0f / width - 1, b = y * 2.0f / width - 1, t = 0;\n"
	"	for (int i = 0; i < steps; i++) {\n"
	"		float px = a * t + angle, py = b * t, pz = t - 3;\n"
	"		t += 0.3f * (px * px + py * py + pz * pz - 1.0f) / (1 + t);\n"
	"	}\n"
	"	to[y * width + x] = t;\n"
	"}\n";

/* Ray marching with a group of one item for each pixel, as it was left over from a first try;
 * repaired, with rows of 64. */
void workload_raymarch_pixels(struct app *w)
{
	enum { width = 256, frames = 500 };
	float *image = new_field(width * width, 1);
	cl_kernel march = kernel_of(w, raymarch_source, "march");
	cl_mem memory = buffer_new(w, width * width * sizeof(float));

	for (int i = 0; i < frames; i++) {
		args(march, "bfii", memory, i * 0.001, width, 2);
		run_plane(w->queue, march, width, width, w->repaired ? 64 : 1, 1);
	}
	get(w->queue, memory, width * width * sizeof(float), image);
	answer(total(image, width * width));
	DROP(memory);
	DROP(march);
	free(image);
}

static const char energy_source[] =
	"kernel void move(global float4 *body, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	body[i].xy += by * body[i].zw;\n"
	"}\n"
	"kernel void energy(global const float4 *body, global float *sums, local float *part,\n"
	"		   int each)\n"
	"{\n"
	"	int me = get_local_id(0), at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++) {\n"
	"		float4 b = body[at + i];\n"
	"		sum += 0.5f * (b.z * b.z + b.w * b.w) + native_sqrt(b.x * b.x + b.y * b.y);\n"
	"	}\n"
	"	part[me] = sum;\n"
	"	for (int near = get_local_size(0) / 2; near; near /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (me < near)\n"
	"			part[me] += part[me + near];\n"
	"	}\n"
	"	if (!me)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n";

/* Bodies are moved, and the energy is summed up by one group, since the sum of several groups had
 * to be added up. Repaired, there are 64 groups, and the host adds their sums. */
void workload_energy_sum(struct app *w)
{
	enum { bodies = 256 * KIB, steps = 400, local = 128 };
	float *body = new_field(bodies * 4, 77), sums[64] = {0};
	size_t groups = w->repaired ? 64 : 1;
	cl_program program = program_new(w, energy_source, "");
	cl_kernel move = kernel_new(program, "move"), energy = kernel_new(program, "energy");
	cl_mem memory = buffer_new(w, bodies * 16), parts = buffer_new(w, sizeof(sums));
	double sum = 0;

	put_now(w->queue, memory, bodies * 16, body);
	for (int i = 0; i < steps; i++) {
		args(move, "bf", memory, 0.001);
		run(w->queue, move, bodies, 64);
		args(energy, "bbli", memory, parts, local * sizeof(float),
		     (int)(bodies / groups / local));
		run(w->queue, energy, groups * local, local);
		get(w->queue, parts, groups * sizeof(float), sums);
		sum += total(sums, groups);
	}
	answer(sum);
	DROP(memory);
	DROP(parts);
	DROP(move);
	DROP(energy);
	DROP(program);
	free(body);
}

static const char histogram_source[] =
	"kernel void count_part(global const uchar *pixel, global uint *bins, int each)\n"
	"{\n"
	"	size_t me = get_global_id(0);\n"
	"	global uint *mine = bins + me * 256;\n"
	"	for (int i = 0; i < 256; i++)\n"
	"		mine[i] = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		mine[pixel[me * each + i]]++;\n"
	"}\n"
	"kernel void merge_all(global const uint *bins, global uint *to, int parts)\n"
	"{\n"
	"	for (int i = 0; i < 256; i++)\n"
	"		for (int j = 0; j < parts; j++)\n"
	"			to[i] += bins[j * 256 + i];\n"
	"}\n"
	"kernel void merge_bin(global const uint *bins, global uint *to, int parts)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint sum = 0;\n"
	"	for (int j = 0; j < parts; j++)\n"
	"		sum += bins[j * 256 + i];\n"
	"	to[i] += sum;\n"
	"}\n";

/* Histograms of images: their parts are merged by a single work item; repaired, by one for each
 * bin. */
void workload_histogram_merge(struct app *w)
{
	enum { pixels = 128 * KIB, parts = 1024, images = 600 };
	unsigned char *image = malloc(pixels);
	cl_uint total[256] = {0};
	cl_program program = program_new(w, histogram_source, "");
	cl_kernel count = kernel_new(program, "count_part");
	cl_kernel merge = kernel_new(program, w->repaired ? "merge_bin" : "merge_all");
	cl_mem pixel = buffer_new(w, pixels), bins = buffer_new(w, parts * 256 * sizeof(cl_uint));
	cl_mem to = buffer_new(w, sizeof(total));
	double sum = 0;

	for (int i = 0; i < pixels; i++)
		image[i] = (unsigned char)(i * 2654435761u >> 21);
	put_now(w->queue, pixel, pixels, image);
	put_now(w->queue, to, sizeof(total), total);
	for (int i = 0; i < images; i++) {
		args(count, "bbi", pixel, bins, pixels / parts);
		run(w->queue, count, parts, 64);
		args(merge, "bbi", bins, to, parts);
		run(w->queue, merge, w->repaired ? 256 : 1, w->repaired ? 32 : 1);
	}
	get(w->queue, to, sizeof(total), total);
	for (int i = 0; i < 256; i++)
		sum += (double)total[i] * i;
	answer(sum);
	DROP(pixel);
	DROP(bins);
	DROP(to);
	DROP(count);
	DROP(merge);
	DROP(program);
	free(image);
}
