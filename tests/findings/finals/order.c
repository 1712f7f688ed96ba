/* SPDX-License-Identifier: MIT */
/* Commands that wait for others without need. */
#include "finals.h"

/* Video: upload, filter and download of all frames in one queue. */

enum { VIDEO_BYTES = 1 << 20, VIDEO_ITEMS = VIDEO_BYTES / 4 };

void final_video_queue(struct app *app)
{
	enum { FRAMES = 120, SLOTS = 3 };
	float *in[SLOTS], *out[SLOTS];
	double sum = 0;
	bool apart = app->repaired;
	cl_command_queue up = apart ? queue_new(app, 0) : app->queue,
			 down = apart ? queue_new(app, 0) : app->queue;
	cl_kernel denoise = kernel_of(app, MIX("denoise"), "denoise");
	cl_mem slots[SLOTS];
	cl_event read[SLOTS] = {NULL};

	for (unsigned i = 0; i < SLOTS; i++) {
		in[i] = floats(VIDEO_ITEMS, i);
		out[i] = floats(VIDEO_ITEMS, i);
		slots[i] = buffer_new(app, VIDEO_BYTES);
	}
	for (int frame = 0; frame < FRAMES; frame++) {
		int slot = frame % SLOTS;
		cl_event written, filtered;

		if (read[slot]) {
			settle(read[slot]);
			sum += (double)out[slot][frame];
		}
		refill(in[slot], 512, frame);
		written = put_after(up, slots[slot], VIDEO_BYTES, in[slot], 0, NULL);
		flush(up);
		args(denoise, "bi", slots[slot], 2);
		filtered = run_after(app->queue, denoise, VIDEO_ITEMS, 64, 1, &written);
		flush(app->queue);
		read[slot] = get_after(down, slots[slot], VIDEO_BYTES, out[slot], 1, &filtered);
		flush(down);
		DROP(written);
		DROP(filtered);
	}
	for (int i = 0; i < SLOTS; i++)
		settle(read[i]);
	answer(sum);
	if (apart) {
		DROP(up);
		DROP(down);
	}
	for (int i = 0; i < SLOTS; i++)
		DROP(slots[i]);
	DROP(denoise);
}

/* An ensemble of small simulations, each of one group: they follow each other in a queue, though a
 * device has room for several. */

void final_ensemble_members(struct app *app)
{
	enum { MEMBERS = 4, N = 64, STEPS = 150 };
	float *state = floats(N, 1);
	cl_command_queue queues[MEMBERS];
	cl_mem members[MEMBERS];
	cl_kernel kernels[MEMBERS];
	cl_program program = program_new(app, MIX("forecast"), "");
	double sum = 0;

	for (int m = 0; m < MEMBERS; m++) {
		queues[m] = app->repaired ? queue_new(app, 0) : app->queue;
		members[m] = loaded(app, N * 4, state);
		kernels[m] = kernel_new(program, "forecast");
		args(kernels[m], "bi", members[m], 8000);
	}
	for (int step = 0; step < STEPS; step++)
		for (int m = 0; m < MEMBERS; m++) {
			run(queues[m], kernels[m], N, N);
			if (step % 25 == 24)
				flush(queues[m]);
		}
	for (int m = 0; m < MEMBERS; m++) {
		get(queues[m], members[m], N * 4, state);
		sum += total(state, N);
		DROP(kernels[m]);
		DROP(members[m]);
		if (app->repaired)
			DROP(queues[m]);
	}
	answer(sum);
	DROP(program);
}

/* Tiles in a queue that keeps no order: a barrier after each, though only the last step needs
 * all. */

void final_tile_barriers(struct app *app)
{
	enum { TILES = 240, SLOTS = 8, BYTES = 512 * KIB, N = BYTES / 4 };
	cl_command_queue queue = unordered_queue(app);
	float *in[SLOTS], *out[SLOTS];
	double sum = 0;
	cl_mem slots[SLOTS];
	cl_event last[SLOTS] = {NULL};
	cl_kernel sharpen = kernel_of(app, MIX("sharpen"), "sharpen");

	for (unsigned i = 0; i < SLOTS; i++) {
		slots[i] = buffer_new(app, BYTES);
		in[i] = floats(N, i);
		out[i] = floats(N, i);
	}
	for (int tile = 0; tile < TILES; tile++) {
		int slot = tile % SLOTS;
		cl_event written, done;

		if (last[slot]) {
			settle(last[slot]);
			sum += (double)out[slot][tile];
		}
		refill(in[slot], 512, tile);
		written = put_after(queue, slots[slot], BYTES, in[slot], 0, NULL);
		args(sharpen, "bi", slots[slot], 4);
		done = run_after(queue, sharpen, N, 64, 1, &written);
		last[slot] = get_after(queue, slots[slot], BYTES, out[slot], 1, &done);
		DROP(written);
		DROP(done);
		if (!app->repaired)
			TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
	}
	finish(queue);
	for (int i = 0; i < SLOTS; i++) {
		DROP(last[i]);
		DROP(slots[i]);
	}
	answer(sum);
	DROP(sharpen);
	DROP(queue);
}

/* A task runner with a queue for each worker: each task is made to follow the one that was given
 * before, whoever got it. */

