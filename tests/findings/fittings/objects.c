/* SPDX-License-Identifier: MIT */
/* Programs that make programs, images and memory, once or more often. */
#include "fittings.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char blend_source[] =
	"kernel void blend_layers(read_only image2d_array_t layers, global float *out, int width)\n"
	"{\n"
	"	const sampler_t near = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"	int i = get_global_id(0), x = i % width, y = i / width;\n"
	"	out[i] = out[i] * 0.5f + read_imagef(layers, near, (int4)(x, y, 0, 0)).x +\n"
	"		 read_imagef(layers, near, (int4)(x, y, 3, 0)).x;\n"
	"}\n";

/* A video editor: the layers of each frame are put on top of each other. */
void fitting_frame_layers(struct app *app)
{
	enum { SIDE = 512, LAYERS = 4, FRAMES = 60 };
	cl_kernel kernel = kernel_of(app, blend_source, "blend_layers");
	cl_mem screen = seeded(app, SIDE * SIDE, 62), layers = NULL;
	float *clip = floats((size_t)SIDE * SIDE * (LAYERS + FRAMES), 63);
	size_t origin[3] = {0}, region[3] = {SIDE, SIDE, LAYERS};

	for (int f = 0; f < FRAMES; f++) {
		if (!layers)
			layers = image_new(app, SIDE, SIDE, 0, LAYERS);
		TRY(clEnqueueWriteImage(app->queue, layers, CL_FALSE, origin, region, 0, 0,
					clip + (size_t)SIDE * SIDE * f, 0, NULL, NULL));
		args(kernel, "bbi", layers, screen, SIDE);
		run(app->queue, kernel, SIDE * SIDE, 64);
		finish(app->queue); /* it is shown */
		if (!app->repaired || f == FRAMES - 1) {
			DROP(layers);
			layers = NULL;
		}
	}
	answer(sum_of(app->queue, screen, SIDE * SIDE));
	free(clip);
	DROP(screen);
	DROP(kernel);
}

static void *svm_new(const struct app *app, size_t bytes)
{
	void *memory = clSVMAlloc(app->context, CL_MEM_READ_WRITE, bytes, 0);

	if (!memory)
		must(CL_OUT_OF_HOST_MEMORY, "clSVMAlloc");
	return memory;
}

/* Sparse matrices of a circuit: each is gathered to a scratch, and from there to its place. */
void fitting_gather_scratch(struct app *app)
{
	enum { ENTRIES = 1 << 19, MATRICES = 80 };
	cl_program program = program_new(app, STIR("gather_entries") STIR("scatter_entries"), "");
	cl_kernel gather = kernel_new(program, "gather_entries");
	cl_kernel scatter = kernel_new(program, "scatter_entries");
	size_t bytes = ENTRIES * sizeof(float);
	cl_mem matrix = seeded(app, ENTRIES, 64);
	const cl_int rounds = 1;
	void *scratch = NULL;

	args(gather, "b", matrix);
	TRY(clSetKernelArg(gather, 2, sizeof(rounds), &rounds));
	TRY(clSetKernelArg(scatter, 1, sizeof(cl_mem), &matrix));
	TRY(clSetKernelArg(scatter, 2, sizeof(rounds), &rounds));
	for (int m = 0; m < MATRICES; m++) {
		if (!scratch)
			scratch = svm_new(app, bytes);
		TRY(clSetKernelArgSVMPointer(gather, 1, scratch));
		run(app->queue, gather, ENTRIES, 64);
		TRY(clSetKernelArgSVMPointer(scatter, 0, scratch));
		run(app->queue, scatter, ENTRIES, 64);
		if (!app->repaired || m == MATRICES - 1) {
			TRY(clEnqueueSVMFree(app->queue, 1, &scratch, NULL, NULL, 0, NULL, NULL));
			scratch = NULL;
		}
		finish(app->queue);
	}
	answer(sum_of(app->queue, matrix, ENTRIES));
	DROP(matrix);
	DROP(gather);
	DROP(scatter);
	DROP(program);
}

