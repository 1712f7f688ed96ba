/* SPDX-License-Identifier: MIT */
/* Memory and objects that are made over and over, or never released. */
#include "exams.h"

#include <stdio.h>
#include <stdlib.h>

static const char scan_source[] =
	"kernel void scan_parts(global const int *in, global int *out, global int *sums)\n"
	"{\n"
	"	int i = get_global_id(0), sum = 0;\n"
	"	for (int k = i * 128; k < i * 128 + 128; k++)\n"
	"		out[k] = sum += in[k];\n"
	"	sums[i] = sum;\n"
	"}\n"
	"kernel void add_before(global int *out, global const int *sums)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i >= 128)\n"
	"		out[i] += sums[i / 128 - 1];\n"
	"}\n";

enum { SCAN_LEVELS = 3, SCAN_PART = 128 };

struct scan {
	struct app *app;
	cl_kernel parts, add;
	cl_mem out[SCAN_LEVELS], sums[SCAN_LEVELS];
	bool keeps;
};

/* The sums of all that came before; its parts' sums are summed up in the same way. */
static cl_mem scan_level(struct scan *scan, cl_mem in, size_t items, int level)
{
	if (!scan->out[level]) {
		scan->out[level] = buffer_new(scan->app, items * sizeof(int));
		scan->sums[level] = buffer_new(scan->app, items / SCAN_PART * sizeof(int));
	}
	args(scan->parts, "bbb", in, scan->out[level], scan->sums[level]);
	run(scan->app->queue, scan->parts, items / SCAN_PART, items > 128 * SCAN_PART ? 16 : 1);
	if (items <= SCAN_PART)
		return scan->out[level];

	cl_mem before = scan_level(scan, scan->sums[level], items / SCAN_PART, level + 1);

	args(scan->add, "bb", scan->out[level], before);
	run(scan->app->queue, scan->add, items, 64);
	return scan->out[level];
}

static void scan_clean(struct scan *scan)
{
	for (int i = 0; i < SCAN_LEVELS && !scan->keeps; i++) {
		if (!scan->out[i])
			continue;
		DROP(scan->out[i]);
		DROP(scan->sums[i]);
		scan->out[i] = NULL;
	}
}

/* A library's sums of all that came before: each call makes what its levels need, the largest of it
 * as long as the data, and releases it. Repaired, the library keeps it. */
void exam_scan_scratch(struct app *app)
{
	enum { items = 2048 * KIB, calls = 25 };
	cl_program program = program_new(app, scan_source, "");
	struct scan scan = {app,
			    kernel_new(program, "scan_parts"),
			    kernel_new(program, "add_before"),
			    {NULL},
			    {NULL},
			    app->repaired};
	cl_mem in = buffer_new(app, items * sizeof(int));
	int *data = memory(items * sizeof(*data));
	double sum = 0;

	for (int i = 0; i < items; i++)
		data[i] = i * 5 & 15;
	put_now(app->queue, in, items * sizeof(int), data);
	for (int i = 0; i < calls; i++) {
		int last;

		put_now(app->queue, in, sizeof(i), &i);
		get_at(app->queue, scan_level(&scan, in, items, 0), (items - 1) * sizeof(int),
		       sizeof(last), &last);
		scan_clean(&scan);
		sum += last;
	}
	answer(sum);
	scan.keeps = false;
	scan_clean(&scan);
	DROP(scan.parts);
	DROP(scan.add);
	DROP(program);
	DROP(in);
	free(data);
}

static const char volume_source[] =
	"constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
	"			  CLK_FILTER_NEAREST;\n"
	"kernel void project(read_only image3d_t volume, global float *out, int depth)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float most = 0;\n"
	"	for (int z = 0; z < depth; z += 8)\n"
	"		most = fmax(most, read_imagef(volume, near, (int4)(2 * x, 2 * y, z, 0)).x);\n"
	"	out[y * get_global_size(0) + x] = most;\n"
	"}\n";

static cl_mem volume_new(const struct app *app, size_t side, size_t depth)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
				    .image_width = side,
				    .image_height = side,
				    .image_depth = depth};
	cl_int status;
	cl_mem image = clCreateImage(app->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);

	must(status, "clCreateImage");
	return image;
}

/* Scans of a body, as an image of three dimensions, which is made for each of them and released.
 * Repaired, one image serves all. */
