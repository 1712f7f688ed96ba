/* SPDX-License-Identifier: MIT */
/* Memory and objects that are made over and over, or never released. */
#include "trials.h"

#include <stdlib.h>

/* Adds a patch's first value; what a patch needs lives as long as it does. */
static double patch_fit(struct app *app, cl_kernel fit, cl_mem work, cl_mem out, float *patch,
			size_t items)
{
	size_t bytes = items * sizeof(float);

	put(app->queue, work, bytes, patch);
	args(fit, "bbi", work, out, 3);
	run(app->queue, fit, items / 4, 64);
	get(app->queue, out, 4 * KIB, patch);
	return total(patch, KIB);
}

static const char patch_source[] =
	"kernel void fit(global const float *in, global float *out, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float4 v = (float4)(in[i], in[i + n], in[i + 2 * n], in[i + 3 * n]);\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.5f + v.yzwx * 0.25f;\n"
	"	out[i] = v.x + v.y;\n"
	"	out[i + n] = v.z - v.w;\n"
	"}\n";

/* Patches of a point cloud, each fitted in buffers of its own, as large as the largest of them may
 * need, for whose 4 MiB in use the system has to find pages. Repaired, all patches share two
 * buffers that were made before. */
void trial_patch_buffers(struct app *app)
{
	enum { items = 512 * KIB, patches = 250, most = 40 * MIB };
	cl_kernel fit = kernel_of(app, patch_source, "fit");
	float *patch = memory(items * sizeof(*patch));
	cl_mem work = NULL, out = NULL;
	double sum = 0;

	for (int i = 0; i < patches; i++) {
		for (int j = 0; j < 4 * KIB; j++)
			patch[j * 128] = (float)(i * j % 1009);
		if (!work) {
			work = buffer_new(app, most);
			out = buffer_new(app, most);
		}
		sum += patch_fit(app, fit, work, out, patch, items);
		if (app->repaired && i < patches - 1)
			continue;
		DROP(work);
		DROP(out);
		work = NULL;
	}
	answer(sum);
	DROP(fit);
	free(patch);
}

static const char pyramid_source[] =
	"constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
	"			  CLK_FILTER_NEAREST;\n"
	"kernel void reduce(read_only image2d_t in, write_only image2d_t out, int w)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0) % w, get_global_id(0) / w);\n"
	"	write_imagef(out, at, 0.5f * (read_imagef(in, near, at * 4) +\n"
	"				      read_imagef(in, near, at * 4 + 2)));\n"
	"}\n";

static cl_mem level_new(const struct app *app, size_t side)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
	cl_int status;
	cl_mem image =
		clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);

	must(status, "clCreateImage");
	return image;
}

/* Image pyramids for a tracker: levels large enough for any camera are made for each frame, in
 * whose corner it lies, and released behind it. Repaired, the first frame's serve all. */
void trial_pyramid_images(struct app *app)
{
	enum { levels = 3, most = 3072, side = 1024, frames = 120, last = side >> 4 };
	const size_t origin[3] = {0, 0, 0};
	cl_kernel reduce = kernel_of(app, pyramid_source, "reduce");
	float *frame = memory(side * side * sizeof(*frame));
	float *top = memory(last * last * sizeof(*top));
	cl_mem level[levels] = {NULL};
	double sum = 0;

	for (int i = 0; i < frames; i++) {
		const size_t all[3] = {side, side, 1}, small[3] = {last, last, 1};

		for (int j = 0; j < side * 4; j++)
			frame[j * (side / 4)] = (float)((i + 1) * j % 1009);
		for (int j = 0; j < levels && (!app->repaired || !i); j++)
			level[j] = level_new(app, most >> 2 * j);
		TRY(clEnqueueWriteImage(app->queue, level[0], CL_FALSE, origin, all, 0, 0, frame, 0,
					NULL, NULL));
		for (int j = 1; j < levels; j++) {
			args(reduce, "bbi", level[j - 1], level[j], side >> 2 * j);
			run(app->queue, reduce, (size_t)(side >> 2 * j) * (side >> 2 * j), 64);
		}
		TRY(clEnqueueReadImage(app->queue, level[levels - 1], CL_TRUE, origin, small, 0, 0,
				       top, 0, NULL, NULL));
		sum += total(top, last * last);
		for (int j = 0; j < levels && (!app->repaired || i == frames - 1); j++)
			DROP(level[j]);
	}
	answer(sum);
	DROP(reduce);
	free(frame);
	free(top);
}

