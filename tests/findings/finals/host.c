/* SPDX-License-Identifier: MIT */
/* Devices that are idle for what the host does, and what runs by callbacks. */
#include "finals.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of a portfolio, batch by batch: the paths of the next are drawn while nothing runs. */

enum { OPTIONS = 1 << 15, OPTION_BATCHES = 80 };

static void paths_draw(float *paths, int batch)
{
	refill(paths, OPTIONS, batch);
	busy(paths, OPTIONS, 40);
}

void final_option_batches(struct app *app)
{
	float *paths[2] = {floats(OPTIONS, 1), floats(OPTIONS, 2)}, *prices = floats(OPTIONS, 3);
	cl_mem v = buffer_new(app, OPTIONS * 4);
	cl_kernel price = kernel_of(app, MIX("price"), "price");
	double sum = 0;

	args(price, "bi", v, 20);
	paths_draw(paths[0], 0);
	for (int batch = 0; batch < OPTION_BATCHES; batch++) {
		cl_event done;

		put(app->queue, v, OPTIONS * 4, paths[batch % 2]);
		for (int i = 0; i < 10; i++)
			run(app->queue, price, OPTIONS, 64);
		done = get_after(app->queue, v, OPTIONS * 4, prices, 0, NULL);
		flush(app->queue);
		if (!app->repaired)
			TRY(clWaitForEvents(1, &done));
		paths_draw(paths[(batch + 1) % 2], batch + 1);
		settle(done);
		sum += (double)prices[batch];
	}
	answer(sum);
	DROP(price);
	DROP(v);
}

/* A tiled encoder: what the device quantised, the host packs, one tile after the other, though
 * tiles do not depend on each other. */

struct tile {
	float *in, *out;
	cl_mem buffer;
	cl_event done;
};

static void tile_start(const struct app *app, struct tile *tile, cl_kernel kernel, int number)
{
	enum { N = 1 << 15 };

	refill(tile->in, N, number);
	put(app->queue, tile->buffer, N * 4, tile->in);
	args(kernel, "bi", tile->buffer, 12);
	for (int i = 0; i < 6; i++)
		run(app->queue, kernel, N, 64);
	tile->done = get_after(app->queue, tile->buffer, N * 4, tile->out, 0, NULL);
	flush(app->queue);
}

static uint32_t tile_pack(struct tile *tile)
{
	enum { N = 1 << 15 };
	uint32_t sum;

	settle(tile->done);
	sum = checksum(tile->out, N * 4);
	return sum * 31 + checksum(tile->out, N * 4);
}

void final_tile_encoder(struct app *app)
{
	enum { N = 1 << 15, TILES = 180 };
	struct tile tiles[2];
	int ahead = app->repaired ? 1 : 0;
	cl_kernel quantise = kernel_of(app, MIX("quantise"), "quantise");
	uint32_t sum = 0;

	for (int i = 0; i < 2; i++)
		tiles[i] = (struct tile){floats(N, 1), floats(N, 2), buffer_new(app, N * 4), NULL};
	for (int i = 0; i < TILES + ahead; i++) {
		if (i < TILES)
			tile_start(app, &tiles[i % 2], quantise, i);
		if (i >= ahead)
			sum = sum * 7 + tile_pack(&tiles[(i - ahead) % 2]);
	}
	answer((double)sum);
	DROP(quantise);
	DROP(tiles[0].buffer);
	DROP(tiles[1].buffer);
}

/* A decoder behind a pipe, that makes a frame when it is asked for one: it is asked only when the
 * last frame is through the device. */

struct decoder {
	int ask, given, frames;
};

static void *decoder_run(void *data)
{
	enum { N = 1 << 10 };
	struct decoder *decoder = data;
	float *frame = floats(N, 3);

	for (int i = 0; i < decoder->frames; i++) {
		char request;

		if (read(decoder->ask, &request, 1) != 1)
			must(-1, "read");
		nap(4000); /* the camera's */
		refill(frame, N, i);
		if (write(decoder->given, frame, 4096) != 4096)
			must(-1, "write");
	}
	free(frame);
	return NULL;
}

