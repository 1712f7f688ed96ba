/* SPDX-License-Identifier: MIT */
/* Frames, clips and filters. */
#include "lectures.h"

#include <stdlib.h>

/* A grabber hands over frames whose lines have padding at their end; the device's have none. */
enum { LINES = 160, LINE = 2048, PADDED = LINE + 64, GRABS = 60 };

static const char grab_source[] =
	"kernel void level(global const uchar *from, global uchar *to, int gain)\n"
	"{\n"
	"	int i = get_global_id(0), v = from[i];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		v = (v * gain + 77 + k) & 255;\n"
	"	to[i] = (uchar)v;\n"
	"}\n";

static void frame_send(struct app *app, cl_mem frame, const unsigned char *lines)
{
	const size_t zero[3] = {0, 0, 0}, box[3] = {LINE, LINES, 1};

	if (app->repaired) {
		TRY(clEnqueueWriteBufferRect(app->queue, frame, CL_FALSE, zero, zero, box, LINE, 0,
					     PADDED, 0, lines, 0, NULL, NULL));
		return;
	}
	for (size_t y = 0; y < LINES; y++)
		TRY(clEnqueueWriteBuffer(app->queue, frame, CL_FALSE, y * LINE, LINE,
					 lines + y * PADDED, 0, NULL, NULL));
}

void lecture_scanlines(struct app *app)
{
	cl_mem frame = buffer_new(app, LINES * LINE), out = buffer_new(app, LINES * LINE);
	cl_kernel level = kernel_of(app, grab_source, "level");
	unsigned char *lines = memory(LINES * PADDED), pixel = 0;
	long sum = 0;

	for (int grab = 0; grab < GRABS; grab++) {
		for (size_t i = 0; i < LINES * PADDED; i += 16)
			lines[i] = (unsigned char)(i / 16 + (size_t)grab);
		frame_send(app, frame, lines);
		args(level, "bbi", frame, out, 3 + grab);
		run(app->queue, level, LINES * LINE, 64);
		get(app->queue, out, 1, &pixel);
		sum += pixel;
	}
	answer((double)sum);
	DROP(level);
	DROP(frame);
	DROP(out);
	free(lines);
}

/* Filters that plug in behind one interface: host memory in, host memory out. The repaired one's
 * interface is the device's buffer, and a chain's ends alone know the host. */
enum { PIXELS = 160 * KIB, CHAIN_OF = 4, PHOTOS = 60 };

struct filter {
	const char *name;
	cl_kernel kernel;
	double amount;
};

struct photo {
	cl_mem pixels;
	float *host;
};

static const char filter_source[] = "kernel void expose(global float *p, float a)\n"
				    "{\n"
				    "	int i = get_global_id(0);\n"
				    "	float v = p[i];\n"
				    "	for (int k = 0; k < 8; k++)\n"
				    "		v = v * (1 + a * 0.01f) + 0.001f;\n"
				    "	p[i] = v;\n"
				    "}\n"
				    "kernel void curve(global float *p, float a)\n"
				    "{\n"
				    "	int i = get_global_id(0);\n"
				    "	float v = p[i];\n"
				    "	for (int k = 0; k < 8; k++)\n"
				    "		v = v - a * v * (1 - v) * 0.1f;\n"
				    "	p[i] = v;\n"
				    "}\n"
				    "kernel void tint(global float *p, float a)\n"
				    "{\n"
				    "	int i = get_global_id(0);\n"
				    "	float v = p[i];\n"
				    "	for (int k = 0; k < 8; k++)\n"
				    "		v = mad(v, 0.97f, a * 0.02f);\n"
				    "	p[i] = v;\n"
				    "}\n"
				    "kernel void grain(global float *p, float a)\n"
				    "{\n"
				    "	int i = get_global_id(0);\n"
				    "	float v = p[i];\n"
				    "	for (int k = 0; k < 8; k++)\n"
				    "		v = fabs(v - a * 0.003f * (float)(i & 7));\n"
				    "	p[i] = v;\n"
				    "}\n";