/* Batches of a sparse solver in shared memory, as much as the largest needs, that is allocated for
 * each of them; repaired, they take turns in two pieces. */
void trial_svm_batches(struct app *app)
{
	enum { items = 512 * KIB, bytes = items * sizeof(float), batches = 400 };
	const size_t most = 40 * MIB;
	cl_kernel solve = kernel_of(app, MIX("solve"), "solve");
	const cl_int rounds = 1;
	float *pieces[2] = {NULL, NULL};
	double sum = 0;

	TRY(clSetKernelArg(solve, 1, sizeof(rounds), &rounds));
	for (int i = 0; i < batches; i++) {
		float **piece = &pieces[i % 2];

		if (!*piece)
			*piece = clSVMAlloc(app->context, CL_MEM_READ_WRITE, most, 0);
		TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_WRITE, *piece, bytes, 0, NULL,
				    NULL));
		for (int j = 0; j < items; j += 512)
			(*piece)[j] = (float)(i + j);
		TRY(clEnqueueSVMUnmap(app->queue, *piece, 0, NULL, NULL));
		TRY(clSetKernelArgSVMPointer(solve, 0, *piece));
		run(app->queue, solve, items / 16, 64);
		TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_READ, *piece, bytes, 0, NULL,
				    NULL));
		sum += (double)(*piece)[i * 512];
		TRY(clEnqueueSVMUnmap(app->queue, *piece, 0, NULL, NULL));
		if (app->repaired && i < batches - 2)
			continue;
		finish(app->queue);
		clSVMFree(app->context, *piece);
		*piece = NULL;
	}
	answer(sum);
	DROP(solve);
}

struct operators {
	cl_program program;
	cl_kernel kept[4];
	bool keep;
};

static const char *const operator_names[4] = {"add", "scale", "gate", "norm"};

/* An operator's kernel, as its library gives it. */
static cl_kernel operator_get(struct operators *all, int which)
{
	if (!all->keep)
		return kernel_new(all->program, operator_names[which]);
	if (!all->kept[which])
		all->kept[which] = kernel_new(all->program, operator_names[which]);
	TRY(clRetainKernel(all->kept[which]));
	return all->kept[which];
}

#define OPERATOR(name, value)                              \
	"kernel void " name "(global float *v, float f)\n" \
	"{\n"                                              \
	"	size_t i = get_global_id(0);\n"                  \
	"	v[i] = " value ";\n"                       \
	"}\n"

/* A tensor library, each of whose calls creates its kernel and releases it. Repaired, the library
 * keeps one of each. */
void trial_operator_kernels(struct app *app)
{
	enum { items = 256, bytes = items * sizeof(float), steps = 500, calls = 60 };
	struct operators all = {.keep = app->repaired};
	cl_mem tensor = buffer_new(app, bytes);
	float *data = memory(bytes);
	double sum = 0;

	all.program = program_new(app,
				  OPERATOR("add", "v[i] + f") OPERATOR("scale", "v[i] * f")
					  OPERATOR("gate", "v[i] > f ? v[i] : f * v[i]")
						  OPERATOR("norm", "v[i] / (1 + fabs(v[i] - f))"),
				  "");
	for (int i = 0; i < steps; i++) {
		refill(data, items, i);
		put(app->queue, tensor, bytes, data);
		for (int j = 0; j < calls; j++) {
			cl_kernel kernel = operator_get(&all, j % 4);

			args(kernel, "bf", tensor, 0.5 + 0.001 * j);
			run(app->queue, kernel, items, 64);
			DROP(kernel);
		}
		get(app->queue, tensor, bytes, data);
		sum += (double)data[i % items];
	}
	answer(sum);
	for (int i = 0; i < 4 && all.keep; i++)
		DROP(all.kept[i]);
	DROP(all.program);
	DROP(tensor);
	free(data);
}

