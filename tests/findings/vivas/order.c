/* SPDX-License-Identifier: MIT */
/* Commands that could run at the same time and do not. */
#include "vivas.h"

#include <stdlib.h>

/* Four radar channels, in a queue out of order. A channel's data have nothing to do with those of
 * the others; all of them are fenced as one. */
enum { CHANNELS = 4, SWEEPS = 65536, SWEEP_BYTES = SWEEPS * sizeof(float) };
struct radar {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem channels[CHANNELS];
	float *pulses[CHANNELS], *echoes[CHANNELS];
	bool fenced;
};

static void radar_fence(const struct radar *radar)
{
	if (radar->fenced)
		TRY(clEnqueueBarrierWithWaitList(radar->queue, 0, NULL, NULL));
}

static void radar_pulse(struct radar *radar)
{
	for (int i = 0; i < CHANNELS; i++) {
		radar->pulses[i][0] += 1;

		cl_event up = put_after(radar->queue, radar->channels[i], SWEEP_BYTES,
					radar->pulses[i], 0, NULL);

		radar_fence(radar);
		args(radar->kernel, "bi", radar->channels[i], 2);

		cl_event ran = run_after(radar->queue, radar->kernel, SWEEPS, 64, 1, &up);

		radar_fence(radar);

		cl_event down = get_after(radar->queue, radar->channels[i], SWEEP_BYTES,
					  radar->echoes[i], 1, &ran);

		radar_fence(radar);
		DROP(up);
		DROP(ran);
		DROP(down);
	}
	finish(radar->queue);
}

void viva_radar_fences(struct app *app)
{
	struct radar radar = {.queue = loose_queue(app), .fenced = !app->repaired};
	double sum = 0;

	radar.kernel = kernel_of(app, FIELD("compress_pulse"), "compress_pulse");
	for (int i = 0; i < CHANNELS; i++) {
		radar.channels[i] = buffer_new(app, SWEEP_BYTES);
		radar.pulses[i] = floats(SWEEPS, (unsigned)i);
		radar.echoes[i] = memory(SWEEP_BYTES);
	}
	for (int pulse = 0; pulse < 200; pulse++) {
		radar_pulse(&radar);
		for (int i = 0; i < CHANNELS; i++)
			sum += total(radar.echoes[i], SWEEPS / 4);
	}
	answer(sum);
	for (int i = 0; i < CHANNELS; i++) {
		free(radar.pulses[i]);
		free(radar.echoes[i]);
		DROP(radar.channels[i]);
	}
	DROP(radar.kernel);
	DROP(radar.queue);
}

/* Three shards have a queue each, and one timeline: what is enqueued waits for what was enqueued
 * last, whichever shard that was for. */
enum { SHARDS = 3 };
struct timeline {
	cl_event last[SHARDS];
	bool shared;
};

static cl_uint timeline_wait(struct timeline *timeline, int shard, const cl_event **waits)
{
	*waits = &timeline->last[timeline->shared ? 0 : shard];
	return **waits != NULL;
}

static void timeline_move(struct timeline *timeline, int shard, cl_event event)
{
	cl_event *last = &timeline->last[timeline->shared ? 0 : shard];

	if (*last)
		DROP(*last);
	*last = event;
}

void viva_shard_timeline(struct app *app)
{
	enum { COUNT = 65536, BYTES = COUNT * sizeof(float) };
	struct timeline timeline = {.shared = !app->repaired};
	cl_kernel kernel = kernel_of(app, FIELD("merge_shard"), "merge_shard");
	cl_command_queue queues[SHARDS];
	cl_mem shards[SHARDS];
	float *rows[SHARDS], *merged[SHARDS];
	double sum = 0;
	const cl_event *waits;

	for (int i = 0; i < SHARDS; i++) {
		queues[i] = queue_new(app, 0);
		shards[i] = buffer_new(app, BYTES);
		rows[i] = floats(COUNT, (unsigned)i);
		merged[i] = memory(BYTES);
	}
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < SHARDS; i++) {
			rows[i][0] += 1;
			for (int stage = 0; stage < 3; stage++) {
				cl_uint count = timeline_wait(&timeline, i, &waits);
				cl_event event;

				args(kernel, "bi", shards[i], 2);
				if (stage == 0)
					event = put_after(queues[i], shards[i], BYTES, rows[i],
							  count, waits);
				else if (stage == 1)
					event = run_after(queues[i], kernel, COUNT, 64, count,
							  waits);
				else
					event = get_after(queues[i], shards[i], BYTES, merged[i],
							  count, waits);
				timeline_move(&timeline, i, event);
			}
			flush(queues[i]);
		}
		for (int i = 0; i < SHARDS; i++) {
			finish(queues[i]);
			sum += total(merged[i], COUNT / 4);
		}
	}
	answer(sum);
	for (int i = 0; i < SHARDS; i++) {
		if (timeline.last[i])
			DROP(timeline.last[i]);
		free(rows[i]);
		free(merged[i]);
		DROP(shards[i]);
		DROP(queues[i]);
	}
	DROP(kernel);
}

/* A seismic survey: one queue uploads traces, another migrates them. There is one buffer for what
 * comes in, so that each waits for the other. */
void viva_trace_slot(struct app *app)
{
	enum { COUNT = 131072, BYTES = COUNT * sizeof(float), TRACES = 400 };
	cl_kernel kernel =
		kernel_of(app,
			  "kernel void migrate(global const float *in, global float *sum)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	sum[i] = sum[i] * 0.5f + in[i];\n"
			  "}\n",
			  "migrate");
	cl_command_queue uploads = queue_new(app, 0);
	cl_mem slots[2] = {buffer_new(app, BYTES), buffer_new(app, BYTES)};
	cl_mem image = seeded(app, BYTES, 8);
	float *traces[8], first = 0;
	int depth = app->repaired ? 2 : 1;
	cl_event used[2] = {NULL, NULL};

	for (unsigned k = 0; k < 8; k++)
		traces[k] = floats(COUNT, k);
	for (int i = 0; i < TRACES; i++) {
		int slot = i % depth;
		cl_event there = put_after(uploads, slots[slot], BYTES, traces[i % 8],
					   used[slot] != NULL, &used[slot]);

		flush(uploads);
		if (used[slot])
			DROP(used[slot]);
		args(kernel, "bb", slots[slot], image);
		used[slot] = run_after(app->queue, kernel, COUNT, 64, 1, &there);
		flush(app->queue);
		if (i % 8 == 7)
			finish(app->queue);
		for (int k = 0; i % 8 == 7 && k < 8; k++) /* as read from a file */
			traces[k][0] += 1;
		DROP(there);
	}
	get(app->queue, image, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < depth; i++)
		DROP(used[i]);
	for (int k = 0; k < 8; k++)
		free(traces[k]);
	DROP(slots[0]);
	DROP(slots[1]);
	DROP(image);
	DROP(uploads);
	DROP(kernel);
}
