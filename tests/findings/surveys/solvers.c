/* SPDX-License-Identifier: MIT */
/* Solvers: many steps over the same data. */
#include "surveys.h"

#include <stdlib.h>

/* Heads in an aquifer, by successive over-relaxation: cells of one colour, then of the other. */
static const char sor_source[] =
	"kernel void sor(global float *head, global const float *yield, int width, int colour)\n"
	"{\n"
	"	int y = (int)get_global_id(1) + 1;\n"
	"	int x = 2 * (int)get_global_id(0) + 1 + ((y + colour) & 1);\n"
	"	int i = y * width + x;\n"
	"	float around = head[i - 1] + head[i + 1] + head[i - width] + head[i + width];\n"
	"	head[i] += 1.8f * (0.25f * (around - yield[i]) - head[i]);\n"
	"}\n";

enum { SOR_CELLS = 192, SOR_WIDTH = SOR_CELLS + 3, SOR_SWEEPS = 1500 };

static void sor_colour(const struct app *app, cl_kernel sor, cl_mem head, cl_mem yield, int colour)
{
	args(sor, "bbii", head, yield, SOR_WIDTH, colour);
	run_plane(app->queue, sor, SOR_CELLS / 2, SOR_CELLS, 16, 16);
	if (!app->repaired)
		finish(app->queue);
}

void survey_aquifer_sor(struct app *app)
{
	const size_t cells = (size_t)SOR_WIDTH * SOR_WIDTH;
	cl_kernel sor = kernel_of(app, sor_source, "sor");
	cl_mem head = numbers(app, cells, 3), yield = numbers(app, cells, 5);

	for (int sweep = 0; sweep < SOR_SWEEPS; sweep++) {
		sor_colour(app, sor, head, yield, 0);
		sor_colour(app, sor, head, yield, 1);
		flush(app->queue);
	}
	answer(sum_of(app, head, cells));
	DROP(yield);
	DROP(head);
	DROP(sor);
}

/* Ranks of pages, by power iteration; how much they changed is kept for each iteration, for the
 * report. */
static const char rank_source[] =
	"kernel void rank_pages(global const int *links, global const float *from,\n"
	"		       global float *to, global int *change, int pages, int turn)\n"
	"{\n"
	"	int page = (int)get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int l = 0; l < 12; l++)\n"
	"		sum += from[links[l * pages + page]];\n"
	"	float next = 0.15f + 0.85f * sum / 12;\n"
	"	if (page % 1024 == 0)\n"
	"		atomic_max(&change[turn], as_int(fabs(next - from[page])));\n"
	"	to[page] = next;\n"
	"}\n";

enum { PAGES = 16 * 1024, PAGE_LINKS = 12, RANK_TURNS = 1500 };

void survey_page_rank(struct app *app)
{
	const size_t bytes = sizeof(cl_int) * PAGE_LINKS * PAGES;
	cl_int *links = memory(bytes), *change = memory(sizeof(*change) * RANK_TURNS);
	cl_kernel rank = kernel_of(app, rank_source, "rank_pages");
	cl_mem link_buffer = buffer_new(app, bytes);
	cl_mem changes = buffer_new(app, sizeof(*change) * RANK_TURNS);
	cl_mem from = numbers(app, PAGES, 7), to = numbers(app, PAGES, 8);
	double moved = 0;

	for (int i = 0; i < PAGE_LINKS * PAGES; i++)
		links[i] = (int)((unsigned)i * 2654435761u >> 16) % PAGES;
	put_now(app->queue, link_buffer, bytes, links);
	put_now(app->queue, changes, sizeof(*change) * RANK_TURNS, change);
	for (int turn = 0; turn < RANK_TURNS; turn++) {
		cl_mem last = from;

		args(rank, "bbbbii", link_buffer, from, to, changes, PAGES, turn);
		run(app->queue, rank, PAGES, 128);
		from = to;
		to = last;
		if (!app->repaired)
			TRY(clEnqueueReadBuffer(app->queue, changes, CL_TRUE,
						sizeof(*change) * (size_t)turn, sizeof(*change),
						change + turn, 0, NULL, NULL));
		else if (turn % 16 == 0)
			flush(app->queue);
	}
	if (app->repaired)
		get(app->queue, changes, sizeof(*change) * RANK_TURNS, change);
	for (int turn = 0; turn < RANK_TURNS; turn++)
		moved += change[turn] > 0;
	answer(moved + sum_of(app, from, PAGES));
	DROP(to);
	DROP(from);
	DROP(changes);
	DROP(link_buffer);
	DROP(rank);
	free(change);
	free(links);
}

