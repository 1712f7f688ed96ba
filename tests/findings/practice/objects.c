/* SPDX-License-Identifier: MIT */
/* Programs, buffers and other objects that are made too often or are never given back, and calls
 * that fail. */
#include "practice.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct filter {
	cl_program program;
	cl_kernel kernel;
};

/* A filter of a document's chain. */
static struct filter filter_open(struct app *app, const struct filter *known)
{
	struct filter filter = {NULL, NULL};

	if (known) {
		filter.program = known->program;
		TRY(clRetainProgram(filter.program));
	} else {
		filter.program = program_new(app, CHAIN("filter_page"), "-cl-fast-relaxed-math");
	}
	filter.kernel = kernel_new(filter.program, "filter_page");
	return filter;
}

static void filter_close(struct filter *filter)
{
	DROP(filter->kernel);
	DROP(filter->program);
}

/* Documents go through a chain of filters, which is opened and closed with each document. A filter
 * builds its program, which is the same for all; repaired, the first one's is kept for others. */
void app_filter_chain(struct app *app)
{
	enum { filters = 3, documents = 6, items = 128 * KIB };
	float *pages = floats(items, 51);
	struct filter first = filter_open(app, NULL), chain[filters];
	cl_mem page = buffer_new(app, items * sizeof(float));

	for (int i = 0; i < documents; i++) {
		for (int j = 0; j < filters; j++)
			chain[j] = filter_open(app, app->repaired ? &first : NULL);
		refill(pages, items, i);
		put(app->queue, page, items * sizeof(float), pages);
		for (int j = 0; j < 20 * filters; j++) {
			args(chain[j % filters].kernel, "bi", page, 12);
			run(app->queue, chain[j % filters].kernel, items, 64);
		}
		get(app->queue, page, items * sizeof(float), pages);
		for (int j = 0; j < filters; j++)
			filter_close(&chain[j]);
	}
	answer(total(pages, items));
	filter_close(&first);
	DROP(page);
	free(pages);
}

struct player {
	struct app *app;
	cl_program program; /* NULL: its own */
	double sum;
};

static void *player_play(void *pointer)
{
	enum { items = 64 * KIB, games = 90 };
	struct player *p = pointer;
	cl_program program = p->program ? p->program : program_new(p->app, CHAIN("move"), "");
	cl_command_queue queue = queue_new(p->app, 0);
	cl_kernel move = kernel_new(program, "move");
	cl_mem board = buffer_new(p->app, items * sizeof(float));
	float *pieces = floats(items, 52);

	put_now(queue, board, items * sizeof(float), pieces);
	args(move, "bi", board, 30);
	for (int i = 0; i < games; i++) {
		run(queue, move, items, 64);
		get(queue, board, 1024, pieces);
		p->sum += (double)pieces[i];
	}
	DROP(queue);
	DROP(move);
	DROP(board);
	if (!p->program)
		DROP(program);
	free(pieces);
	return NULL;
}

/* Eight players, four at a time, each a thread that builds the same program for itself at its
 * start; repaired, they are handed one. */
void app_player_builds(struct app *app)
{
	enum { players = 8, together = 4 };
	struct player all[players];
	cl_program program = app->repaired ? program_new(app, CHAIN("move"), "") : NULL;
	double sum = 0;

	for (int i = 0; i < players; i++)
		all[i] = (struct player){app, program, 0};
	for (int i = 0; i < players; i += together)
		threads_run(together, player_play, all + i, sizeof(*all));
	for (int i = 0; i < players; i++)
		sum += all[i].sum;
	answer(sum);
	if (program)
		DROP(program);
}

static const char option_source[] =
	"kernel void variant(global float *v, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = v[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * (1 - 1.0f / TAPS) + 0.5f / TAPS;\n"
	"	v[i] = value;\n"
	"}\n";

static cl_program option_build(const struct app *app, int taps)
{
	char options[64];

	snprintf(options, sizeof(options), "-DTAPS=%d -DTODAY=%ld", taps, (long)time(NULL));
	return program_new(app, option_source, options);
}

