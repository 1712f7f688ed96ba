/* SPDX-License-Identifier: MIT */
/* Servers, schedulers and pipelines. */
#include "panels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Map tiles from a store that takes a while to answer, and can answer several at a time. */
enum {
	TILES = 160,
	TILE_BYTES = 16 * KIB,
	STORE_THREADS = 4,
	STORE_US = 2500,
	TILE_ITEMS = 96 * 1024
};

struct tile {
	int number;
	float heights[TILE_BYTES / sizeof(float)];
};

static void *store_main(void *socket)
{
	struct tile *tile = memory(sizeof(*tile));

	while (recv(*(int *)socket, &tile->number, sizeof(int), 0) > 0 && tile->number >= 0) {
		nap(STORE_US);
		refill(tile->heights, TILE_BYTES / sizeof(float), tile->number);
		if (send(*(int *)socket, tile, sizeof(*tile), 0) < 0)
			must(-1, "send");
	}
	free(tile);
	return NULL;
}

static void tile_ask(int socket, int number)
{
	if (send(socket, &number, sizeof(number), 0) < 0)
		must(-1, "send");
}

void panel_tile_fetch(struct app *app)
{
	static const char source[] =
		"kernel void hillshade(global float *map, global const float *tile, int cells)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float h = tile[i % cells], g = tile[(i + 1) % cells];\n"
		"	for (int r = 0; r < 8; r++)\n"
		"		h = h * 0.9375f + g * 0.0625f;\n"
		"	map[i] = map[i] + h;\n"
		"}\n";
	int ahead = app->repaired ? STORE_THREADS : 1, ends[2], asked = 0;
	cl_kernel shade = kernel_of(app, source, "hillshade");
	cl_mem map = filled(app, TILE_ITEMS * sizeof(float), 1),
	       heights = buffer_new(app, TILE_BYTES);
	struct tile *tile = memory(sizeof(*tile));
	float *end = memory(TILE_ITEMS * sizeof(float));
	pthread_t store[STORE_THREADS];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		must(-1, "socketpair");
	for (int i = 0; i < STORE_THREADS; i++)
		if (pthread_create(&store[i], NULL, store_main, &ends[1]))
			must(-1, "pthread_create");
	args(shade, "bbi", map, heights, TILE_BYTES / (int)sizeof(float));
	for (int i = 0; i < TILES; i++) {
		while (asked < TILES && asked < i + ahead)
			tile_ask(ends[0], asked++);
		if (recv(ends[0], tile, sizeof(*tile), 0) != sizeof(*tile))
			must(-1, "recv");
		put_now(app->queue, heights, TILE_BYTES, tile->heights);
		run(app->queue, shade, TILE_ITEMS, 64);
		run(app->queue, shade, TILE_ITEMS, 64);
		flush(app->queue);
	}
	get(app->queue, map, TILE_ITEMS * sizeof(float), end);
	answer(total(end, TILE_ITEMS));
	for (int i = 0; i < STORE_THREADS; i++)
		tile_ask(ends[0], -1);
	for (int i = 0; i < STORE_THREADS; i++)
		pthread_join(store[i], NULL);
	close(ends[0]);
	close(ends[1]);
	free(end);
	free(tile);
	DROP(heights);
	DROP(map);
	DROP(shade);
}

/* A farm with some slots. Its scheduler looks after them at each tick. */
enum { SLOTS = 3, FARM_JOBS = 120, FARM_ITEMS = 256 * 1024, FARM_ROUNDS = 4, TICK_US = 6000 };

struct slot {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem buffer;
	cl_event done; /* of the job that it has, or NULL */
	int left;      /* jobs that it has still to start */
	float result[256];
};

static void job_start(struct slot *slot)
{
	run(slot->queue, slot->kernel, FARM_ITEMS, 64);
	slot->done =
		get_after(slot->queue, slot->buffer, sizeof(slot->result), slot->result, 0, NULL);
	flush(slot->queue);
}

static bool job_is_over(const struct slot *slot)
{
	cl_int status;

	TRY(clGetEventInfo(slot->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

static double job_end(struct slot *slot)
{
	settle(slot->done);
	slot->done = NULL;
	return total(slot->result, 256);
}

void panel_farm_tick(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("render_job"), "");
	struct slot slots[SLOTS];
	int ended = 0;
	double sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		slots[i] = (struct slot){.queue = queue_new(app, 0),
					 .kernel = kernel_new(program, "render_job"),
					 .buffer = filled(app, FARM_ITEMS * sizeof(float), 5),
					 .left = FARM_JOBS / SLOTS};
		args(slots[i].kernel, "bi", slots[i].buffer, FARM_ROUNDS);
	}
	while (ended < FARM_JOBS) {
		for (int i = 0; i < SLOTS; i++) {
			struct slot *slot = &slots[i];

			/* The slots are served in turn, so that the next to end is this one. */
			if (slot->done && (app->repaired || job_is_over(slot))) {
				sum += job_end(slot);
				ended++;
			}
			if (!slot->done && slot->left) {
				slot->left--;
				job_start(slot);
			}
		}
		if (!app->repaired)
			nap(TICK_US);
	}
	answer(sum);
	for (int i = 0; i < SLOTS; i++) {
		DROP(slots[i].buffer);
		DROP(slots[i].kernel);
		DROP(slots[i].queue);
	}
	DROP(program);
}

/* Chunks that are encrypted by the device and sealed with a checksum when they are back. */
enum { CHUNKS = 120, CHUNK = 256 * KIB, CHUNK_ITEMS = 192 * 1024 };

struct seal {
	const unsigned char *data;
	struct sealer *sealer;
	uint32_t crc;
};

struct sealer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int back, sealed;
	struct seal *seals;
	bool repaired;
	uint32_t table[256];
};

