/* SPDX-License-Identifier: MIT */
/* Faults of programs that stream pictures, volumes and maps. */
#include "colloquia.h"

#include <stdlib.h>
#include <string.h>

/* slice_stream: three scanners, each with a thread and buffers; all are given the one queue that
 * the session has. */
enum { SCANNERS = 3, SLICES = 70, SLICE = MIB };

struct scanner {
	struct app *app;
	cl_command_queue queue;
	cl_kernel window;
	cl_mem slice;
	float *raw, *shown;
};

static void *scanner_main(void *each)
{
	struct scanner *scanner = each;

	args(scanner->window, "bi", scanner->slice, 4);
	for (int n = 0; n < SLICES; n++) {
		refill(scanner->raw, 16, n);
		write_at(scanner->queue, scanner->slice, 0, SLICE, scanner->raw, NULL);
		run(scanner->queue, scanner->window, SLICE / 4, 0);
		read_now(scanner->queue, scanner->slice, SLICE, scanner->shown);
	}
	return NULL;
}

void colloquium_slice_stream(struct app *app)
{
	struct scanner scanners[SCANNERS];
	cl_program program = program_new(app, STIR("window"), "");

	for (int i = 0; i < SCANNERS; i++)
		scanners[i] = (struct scanner){
			app,
			app->repaired ? queue_new(app, 0) : app->queue,
			kernel_new(program, "window"),
			filled(app, SLICE, 11 + (unsigned)i),
			floats(SLICE / 4, 20 + (unsigned)i),
			memory(SLICE),
		};
	threads_run(SCANNERS, scanner_main, scanners, sizeof(*scanners));
	answer(scanners[0].shown[100] == scanners[0].shown[100]);
	for (int i = 0; i < SCANNERS; i++) {
		if (app->repaired)
			DROP(scanners[i].queue);
		DROP(scanners[i].window);
		DROP(scanners[i].slice);
		free(scanners[i].raw);
		free(scanners[i].shown);
	}
	DROP(program);
}

/* scene_tiles: tiles of a scene are independent, and their queue may reorder. A barrier after each
 * one's upload, and another after its kernel, keep one tile's commands in order - and all others'. */
enum { TILES = 8, PASSES = 32, TILE = 768 * KIB };

static void tile_fenced(struct app *app, cl_command_queue queue, cl_kernel shade, cl_mem tile,
			const float *scene, float *shown)
{
	(void)app;
	write_at(queue, tile, 0, TILE, scene, NULL);
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	args(shade, "bi", tile, 6);
	run(queue, shade, TILE / 4, 0);
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	read_at(queue, tile, 0, TILE / 2, shown, NULL);
}

static void tile_linked(struct app *app, cl_command_queue queue, cl_kernel shade, cl_mem tile,
			const float *scene, float *shown)
{
	cl_event up, done;

	(void)app;
	write_at(queue, tile, 0, TILE, scene, &up);
	args(shade, "bi", tile, 6);
	run_with(queue, shade, TILE / 4, 0, 1, &up, &done);
	TRY(clEnqueueReadBuffer(queue, tile, CL_FALSE, 0, TILE / 2, shown, 1, &done, NULL));
	TRY(clReleaseEvent(up));
	TRY(clReleaseEvent(done));
}

void colloquium_scene_tiles(struct app *app)
{
	cl_command_queue queue = loose_queue(app);
	cl_kernel shade = kernel_of(app, STIR("shade"), "shade");
	cl_mem tiles[TILES];
	float *scene = floats(TILES * TILE / 4, 12), *shown = memory((size_t)TILES * TILE / 2);

	for (unsigned i = 0; i < TILES; i++)
		tiles[i] = buffer_new(app, TILE);
	for (int n = 0; n < PASSES; n++) {
		for (size_t i = 0; i < TILES; i++)
			refill(scene + i * TILE / 4, 64, n + (int)i);
		for (size_t i = 0; i < TILES; i++)
			(app->repaired ? tile_linked : tile_fenced)(app, queue, shade, tiles[i],
								    scene + i * TILE / 4,
								    shown + i * TILE / 8);
		finish(queue);
	}
	answer(shown[7] == shown[7]);
	for (unsigned i = 0; i < TILES; i++)
		DROP(tiles[i]);
	DROP(shade);
	DROP(queue);
	free(scene);
	free(shown);
}

/* tracker_slots: a layer knows the last command on each resource and has the next one wait for it.
 * Resources share its slots by a hash that, shifted too far, is the same for all of them. */
enum { STREAMS = 6, ROUNDS = 40, STREAM_BYTES = 768 * KIB, SLOTS = 64 };

struct tracker {
	cl_command_queue queue;
	cl_event last[SLOTS];
	int shift;
};

