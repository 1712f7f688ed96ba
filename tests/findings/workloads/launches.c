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
void workload_life_rows(struct workload *w)
{
	enum { width = 256, height = 64, generations = 150 };
	unsigned char *board = malloc(width * height);
	cl_kernel life = compile(w, life_source, "life");
	cl_mem boards[2] = {new_buffer(w, width * height), new_buffer(w, width * height)};
	long alive = 0;

	for (int i = 0; i < width * height; i++)
		board[i] = i * 7919 % 13 < 5;
	upload_now(w->queue, boards[0], width * height, board);
	for (int i = 0; i < generations; i++)
		for (int y = 0; y < height; y += w->repaired ? height : 1) {
			give(life, "bbiii", boards[i % 2], boards[1 - i % 2], width, height, y);
			launch(w->queue, life, w->repaired ? width * height : width, 64);
		}
	download(w->queue, boards[0], width * height, board);
	for (int i = 0; i < width * height; i++)
		alive += board[i];
	report((double)alive);
	drop_buffer(boards[0]);
	drop_buffer(boards[1]);
	drop_kernel(life);
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
void workload_mesh_points(struct workload *w)
{
	enum { points = 30011, turns = 3000 };
	float *mesh = new_field(points * 4, 31);
	cl_kernel turn = compile(w, mesh_source, "turn");
	cl_mem meshes[2] = {new_buffer(w, points * 16), new_buffer(w, points * 16)};

	upload_now(w->queue, meshes[0], points * 16, mesh);
	for (int i = 0; i < turns; i++) {
		give(turn, "bbfi", meshes[i % 2], meshes[1 - i % 2], 0.002, points);
		launch(w->queue, turn, w->repaired ? (points + 63) / 64 * 64 : points,
		       w->repaired ? 64 : 0);
	}
	download(w->queue, meshes[0], points * 16, mesh);
	report(sum_of(mesh, points * 4));
	drop_buffer(meshes[0]);
	drop_buffer(meshes[1]);
	drop_kernel(turn);
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
void workload_raymarch_pixels(struct workload *w)
{
	enum { width = 256, frames = 500 };
	float *image = new_field(width * width, 1);
	cl_kernel march = compile(w, raymarch_source, "march");
	cl_mem memory = new_buffer(w, width * width * sizeof(float));

	for (int i = 0; i < frames; i++) {
		give(march, "bfii", memory, i * 0.001, width, 2);
		launch_plane(w->queue, march, width, width, w->repaired ? 64 : 1, 1);
	}
	download(w->queue, memory, width * width * sizeof(float), image);
	report(sum_of(image, width * width));
	drop_buffer(memory);
	drop_kernel(march);
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
void workload_energy_sum(struct workload *w)
{
	enum { bodies = 256 * KIB, steps = 400, local = 128 };
	float *body = new_field(bodies * 4, 77), sums[64] = {0};
	size_t groups = w->repaired ? 64 : 1;
	cl_program program = build(w, energy_source, "");
	cl_kernel move = kernel_in(program, "move"), energy = kernel_in(program, "energy");
	cl_mem memory = new_buffer(w, bodies * 16), parts = new_buffer(w, sizeof(sums));
	double total = 0;

	upload_now(w->queue, memory, bodies * 16, body);
	for (int i = 0; i < steps; i++) {
		give(move, "bf", memory, 0.001);
		launch(w->queue, move, bodies, 64);
		give(energy, "bbli", memory, parts, local * sizeof(float),
		     (int)(bodies / groups / local));
		launch(w->queue, energy, groups * local, local);
		download(w->queue, parts, groups * sizeof(float), sums);
		total += sum_of(sums, groups);
	}
	report(total);
	drop_buffer(memory);
	drop_buffer(parts);
	drop_kernel(move);
	drop_kernel(energy);
	drop_program(program);
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
void workload_histogram_merge(struct workload *w)
{
	enum { pixels = 128 * KIB, parts = 1024, images = 600 };
	unsigned char *image = malloc(pixels);
	cl_uint total[256] = {0};
	cl_program program = build(w, histogram_source, "");
	cl_kernel count = kernel_in(program, "count_part");
	cl_kernel merge = kernel_in(program, w->repaired ? "merge_bin" : "merge_all");
	cl_mem pixel = new_buffer(w, pixels), bins = new_buffer(w, parts * 256 * sizeof(cl_uint));
	cl_mem to = new_buffer(w, sizeof(total));
	double sum = 0;

	for (int i = 0; i < pixels; i++)
		image[i] = (unsigned char)(i * 2654435761u >> 21);
	upload_now(w->queue, pixel, pixels, image);
	upload_now(w->queue, to, sizeof(total), total);
	for (int i = 0; i < images; i++) {
		give(count, "bbi", pixel, bins, pixels / parts);
		launch(w->queue, count, parts, 64);
		give(merge, "bbi", bins, to, parts);
		launch(w->queue, merge, w->repaired ? 256 : 1, w->repaired ? 32 : 1);
	}
	download(w->queue, to, sizeof(total), total);
	for (int i = 0; i < 256; i++)
		sum += (double)total[i] * i;
	report(sum);
	drop_buffer(pixel);
	drop_buffer(bins);
	drop_buffer(to);
	drop_kernel(count);
	drop_kernel(merge);
	drop_program(program);
	free(image);
}