/* One file: everything a program needs, from the context on, or what was opened before. */
static double file_convert(struct app *app, cl_kernel convert, cl_mem text, int file)
{
	enum { items = 8 * KIB, bytes = items * sizeof(float) };
	float *data = memory(bytes);
	double sum;

	refill(data, items, file);
	put_now(app->queue, text, bytes, data);
	args(convert, "bi", text, 200);
	run(app->queue, convert, items, 64);
	get(app->queue, text, bytes, data);
	sum = total(data, items);
	free(data);
	return sum;
}

static const char *const file_source = MIX("convert");

/* A converter's function for one file makes context, queue, program and buffer, as if it were
 * called once; it is called for 16. Repaired, the caller makes them. */
void trial_file_contexts(struct app *app)
{
	enum { files = 16, bytes = 8 * KIB * sizeof(float) };
	struct app own = *app;
	cl_kernel convert = NULL;
	cl_mem text = NULL;
	cl_int status;
	double sum = 0;

	for (int i = 0; i < files; i++) {
		if (!convert) {
			own.context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &status);
			must(status, "clCreateContext");
			own.queue = queue_new(&own, 0);
			convert = kernel_of(&own, file_source, "convert");
			text = buffer_new(&own, bytes);
		}
		sum += file_convert(&own, convert, text, i);
		if (app->repaired && i < files - 1)
			continue;
		DROP(convert);
		DROP(text);
		DROP(own.queue);
		DROP(own.context);
		convert = NULL;
	}
	answer(sum);
}

/* Rays of a scan: the event of each launch is asked for, so that the last one can be waited for,
 * and no event is ever released. Repaired, only the last launch has one. */
void trial_trace_events(struct app *app)
{
	enum { items = 4 * KIB, bytes = items * sizeof(float), rays = 1500 };
	cl_kernel cast = kernel_of(app, MIX("cast"), "cast");
	cl_mem volume = buffer_new(app, bytes);
	float *data = floats(items, 9);
	cl_event last = NULL;

	put_now(app->queue, volume, bytes, data);
	args(cast, "bi", volume, 4);
	for (int i = 0; i < rays; i++) {
		const size_t all = items, local = 64;
		bool wanted = !app->repaired || i == rays - 1;

		TRY(clEnqueueNDRangeKernel(app->queue, cast, 1, NULL, &all, &local, 0, NULL,
					   wanted ? &last : NULL));
	}
	TRY(clWaitForEvents(1, &last));
	if (app->repaired)
		DROP(last);
	get(app->queue, volume, bytes, data);
	answer(total(data, items));
	DROP(cast);
	DROP(volume);
	free(data);
}

/* Searches one block; found early, it returns before it has released what it made. */
static double block_search(struct app *app, cl_program program, float *block, size_t items)
{
	cl_kernel match = kernel_new(program, "match");
	cl_mem window = buffer_new(app, items * sizeof(*block));
	double value;

	put(app->queue, window, items * sizeof(*block), block);
	args(match, "bi", window, 12);
	run(app->queue, match, items, 64);
	get(app->queue, window, sizeof(*block), block);
	value = (double)block[0];
	if (!app->repaired && value > 0.25)
		return value;
	DROP(match);
	DROP(window);
	return value;
}

/* A search of many blocks, most of which leave a kernel and a buffer behind; repaired, none does.
 * */
void trial_early_exit(struct app *app)
{
	enum { items = 16 * KIB, blocks = 240 };
	cl_program program = program_new(app, MIX("match"), "");
	float *block = memory(items * sizeof(*block));
	double sum = 0;

	for (int i = 0; i < blocks; i++) {
		refill(block, items, i);
		sum += block_search(app, program, block, items);
	}
	answer(sum);
	DROP(program);
	free(block);
}