static void decoder_ask(int pipe)
{
	if (write(pipe, "f", 1) != 1)
		must(-1, "write");
}

static void decoder_get(int pipe, void *frame)
{
	for (size_t got = 0; got < 4096;) {
		ssize_t some = read(pipe, (char *)frame + got, 4096 - got);

		if (some <= 0)
			must(-1, "read");
		got += (size_t)some;
	}
}

void final_decoder_pipe(struct app *app)
{
	enum { N = 1 << 14, FRAMES = 100 };
	int ask[2], given[2];
	float *frame = floats(N, 1), *out = floats(N, 2);
	cl_mem v = loaded(app, N * 4, out);
	cl_kernel denoise = kernel_of(app, MIX("denoise"), "denoise");
	double sum = 0;
	pthread_t thread;

	if (pipe(ask) || pipe(given))
		must(-1, "pipe");

	struct decoder decoder = {ask[0], given[1], FRAMES};

	if (pthread_create(&thread, NULL, decoder_run, &decoder))
		must(-1, "pthread_create");
	args(denoise, "bi", v, 3);
	if (app->repaired)
		decoder_ask(ask[1]);
	for (int i = 0; i < FRAMES; i++) {
		if (!app->repaired)
			decoder_ask(ask[1]);
		decoder_get(given[0], frame);
		if (app->repaired && i < FRAMES - 1)
			decoder_ask(ask[1]);
		put(app->queue, v, 4096, frame);
		for (int k = 0; k < 40; k++)
			run(app->queue, denoise, N, 64);
		get(app->queue, v, 4096, out);
		sum += (double)out[i];
	}
	pthread_join(thread, NULL);
	answer(sum);
	for (int i = 0; i < 2; i++) {
		close(ask[i]);
		close(given[i]);
	}
	DROP(denoise);
	DROP(v);
}

/* A server that looks into a catalogue for each request; who refreshes the catalogue keeps it
 * locked while it is fetched. */

struct catalogue {
	pthread_mutex_t lock;
	bool over, fetches_outside;
	int version;
};

static void *catalogue_refresh(void *data)
{
	struct catalogue *catalogue = data;
	bool over = false;

	while (!over) {
		if (catalogue->fetches_outside)
			nap(6000); /* from the network */
		pthread_mutex_lock(&catalogue->lock);
		if (!catalogue->fetches_outside)
			nap(6000);
		catalogue->version++;
		over = catalogue->over;
		pthread_mutex_unlock(&catalogue->lock);
		nap(3000);
	}
	return NULL;
}

void final_catalogue_lock(struct app *app)
{
	enum { N = 1 << 13, REQUESTS = 600 };
	struct catalogue catalogue = {PTHREAD_MUTEX_INITIALIZER, false, app->repaired, 0};
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel rank = kernel_of(app, MIX("rank"), "rank");
	pthread_t thread;
	int versions = 0;

	args(rank, "bi", v, 12);
	if (pthread_create(&thread, NULL, catalogue_refresh, &catalogue))
		must(-1, "pthread_create");
	for (int i = 0; i < REQUESTS; i++) {
		pthread_mutex_lock(&catalogue.lock);
		versions |= catalogue.version;
		catalogue.over = i == REQUESTS - 1;
		pthread_mutex_unlock(&catalogue.lock);
		for (int k = 0; k < 5; k++)
			run(app->queue, rank, N, 64);
		get(app->queue, v, N * 4, data);
	}
	pthread_join(thread, NULL);
	answer(total(data, N) + (versions < 0));
	DROP(rank);
	DROP(v);
}

/* A pyramid of images, whose levels are found by asking for what the driver can do each time. */

static int formats_with(const struct app *app, cl_channel_order order)
{
	cl_image_format formats[512];
	cl_uint count;
	int found = 0;

	TRY(clGetSupportedImageFormats(app->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512,
				       formats, &count));
	for (cl_uint i = 0; i < count && i < 512; i++)
		found += formats[i].image_channel_order == order;
	return found;
}

