/* SPDX-License-Identifier: MIT */
/* What comes back from the device, and goes there again. */
#include "surveys.h"

#include <stdlib.h>

/* What moves before a camera: pictures against a background that follows them slowly. */
static const char motion_source[] =
	"kernel void motion(global const float *picture, global const float *background,\n"
	"		   global float *next, global uchar *mask, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float p = picture[i], b = background[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		b += 0.01f * (p - b) * (1 - 0.1f * b * b);\n"
	"	next[i] = b;\n"
	"	mask[i] = fabs(p - b) > 0.25f;\n"
	"}\n";

void survey_motion_mask(struct app *app)
{
	enum { PIXELS = 512 * 256, BYTES = PIXELS * 4, PICTURES = 120 };

	cl_kernel motion = kernel_of(app, motion_source, "motion");
	cl_mem picture = buffer_new(app, BYTES), mask = buffer_new(app, PIXELS);
	cl_mem background = numbers(app, PIXELS, 59), next = buffer_new(app, BYTES);
	float *pictures[4], *held = memory(BYTES);
	unsigned char *moving = memory(PIXELS);
	double sum = 0;

	for (unsigned i = 0; i < 4; i++)
		pictures[i] = floats(PIXELS, 163 + i);
	for (int n = 0; n < PICTURES; n++) {
		cl_mem last = background;

		put(app->queue, picture, BYTES, pictures[n % 4]);
		args(motion, "bbbbi", picture, background, next, mask, 6);
		run(app->queue, motion, PIXELS, 128);
		get(app->queue, mask, PIXELS, moving);
		if (app->repaired) {
			background = next;
			next = last;
		} else {
			get(app->queue, next, BYTES, held);
			put(app->queue, background, BYTES, held);
		}
		sum += moving[n * 67];
	}
	answer(sum + sum_of(app, background, PIXELS));
	free(moving);
	free(held);
	for (int i = 0; i < 4; i++)
		free(pictures[i]);
	DROP(next);
	DROP(background);
	DROP(mask);
	DROP(picture);
	DROP(motion);
}

/* Documents by how near they are to a query: the best one is wanted. */
static const char search_source[] =
	"kernel void score(global const float *documents, global const float *query,\n"
	"		  global float *scores)\n"
	"{\n"
	"	int d = (int)get_global_id(0), count = (int)get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		sum = mad(documents[k * count + d], query[k], sum);\n"
	"	scores[d] = sum;\n"
	"}\n"
	"kernel void best(global const float *scores, global float *bests, int each)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float most = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		most = max(most, scores[k * (int)get_global_size(0) + i]);\n"
	"	bests[i] = most;\n"
	"}\n";

enum { DOCUMENTS = 256 * 1024, DOC_BESTS = 4096, DOC_QUERIES = 100 };

static double score_best(const float *scores, size_t count)
{
	float most = 0;

	for (size_t i = 0; i < count; i++)
		most = scores[i] > most ? scores[i] : most;
	return (double)most;
}

void survey_doc_search(struct app *app)
{
	const size_t bytes = DOCUMENTS * sizeof(float), few = DOC_BESTS * sizeof(float);
	cl_program program = program_new(app, search_source, "");
	cl_kernel score = kernel_new(program, "score"), best = kernel_new(program, "best");
	cl_mem documents = numbers(app, (size_t)DOCUMENTS * 8, 61);
	cl_mem query = buffer_new(app, 32), scores = buffer_new(app, bytes);
	cl_mem bests = buffer_new(app, few);
	float wanted[8], *found = memory(bytes);
	double sum = 0;

	args(score, "bbb", documents, query, scores);
	args(best, "bbi", scores, bests, DOCUMENTS / DOC_BESTS);
	for (int n = 0; n < DOC_QUERIES; n++) {
		refill(wanted, 8, n);
		put(app->queue, query, sizeof(wanted), wanted);
		run(app->queue, score, DOCUMENTS, 128);
		if (app->repaired) {
			run(app->queue, best, DOC_BESTS, 64);
			get(app->queue, bests, few, found);
		} else {
			get(app->queue, scores, bytes, found);
		}
		sum += score_best(found, app->repaired ? DOC_BESTS : DOCUMENTS);
	}
	answer(sum);
	free(found);
	DROP(bests);
	DROP(scores);
	DROP(query);
	DROP(documents);
	DROP(best);
	DROP(score);
	DROP(program);
}

/* A viewer of tissue slides: contrast is drawn to what the pathologist looks at, and the window is
 * shown. */
