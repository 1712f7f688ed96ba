/* SPDX-License-Identifier: MIT */
/* Transfers that are too many, too slow, or need not be. */
#include "trials.h"

#include <stdlib.h>
#include <string.h>

struct light {
	float place[4], colour[4], aim[4], power, angle, fade, soft;
};

static const char light_source[] =
	"kernel void lit(global float *image, global const float *lights, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int l = 0; l < count; l++)\n"
	"		sum += lights[l * 16 + 4] / (1 + fabs(lights[l * 16] - i * 0.01f)) +\n"
	"		       lights[l * 16 + 12];\n"
	"	image[i] = sum;\n"
	"}\n";

/* Lamps that move: each of their seven fields goes to the device by a write of 4 or 16 bytes.
 * Repaired, one write moves all lamps. */
void trial_light_fields(struct app *app)
{
	enum { lights = 12, items = 4 * KIB, frames = 500, fields = 7 };
	static const size_t at[fields] = {0, 16, 32, 48, 52, 56, 60};
	struct light all[lights];
	cl_kernel lit = kernel_of(app, light_source, "lit");
	cl_mem image = buffer_new(app, items * sizeof(float)), lamps = buffer_new(app, sizeof(all));
	float *seen = memory(items * sizeof(*seen));
	double sum = 0;

	args(lit, "bbi", image, lamps, lights);
	for (int i = 0; i < frames; i++) {
		refill((float *)all, lights * sizeof(*all) / sizeof(float), i);
		if (app->repaired)
			put(app->queue, lamps, sizeof(all), all);
		for (int j = 0; j < lights * fields && !app->repaired; j++) {
			size_t field = at[j % fields], size = field < 48 ? 16 : 4;
			size_t offset = (size_t)(j / fields) * sizeof(*all) + field;

			TRY(clEnqueueWriteBuffer(app->queue, lamps, CL_FALSE, offset, size,
						 (char *)all + offset, 0, NULL, NULL));
		}
		run(app->queue, lit, items, 64);
		get(app->queue, image, items * sizeof(float), seen);
		sum += (double)seen[i * 8];
	}
	answer(sum);
	DROP(lit);
	DROP(image);
	DROP(lamps);
	free(seen);
}

/* What a radar sends comes behind a head of 20 bytes, and goes to the device from there, for which
 * its engine copies it first. Repaired, the memory begins so that the payload is where it should.
 * */
void trial_packet_payload(struct app *app)
{
	enum { head = 20, items = 64 * KIB, bytes = items * sizeof(float), packets = 200 };
	size_t before = app->repaired ? 64 : head;
	char *packet = memory(64 + bytes);
	float *payload = (float *)(void *)(packet + before);
	float *echo = memory(4 * KIB);
	cl_kernel focus = kernel_of(app, MIX("focus"), "focus");
	cl_mem sweep = buffer_new(app, bytes);
	double sum = 0;

	args(focus, "bi", sweep, 3);
	for (int i = 0; i < packets; i++) {
		memset(packet, i, before);
		refill(payload, items, i);
		put_now(app->queue, sweep, bytes, payload);
		run(app->queue, focus, items, 64);
		get(app->queue, sweep, 4 * KIB, echo);
		sum += (double)echo[i];
	}
	answer(sum);
	DROP(focus);
	DROP(sweep);
	free(packet);
	free(echo);
}

static const char halo_source[] =
	"kernel void pack(global const float *g, global float *edge, int w)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	edge[i] = g[i * w + w - 2];\n"
	"}\n" MIX("advance");

/* A domain's last but one column is sent to a neighbour: it is read as a rectangle 4 bytes wide.
 * Repaired, a kernel packs it, and the read is of one piece. */