void exam_slice_images(struct app *app)
{
	enum { side = 160, depth = 48, seen = side / 2, scans = 50 };
	const size_t origin[3] = {0, 0, 0}, all[3] = {side, side, depth}, flat[2] = {seen, seen};
	const size_t groups[2] = {16, 4};
	cl_kernel project = kernel_of(app, volume_source, "project");
	cl_mem out = buffer_new(app, seen * seen * sizeof(float)), volume = NULL;
	float *scan = memory((size_t)side * side * depth * sizeof(*scan));
	float *film = memory(seen * seen * sizeof(*film));
	double sum = 0;

	for (int i = 0; i < scans; i++) {
		for (int j = 0; j < side * side * depth; j += 24)
			scan[j] = (float)((i + 1) * (j / 24) % 1009);
		if (!volume)
			volume = volume_new(app, side, depth);
		TRY(clEnqueueWriteImage(app->queue, volume, CL_FALSE, origin, all, 0, 0, scan, 0,
					NULL, NULL));
		args(project, "bbi", volume, out, depth);
		launch(app->queue, project, 2, NULL, flat, groups);
		get(app->queue, out, seen * seen * sizeof(float), film);
		sum += total(film, seen * seen);
		if (app->repaired && i < scans - 1)
			continue;
		DROP(volume);
		volume = NULL;
	}
	answer(sum);
	DROP(project);
	DROP(out);
	free(scan);
	free(film);
}

static const char bvh_source[] =
	"kernel void hit(global const float *nodes, global float *film, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	int at = 0;\n"
	"	float light = 0;\n"
	"	while (at < count) {\n"
	"		light += nodes[at * 8];\n"
	"		at = 2 * at + 1 + ((i >> (at & 7)) & 1);\n"
	"	}\n"
	"	film[i] = light;\n"
	"}\n";

/* A scene that moves has its tree of boxes in memory that host and device share; for each frame
 * there is a new one, and the queue frees the old one behind the kernel. Repaired, the tree is
 * built where the last one was. */
void exam_bvh_svm(struct app *app)
{
	enum { nodes = 32 * KIB, pixels = 16 * KIB, bytes = nodes * 8 * sizeof(float) };
	enum { frames = 220, shown = pixels * sizeof(float) };
	cl_kernel hit = kernel_of(app, bvh_source, "hit");
	cl_mem film = buffer_new(app, shown);
	float *seen = memory(shown);
	const cl_int count = nodes;
	float *tree = NULL;
	double sum = 0;

	TRY(clSetKernelArg(hit, 1, sizeof(film), &film));
	TRY(clSetKernelArg(hit, 2, sizeof(count), &count));
	for (int i = 0; i < frames; i++) {
		void *old;

		if (!tree)
			tree = clSVMAlloc(app->context, CL_MEM_READ_ONLY, bytes, 0);
		if (!tree)
			must(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
		TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, tree,
				    bytes, 0, NULL, NULL));
		for (int j = 0; j < nodes; j++)
			tree[j * 8] = (float)((i + 3) * j & 255);
		TRY(clEnqueueSVMUnmap(app->queue, tree, 0, NULL, NULL));
		TRY(clSetKernelArgSVMPointer(hit, 0, tree));
		run(app->queue, hit, pixels, 64);
		old = tree;
		if (!app->repaired || i == frames - 1) {
			TRY(clEnqueueSVMFree(app->queue, 1, &old, NULL, NULL, 0, NULL, NULL));
			tree = NULL;
		}
		get(app->queue, film, shown, seen);
		sum += total(seen, pixels);
	}
	answer(sum);
	DROP(hit);
	DROP(film);
	free(seen);
}

enum { SET_OPS = 16 };

static const char *const set_values[SET_OPS] = {
	"v[i] + 0.5f",	     "v[i] * 0.5f",
	"fabs(v[i])",	     "-v[i]",
	"fmin(v[i], 8.0f)",  "fmax(v[i], 0.25f)",
	"v[i] * 0.25f",	     "v[i] - 0.125f",
	"v[i] * v[i]",	     "v[i] * 2",
	"trunc(v[i])",	     "v[i] - floor(v[i])",
	"v[i] + 1",	     "v[i] > 0.5f ? v[i] : 0",
	"fabs(v[i] - 0.5f)", "v[i] + i * 0.5f",
};

/* The filter's source: op0 to op15. */
static void set_source(char *source, size_t bytes)
{
	for (int i = 0; i < SET_OPS; i++) {
		int length = snprintf(source, bytes,
				      "kernel void op%d(global float *v)\n"
				      "{\n"
				      "	size_t i = get_global_id(0);\n"
				      "	v[i] = %s;\n"
				      "}\n",
				      i, set_values[i]);

		source += length;
		bytes -= (size_t)length;
	}
}