/* A step along the gradient, as long as the losses at three lengths say: the next launch needs what
 * the host made of them. */
static const char search_source[] =
	"kernel void losses(global const float *x, global const float *slope, global float *sums,\n"
	"		   float length)\n"
	"{\n"
	"	local float part[3 * 64];\n"
	"	int g = (int)get_global_id(0), l = (int)get_local_id(0);\n"
	"	for (int k = 0; k < 3; k++) {\n"
	"		float at = x[g] - length * (float)(k + 1) * slope[g];\n"
	"		for (int r = 0; r < 24; r++)\n"
	"			at = at * 0.9375f + 0.03125f * at * at;\n"
	"		part[k * 64 + l] = at;\n"
	"	}\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (l < 3) {\n"
	"		float sum = 0;\n"
	"		for (int i = 0; i < 64; i++)\n"
	"			sum += part[l * 64 + i];\n"
	"		sums[get_group_id(0) * 3 + l] = sum;\n"
	"	}\n"
	"}\n"
	"kernel void descend(global float *x, global float *slope, float length)\n"
	"{\n"
	"	int g = (int)get_global_id(0);\n"
	"	x[g] -= length * slope[g];\n"
	"	slope[g] = slope[g] * 0.96875f + 0.03125f * x[g];\n"
	"}\n";

void survey_clean_search(struct app *app)
{
	enum { WEIGHTS = 128 * 1024, GROUPS = WEIGHTS / 64, STEPS = 150 };

	cl_program program = program_new(app, search_source, "");
	cl_kernel losses = kernel_new(program, "losses"), descend = kernel_new(program, "descend");
	cl_mem x = numbers(app, WEIGHTS, 11), slope = numbers(app, WEIGHTS, 13);
	cl_mem sums = numbers(app, GROUPS * 3, 17);
	float *parts = memory(sizeof(*parts) * GROUPS * 3), length = 0.0625f;

	for (int step = 0; step < STEPS; step++) {
		double loss[3] = {0};

		args(losses, "bbbf", x, slope, sums, (double)length);
		run(app->queue, losses, WEIGHTS, 64);
		get(app->queue, sums, sizeof(*parts) * GROUPS * 3, parts);
		for (int i = 0; i < GROUPS * 3; i++)
			loss[i % 3] += (double)parts[i];
		length *= loss[2] < loss[0] ? 1.25f : 0.875f;
		args(descend, "bbf", x, slope, (double)length);
		run(app->queue, descend, WEIGHTS, 64);
	}
	answer(sum_of(app, x, WEIGHTS));
	free(parts);
	DROP(sums);
	DROP(slope);
	DROP(x);
	DROP(descend);
	DROP(losses);
	DROP(program);
}

/* Two layers of the air that change heat, step for step; a map of it every now and then. */
static const char climate_source[] =
	"kernel void heat(global const float *here, global const float *other, global float *next,\n"
	"		 int width)\n"
	"{\n"
	"	int i = (int)get_global_id(0), at = i % width;\n"
	"	int west = at ? i - 1 : i + width - 1, east = at < width - 1 ? i + 1 : i - at;\n"
	"	float t = 0.5f * here[i] + 0.2f * (here[west] + here[east]) + 0.1f * other[i];\n"
	"	for (int band = 0; band < 4; band++)\n"
	"		t += 0.001f * (0.5f - t) * (1 + t * t * 0.125f);\n"
	"	next[i] = t;\n"
	"}\n";

void survey_clean_climate(struct app *app)
{
	enum { WIDTH = 512, CELLS = WIDTH * 256, STEPS = 240, EACH = 60 };

	cl_kernel heat = kernel_of(app, climate_source, "heat");
	cl_mem air[2][2]; /* layer, this step or the next */
	double sum = 0;

	for (int layer = 0; layer < 2; layer++)
		for (int turn = 0; turn < 2; turn++)
			air[layer][turn] = numbers(app, CELLS, 19 + (unsigned)(2 * layer + turn));
	for (int step = 0; step < STEPS; step++) {
		int now = step % 2;

		for (int layer = 0; layer < 2; layer++) {
			args(heat, "bbbi", air[layer][now], air[!layer][now], air[layer][!now],
			     WIDTH);
			run(app->queue, heat, CELLS, 128);
		}
		if (step % 8 == 7)
			flush(app->queue);
		if (step % EACH == EACH - 1)
			sum += sum_of(app, air[0][!now], CELLS);
	}
	answer(sum);
	for (int layer = 0; layer < 2; layer++)
		for (int turn = 0; turn < 2; turn++)
			DROP(air[layer][turn]);
	DROP(heat);
}