void trial_column_halo(struct app *app)
{
	enum { w = 16, h = 32 * KIB, items = w * h, edge = h * sizeof(float), steps = 400 };
	cl_program program = program_new(app, halo_source, "");
	cl_kernel advance = kernel_new(program, "advance"), pack = kernel_new(program, "pack");
	cl_mem grid = buffer_new(app, items * sizeof(float)), packed = buffer_new(app, edge);
	float *data = floats(items, 10), *column = memory(edge);
	double sum = 0;

	put_now(app->queue, grid, items * sizeof(float), data);
	args(advance, "bi", grid, 1);
	args(pack, "bbi", grid, packed, w);
	for (int i = 0; i < steps; i++) {
		const size_t from[3] = {(w - 2) * sizeof(float), 0, 0}, to[3] = {0, 0, 0};
		const size_t part[3] = {sizeof(float), h, 1};

		run(app->queue, advance, items / 16, 64);
		if (app->repaired) {
			run(app->queue, pack, h, 64);
			get(app->queue, packed, edge, column);
		} else {
			TRY(clEnqueueReadBufferRect(app->queue, grid, CL_TRUE, from, to, part,
						    w * sizeof(float), 0, sizeof(float), 0, column,
						    0, NULL, NULL));
		}
		sum += (double)column[i];
	}
	answer(sum);
	DROP(advance);
	DROP(pack);
	DROP(program);
	DROP(grid);
	DROP(packed);
	free(data);
	free(column);
}

/* A detector's map of scores comes home whole, 2 MiB, for the 64 scores of its best row; repaired,
 * that row alone. */
void trial_score_map(struct app *app)
{
	enum { items = 512 * KIB, row = 64, frames = 300 };
	cl_kernel score = kernel_of(app, MIX("score"), "score");
	cl_mem map = buffer_new(app, items * sizeof(float));
	float *scores = floats(items, 11);
	double sum = 0;

	put_now(app->queue, map, items * sizeof(float), scores);
	args(score, "bi", map, 2);
	for (int i = 0; i < frames; i++) {
		size_t best = (size_t)(i * 37 % (items / row)) * row;

		run(app->queue, score, items / 8, 64);
		if (app->repaired)
			get_from(app->queue, map, best * sizeof(float), row * sizeof(float),
				 scores + best);
		else
			get(app->queue, map, items * sizeof(float), scores);
		sum += total(scores + best, row);
	}
	answer(sum);
	DROP(score);
	DROP(map);
	free(scores);
}

static const char weights_source[] =
	"kernel void infer(global const float *w, global const float *x, global float *y, int n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int j = 0; j < 32; j++)\n"
	"		sum += w[(i * 32 + j) % n] * x[j];\n"
	"	y[i] = sum;\n"
	"}\n";

/* A server's function for a request sends the model and the request; the model is always the same.
 * Repaired, it is sent before the first one. */
void trial_batch_weights(struct app *app)
{
	enum { weights = 512 * KIB, bytes = weights * sizeof(float), items = 2 * KIB };
	enum { requests = 250, small = items * sizeof(float) };
	cl_kernel infer = kernel_of(app, weights_source, "infer");
	cl_mem model = buffer_new(app, bytes), x = buffer_new(app, small);
	cl_mem y = buffer_new(app, small);
	float *trained = floats(weights, 12), *data = memory(small);
	double sum = 0;

	args(infer, "bbbi", model, x, y, weights);
	for (int i = 0; i < requests; i++) {
		refill(data, items, i);
		if (!app->repaired || !i)
			put(app->queue, model, bytes, trained);
		put(app->queue, x, small, data);
		run(app->queue, infer, items, 64);
		get(app->queue, y, small, data);
		sum += (double)data[i];
	}
	answer(sum);
	DROP(infer);
	DROP(model);
	DROP(x);
	DROP(y);
	free(trained);
	free(data);
}

/* Waves: the field that was computed becomes the old one, by a read and a write through the host's
 * memory; repaired, the device copies it. The next step begins from there. */
