/* SPDX-License-Identifier: MIT */
/* Programs that are built for what is asked for: radii, types, formats. */
#include "surveys.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A service that blurs pictures; the radius is a constant of the kernel, for its loop's sake. */
static const char blur_source[] =
	"kernel void blur(global const float *in, global float *out)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float sum = 0;\n"
	"	for (int k = -RADIUS; k <= RADIUS; k++)\n"
	"		sum += in[clamp(i + k, 0, last)];\n"
	"	out[i] = sum / (2 * RADIUS + 1);\n"
	"}\n";

enum { BLUR_PIXELS = 128 * 1024, BLUR_REQUESTS = 16, BLUR_RADII = 10 };

static cl_kernel blur_kernel(const struct app *app, int radius)
{
	char options[32];
	cl_program program;
	cl_kernel blur;

	snprintf(options, sizeof(options), "-DRADIUS=%d", radius);
	program = program_new(app, blur_source, options);
	blur = kernel_new(program, "blur");
	DROP(program);
	return blur;
}

void survey_blur_requests(struct app *app)
{
	static const int wanted[] = {3, 5, 3, 3, 9, 5, 3, 5};

	const size_t bytes = BLUR_PIXELS * sizeof(float);
	cl_kernel kept[BLUR_RADII] = {NULL};
	cl_mem in = buffer_new(app, bytes), out = buffer_new(app, bytes);
	float *picture = memory(bytes);
	double sum = 0;

	for (int n = 0; n < BLUR_REQUESTS; n++) {
		int radius = wanted[n % 8];
		cl_kernel blur = kept[radius];

		if (!blur)
			blur = blur_kernel(app, radius);
		refill(picture, BLUR_PIXELS, n);
		put(app->queue, in, bytes, picture);
		args(blur, "bb", in, out);
		for (int pass = 0; pass < 4; pass++)
			run(app->queue, blur, BLUR_PIXELS, 128);
		get(app->queue, out, bytes, picture);
		sum += total(picture, BLUR_PIXELS);
		if (app->repaired)
			kept[radius] = blur;
		else
			DROP(blur);
	}
	answer(sum);
	for (int radius = 0; radius < BLUR_RADII; radius++)
		if (kept[radius])
			DROP(kept[radius]);
	free(picture);
	DROP(out);
	DROP(in);
}

/* Element-wise operations of an array library, one program for each of its types and operations.
 * The seed of its random numbers is in the programs' text, and is another one each day. */
static const char elements_source[] =
	"kernel void elements(global const float *a, global const float *b, global float *out)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	TYPE x = (TYPE)(a[i] * 16), y = (TYPE)(b[i] * 16) + (TYPE)(SEED ? 1 : 2);\n"
	"	TYPE v = x;\n"
	"	for (int r = 0; r < 8; r++)\n"
	"		v = (v OP y) * (TYPE)0.5f + x;\n"
	"	out[i] = (float)v / 64;\n"
	"}\n";

static const char *const element_types[] = {"float", "int"};
static const char *const element_operations[] = {"+", "-"};

enum { TYPES = 2, OPERATIONS = 2, ELEMENTS = 64 * 1024 };

struct elements {
	cl_kernel kernels[TYPES][OPERATIONS];
	long seed;
};

static cl_kernel elements_kernel(const struct app *app, struct elements *elements, int type,
				 int operation)
{
	cl_kernel *kernel = &elements->kernels[type][operation];
	char options[96];
	cl_program program;

	if (*kernel)
		return *kernel;
	snprintf(options, sizeof(options), "-DTYPE=%s -DOP=%s -DSEED=%ld", element_types[type],
		 element_operations[operation], elements->seed);
	program = program_new(app, elements_source, options);
	*kernel = kernel_new(program, "elements");
	DROP(program);
	return *kernel;
}

static void elements_open(const struct app *app, struct elements *elements)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	elements->seed = now.tv_sec % 1000000 * 1000 + now.tv_nsec / 1000000 + 1;
	if (app->repaired)
		return;
	for (int type = 0; type < TYPES; type++)
		for (int operation = 0; operation < OPERATIONS; operation++)
			elements_kernel(app, elements, type, operation);
}

void survey_dtype_table(struct app *app)
{
	struct elements elements = {{{NULL}}, 0};
	cl_mem a = numbers(app, ELEMENTS, 79), b = numbers(app, ELEMENTS, 83);
	cl_mem out = numbers(app, ELEMENTS, 89);

	elements_open(app, &elements);
	for (int n = 0; n < 60; n++) {
		cl_kernel kernel = elements_kernel(app, &elements, 0, 0);

		args(kernel, "bbb", n % 2 ? out : a, b, n % 2 ? a : out);
		run(app->queue, kernel, ELEMENTS, 128);
		flush(app->queue);
	}
	answer(sum_of(app, a, ELEMENTS));
	for (int type = 0; type < TYPES; type++)
		for (int operation = 0; operation < OPERATIONS; operation++)
			if (elements.kernels[type][operation])
				DROP(elements.kernels[type][operation]);
	DROP(out);
	DROP(b);
	DROP(a);
}

/* A stack of pictures in three formats of pixels, each with a program of its own; all of them are
 * met. */
static const char format_source[] =
	"kernel void unpack(global const uint *in, global float *stack, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	uint u = in[i];\n"
	"	float v = (float)(u & MASK) / MASK;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.9375f + 0.0625f * (float)(u >> SHIFT & MASK) / MASK;\n"
	"	stack[i] = stack[i] * 0.875f + 0.125f * v;\n"
	"}\n";

void survey_clean_formats(struct app *app)
{
	enum { FORMATS = 3, PIXELS = 256 * 1024, TURNS = 210 };
	static const char *const options[FORMATS] = {
		"-DMASK=255 -DSHIFT=8", "-DMASK=1023 -DSHIFT=10", "-DMASK=31 -DSHIFT=5"};

	cl_mem stack = numbers(app, PIXELS, 173), pictures[FORMATS];
	cl_kernel unpack[FORMATS];

	for (unsigned f = 0; f < FORMATS; f++) {
		cl_program program = program_new(app, format_source, options[f]);

		pictures[f] = numbers(app, PIXELS, 179 + f);
		unpack[f] = kernel_new(program, "unpack");
		args(unpack[f], "bbi", pictures[f], stack, 8);
		DROP(program);
	}
	for (int n = 0; n < TURNS; n++) {
		run(app->queue, unpack[n % FORMATS], PIXELS, 128);
		flush(app->queue);
	}
	answer(sum_of(app, stack, PIXELS));
	for (int f = 0; f < FORMATS; f++) {
		DROP(unpack[f]);
		DROP(pictures[f]);
	}
	DROP(stack);
}