/* A resampler that is built for each of seven numbers of taps at its start, so that none would be
 * missing, of which two are used; repaired, a number's variant is built when it is used. */
void app_tap_variants(struct app *app)
{
	enum { variants = 7, items = 128 * KIB, tracks = 100 };
	float *track = floats(items, 53);
	cl_program programs[variants] = {NULL};
	cl_kernel kernels[variants] = {NULL};
	cl_mem sound = buffer_new(app, items * sizeof(float));

	for (int i = 0; i < variants && !app->repaired; i++)
		programs[i] = option_build(app, 8 + i);
	for (int i = 0; i < tracks; i++) {
		int at = i % 3 ? 2 : 5;

		if (!programs[at])
			programs[at] = option_build(app, 8 + at);
		if (!kernels[at])
			kernels[at] = kernel_new(programs[at], "variant");
		refill(track, items, i);
		put(app->queue, sound, items * sizeof(float), track);
		args(kernels[at], "bi", sound, 40);
		run(app->queue, kernels[at], items, 64);
		get(app->queue, sound, items * sizeof(float), track);
	}
	answer(total(track, items));
	for (int i = 0; i < variants; i++) {
		if (kernels[i])
			DROP(kernels[i]);
		if (programs[i])
			DROP(programs[i]);
	}
	DROP(sound);
	free(track);
}

/* A generator's output: so many kernels, with the date on top. */
static char *generate(int kernels)
{
	size_t room = (size_t)kernels * 512 + 256;
	char *text = malloc(room);
	int used = snprintf(text, room, "// generated, %ld\n", (long)time(NULL));

	for (int i = 0; i < kernels; i++)
		used += snprintf(text + used, room - (size_t)used,
				 "kernel void rule_%d(global float *v, int rounds)\n"
				 "{\n"
				 "	size_t i = get_global_id(0);\n"
				 "	float a = v[i], b = a * %d.5f;\n"
				 "	for (int r = 0; r < rounds; r++) {\n"
				 "		b = b * 0.5f + a * 0.25f;\n"
				 "		a = a * 0.75f + b * 0.125f;\n"
				 "	}\n"
				 "	v[i] = a + b;\n"
				 "}\n",
				 i, i);
	return text;
}

/* A game whose rules are kernels of a generated source. All of the rule book is built, though a
 * match is played by its first rule alone; repaired, only that rule is generated. */
void app_rule_book(struct app *app)
{
	enum { items = 128 * KIB, rounds = 110 };
	float *board = floats(items, 54);
	char *source = generate(app->repaired ? 1 : 24);
	cl_kernel rule = kernel_of(app, source, "rule_0");
	cl_mem boards = buffer_new(app, items * sizeof(float));

	put_now(app->queue, boards, items * sizeof(float), board);
	args(rule, "bi", boards, 30);
	for (int i = 0; i < rounds; i++)
		run(app->queue, rule, items, 64);
	get(app->queue, boards, items * sizeof(float), board);
	answer(total(board, items));
	DROP(rule);
	DROP(boards);
	free(board);
	free(source);
}

static const char tone_source[] =
	"constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP |\n"
	"			CLK_FILTER_NEAREST;\n"
	"kernel void tone(read_only image2d_t from, write_only image2d_t to, float by)\n"
	"{\n"
	"	int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagef(to, p, read_imagef(from, at, p) * by + 0.01f);\n"
	"}\n";

static cl_mem picture_new(const struct app *app, size_t side, void *pixels)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
	cl_mem_flags flags = pixels ? CL_MEM_COPY_HOST_PTR : 0;
	cl_int status;
	cl_mem image = clCreateImage(app->context, CL_MEM_READ_WRITE | flags, &format, &shape,
				     pixels, &status);

	must(status, "clCreateImage");
	return image;
}

/* Pictures are toned in two passes. The picture between them is made for each, and released;
 * repaired, it is made once. */