void trial_step_swap(struct app *app)
{
	enum { items = 256 * KIB, bytes = items * sizeof(float), steps = 220 };
	cl_kernel wave = kernel_of(app, MIX("wave"), "wave");
	cl_mem now = buffer_new(app, bytes), old = buffer_new(app, bytes);
	float *field = floats(items, 13);

	put_now(app->queue, now, bytes, field);
	for (int i = 0; i < steps; i++) {
		args(wave, "bi", now, 1);
		run(app->queue, wave, items / 4, 64);
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, now, old, 0, 0, bytes, 0, NULL, NULL));
		} else {
			get(app->queue, now, bytes, field);
			put_now(app->queue, old, bytes, field);
		}
		args(wave, "bi", old, 1);
		run(app->queue, wave, items / 4, 64);

		cl_mem swap = now;

		now = old;
		old = swap;
	}
	get(app->queue, now, bytes, field);
	answer(total(field, items));
	DROP(wave);
	DROP(now);
	DROP(old);
	free(field);
}

static const char clip_source[] = "kernel void clip(global float *v)\n"
				  "{\n"
				  "	size_t i = get_global_id(0);\n"
				  "	v[i] = v[i] > 0.75f ? 0.75f : v[i];\n"
				  "}\n" MIX("denoise") MIX("sharpen");

/* Between two kernels of a picture's way the host clips its values, for which it comes home and
 * goes back. Repaired, a third kernel clips. */
void trial_clip_home(struct app *app)
{
	enum { items = 96 * KIB, bytes = items * sizeof(float), pictures = 200 };
	cl_program program = program_new(app, clip_source, "");
	cl_kernel denoise = kernel_new(program, "denoise"), clip = kernel_new(program, "clip");
	cl_kernel sharpen = kernel_new(program, "sharpen");
	cl_mem plane = buffer_new(app, bytes);
	float *data = floats(items, 14);
	double sum = 0;

	put_now(app->queue, plane, bytes, data);
	args(denoise, "bi", plane, 2);
	args(clip, "b", plane);
	args(sharpen, "bi", plane, 2);
	for (int i = 0; i < pictures; i++) {
		run(app->queue, denoise, items, 64);
		if (app->repaired) {
			run(app->queue, clip, items, 64);
		} else {
			get(app->queue, plane, bytes, data);
			for (int j = 0; j < items; j++)
				data[j] = data[j] > 0.75f ? 0.75f : data[j];
			put_now(app->queue, plane, bytes, data);
		}
		run(app->queue, sharpen, items, 64);
		get(app->queue, plane, 4 * KIB, data);
		sum += (double)data[i];
	}
	answer(sum);
	DROP(denoise);
	DROP(clip);
	DROP(sharpen);
	DROP(program);
	DROP(plane);
	free(data);
}

/* Samples are put into a ring on the device, each message of 64 of them with a map and an unmap of
 * its own; repaired, what came since the last block is one map. */
void trial_ring_maps(struct app *app)
{
	enum { each = 64, messages = 64, items = each * messages, blocks = 100 };
	cl_kernel tune = kernel_of(app, MIX("tune"), "tune");
	cl_mem ring = buffer_new(app, items * sizeof(float));
	int maps = app->repaired ? 1 : messages;
	size_t part = items * sizeof(float) / (size_t)maps;
	float *samples = memory(items * sizeof(*samples));
	double sum = 0;
	cl_int status;

	args(tune, "bi", ring, 10);
	for (int i = 0; i < blocks; i++) {
		refill(samples, items, i);
		for (int j = 0; j < maps; j++) {
			void *mapped = clEnqueueMapBuffer(
				app->queue, ring, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
				(size_t)j * part, part, 0, NULL, NULL, &status);

			must(status, "clEnqueueMapBuffer");
			memcpy(mapped, (char *)samples + (size_t)j * part, part);
			TRY(clEnqueueUnmapMemObject(app->queue, ring, mapped, 0, NULL, NULL));
		}
		run(app->queue, tune, items, 64);
		get(app->queue, ring, items * sizeof(float), samples);
		sum += (double)samples[i];
	}
	answer(sum);
	DROP(tune);
	DROP(ring);
	free(samples);
}