static void seal_make(struct seal *seal)
{
	uint32_t crc = ~0u;

	for (int i = 0; i < CHUNK; i++)
		crc = (crc >> 8) ^ seal->sealer->table[(crc ^ seal->data[i]) & 255];
	seal->crc = ~crc;
}

static void CL_CALLBACK chunk_is_back(cl_event event, cl_int status, void *context)
{
	struct seal *seal = context;
	struct sealer *sealer = seal->sealer;

	(void)event;
	must(status, "chunk");
	if (!sealer->repaired)
		seal_make(seal);
	pthread_mutex_lock(&sealer->lock);
	sealer->back++;
	sealer->sealed += !sealer->repaired;
	pthread_cond_broadcast(&sealer->changed);
	pthread_mutex_unlock(&sealer->lock);
}

/* One queue is in order, and so its chunks come back one after the other. */
static void *sealer_main(void *context)
{
	struct sealer *sealer = context;

	for (int i = 0; i < CHUNKS; i++) {
		pthread_mutex_lock(&sealer->lock);
		while (sealer->back <= i)
			pthread_cond_wait(&sealer->changed, &sealer->lock);
		pthread_mutex_unlock(&sealer->lock);
		seal_make(&sealer->seals[i]);
	}
	pthread_mutex_lock(&sealer->lock);
	sealer->sealed = CHUNKS;
	pthread_cond_broadcast(&sealer->changed);
	pthread_mutex_unlock(&sealer->lock);
	return NULL;
}

void panel_seal_chunks(struct app *app)
{
	cl_program program = program_new(app, ROUNDS("encrypt"), "");
	cl_kernel kernel = kernel_new(program, "encrypt");
	cl_mem buffer = filled(app, CHUNK_ITEMS * sizeof(float), 9);
	unsigned char *out = memory((size_t)CHUNKS * CHUNK);
	struct seal *seals = memory(CHUNKS * sizeof(*seals));
	struct sealer sealer = {.lock = PTHREAD_MUTEX_INITIALIZER,
				.changed = PTHREAD_COND_INITIALIZER,
				.seals = seals,
				.repaired = app->repaired};
	pthread_t worker;
	uint32_t all = 0;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		sealer.table[i] = c;
	}
	if (app->repaired && pthread_create(&worker, NULL, sealer_main, &sealer))
		must(-1, "pthread_create");
	args(kernel, "bi", buffer, 2);
	for (int i = 0; i < CHUNKS; i++) {
		cl_event event;

		seals[i] = (struct seal){.data = out + (size_t)i * CHUNK, .sealer = &sealer};
		run(app->queue, kernel, CHUNK_ITEMS, 64);
		event = get_after(app->queue, buffer, CHUNK, out + (size_t)i * CHUNK, 0, NULL);
		TRY(clSetEventCallback(event, CL_COMPLETE, chunk_is_back, &seals[i]));
		DROP(event);
		flush(app->queue);
	}
	pthread_mutex_lock(&sealer.lock);
	while (sealer.sealed < CHUNKS)
		pthread_cond_wait(&sealer.changed, &sealer.lock);
	pthread_mutex_unlock(&sealer.lock);
	if (app->repaired)
		pthread_join(worker, NULL);
	for (int i = 0; i < CHUNKS; i++)
		all ^= seals[i].crc;
	answer(all);
	free(seals);
	free(out);
	DROP(buffer);
	DROP(kernel);
	DROP(program);
}

/* Rules of a query engine: each becomes a kernel of its own. */
enum { RULES = 16, TABLE_ROWS = 1024 * 1024 };

struct rules {
	const struct app *app;
	cl_kernel kernels[RULES];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int built;
};

static cl_kernel rule_build(const struct app *app, int rule)
{
	char source[512];

	snprintf(source, sizeof(source),
		 "kernel void rule_%d(global const float *rows, global int *hits)\n"
		 "{\n"
		 "	int i = get_global_id(0);\n"
		 "	if (rows[i] * %d > %d && i %% %d == 3)\n"
		 "		atomic_inc(&hits[%d]);\n"
		 "}\n",
		 rule, rule + 3, rule % 3, rule * 64 + 5, rule);

	char name[16];

	snprintf(name, sizeof(name), "rule_%d", rule);
	return kernel_of(app, source, name);
}