void app_tone_scratch(struct app *app)
{
	enum { side = 512, pictures = 120 };
	const size_t none[3] = {0, 0, 0}, region[3] = {8, 8, 1}, items[2] = {side, side};
	float *pixels = floats(4 * side * side, 55);
	cl_kernel tone = kernel_of(app, tone_source, "tone");
	cl_mem picture = picture_new(app, side, pixels), between = NULL;
	double sum = 0;

	for (int i = 0; i < pictures; i++) {
		if (!between)
			between = picture_new(app, side, NULL);
		args(tone, "bbf", picture, between, 0.9);
		TRY(clEnqueueNDRangeKernel(app->queue, tone, 2, NULL, items, NULL, 0, NULL, NULL));
		args(tone, "bbf", between, picture, 1.1);
		TRY(clEnqueueNDRangeKernel(app->queue, tone, 2, NULL, items, NULL, 0, NULL, NULL));
		TRY(clEnqueueReadImage(app->queue, picture, CL_TRUE, none, region, 0, 0, pixels, 0,
				       NULL, NULL));
		sum += (double)pixels[i];
		if (app->repaired)
			continue;
		DROP(between);
		between = NULL;
	}
	answer(sum);
	if (between)
		DROP(between);
	DROP(picture);
	DROP(tone);
	free(pixels);
}

struct clerk {
	struct app *app;
	cl_command_queue queue;
	cl_kernel file;
	bool thrifty;
	double sum;
};

static void *clerk_work(void *pointer)
{
	enum { items = 512 * KIB, bytes = items * sizeof(float), used = 16 * KIB, forms = 130 };
	struct clerk *c = pointer;
	float *form = floats(used, 56);
	cl_mem desk = NULL;

	for (int i = 0; i < forms; i++) {
		if (!desk)
			desk = buffer_new(c->app, bytes);
		refill(form, used, i);
		put(c->queue, desk, used * sizeof(float), form);
		args(c->file, "bi", desk, 2);
		run(c->queue, c->file, used, 64);
		TRY(clEnqueueCopyBuffer(c->queue, desk, desk, 0, bytes / 2, used * sizeof(float), 0,
					NULL, NULL));
		run(c->queue, c->file, items, 64);
		get(c->queue, desk, used * sizeof(float), form);
		c->sum += (double)form[i];
		if (c->thrifty) {
			DROP(desk);
			desk = NULL;
		}
	}
	if (desk)
		DROP(desk);
	free(form);
	return NULL;
}

/* Two clerks, each a thread. One of them has a new desk, a buffer of 2 MiB, for each of its forms;
 * repaired, it keeps its desk as the other does. */
void app_clerk_desks(struct app *app)
{
	cl_program program = program_new(app, CHAIN("file_form"), "");
	struct clerk clerks[2];

	for (int i = 0; i < 2; i++)
		clerks[i] = (struct clerk){app, queue_new(app, 0), kernel_new(program, "file_form"),
					   i == 1 && !app->repaired, 0};
	threads_run(2, clerk_work, clerks, sizeof(*clerks));
	answer(clerks[0].sum + clerks[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(clerks[i].queue);
		DROP(clerks[i].file);
	}
	DROP(program);
}

/* Messages through shared virtual memory, which is allocated for each of them and freed; repaired,
 * allocated once. */
void app_svm_messages(struct app *app)
{
	enum { items = 1024 * KIB, bytes = items * sizeof(float), messages = 300, used = 32 * KIB };
	cl_kernel relay = kernel_of(app, CHAIN("relay"), "relay");
	float *message = NULL;
	double sum = 0;
	cl_int rounds = 60;

	TRY(clSetKernelArg(relay, 1, sizeof(rounds), &rounds));
	for (int i = 0; i < messages; i++) {
		if (!message)
			message = clSVMAlloc(app->context, CL_MEM_READ_WRITE, bytes, 0);
		if (!message)
			must(CL_OUT_OF_RESOURCES, "clSVMAlloc");
		TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, message,
				    bytes, 0, NULL, NULL));
		for (int j = 0; j < items; j += 32)
			message[j] = (float)(i + j);
		for (int j = 0; j < used; j++)
			message[j] = (float)(i * j % 64);
		TRY(clEnqueueSVMUnmap(app->queue, message, 0, NULL, NULL));
		TRY(clSetKernelArgSVMPointer(relay, 0, message));
		run(app->queue, relay, used, 64);
		TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_READ, message, bytes, 0, NULL,
				    NULL));
		sum += (double)message[i];
		TRY(clEnqueueSVMUnmap(app->queue, message, 0, NULL, NULL));
		if (app->repaired)
			continue;
		finish(app->queue);
		clSVMFree(app->context, message);
		message = NULL;
	}
	finish(app->queue);
	if (message)
		clSVMFree(app->context, message);
	answer(sum);
	DROP(relay);
}

