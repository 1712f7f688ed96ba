/* SPDX-License-Identifier: MIT */
/* Streams of blocks and frames, with several of them on their way. */
#include "surveys.h"

#include <stdlib.h>

/* Blocks of a radar's echoes: up, compressed with the pulse's replica, down. */
static const char pulse_source[] =
	"kernel void compress(global const float *echo, global float *range, int taps)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float sum = 0, chirp = 0.5f;\n"
	"	for (int t = 0; t < taps; t++) {\n"
	"		sum += echo[min(i + t, last)] * chirp;\n"
	"		chirp = 3.75f * chirp * (1 - chirp);\n"
	"	}\n"
	"	range[i] = sum;\n"
	"}\n";

enum { RADAR_SAMPLES = 128 * 1024, RADAR_BYTES = RADAR_SAMPLES * 4, RADAR_BLOCKS = 140 };

struct radar {
	cl_command_queue up, work, down;
	cl_kernel compress;
	cl_mem echo[2], range[2];
	cl_event worked[2], done[2]; /* what used the buffers last, or NULL */
	float *echoes[4], *ranges[2];
};

static void radar_start(struct radar *radar, int block)
{
	int slot = block % 2;
	cl_event waits[2], sent, *done = &radar->done[slot];
	cl_uint count = 1;

	sent = put_after(radar->up, radar->echo[slot], RADAR_BYTES, radar->echoes[block % 4],
			 radar->worked[slot] ? 1 : 0, &radar->worked[slot]);
	flush(radar->up);
	waits[0] = sent;
	if (*done)
		waits[count++] = *done;
	if (radar->worked[slot])
		DROP(radar->worked[slot]);
	args(radar->compress, "bbi", radar->echo[slot], radar->range[slot], 24);
	radar->worked[slot] =
		run_after(radar->work, radar->compress, RADAR_SAMPLES, 64, count, waits);
	flush(radar->work);
	DROP(sent);
	if (*done)
		DROP(*done);
	*done = get_after(radar->down, radar->range[slot], RADAR_BYTES, radar->ranges[slot], 1,
			  &radar->worked[slot]);
	flush(radar->down);
}

void survey_radar_blocks(struct app *app)
{
	struct radar radar = {app->queue, app->queue, app->queue, NULL, {0},
			      {0},	  {0},	      {0},	  {0},	{0}};
	double sum = 0;

	if (app->repaired) {
		radar.up = queue_new(app, 0);
		radar.down = queue_new(app, 0);
	}
	radar.compress = kernel_of(app, pulse_source, "compress");
	for (unsigned i = 0; i < 4; i++)
		radar.echoes[i] = floats(RADAR_SAMPLES, 43 + i);
	for (int slot = 0; slot < 2; slot++) {
		radar.echo[slot] = buffer_new(app, RADAR_BYTES);
		radar.range[slot] = buffer_new(app, RADAR_BYTES);
		radar.ranges[slot] = memory(RADAR_BYTES);
	}
	for (int block = 0; block <= RADAR_BLOCKS; block++) {
		if (block < RADAR_BLOCKS)
			radar_start(&radar, block);
		if (!block)
			continue;
		TRY(clWaitForEvents(1, &radar.done[!(block % 2)]));
		sum += (double)radar.ranges[!(block % 2)][block * 11];
	}
	answer(sum);
	for (int slot = 0; slot < 2; slot++) {
		DROP(radar.worked[slot]);
		DROP(radar.done[slot]);
		DROP(radar.range[slot]);
		DROP(radar.echo[slot]);
		free(radar.ranges[slot]);
	}
	for (int i = 0; i < 4; i++)
		free(radar.echoes[i]);
	DROP(radar.compress);
	if (app->repaired) {
		DROP(radar.up);
		DROP(radar.down);
	}
}

/* A camera that has a picture every 2.5 ms; each is on its way out before the next is there. */
static const char lens_source[] =
	"kernel void undistort(global const float *in, global float *out, int width)\n"
	"{\n"
	"	int x = (int)get_global_id(0), y = (int)get_global_id(1);\n"
	"	int rows = (int)get_global_size(1);\n"
	"	float dx = (float)x / (float)width - 0.5f, dy = (float)y / (float)rows - 0.5f;\n"
	"	float bend = 1 - 0.1f * (dx * dx + dy * dy);\n"
	"	int sx = (int)((dx * bend + 0.5f) * (float)width);\n"
	"	int sy = (int)((dy * bend + 0.5f) * (float)rows);\n"
	"	out[y * width + x] = in[sy * width + sx];\n"
	"}\n";

void survey_clean_camera(struct app *app)
{
	enum { WIDTH = 320, ROWS = 240, PIXELS = WIDTH * ROWS, PICTURES = 100 };

	const size_t bytes = PIXELS * sizeof(float);
	cl_kernel undistort = kernel_of(app, lens_source, "undistort");
	cl_mem in = buffer_new(app, bytes), out = buffer_new(app, bytes);
	float *picture = memory(bytes), *straight = memory(bytes);
	double sum = 0;

	args(undistort, "bbi", in, out, WIDTH);
	for (int n = 0; n < PICTURES; n++) {
		nap(2500);
		refill(picture, PIXELS, n);
		put(app->queue, in, bytes, picture);
		run_plane(app->queue, undistort, WIDTH, ROWS, 64, 4);
		get(app->queue, out, bytes, straight);
		sum += (double)straight[n * 41];
	}
	answer(sum);
	free(straight);
	free(picture);
	DROP(out);
	DROP(in);
	DROP(undistort);
}

/* Records of a sensor network: the host packs the next while the device has two of them, in queues
 * of their own. */
static const char record_source[] =
	"kernel void smooth(global const float *raw, global float *fine, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float a = raw[max(i - 1, 0)], b = raw[i], c = raw[min(i + 1, last)];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		b = b * 0.875f + 0.0625f * (a + c) - 0.001f * b * b;\n"
	"	fine[i] = b;\n"
	"}\n";

void survey_clean_feed(struct app *app)
{
	enum { SAMPLES = 96 * 1024, BYTES = SAMPLES * 4, RECORDS = 160 };

	cl_command_queue queues[2] = {app->queue, queue_new(app, 0)};
	cl_kernel smooth = kernel_of(app, record_source, "smooth");
	cl_mem raw[2], fine[2];
	cl_event done[2] = {NULL, NULL};
	float *packed[2], *result[2];
	double sum = 0;

	for (int slot = 0; slot < 2; slot++) {
		raw[slot] = buffer_new(app, BYTES);
		fine[slot] = buffer_new(app, BYTES);
		packed[slot] = memory(BYTES);
		result[slot] = memory(BYTES);
	}
	for (int n = 0; n < RECORDS + 2; n++) {
		int slot = n % 2;

		if (done[slot]) {
			settle(done[slot]);
			done[slot] = NULL;
			sum += (double)result[slot][n * 53];
		}
		if (n >= RECORDS)
			continue;
		refill(packed[slot], SAMPLES, n);
		put(queues[slot], raw[slot], BYTES, packed[slot]);
		args(smooth, "bbi", raw[slot], fine[slot], 16);
		run(queues[slot], smooth, SAMPLES, 128);
		done[slot] = get_after(queues[slot], fine[slot], BYTES, result[slot], 0, NULL);
		flush(queues[slot]);
	}
	answer(sum);
	for (int slot = 0; slot < 2; slot++) {
		free(result[slot]);
		free(packed[slot]);
		DROP(fine[slot]);
		DROP(raw[slot]);
	}
	DROP(smooth);
	DROP(queues[1]);
}