static void set_drop(cl_kernel *ops)
{
	for (int i = 0; i < SET_OPS; i++)
		DROP(ops[i]);
}

/* A filter's function asks for all kernels of its program, uses those of the user's preset, and
 * releases them all; it is called for each block. Repaired, the filter asks when it is made. */
void exam_kernel_set(struct app *app)
{
	enum { items = 512, bytes = items * sizeof(float), blocks = 1500 };
	cl_mem block = buffer_new(app, bytes);
	float *data = memory(bytes);
	char source[4096];
	cl_program program;
	cl_kernel ops[SET_OPS];
	double sum = 0;

	set_source(source, sizeof(source));
	program = program_new(app, source, "");
	if (app->repaired)
		TRY(clCreateKernelsInProgram(program, SET_OPS, ops, NULL));
	for (int i = 0; i < blocks; i++) {
		refill(data, items, i);
		put(app->queue, block, bytes, data);
		if (!app->repaired)
			TRY(clCreateKernelsInProgram(program, SET_OPS, ops, NULL));
		for (int j = 0; j < 3; j++) {
			args(ops[j * 5], "b", block);
			run(app->queue, ops[j * 5], items, 64);
		}
		if (!app->repaired)
			set_drop(ops);
		get(app->queue, block, bytes, data);
		sum += total(data, items);
	}
	answer(sum);
	if (app->repaired)
		set_drop(ops);
	DROP(program);
	DROP(block);
	free(data);
}

/* A wrapper's reference to a buffer. */
struct reference {
	cl_mem memory;
};

static void reference_assign(struct reference *to, struct reference from, bool releases)
{
	if (from.memory)
		TRY(clRetainMemObject(from.memory));
	if (to->memory && releases)
		DROP(to->memory);
	to->memory = from.memory;
}

/* Frames with a wrapper whose assignment retains what it takes, and forgets to release what it had
 * before, so that the frame before the last is never released; repaired, it does. */
void exam_wrapper_assign(struct app *app)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), frames = 200 };
	cl_kernel blend = kernel_of(app, STIR("blend"), "blend");
	struct reference before = {NULL};
	float *data = memory(bytes), seen[256];
	double sum = 0;

	for (int i = 0; i < frames; i++) {
		struct reference now = {buffer_new(app, bytes)};

		refill(data, items, i);
		put(app->queue, now.memory, bytes, data);
		if (before.memory)
			TRY(clEnqueueCopyBuffer(app->queue, before.memory, now.memory, 0, bytes / 2,
						bytes / 2, 0, NULL, NULL));
		args(blend, "bi", now.memory, 6);
		run(app->queue, blend, items, 64);
		get(app->queue, now.memory, sizeof(seen), seen);
		sum += total(seen, 256);
		reference_assign(&before, now, app->repaired);
		DROP(now.memory);
	}
	reference_assign(&before, (struct reference){NULL}, true);
	answer(sum);
	DROP(blend);
	free(data);
}

struct delivery {
	float data[256];
	double *sum;
	bool releases;
};

static void CL_CALLBACK delivery_done(cl_event event, cl_int status, void *pointer)
{
	struct delivery *delivery = pointer;

	(void)status;
	*delivery->sum += (double)delivery->data[7];
	if (delivery->releases)
		clReleaseEvent(event);
	free(delivery);
}

/* Deliveries of results by a callback each, which frees what it was given, but not its event;
 * repaired, that as well. */
void exam_callback_events(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), deliveries = 400 };
	cl_kernel pack = kernel_of(app, STIR("pack"), "pack");
	cl_mem store = buffer_new(app, bytes);
	float *data = floats(items, 9);
	double sum = 0;

	put_now(app->queue, store, bytes, data);
	args(pack, "bi", store, 8);
	for (int i = 0; i < deliveries; i++) {
		struct delivery *delivery = memory(sizeof(*delivery));

		delivery->sum = &sum;
		delivery->releases = app->repaired;
		run(app->queue, pack, items, 64);

		cl_event event = get_after(app->queue, store, sizeof(delivery->data),
					   delivery->data, 0, NULL);

		TRY(clSetEventCallback(event, CL_COMPLETE, delivery_done, delivery));
		if (i % 8 == 7)
			flush(app->queue);
	}
	finish(app->queue);
	nap(5000); /* for the last callbacks */
	answer(sum);
	DROP(pack);
	DROP(store);
	free(data);
}