enum { TOOLS = 24 };

/* All tools of the box. */
static void box_open(cl_program program, cl_kernel *tools)
{
	TRY(clCreateKernelsInProgram(program, TOOLS, tools, NULL));
}

static void box_close(cl_kernel *tools)
{
	for (int i = 0; i < TOOLS; i++)
		DROP(tools[i]);
}

/* Repairs with a box of 24 tools, kernels of one program: each repair makes all of them, uses one,
 * and releases them; repaired, the box stays open. */
void app_tool_box(struct app *app)
{
	enum { items = 4 * KIB, repairs = 3000 };
	char source[16 * KIB];
	int used = 0;
	cl_kernel tools[TOOLS];
	float *thing = floats(items, 57);

	for (int i = 0; i < TOOLS; i++)
		used += snprintf(source + used, sizeof(source) - (size_t)used,
				 "kernel void tool_%02d(global float *v, int rounds)\n"
				 "{\n"
				 "	float value = v[get_global_id(0)];\n"
				 "	while (rounds--)\n"
				 "		value = value * 0.875f + 0.0625f;\n"
				 "	v[get_global_id(0)] = value;\n"
				 "}\n",
				 i);
	cl_program program = program_new(app, source, "");
	cl_mem things = buffer_new(app, items * sizeof(float));

	put_now(app->queue, things, items * sizeof(float), thing);
	box_open(program, tools);
	for (int i = 0; i < repairs; i++) {
		if (!app->repaired) {
			box_close(tools);
			box_open(program, tools);
		}
		args(tools[3], "bi", things, 40);
		run(app->queue, tools[3], items, 64);
		get(app->queue, things, 64, thing);
	}
	box_close(tools);
	get(app->queue, things, items * sizeof(float), thing);
	answer(total(thing, items));
	DROP(program);
	DROP(things);
	free(thing);
}

/* A heap on the device: a window of it is a sub-buffer, of which those of every third lookup, which
 * ends early, are never released. Repaired, all are. */
void app_heap_windows(struct app *app)
{
	enum { items = 256 * KIB, window = 8 * KIB, looks = 900 };
	float *heap = floats(items, 59), few[16];
	cl_kernel look = kernel_of(app, CHAIN("look"), "look");
	cl_mem all = buffer_new(app, items * sizeof(float));
	double sum = 0;

	put_now(app->queue, all, items * sizeof(float), heap);
	for (size_t i = 0; i < looks; i++) {
		cl_buffer_region region = {i % 32 * window * sizeof(float), window * sizeof(float)};
		cl_int status;
		cl_mem part = clCreateSubBuffer(all, CL_MEM_READ_WRITE,
						CL_BUFFER_CREATE_TYPE_REGION, &region, &status);

		must(status, "clCreateSubBuffer");
		args(look, "bi", part, 100);
		run(app->queue, look, window, 64);
		get(app->queue, part, sizeof(few), few);
		if (i % 3 == 2) {
			if (app->repaired)
				DROP(part);
			continue; /* found at once */
		}
		sum += (double)few[i % 16];
		DROP(part);
	}
	answer(sum);
	DROP(look);
	DROP(all);
	free(heap);
}