static cl_event *tracker_slot(struct tracker *tracker, unsigned resource)
{
	return &tracker->last[(resource * 0x9e3779b1u & 0xfc000000u) >> 26 >> tracker->shift];
}

static void tracker_ran(cl_event *slot, cl_event event)
{
	if (*slot)
		TRY(clReleaseEvent(*slot));
	*slot = event;
}

static void tracker_move(struct tracker *tracker, unsigned resource, cl_mem buffer, size_t bytes,
			 float *data, bool up)
{
	cl_event *slot = tracker_slot(tracker, resource), event;
	cl_uint count = *slot != NULL;

	if (up)
		event = put_after(tracker->queue, buffer, bytes, data, count, count ? slot : NULL);
	else
		event = get_after(tracker->queue, buffer, bytes, data, count, count ? slot : NULL);
	tracker_ran(slot, event);
}

static void tracker_run(struct tracker *tracker, unsigned resource, cl_kernel kernel, size_t items)
{
	cl_event *slot = tracker_slot(tracker, resource);
	cl_uint count = *slot != NULL;

	tracker_ran(slot, run_after(tracker->queue, kernel, items, 0, count, count ? slot : NULL));
}

void colloquium_tracker_slots(struct app *app)
{
	struct tracker tracker = {loose_queue(app), {NULL}, app->repaired ? 0 : 6};
	cl_kernel kernel = kernel_of(app, STIR("denoise"), "denoise");
	cl_mem buffers[STREAMS];
	float *in[STREAMS], *out[STREAMS];

	for (unsigned i = 0; i < STREAMS; i++) {
		buffers[i] = buffer_new(app, STREAM_BYTES);
		in[i] = floats(STREAM_BYTES / 4, i);
		out[i] = memory(STREAM_BYTES);
	}
	for (int n = 0; n < ROUNDS; n++) {
		for (unsigned i = 0; i < STREAMS; i++) {
			refill(in[i], 32, n);
			tracker_move(&tracker, i, buffers[i], STREAM_BYTES, in[i], true);
			args(kernel, "bi", buffers[i], 4);
			tracker_run(&tracker, i, kernel, STREAM_BYTES / 4);
			tracker_move(&tracker, i, buffers[i], STREAM_BYTES, out[i], false);
		}
		finish(tracker.queue);
	}
	answer(out[0][5] == out[0][5]);
	for (unsigned i = 0; i < SLOTS; i++)
		if (tracker.last[i])
			TRY(clReleaseEvent(tracker.last[i]));
	for (unsigned i = 0; i < STREAMS; i++) {
		DROP(buffers[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(kernel);
	DROP(tracker.queue);
}

/* staging_turns: frames go up by one queue and are keyed by another one. There are three buffers
 * for that, but their index is worked out so that it is always the first. */
enum { FRAMES = 420, FRAME = 512 * KIB, CLIP = 30, DEPTH = 3 };

static int frame_slot(bool repaired, int number)
{
	return repaired ? number % DEPTH : number * DEPTH % DEPTH;
}

void colloquium_staging_turns(struct app *app)
{
	cl_command_queue uploads = queue_new(app, 0);
	cl_kernel key = kernel_of(app, STIR("chroma_key"), "chroma_key");
	cl_event keyed[DEPTH] = {NULL};
	cl_mem staged[DEPTH];
	float *frames = floats((size_t)CLIP * FRAME / 4, 14), corner[16];

	for (int i = 0; i < DEPTH; i++)
		staged[i] = filled(app, FRAME, 15);
	for (int n = 0; n < FRAMES; n++) {
		int slot = frame_slot(app->repaired, n);
		cl_event *last = &keyed[slot];
		cl_event up = put_after(uploads, staged[slot], FRAME,
					frames + (size_t)(n % CLIP) * FRAME / 4, *last != NULL,
					*last ? last : NULL);

		if (*last)
			TRY(clReleaseEvent(*last));
		flush(uploads);
		args(key, "bi", staged[slot], 8);
		*last = run_after(app->queue, key, FRAME / 4, 0, 1, &up);
		flush(app->queue);
		TRY(clReleaseEvent(up));
		if (n % CLIP < CLIP - 1)
			continue;
		finish(app->queue); /* the next clip */
		for (size_t i = 0; i < CLIP; i++)
			refill(frames + i * FRAME / 4, 64, n + (int)i);
	}
	read_now(app->queue, staged[0], sizeof(corner), corner);
	answer(corner[3] == corner[3]);
	for (int i = 0; i < DEPTH; i++) {
		if (keyed[i])
			TRY(clReleaseEvent(keyed[i]));
		DROP(staged[i]);
	}
	free(frames);
	DROP(key);
	DROP(uploads);
}

/* arena_frames: frames lie in an arena, each behind its header of 24 bytes. */
enum { ARENA = 8, SHOTS = 240, SHOT = 768 * KIB, HEADER = 24 };

void colloquium_arena_frames(struct app *app)
{
	size_t ahead = app->repaired ? 64 : HEADER, stride = 64 + SHOT + 64;
	char *arena = aligned_alloc(4096, (ARENA * stride + 4095) / 4096 * 4096);
	cl_mem shot = buffer_new(app, SHOT);
	cl_kernel score = kernel_of(app, STIR("score_shot"), "score_shot");
	float corner[16];

	if (!arena)
		exit(1);
	memset(arena, 1, ARENA * stride);
	args(score, "bi", shot, 3);
	for (int n = 0; n < SHOTS; n++) {
		char *header = arena + (size_t)(n % ARENA) * stride;

		if (n % ARENA == 0) {
			finish(app->queue);
			for (size_t i = 0; i < ARENA; i++)
				refill((float *)(arena + i * stride + ahead), 64, n + (int)i);
		}
		memcpy(header, &n, sizeof(n));
		put(app->queue, shot, SHOT, header + ahead);
		run(app->queue, score, SHOT / 4, 0);
		flush(app->queue);
	}
	read_now(app->queue, shot, sizeof(corner), corner);
	answer(corner[3] == corner[3]);
	free(arena);
	DROP(score);
	DROP(shot);
}

/* shard_merge: results of four shards are put together in one buffer, for the next stage. */
enum { SHARDS = 4, SHARD = 512 * KIB, MERGES = 70 };

static void shard_take(struct app *app, cl_mem shard, cl_mem all, size_t at, float *between)
{
	if (app->repaired) {
		TRY(clEnqueueCopyBuffer(app->queue, shard, all, 0, at, SHARD, 0, NULL, NULL));
		return;
	}
	read_at(app->queue, shard, 0, SHARD, between, NULL);
	write_at(app->queue, all, at, SHARD, between, NULL);
}

void colloquium_shard_merge(struct app *app)
{
	cl_program program = program_new(app, STIR("shard_rank") STIR("rank_all"), "");
	cl_kernel rank = kernel_new(program, "shard_rank"), join = kernel_new(program, "rank_all");
	cl_mem shards[SHARDS], all = buffer_new(app, (size_t)SHARDS * SHARD);
	float *between = memory((size_t)SHARDS * SHARD), best[16];

	for (unsigned i = 0; i < SHARDS; i++)
		shards[i] = filled(app, SHARD, 30 + i);
	for (int n = 0; n < MERGES; n++) {
		for (size_t i = 0; i < SHARDS; i++) {
			args(rank, "bi", shards[i], 5);
			run(app->queue, rank, SHARD / 4, 0);
			shard_take(app, shards[i], all, i * SHARD, between + i * SHARD / 4);
		}
		args(join, "bi", all, 2);
		run(app->queue, join, (size_t)SHARDS * SHARD / 4, 0);
		flush(app->queue);
		if (n % 4 == 3)
			finish(app->queue);
	}
	read_now(app->queue, all, sizeof(best), best);
	answer(best[1] == best[1]);
	for (unsigned i = 0; i < SHARDS; i++)
		DROP(shards[i]);
	DROP(all);
	DROP(rank);
	DROP(join);
	DROP(program);
	free(between);
}

/* pick_depth: what is under the cursor is looked up in the ground's heights, which are read again
 * for each look although nothing ever changes them. */
enum { GROUND = MIB, LOOKS = 240 };

struct ground {
	cl_mem heights;
	float *home;
	bool known;
};

static float ground_height(struct app *app, struct ground *ground, int at)
{
	if (!ground->known)
		read_now(app->queue, ground->heights, GROUND, ground->home);
	ground->known = app->repaired;
	return ground->home[at % (GROUND / 4)];
}

void colloquium_pick_depth(struct app *app)
{
	static const char source[] =
		"kernel void view(global const float *ground, global float *shown, float x)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	shown[i] = shown[i] * 0.5f + ground[i] * x;\n"
		"}\n";
	struct ground ground = {filled(app, GROUND, 17), memory(GROUND), false};
	cl_mem shown = filled(app, GROUND, 18);
	cl_kernel view = kernel_of(app, source, "view");
	float last[16];
	double sum = 0;

	for (int n = 0; n < LOOKS; n++) {
		args(view, "bbf", ground.heights, shown, n * 0.01);
		run(app->queue, view, GROUND / 4, 0);
		flush(app->queue);
		sum += ground_height(app, &ground, n * 977);
		if (n % 8 == 7)
			finish(app->queue); /* on the screen */
	}
	read_now(app->queue, shown, sizeof(last), last);
	answer(sum);
	free(ground.home);
	DROP(ground.heights);
	DROP(shown);
	DROP(view);
}