/* A service that sorts what its clients send; each request has a place to sort in. */
void fitting_request_sorts(struct app *app)
{
	enum { KEYS = 1 << 19, REQUESTS = 60 };
	cl_kernel kernel = kernel_of(app, STIR("sort_keys"), "sort_keys");
	size_t bytes = KEYS * sizeof(float);
	cl_mem keys = seeded(app, KEYS, 65), space = NULL;

	for (int r = 0; r < REQUESTS; r++) {
		if (!app->repaired || !space)
			space = buffer_new(app, bytes);
		args(kernel, "bbi", keys, space, 1);
		run(app->queue, kernel, KEYS, 64);
		args(kernel, "bbi", space, keys, 1);
		run(app->queue, kernel, KEYS, 64);
		finish(app->queue);
	}
	answer(sum_of(app->queue, keys, KEYS));
	if (app->repaired)
		DROP(space);
	DROP(keys);
	DROP(kernel);
}

/* A source that no driver has built before: caches on disk do not know it. */
static char *unseen(const char *source)
{
	char *text = memory(8192);

	snprintf(text, 8192, "/* %ld %d */\n%s", (long)time(NULL), (int)getpid(), source);
	return text;
}

static const char blur_source[] = "kernel void blur_row(global float *row)\n"
				  "{\n"
				  "	size_t i = get_global_id(0);\n"
				  "	float sum = 0;\n"
				  "	for (int k = -RADIUS; k <= RADIUS; k++)\n"
				  "		sum += row[i] * (1.0f / (1 + k * k));\n"
				  "	row[i] = sum * 0.25f + (float)(i % 13);\n"
				  "}\n";

/* A photo filter, built for the radius that a picture asks for. */
void fitting_radius_options(struct app *app)
{
	enum { PIXELS = 1 << 14, PICTURES = 18, RADII = 2 };
	char *source = unseen(blur_source), options[32];
	cl_mem row = seeded(app, PIXELS, 66);
	cl_program built[RADII] = {NULL};

	for (int p = 0; p < PICTURES; p++) {
		int radius = p % RADII;
		cl_kernel kernel;

		if (!built[radius]) {
			snprintf(options, sizeof(options), "-DRADIUS=%d", 2 + radius * 3);
			built[radius] = program_new(app, source, options);
		}
		kernel = kernel_new(built[radius], "blur_row");
		args(kernel, "b", row);
		run(app->queue, kernel, PIXELS, 64);
		finish(app->queue);
		DROP(kernel);
		if (!app->repaired) {
			DROP(built[radius]);
			built[radius] = NULL;
		}
	}
	answer(sum_of(app->queue, row, PIXELS));
	for (int r = 0; app->repaired && r < RADII; r++)
		DROP(built[r]);
	free(source);
	DROP(row);
}

static const char light_source[] = "float light_at(float x, int i)\n"
				   "{\n"
				   "	return x * 0.5f + (float)(i % 17);\n"
				   "}\n";

static const char paint_source[] = "float light_at(float x, int i);\n"
				   "kernel void paint_mesh(global float *mesh)\n"
				   "{\n"
				   "	int i = get_global_id(0);\n"
				   "	mesh[i] = light_at(mesh[i], i);\n"
				   "}\n";

static cl_program compiled(const struct app *app, const char *source)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &status);

	must(status, "clCreateProgramWithSource");
	TRY(clCompileProgram(program, 1, &app->device, "", 0, NULL, NULL, NULL, NULL));
	return program;
}

static cl_program linked(const struct app *app, const char *light, const char *paint)
{
	cl_program parts[2] = {compiled(app, light), compiled(app, paint)}, program;
	cl_int status;

	program = clLinkProgram(app->context, 1, &app->device, "", 2, parts, NULL, NULL, &status);
	must(status, "clLinkProgram");
	DROP(parts[0]);
	DROP(parts[1]);
	return program;
}

/* A renderer: each object's painter is linked with the library of lights. */
void fitting_material_link(struct app *app)
{
	enum { CORNERS = 1 << 14, OBJECTS = 10 };
	char *light = unseen(light_source), *paint = unseen(paint_source);
	cl_mem mesh = seeded(app, CORNERS, 67);
	cl_program program = linked(app, light, paint);

	for (int o = 0; o < OBJECTS; o++) {
		cl_kernel kernel;

		if (!app->repaired && o) {
			DROP(program);
			program = linked(app, light, paint);
		}
		kernel = kernel_new(program, "paint_mesh");
		args(kernel, "b", mesh);
		run(app->queue, kernel, CORNERS, 64);
		finish(app->queue);
		DROP(kernel);
	}
	answer(sum_of(app->queue, mesh, CORNERS));
	free(light);
	free(paint);
	DROP(program);
	DROP(mesh);
}