/* The event of the job, or no event when there is nothing to do. */
static cl_event job_submit(cl_command_queue queue, cl_kernel kernel, int job, bool chained,
			   cl_event before)
{
	cl_event event;

	if (job % 7 == 0)
		return NULL;
	event = run_after(queue, kernel, 8 * KIB, 64, chained ? 1 : 0, &before);
	flush(queue);
	return event;
}

/* Jobs with a helper that returns the event of each. A job that follows another takes its place,
 * and the other's event is lost; repaired, it is released. */
void app_job_events(struct app *app)
{
	enum { items = 8 * KIB, jobs = 4000 };
	float *values = floats(items, 60);
	cl_kernel job = kernel_of(app, CHAIN("job"), "job");
	cl_mem buffer = buffer_new(app, items * sizeof(float));
	cl_event last = NULL;

	put_now(app->queue, buffer, items * sizeof(float), values);
	args(job, "bi", buffer, 20);
	for (int i = 0; i < jobs; i++) {
		cl_event next = job_submit(app->queue, job, i, last != NULL, last);

		if (!next)
			continue;
		if (last && app->repaired)
			DROP(last);
		last = next;
		if (i % 100 == 99)
			TRY(clWaitForEvents(1, &last));
	}
	settle(last);
	get(app->queue, buffer, items * sizeof(float), values);
	answer(total(values, items));
	DROP(job);
	DROP(buffer);
	free(values);
}

/* A frame's memory: an image that the kernel does not need, if there is one of that format. */
static cl_mem frame_extra(const struct app *app, size_t width)
{
	const cl_image_format format = {CL_RGB, CL_UNORM_SHORT_565};
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = 0};
	cl_int status;

	return clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);
}

/* A player tries, for each of its frames, to have an image for the overlay, with a height of 0 as
 * long as nobody has set one. That fails, and it goes on without; repaired, it does not try. */
void app_overlay_images(struct app *app)
{
	enum { items = 64 * KIB, frames = 300 };
	float *pixels = floats(items, 61);
	cl_kernel show = kernel_of(app, CHAIN("show"), "show");
	cl_mem frame = buffer_new(app, items * sizeof(float));

	put_now(app->queue, frame, items * sizeof(float), pixels);
	args(show, "bi", frame, 30);
	for (int i = 0; i < frames; i++) {
		cl_mem overlay = app->repaired ? NULL : frame_extra(app, 640);

		run(app->queue, show, items, 64);
		if (overlay)
			DROP(overlay);
		if (i % 10 == 9)
			get(app->queue, frame, 1024, pixels);
	}
	get(app->queue, frame, items * sizeof(float), pixels);
	answer(total(pixels, items));
	DROP(show);
	DROP(frame);
	free(pixels);
}

/* Counters are cleared before each of the passes, by a fill with a pattern of three bytes, whose
 * status nobody looks at: it fails, which does not show as only a debugging build counts. Repaired,
 * the pattern has four bytes. */
void app_fill_pattern(struct app *app)
{
	enum { items = 96 * KIB, counters = 1024, passes = 400 };
	float *rows = floats(items, 62);
	unsigned char zero[4] = {0};
	cl_kernel pass = kernel_of(app, CHAIN("pass"), "pass");
	cl_mem table = buffer_new(app, items * sizeof(float));
	cl_mem counts = buffer_new(app, counters * sizeof(int));

	put_now(app->queue, table, items * sizeof(float), rows);
	args(pass, "bi", table, 16);
	for (int i = 0; i < passes; i++) {
		clEnqueueFillBuffer(app->queue, counts, zero, app->repaired ? 4 : 3, 0,
				    counters * sizeof(int), 0, NULL, NULL);
		run(app->queue, pass, items, 64);
	}
	get(app->queue, table, items * sizeof(float), rows);
	answer(total(rows, items));
	DROP(pass);
	DROP(table);
	DROP(counts);
	free(rows);
}