static void *rules_main(void *context)
{
	struct rules *rules = context;

	for (int i = 0; i < RULES; i++) {
		rules->kernels[i] = rule_build(rules->app, i);
		pthread_mutex_lock(&rules->lock);
		rules->built = i + 1;
		pthread_cond_signal(&rules->changed);
		pthread_mutex_unlock(&rules->lock);
	}
	return NULL;
}

static cl_kernel rule_get(struct rules *rules, int rule)
{
	if (!rules->app->repaired)
		return rule_build(rules->app, rule);
	pthread_mutex_lock(&rules->lock);
	while (rules->built <= rule)
		pthread_cond_wait(&rules->changed, &rules->lock);
	pthread_mutex_unlock(&rules->lock);
	return rules->kernels[rule];
}

void panel_rule_compile(struct app *app)
{
	struct rules rules = {
		.app = app, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_mem rows = filled(app, TABLE_ROWS * sizeof(float), 1), hits = filled(app, RULES * 4, 2);
	int count[RULES], sum = 0;
	pthread_t builder;

	if (app->repaired && pthread_create(&builder, NULL, rules_main, &rules))
		must(-1, "pthread_create");
	for (int i = 0; i < RULES; i++) {
		cl_kernel kernel = rule_get(&rules, i);

		args(kernel, "bb", rows, hits);
		for (int part = 0; part < 4; part++)
			run(app->queue, kernel, TABLE_ROWS, 64);
		/* What a rule finds is shown before the next one is tried. */
		get_at(app->queue, hits, (size_t)i * sizeof(int), sizeof(int), &count[i]);
		sum ^= count[i];
		DROP(kernel);
	}
	if (app->repaired)
		pthread_join(builder, NULL);
	answer(sum);
	DROP(hits);
	DROP(rows);
}

/* A large buffer in regions. Commands wait for those that use the same as they do, and a tracker
 * knows which these are. */
enum { REGIONS = 8, REGION = 128 * KIB, REGION_ITEMS = REGION / 4, ARENA_JOBS = 300 };

struct tracker {
	cl_event last[REGIONS];
	bool by_region;
};

/* The event that a command on a region has to wait for, and which its own one then replaces. */
static cl_event *tracked(struct tracker *tracker, int region)
{
	return &tracker->last[tracker->by_region ? region : 0];
}

static void used(cl_event *last, cl_event now)
{
	if (*last)
		DROP(*last);
	*last = now;
}

static void arena_write(cl_command_queue queue, struct tracker *tracker, cl_mem arena, int region,
			const void *data)
{
	cl_event *last = tracked(tracker, region), now;

	TRY(clEnqueueWriteBuffer(queue, arena, CL_FALSE, (size_t)region * REGION, REGION, data,
				 !!*last, *last ? last : NULL, &now));
	used(last, now);
}

static void arena_read(cl_command_queue queue, struct tracker *tracker, cl_mem arena, int region,
		       void *data)
{
	cl_event *last = tracked(tracker, region), now;

	TRY(clEnqueueReadBuffer(queue, arena, CL_FALSE, (size_t)region * REGION, REGION, data,
				!!*last, *last ? last : NULL, &now));
	used(last, now);
}

static void arena_run(cl_command_queue queue, struct tracker *tracker, cl_kernel kernel, int region)
{
	cl_event *last = tracked(tracker, region);
	cl_int first = region * REGION_ITEMS;

	TRY(clSetKernelArg(kernel, 1, sizeof(first), &first));
	used(last, run_after(queue, kernel, REGION_ITEMS, 64, !!*last, last));
}

void panel_arena_hazards(struct app *app)
{
	static const char source[] = "kernel void denoise(global float *arena, int first)\n"
				     "{\n"
				     "	size_t i = first + get_global_id(0);\n"
				     "	float a = arena[i];\n"
				     "	for (int r = 0; r < 4; r++)\n"
				     "		a = a * 0.875f + 0.0625f;\n"
				     "	arena[i] = a;\n"
				     "}\n";
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel kernel = kernel_of(app, source, "denoise");
	cl_mem arena = buffer_new(app, REGIONS * REGION);
	float *in = floats((size_t)ARENA_JOBS * REGION_ITEMS, 1);
	float *out = memory((size_t)ARENA_JOBS * REGION);
	struct tracker tracker = {.by_region = app->repaired};

	TRY(clSetKernelArg(kernel, 0, sizeof(arena), &arena));
	for (int job = 0; job < ARENA_JOBS; job++) {
		size_t at = (size_t)job * REGION_ITEMS;

		arena_write(queue, &tracker, arena, job % REGIONS, in + at);
		arena_run(queue, &tracker, kernel, job % REGIONS);
		arena_read(queue, &tracker, arena, job % REGIONS, out + at);
		flush(queue);
	}
	finish(queue);
	for (int i = 0; i < REGIONS; i++)
		if (tracker.last[i])
			DROP(tracker.last[i]);
	answer(total(out, (size_t)ARENA_JOBS * REGION_ITEMS));
	free(out);
	free(in);
	DROP(arena);
	DROP(kernel);
	DROP(queue);
}