struct runner {
	cl_command_queue queue;
	cl_mem buffer;
	cl_kernel kernel;
	float *data;
};

void final_task_chain(struct app *app)
{
	enum { RUNNERS = 4, TASKS = 320, N = 64 };
	struct runner runners[RUNNERS];
	cl_program program = program_new(app, MIX("match"), "");
	cl_event before = NULL;
	double sum = 0;

	for (int i = 0; i < RUNNERS; i++) {
		runners[i] = (struct runner){queue_new(app, 0), buffer_new(app, 512 * KIB),
					     kernel_new(program, "match"),
					     floats(128 * KIB, (unsigned)i)};
		args(runners[i].kernel, "bi", runners[i].buffer, 6000);
	}
	for (int task = 0; task < TASKS; task++) {
		struct runner *runner = &runners[task % RUNNERS];
		bool waits = before && !app->repaired;
		cl_event done;

		forget(put_after(runner->queue, runner->buffer, 512 * KIB, runner->data,
				 waits ? 1 : 0, &before));
		run(runner->queue, runner->kernel, N, N);
		done = get_after(runner->queue, runner->buffer, N * 4, runner->data, 0, NULL);
		flush(runner->queue);
		if (before)
			DROP(before);
		before = done;
	}
	for (int i = 0; i < RUNNERS; i++) {
		finish(runners[i].queue);
		sum += total(runners[i].data, N);
		DROP(runners[i].kernel);
		DROP(runners[i].buffer);
		DROP(runners[i].queue);
	}
	DROP(before);
	answer(sum);
	DROP(program);
}

/* Signal processing: blocks come by a queue of their own into a staging buffer, which the filter's
 * queue reads. With one such buffer, the queues take turns. */

void final_staging_turns(struct app *app)
{
	enum { BLOCKS = 240, AHEAD = 16, BYTES = MIB, N = BYTES / 4 };
	int count = app->repaired ? 2 : 1;
	cl_command_queue loads = queue_new(app, 0);
	float *in = floats((size_t)N * AHEAD, 1), *out = floats(N, 2);
	cl_mem staging[2];
	cl_event free_at[2] = {NULL};
	cl_kernel fir = kernel_of(app, MIX("fir"), "fir");

	for (int i = 0; i < count; i++)
		staging[i] = buffer_new(app, BYTES);
	for (int block = 0; block < BLOCKS; block++) {
		int at = block % count;
		float *from = in + (size_t)(block % AHEAD) * N;
		cl_event come;

		refill(from, 512, block);
		come = put_after(loads, staging[at], BYTES, from, free_at[at] ? 1 : 0,
				 &free_at[at]);

		if (free_at[at])
			DROP(free_at[at]);
		flush(loads);
		args(fir, "bi", staging[at], 2);
		free_at[at] = run_after(app->queue, fir, N, 64, 1, &come);
		flush(app->queue);
		DROP(come);
		if (block % AHEAD == AHEAD - 1)
			TRY(clWaitForEvents(1, &free_at[at])); /* no more than that ahead */
	}
	get(app->queue, staging[(BLOCKS - 1) % count], BYTES, out);
	answer(total(out, 4));
	for (int i = 0; i < count; i++) {
		DROP(free_at[i]);
		DROP(staging[i]);
	}
	DROP(fir);
	DROP(loads);
}

/* Two domains in two queues, and a marker of both before each step, as if they shared their
 * edges at each: they do so every tenth step. */

void final_stencil_marker(struct app *app)
{
	enum { STEPS = 1200, N = 64, LONG = 3500, SHORT = 350 };
	float *cells = floats(N, 1);
	int every = app->repaired ? 10 : 1;
	cl_command_queue queues[2] = {queue_new(app, 0), queue_new(app, 0)};
	cl_mem domains[2] = {loaded(app, N * 4, cells), loaded(app, N * 4, cells)};
	cl_program program = program_new(app, MIX("react"), "");
	cl_kernel kernels[2] = {kernel_new(program, "react"), kernel_new(program, "react")};
	cl_event ends[2] = {NULL, NULL};

	for (int step = 0; step < STEPS; step++) {
		for (int d = 0; d < 2; d++) {
			/* the reaction is stiff in one of them, by turns */
			args(kernels[d], "bi", domains[d], step % 2 == d ? LONG : SHORT);
			if (step % every == 0 && ends[0])
				TRY(clEnqueueBarrierWithWaitList(queues[d], 2, ends, NULL));
			run(queues[d], kernels[d], N, N);
		}
		if (step % every == every - 1)
			for (int d = 0; d < 2; d++) {
				if (ends[d])
					DROP(ends[d]);
				TRY(clEnqueueMarkerWithWaitList(queues[d], 0, NULL, &ends[d]));
			}
		for (int d = 0; d < 2; d++)
			flush(queues[d]);
	}
	for (int d = 0; d < 2; d++)
		finish(queues[d]);
	get(queues[0], domains[0], N * 4, cells);
	answer(total(cells, N));
	for (int d = 0; d < 2; d++) {
		DROP(ends[d]);
		DROP(kernels[d]);
		DROP(domains[d]);
		DROP(queues[d]);
	}
	DROP(program);
}