static const char contrast_source[] =
	"kernel void contrast(global float *slide, float wanted)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float v = slide[i];\n"
	"	slide[i] = v * 0.96875f + wanted * (1 - v * v * 0.25f);\n"
	"}\n";

enum { SLIDE_PITCH = 1024, SLIDE_ROWS = 1024, WINDOW_WIDTH = 512, WINDOW_ROWS = 48 };
enum { WINDOWS_SEEN = 40 };

static void window_read(const struct app *app, cl_mem slide, size_t left, size_t top, float *view)
{
	const size_t pitch = SLIDE_PITCH * sizeof(float), row = WINDOW_WIDTH * sizeof(float);
	const size_t from[3] = {left * sizeof(float), top, 0}, to[3] = {0};
	const size_t region[3] = {row, WINDOW_ROWS, 1};

	if (app->repaired) {
		TRY(clEnqueueReadBufferRect(app->queue, slide, CL_TRUE, from, to, region, pitch, 0,
					    row, 0, view, 0, NULL, NULL));
		return;
	}
	for (size_t y = 0; y < WINDOW_ROWS; y++)
		TRY(clEnqueueReadBuffer(app->queue, slide, CL_TRUE, (top + y) * pitch + from[0],
					row, view + y * WINDOW_WIDTH, 0, NULL, NULL));
}

void survey_slide_window(struct app *app)
{
	cl_kernel contrast = kernel_of(app, contrast_source, "contrast");
	cl_mem slide = numbers(app, (size_t)SLIDE_PITCH * SLIDE_ROWS, 67);
	float *view = memory(sizeof(*view) * WINDOW_WIDTH * WINDOW_ROWS);
	double sum = 0;

	for (int n = 0; n < WINDOWS_SEEN; n++) {
		size_t left = (size_t)n * 48 % (SLIDE_PITCH - WINDOW_WIDTH);
		size_t top = (size_t)n * 80 % (SLIDE_ROWS - WINDOW_ROWS);

		args(contrast, "bf", slide, 0.03125 + 0.001 * (n % 4));
		run(app->queue, contrast, (size_t)SLIDE_PITCH * SLIDE_ROWS, 256);
		window_read(app, slide, left, top, view);
		sum += total(view, (size_t)WINDOW_WIDTH * WINDOW_ROWS);
	}
	answer(sum);
	free(view);
	DROP(slide);
	DROP(contrast);
}

/* Air in a duct. What flows in differs from step to step; it is one column of the cells. */
static const char duct_source[] =
	"kernel void flow(global const float *now, global float *next, int width)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float west = now[max(i - 1, 0)], v = now[i];\n"
	"	float north = now[max(i - width, 0)], south = now[min(i + width, last)];\n"
	"	for (int r = 0; r < 10; r++)\n"
	"		v += 0.1f * (0.5f * west + 0.25f * (north + south) - v);\n"
	"	next[i] = v;\n"
	"}\n"
	"kernel void inflow(global float *air, int width, float speed)\n"
	"{\n"
	"	air[(int)get_global_id(0) * width] = speed;\n"
	"}\n";

enum { DUCT_WIDTH = 256, DUCT_ROWS = 512, DUCT_CELLS = DUCT_WIDTH * DUCT_ROWS };
enum { DUCT_BYTES = DUCT_CELLS * 4, DUCT_STEPS = 150 };

void survey_duct_inflow(struct app *app)
{
	cl_program program = program_new(app, duct_source, "");
	cl_kernel flow = kernel_new(program, "flow"), inflow = kernel_new(program, "inflow");
	cl_mem now = numbers(app, DUCT_CELLS, 71), next = numbers(app, DUCT_CELLS, 73);
	float *air = memory(DUCT_BYTES);

	for (int step = 0; step < DUCT_STEPS; step++) {
		float speed = 0.5f + (float)(step % 16) * 0.0625f;
		cl_mem last = now;

		args(flow, "bbi", now, next, DUCT_WIDTH);
		run(app->queue, flow, DUCT_CELLS, 128);
		now = next;
		next = last;
		if (app->repaired) {
			args(inflow, "bif", now, DUCT_WIDTH, (double)speed);
			run(app->queue, inflow, DUCT_ROWS, 64);
			flush(app->queue);
			continue;
		}
		get(app->queue, now, DUCT_BYTES, air);
		for (int y = 0; y < DUCT_ROWS; y++)
			air[y * DUCT_WIDTH] = speed;
		put(app->queue, now, DUCT_BYTES, air);
	}
	answer(sum_of(app, now, DUCT_CELLS));
	free(air);
	DROP(next);
	DROP(now);
	DROP(inflow);
	DROP(flow);
	DROP(program);
}
