/* SPDX-License-Identifier: MIT */
/* Work that could go on at the same time does not. */
#include "trials.h"

#include <stdlib.h>

/* A land's tiles erode: four of them are parts of one buffer, each with a kernel of one group, and
 * a barrier stands between any two. Repaired, barriers stand around the rain that falls on all. */
void trial_tile_barriers(struct app *app)
{
	enum { tiles = 4, each = 1024, years = 60, cells = 32, bytes = each * sizeof(float) };
	float *land = floats(tiles * each, 20);
	cl_command_queue queue = loose_queue(app);
	cl_program program = program_new(app, MIX("erode") MIX("rain"), "");
	cl_kernel erode[tiles], rain = kernel_new(program, "rain");
	cl_mem all = buffer_new(app, tiles * bytes), parts[tiles];

	put_now(queue, all, tiles * bytes, land);
	args(rain, "bi", all, 10);
	for (int i = 0; i < tiles; i++) {
		parts[i] = sub_new(all, (size_t)i * bytes, bytes);
		erode[i] = kernel_new(program, "erode");
		args(erode[i], "bi", parts[i], 14000);
	}
	for (int i = 0; i < years; i++) {
		for (int j = 0; j < tiles; j++) {
			run(queue, erode[j], cells, cells);
			if (!app->repaired || j == tiles - 1)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		}
		run(queue, rain, tiles * each, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		if (i % 8 == 7)
			flush(queue);
	}
	get(queue, all, tiles * bytes, land);
	answer(total(land, tiles * each));
	for (int i = 0; i < tiles; i++) {
		DROP(erode[i]);
		DROP(parts[i]);
	}
	DROP(rain);
	DROP(program);
	DROP(all);
	DROP(queue);
	free(land);
}

/* Lines of a seismic survey, each with its own buffer, in three queues by turns. Each line's kernel
 * waits for the event of the line before, as if it went on from there; repaired, it waits for what
 * was done to the same line before. */
void trial_line_chain(struct app *app)
{
	enum { lines = 6, queues = 3, passes = 40, items = 64, bytes = items * sizeof(float) };
	cl_program program = program_new(app, MIX("migrate"), "");
	cl_kernel migrate[lines];
	cl_command_queue queue[queues];
	cl_mem line[lines];
	cl_event last = NULL, own[lines] = {NULL};
	float *data = floats(items, 21);
	double sum = 0;

	for (int i = 0; i < queues; i++)
		queue[i] = queue_new(app, 0);
	for (int i = 0; i < lines; i++) {
		line[i] = buffer_new(app, bytes);
		migrate[i] = kernel_new(program, "migrate");
		args(migrate[i], "bi", line[i], 5000 + 100 * i);
		refill(data, items, i);
		put_now(queue[0], line[i], bytes, data);
	}
	for (int i = 0; i < passes * lines; i++) {
		int at = i % lines;
		cl_event before = app->repaired ? own[at] : last;

		last = run_after(queue[i % queues], migrate[at], items, items, before != NULL,
				 &before);
		flush(queue[i % queues]);
		if (own[at])
			DROP(own[at]);
		own[at] = last;
	}
	for (int i = 0; i < lines; i++) {
		settle(own[i]);
		get(queue[0], line[i], bytes, data);
		sum += total(data, items);
		DROP(line[i]);
		DROP(migrate[i]);
	}
	answer(sum);
	for (int i = 0; i < queues; i++)
		DROP(queue[i]);
	DROP(program);
	free(data);
}

/* Two chains of a sampler in a queue without order. After each step a marker joins them, and the
 * next step of both waits for the marker; repaired, each step waits for its own chain. One step in
 * two is long, in turns. */
void trial_join_markers(struct app *app)
{
	enum { chains = 2, items = 64, steps = 120, bytes = items * sizeof(float) };
	cl_command_queue queue = loose_queue(app);
	cl_program program = program_new(app, MIX("walk"), "");
	cl_event at[chains], join = NULL;
	cl_kernel walk[chains];
	cl_mem state[chains];
	float *data = floats(items, 22);
	double sum = 0;

	for (int i = 0; i < chains; i++) {
		state[i] = buffer_new(app, bytes);
		walk[i] = kernel_new(program, "walk");
		at[i] = put_after(queue, state[i], bytes, data, 0, NULL);
	}
	for (int i = 0; i < steps; i++) {
		for (int j = 0; j < chains; j++) {
			cl_event before = join ? join : at[j], now;

			args(walk[j], "bi", state[j], i % 2 == j ? 9000 : 1000);
			now = run_after(queue, walk[j], items, items, 1, &before);
			DROP(at[j]);
			at[j] = now;
		}
		if (join)
			DROP(join);
		join = NULL;
		if (!app->repaired)
			TRY(clEnqueueMarkerWithWaitList(queue, chains, at, &join));
		flush(queue);
	}
	finish(queue);
	if (join)
		DROP(join);
	for (int i = 0; i < chains; i++) {
		DROP(at[i]);
		get(queue, state[i], bytes, data);
		sum += total(data, items);
		DROP(state[i]);
		DROP(walk[i]);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
	free(data);
}

/* Chunks of a survey: upload and kernel are enqueued behind a user event, which is set only after
 * the host has summed up the chunk before, as if that mattered to them. Repaired, it is set at
 * once, when the chunk is filled. */
void trial_upload_gate(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), chunks = 90 };
	cl_kernel grid = kernel_of(app, MIX("grid"), "grid");
	cl_mem buffers[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	float *in[2] = {memory(bytes), memory(bytes)}, *out[2] = {memory(bytes), memory(bytes)};
	cl_event down[2] = {NULL, NULL};
	double sum = 0;
	cl_int status;

	for (int i = 0; i <= chunks; i++) {
		int at = i % 2, before = 1 - at;
		cl_event gate = NULL, up;

		if (i < chunks) {
			gate = clCreateUserEvent(app->context, &status);
			must(status, "clCreateUserEvent");
			refill(in[at], items / 4, i);
			up = put_after(app->queue, buffers[at], bytes, in[at], 1, &gate);
			args(grid, "bi", buffers[at], 12);
			run(app->queue, grid, items, 64);
			if (app->repaired)
				TRY(clSetUserEventStatus(gate, CL_COMPLETE));
			if (i)
				TRY(clWaitForEvents(1, &down[before]));
			down[at] = get_after(app->queue, buffers[at], bytes, out[at], 0, NULL);
			flush(app->queue);
			DROP(up);
		}
		if (i) {
			TRY(clWaitForEvents(1, &down[before]));
			busy(out[before], items, 12);
			sum += (double)out[before][i];
			DROP(down[before]);
		}
		if (!gate)
			continue;
		if (!app->repaired)
			TRY(clSetUserEventStatus(gate, CL_COMPLETE));
		DROP(gate);
	}
	answer(sum);
	for (int i = 0; i < 2; i++) {
		DROP(buffers[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(grid);
}

/* An ensemble of three models, each with a kernel of one group and data of its own, asked one after
 * the other in one queue. Repaired, each has a queue. */
void trial_three_models(struct app *app)
{
	enum { models = 3, items = 32, bytes = items * sizeof(float), samples = 90 };
	static const char *const names[models] = {"tree", "kernelised", "boosted"};
	cl_program program = program_new(app, MIX("tree") MIX("kernelised") MIX("boosted"), "");
	cl_command_queue queue[models];
	cl_kernel kernel[models];
	cl_mem data[models];
	cl_event down[models];
	float *sample = memory(bytes), *said[models];
	double sum = 0;

	for (int i = 0; i < models; i++) {
		queue[i] = i && app->repaired ? queue_new(app, 0) : app->queue;
		kernel[i] = kernel_new(program, names[i]);
		data[i] = buffer_new(app, bytes);
		said[i] = memory(bytes);
		args(kernel[i], "bi", data[i], 12000);
	}
	for (int i = 0; i < samples; i++) {
		refill(sample, items, i);
		for (int j = 0; j < models; j++) {
			put(queue[j], data[j], bytes, sample);
			run(queue[j], kernel[j], items, items);
			down[j] = get_after(queue[j], data[j], bytes, said[j], 0, NULL);
			flush(queue[j]);
		}
		for (int j = 0; j < models; j++) {
			settle(down[j]);
			sum += (double)said[j][i % items];
		}
	}
	answer(sum);
	for (int i = 0; i < models; i++) {
		if (i && app->repaired)
			DROP(queue[i]);
		DROP(kernel[i]);
		DROP(data[i]);
		free(said[i]);
	}
	DROP(program);
	free(sample);
}

/* A month of weather: the host enqueues a day, works on the day before, and only its read at the
 * end has the queue begin. Repaired, a flush follows what is enqueued. */
void trial_late_flush(struct app *app)
{
	enum { items = 256 * KIB, shown = 4 * KIB, days = 90 };
	cl_kernel advect = kernel_of(app, MIX("advect"), "advect");
	cl_kernel rain = kernel_of(app, MIX("rain"), "rain");
	cl_mem air = buffer_new(app, items * sizeof(float));
	float *map = floats(items, 23);
	double sum = 0;

	put_now(app->queue, air, items * sizeof(float), map);
	args(advect, "bi", air, 2);
	args(rain, "bi", air, 1);
	for (int i = 0; i < days; i++) {
		run(app->queue, advect, items, 64);
		run(app->queue, rain, items, 64);
		if (app->repaired)
			flush(app->queue);
		busy(map, shown, 160);
		sum += (double)map[i];
		get(app->queue, air, shown * sizeof(float), map);
	}
	answer(sum);
	DROP(advect);
	DROP(rain);
	DROP(air);
	free(map);
}

/* Frames of a microscope go up, are unfolded and come home one at a time. Repaired, two queues with
 * a buffer each have the odd and the even frames, and the next one goes up meanwhile. */
void trial_frame_turns(struct app *app)
{
	enum { items = 128 * KIB, bytes = items * sizeof(float), frames = 110 };
	int lanes = app->repaired ? 2 : 1;
	cl_command_queue queue[2] = {app->queue, NULL};
	cl_kernel unfold = kernel_of(app, MIX("unfold"), "unfold");
	cl_event home[2] = {NULL, NULL};
	cl_mem buffer[2];
	float *in[2], *out[2];
	double sum = 0;

	for (int i = 0; i < lanes; i++) {
		if (i)
			queue[i] = queue_new(app, 0);
		buffer[i] = buffer_new(app, bytes);
		in[i] = floats(items, 24);
		out[i] = memory(bytes);
	}
	for (int i = 0; i < frames + lanes; i++) {
		int at = i % lanes;

		if (home[at]) {
			settle(home[at]);
			sum += (double)out[at][i - lanes];
			home[at] = NULL;
		}
		if (i >= frames)
			continue;
		for (int j = 0; j < items; j += 32)
			in[at][j] = (float)(i * j % 1009);
		args(unfold, "bi", buffer[at], 3);
		put(queue[at], buffer[at], bytes, in[at]);
		run(queue[at], unfold, items / 2, 64);
		home[at] = get_after(queue[at], buffer[at], bytes, out[at], 0, NULL);
		flush(queue[at]);
	}
	answer(sum);
	for (int i = 0; i < lanes; i++) {
		if (i)
			DROP(queue[i]);
		DROP(buffer[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(unfold);
}