static int devices_with(const struct app *app, const char *extension)
{
	char text[8192];
	size_t limit;
	int found = 0;

	for (int i = 0; i < 40; i++) {
		TRY(clGetDeviceInfo(app->device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
		TRY(clGetDeviceInfo(app->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(limit),
				    &limit, NULL));
		found += strstr(text, extension) && limit;
	}
	return found;
}

void final_image_views(struct app *app)
{
	enum { N = 4096, FRAMES = 800, LEVELS = 8 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel shrink = kernel_of(app, MIX("shrink"), "shrink");
	int known = formats_with(app, CL_RGBA) + devices_with(app, "fp64"), found = 0;

	args(shrink, "bi", v, 2);
	for (int frame = 0; frame < FRAMES; frame++) {
		for (int level = 0; level < LEVELS; level++) {
			if (app->repaired)
				found |= known;
			else
				found |= formats_with(app, CL_RGBA) + devices_with(app, "fp64");
			run(app->queue, shrink, N >> level, 16);
		}
		finish(app->queue);
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N) + (found < 0));
	DROP(shrink);
	DROP(v);
}

/* Sorting: each pass over 4096 keys is a launch, where groups could make all the passes that stay
 * within them. */

static const char *const sort_source =
	"kernel void pass(global uint *k, int j, int s)\n"
	"{\n"
	"	uint i = get_global_id(0), a = i / j * 2 * j + i % j, b = a + j;\n"
	"	uint x = k[a], y = k[b];\n"
	"	if ((x > y) == ((a & s) == 0)) {\n"
	"		k[a] = y;\n"
	"		k[b] = x;\n"
	"	}\n"
	"}\n"
	"kernel void passes(global uint *k, int first, int s, int last, local uint *t)\n"
	"{\n"
	"	uint l = get_local_id(0), n = get_local_size(0), at = get_group_id(0) * 2 * n;\n"
	"	t[l] = k[at + l];\n"
	"	t[l + n] = k[at + l + n];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (; s <= last; s *= 2, first = s / 2)\n"
	"		for (int j = first; j > 0; j /= 2) {\n"
	"			uint a = l / j * 2 * j + l % j, b = a + j, x = t[a], y = t[b];\n"
	"			if ((x > y) == (((at + a) & s) == 0)) {\n"
	"				t[a] = y;\n"
	"				t[b] = x;\n"
	"			}\n"
	"			barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		}\n"
	"	k[at + l] = t[l];\n"
	"	k[at + l + n] = t[l + n];\n"
	"}\n";

static void sort_range(cl_command_queue queue, cl_kernel passes, cl_mem keys, size_t n, int first,
		       int s, int last)
{
	args(passes, "biiil", keys, first, s, last, (size_t)256 * 4);
	run(queue, passes, n / 2, 128);
}

void final_bitonic_passes(struct app *app)
{
	enum { N = 4096, SORTS = 300, GROUP = 256 };
	uint32_t *keys = memory(N * 4);
	cl_mem k = buffer_new(app, N * 4);
	cl_program program = program_new(app, sort_source, "");
	cl_kernel pass = kernel_new(program, "pass"), passes = kernel_new(program, "passes");
	double sum = 0;

	for (int sort = 0; sort < SORTS; sort++) {
		for (unsigned i = 0; i < N; i++)
			keys[i] = (i + (unsigned)sort) * 2654435761u;
		put(app->queue, k, N * 4, keys);
		if (app->repaired)
			sort_range(app->queue, passes, k, N, 1, 2, GROUP);
		for (int s = app->repaired ? 2 * GROUP : 2; s <= N; s *= 2)
			for (int j = s / 2; j > 0; j /= 2) {
				if (app->repaired && j < GROUP) {
					sort_range(app->queue, passes, k, N, j, s, s);
					break;
				}
				args(pass, "bii", k, j, s);
				run(app->queue, pass, N / 2, 128);
			}
		get(app->queue, k, N * 4, keys);
		sum += keys[sort];
	}
	answer(sum);
	DROP(pass);
	DROP(passes);
	DROP(program);
	DROP(k);
}

/* A breadth-first walk that launches a kernel for each vertex of the front. */

static const char *const walk_source =
	"kernel void visit(global int *depth, global const int *edges, global const int *front,\n"
	"		  int at, int degree, int d)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int to = edges[front[at + i / degree] * degree + i % degree];\n"
	"	if (depth[to] < 0 || depth[to] > d)\n"
	"		depth[to] = d;\n"
	"}\n";

void final_graph_walk(struct app *app)
{
	enum { N = 4096, DEGREE = 8, GRAPHS = 5 };
	int *edges = memory(N * DEGREE * 4), *depth = memory(N * 4), *front = memory(N * 4);
	cl_mem e = buffer_new(app, N * DEGREE * 4), d = buffer_new(app, N * 4),
	       f = buffer_new(app, N * 4);
	cl_kernel visit = kernel_of(app, walk_source, "visit");
	double sum = 0;

	for (int graph = 0; graph < GRAPHS; graph++) {
		for (int i = 0; i < N; i++) {
			front[i] = i; /* by levels, a vertex v leads to 8 v + 1... */
			depth[i] = i ? -1 : 0;
			for (int k = 0; k < DEGREE; k++)
				edges[i * DEGREE + k] = (i * DEGREE + k + 1 + graph) % N;
		}
		put_now(app->queue, e, N * DEGREE * 4, edges);
		put_now(app->queue, d, N * 4, depth);
		put_now(app->queue, f, N * 4, front);
		for (int level = 1, first = 0, count = 1; first < N;
		     level++, first += count, count *= DEGREE) {
			int last = first + count < N ? first + count : N;

			for (int at = first, some; at < last; at += some) {
				some = app->repaired ? last - at : 1;
				args(visit, "bbbiii", d, e, f, at, DEGREE, level);
				run(app->queue, visit, (size_t)some * DEGREE, 8);
			}
		}
		get(app->queue, d, N * 4, depth);
		for (int i = 0; i < N; i++)
			sum += depth[i];
	}
	answer(sum);
	DROP(visit);
	DROP(e);
	DROP(d);
	DROP(f);
}

/* A recorder of commands: what is recorded stays in the queue while the host makes the next
 * block's table. */

void final_recorded_batch(struct app *app)
{
	enum { N = 1 << 15, BLOCKS = 40 };
	float *table = floats(N, 1), *data = floats(N, 2);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel fold = kernel_of(app, MIX("fold"), "fold");

	args(fold, "bi", v, 5);
	for (int block = 0; block < BLOCKS; block++) {
		for (int i = 0; i < 60; i++)
			run(app->queue, fold, N, 64);
		if (app->repaired)
			flush(app->queue);
		busy(table, N, 150);
		finish(app->queue);
	}
	get(app->queue, v, N * 4, data);
	answer(total(data, N));
	DROP(fold);
	DROP(v);
}

/* A scheduler of two queues: what one has enqueued is submitted when the other's turn is over, for
 * then its results are asked for. */

struct lane {
	cl_command_queue queue;
	cl_mem buffer;
	cl_kernel kernel;
};

static void lane_feed(const struct lane *lane, bool submits)
{
	enum { N = 1 << 14 };

	for (int i = 0; i < 50; i++)
		run(lane->queue, lane->kernel, N, 64);
	if (submits)
		flush(lane->queue);
}

void final_late_submit(struct app *app)
{
	enum { N = 1 << 14, TURNS = 60 };
	float *data = floats(N, 1);
	struct lane lanes[2];
	cl_program program = program_new(app, MIX("smooth"), "");

	for (int i = 0; i < 2; i++) {
		lanes[i] = (struct lane){queue_new(app, 0), loaded(app, N * 4, data),
					 kernel_new(program, "smooth")};
		args(lanes[i].kernel, "bi", lanes[i].buffer, 5);
	}
	for (int turn = 0; turn < TURNS; turn++) {
		const struct lane *lane = &lanes[turn % 2];

		lane_feed(lane, app->repaired);
		nap(4000); /* the answer of a remote node */
		get(lane->queue, lane->buffer, N * 4, data);
	}
	answer(total(data, N));
	for (int i = 0; i < 2; i++) {
		DROP(lanes[i].kernel);
		DROP(lanes[i].buffer);
		DROP(lanes[i].queue);
	}
	DROP(program);
}

/* Frames whose records are written by the callback that tells of their end. */

struct log {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int waiting, written, frames;
	uint32_t sum;
	float *frame;
	bool threaded;
};

static void log_write(struct log *log)
{
	enum { N = 1 << 13 };
	uint32_t sum = 0;

	for (int i = 0; i < 20; i++)
		sum = sum * 3 + checksum(log->frame, N * 4);
	nap(1000); /* the disk's */
	pthread_mutex_lock(&log->lock);
	log->sum += sum;
	log->written++;
	pthread_cond_broadcast(&log->more);
	pthread_mutex_unlock(&log->lock);
}

static void CL_CALLBACK log_frame_done(cl_event event, cl_int status, void *data)
{
	struct log *log = data;

	(void)event;
	must(status, "frame");
	if (!log->threaded) {
		log_write(log);
		return;
	}
	pthread_mutex_lock(&log->lock);
	log->waiting++;
	pthread_cond_broadcast(&log->more);
	pthread_mutex_unlock(&log->lock);
}

static void *log_run(void *data)
{
	struct log *log = data;

	for (int i = 0; i < log->frames; i++) {
		pthread_mutex_lock(&log->lock);
		while (log->waiting <= i)
			pthread_cond_wait(&log->more, &log->lock);
		pthread_mutex_unlock(&log->lock);
		log_write(log);
	}
	return NULL;
}

void final_log_callback(struct app *app)
{
	enum { N = 1 << 14, FRAMES = 120 };
	float *data = floats(N, 1);
	struct log log = {PTHREAD_MUTEX_INITIALIZER,
			  PTHREAD_COND_INITIALIZER,
			  0,
			  0,
			  FRAMES,
			  0,
			  floats(N, 2),
			  app->repaired};
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel track = kernel_of(app, MIX("track"), "track");
	pthread_t thread;

	args(track, "bi", v, 5);
	if (log.threaded && pthread_create(&thread, NULL, log_run, &log))
		must(-1, "pthread_create");
	for (int frame = 0; frame < FRAMES; frame++) {
		cl_event done;

		for (int i = 0; i < 24; i++)
			run(app->queue, track, N, 64);
		done = run_after(app->queue, track, N, 64, 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, log_frame_done, &log));
		DROP(done);
		flush(app->queue);
	}
	get(app->queue, v, N * 4, data);
	pthread_mutex_lock(&log.lock);
	while (log.written < FRAMES)
		pthread_cond_wait(&log.more, &log.lock);
	pthread_mutex_unlock(&log.lock);
	if (log.threaded)
		pthread_join(thread, NULL);
	answer(total(data, N) + log.sum);
	DROP(track);
	DROP(v);
}

/* A host stage within the queue: a native kernel packs what the last kernel made, and sends it. */

struct pack {
	const float *data;
	double *sum;
};

static void CL_CALLBACK pack_send(void *data)
{
	enum { N = 1 << 12 };
	const struct pack *pack = data;

	nap(3000); /* the network's */
	*pack->sum += (double)pack->data[1];
}

void final_native_pack(struct app *app)
{
	enum { N = 1 << 14, PACKETS = 120 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel code = kernel_of(app, MIX("code"), "code");
	double sum = 0;
	struct pack pack = {data, &sum};

	args(code, "bi", v, 5);
	for (int packet = 0; packet < PACKETS; packet++) {
		for (int i = 0; i < 25; i++)
			run(app->queue, code, N, 64);
		if (app->repaired) {
			flush(app->queue);
			pack_send(&pack);
			finish(app->queue);
		} else {
			TRY(clEnqueueNativeKernel(app->queue, pack_send, &pack, sizeof(pack), 0,
						  NULL, NULL, 0, NULL, NULL));
			finish(app->queue);
		}
	}
	answer(sum);
	DROP(code);
	DROP(v);
}