static void filter_apply(struct app *app, const struct filter *filter, struct photo *photo)
{
	const size_t bytes = PIXELS * sizeof(float);

	if (!app->repaired)
		put(app->queue, photo->pixels, bytes, photo->host);
	args(filter->kernel, "bf", photo->pixels, filter->amount);
	run(app->queue, filter->kernel, PIXELS, 64);
	if (!app->repaired)
		get(app->queue, photo->pixels, bytes, photo->host);
}

void lecture_node_graph(struct app *app)
{
	struct filter filters[CHAIN_OF] = {{"expose", NULL, 0.3},
					   {"curve", NULL, 0.2},
					   {"tint", NULL, 0.5},
					   {"grain", NULL, 0.1}};
	const size_t bytes = PIXELS * sizeof(float);
	struct photo photo = {buffer_new(app, bytes), memory(bytes)};
	double sum = 0;

	app->program = program_new(app, filter_source, "");
	for (int i = 0; i < CHAIN_OF; i++)
		filters[i].kernel = kernel_new(app->program, filters[i].name);
	for (int number = 0; number < PHOTOS; number++) {
		refill(photo.host, PIXELS, number);
		if (app->repaired)
			put(app->queue, photo.pixels, bytes, photo.host);
		for (int i = 0; i < CHAIN_OF; i++)
			filter_apply(app, &filters[i], &photo);
		if (app->repaired)
			get(app->queue, photo.pixels, bytes, photo.host);
		sum += (double)photo.host[number];
	}
	answer(sum);
	for (int i = 0; i < CHAIN_OF; i++)
		DROP(filters[i].kernel);
	DROP(photo.pixels);
	free(photo.host);
}

/* A clip is converted frame by frame, four of them on their way at a time, but in one queue; the
 * repaired one has a queue for each direction and one for kernels. */
enum { FRAME = 192 * KIB, ON_THE_WAY = 4, CLIP = 240 };

struct slot {
	cl_mem in, out;
	float *from, *to;
	cl_event done;
};

static void slot_collect(struct slot *slot, double *sum)
{
	if (!slot->done)
		return;
	settle(slot->done);
	slot->done = NULL;
	*sum += (double)slot->to[1];
}

void lecture_clip_convert(struct app *app)
{
	const size_t bytes = FRAME * sizeof(float);
	cl_command_queue up = app->queue, work = app->queue, down = app->queue;
	cl_kernel convert = kernel_of(app, MAP("convert"), "convert");
	struct slot slots[ON_THE_WAY] = {{0}};
	double sum = 0;

	if (app->repaired) {
		work = queue_new(app, 0);
		down = queue_new(app, 0);
	}
	for (int i = 0; i < ON_THE_WAY; i++)
		slots[i] = (struct slot){buffer_new(app, bytes), buffer_new(app, bytes),
					 memory(bytes), memory(bytes), NULL};
	for (int frame = 0; frame < CLIP; frame++) {
		struct slot *slot = &slots[frame % ON_THE_WAY];

		slot_collect(slot, &sum);
		for (int i = 0; i < 64; i++) /* as a decoder would, in part */
			slot->from[i] = (float)(frame + i);

		cl_event there = put_after(up, slot->in, bytes, slot->from, 0, NULL);

		args(convert, "bbi", slot->in, slot->out, 12);

		cl_event made = run_after(work, convert, FRAME, 64, 1, &there);

		slot->done = get_after(down, slot->out, bytes, slot->to, 1, &made);
		flush(up);
		flush(work);
		flush(down);
		DROP(there);
		DROP(made);
	}
	for (int i = 0; i < ON_THE_WAY; i++) {
		slot_collect(&slots[(CLIP + i) % ON_THE_WAY], &sum);
		DROP(slots[i].in);
		DROP(slots[i].out);
		free(slots[i].from);
		free(slots[i].to);
	}
	answer(sum);
	if (app->repaired) {
		DROP(work);
		DROP(down);
	}
	DROP(convert);
}
