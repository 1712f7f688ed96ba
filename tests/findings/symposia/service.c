/* SPDX-License-Identifier: MIT */
/* Servers: maps, queries, an archive, and a shop's catalogue. */
#include "symposia.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Map tiles, drawn in the style that each request names. */
static const char tile[] =
	"kernel void draw(global const float *heights, global uint *pixels, int zoom)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float h = heights[i];\n"
	"	uint u = 0;\n"
	"	for (int k = 0; k < 12; k++) {\n"
	"		h = h * 1.7f + (float)(STYLE + 1) * 0.01f * (float)zoom;\n"
	"		h -= floor(h);\n"
	"		u = u * 31 + (uint)(h * 255.0f);\n"
	"	}\n"
	"#if STYLE == 2\n"
	"	u = ~u;\n"
	"#endif\n"
	"	pixels[i] = u;\n"
	"}\n";

static cl_kernel style_kernel(struct app *app, int style)
{
	char options[32];
	cl_program program;
	cl_kernel draw;

	snprintf(options, sizeof(options), "-DSTYLE=%d", style);
	program = program_new(app, tile, options);
	draw = kernel_new(program, "draw");
	DROP(program);
	return draw;
}

void symposium_tile_styles(struct app *app)
{
	enum { PIXELS = 256 * 256, REQUESTS = 14, STYLES = 4 };
	cl_kernel kept[STYLES] = {NULL};
	cl_mem heights = stocked(app, PIXELS, 5);
	cl_mem pixels = buffer_new(app, PIXELS * sizeof(cl_uint));
	cl_uint *image = memory(PIXELS * sizeof(*image));
	uint32_t sum = 0;

	for (int request = 0; request < REQUESTS; request++) {
		int style = request * 7 % 11 % STYLES;
		cl_kernel draw = kept[style];

		if (!draw)
			draw = style_kernel(app, style);
		args(draw, "bbi", heights, pixels, request % 18);
		run(app->queue, draw, PIXELS, 0);
		get(app->queue, pixels, PIXELS * sizeof(*image), image);
		for (size_t i = 0; i < PIXELS; i += 64)
			sum = sum * 31 + image[i];
		if (app->repaired)
			kept[style] = draw;
		else
			DROP(draw);
	}
	for (int style = 0; style < STYLES; style++)
		if (kept[style])
			DROP(kept[style]);
	answer((double)sum);
	free(image);
	DROP(heights);
	DROP(pixels);
}

/* Queries over a table's column: rows that match, their values, and a sum by blocks. Two workers
 * take them from one list. */
static const char query[] =
	"kernel void match(global const float *column, global uchar *hits, float least)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	hits[i] = column[i] >= least;\n"
	"}\n"
	"kernel void gather(global const float *column, global const uchar *hits,\n"
	"		   global float *values)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	values[i] = hits[i] ? floor(column[i] * 64.0f) : 0.0f;\n"
	"}\n"
	"kernel void block_sum(global const float *values, global float *sums)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 256; k++)\n"
	"		sum += values[i + (size_t)k * n];\n"
	"	sums[i] = sum;\n"
	"}\n";

enum { ROWS = 9 * MIB, BLOCKS = ROWS / 256 };

struct query_memory {
	cl_mem hits, values, sums;
};

struct query_list {
	pthread_mutex_t lock;
	int next, count;
	double answers[16];
};

struct query_worker {
	struct app *app;
	struct query_list *list;
	cl_program program;
	cl_mem column;
	cl_command_queue queue;
};

static struct query_memory query_memory_new(const struct app *app)
{
	struct query_memory own = {
		.hits = buffer_new(app, ROWS),
		.values = buffer_new(app, ROWS * sizeof(float)),
		.sums = buffer_new(app, BLOCKS * sizeof(float)),
	};

	return own;
}

static void query_memory_drop(struct query_memory *own)
{
	DROP(own->hits);
	DROP(own->values);
	DROP(own->sums);
}

static int query_next(struct query_list *list)
{
	int next;

	pthread_mutex_lock(&list->lock);
	next = list->next < list->count ? list->next++ : -1;
	pthread_mutex_unlock(&list->lock);
	return next;
}

static void *query_thread(void *argument)
{
	struct query_worker *worker = argument;
	cl_kernel match = kernel_new(worker->program, "match");
	cl_kernel gather = kernel_new(worker->program, "gather");
	cl_kernel block_sum = kernel_new(worker->program, "block_sum");
	struct query_memory own = {0};
	float *sums = memory(BLOCKS * sizeof(*sums));

	if (worker->app->repaired)
		own = query_memory_new(worker->app);
	for (int number; (number = query_next(worker->list)) >= 0;) {
		if (!worker->app->repaired)
			own = query_memory_new(worker->app);
		args(match, "bbf", worker->column, own.hits, (number % 50) / 64.0);
		args(gather, "bbb", worker->column, own.hits, own.values);
		args(block_sum, "bb", own.values, own.sums);
		run(worker->queue, match, ROWS, 0);
		run(worker->queue, gather, ROWS, 0);
		run(worker->queue, block_sum, BLOCKS, 0);
		get(worker->queue, own.sums, BLOCKS * sizeof(*sums), sums);
		worker->list->answers[number] = total(sums, BLOCKS);
		if (!worker->app->repaired)
			query_memory_drop(&own);
	}
	if (worker->app->repaired)
		query_memory_drop(&own);
	free(sums);
	DROP(match);
	DROP(gather);
	DROP(block_sum);
	return NULL;
}

void symposium_query_scratch(struct app *app)
{
	struct query_list list = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 16};
	struct query_worker workers[2];
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		workers[i].app = app;
		workers[i].list = &list;
		workers[i].program = i ? workers[0].program : program_new(app, query, "");
		workers[i].column = i ? workers[0].column : stocked(app, ROWS, 6);
		workers[i].queue = queue_new(app, 0);
	}
	threads_run(2, query_thread, workers, sizeof(*workers));
	for (int i = 0; i < list.count; i++)
		sum += list.answers[i];
	answer(sum);
	DROP(workers[0].queue);
	DROP(workers[1].queue);
	DROP(workers[0].program);
	DROP(workers[0].column);
}

/* Cells that grow and divide; an archive elsewhere keeps a snapshot of every eighth step, and
 * acknowledges each. */
static const char colony[] =
	"kernel void grow(global const float *in, global float *out, float food)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float a = in[i], b = in[(i + 1) & (n - 1)];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		a = a * 0.875f + b * 0.0625f + food;\n"
	"	out[i] = a;\n"
	"}\n";

enum { CELLS = 64 * KIB, KEEP = 64 };

static void *archive_thread(void *argument)
{
	int link = *(int *)argument;
	float packet[KEEP];

	while (recv(link, packet, sizeof(packet), MSG_WAITALL) == (ssize_t)sizeof(packet)) {
		nap(1500); /* a disk that is far away */
		if (send(link, "k", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return NULL;
}

static void archive_keep(int link, const float *packet)
{
	char reply;

	if (send(link, packet, KEEP * sizeof(*packet), MSG_NOSIGNAL) < 0 ||
	    recv(link, &reply, 1, 0) != 1)
		must(-1, "archive");
}

static void colony_steps(struct app *app, cl_kernel grow, const cl_mem *cells, int number)
{
	for (int step = 0; step < 8; step++) {
		args(grow, "bbf", cells[step % 2], cells[(step + 1) % 2], 0.01 + number / 8192.0);
		run(app->queue, grow, CELLS, 0);
	}
	flush(app->queue);
}

void symposium_snapshot_ack(struct app *app)
{
	enum { SNAPSHOTS = 90 };
	cl_kernel grow = kernel_of(app, colony, "grow");
	cl_mem cells[2] = {stocked(app, CELLS, 8), buffer_new(app, CELLS * sizeof(float))};
	float packet[KEEP];
	double sum = 0;
	pthread_t archive;
	int link[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, link) ||
	    pthread_create(&archive, NULL, archive_thread, &link[1]))
		must(-1, "archive");
	colony_steps(app, grow, cells, 0);
	for (int number = 0; number < SNAPSHOTS; number++) {
		get(app->queue, cells[0], sizeof(packet), packet);
		if (app->repaired && number + 1 < SNAPSHOTS)
			colony_steps(app, grow, cells, number + 1);
		archive_keep(link[0], packet);
		sum += total(packet, KEEP);
		if (!app->repaired && number + 1 < SNAPSHOTS)
			colony_steps(app, grow, cells, number + 1);
	}
	shutdown(link[0], SHUT_RDWR);
	pthread_join(archive, NULL);
	close(link[0]);
	close(link[1]);
	answer(sum);
	DROP(grow);
	DROP(cells[0]);
	DROP(cells[1]);
}

/* A catalogue: the device scores its articles for each customer, the host ranks them. */
static const char catalog[] =
	"kernel void score(global const float *articles, global float *scores, int customer)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = articles[i], s = 0;\n"
	"	for (int k = 1; k <= 16; k++)\n"
	"		s = s * 0.75f + fabs(a - (float)((customer * k) & 255) * 0.00390625f);\n"
	"	scores[i] = s;\n"
	"}\n";

enum { ARTICLES = 128 * KIB, BINS = 2048 };

/* The score that a tenth of the articles exceed: its bits by three, from the highest ones. */
static double catalog_rank(const uint32_t *keys)
{
	static unsigned bins[BINS];
	unsigned left = ARTICLES / 10;
	uint32_t found = 0, mask = 0;

	for (int shift = 22; shift >= 0; shift -= 11) {
		uint32_t bin = BINS - 1;

		for (int i = 0; i < BINS; i++)
			bins[i] = 0;
		for (size_t i = 0; i < ARTICLES; i++)
			if ((keys[i] & mask) == found)
				bins[keys[i] >> shift & (BINS - 1)]++;
		while (bin > 0 && bins[bin] < left)
			left -= bins[bin--];
		found |= bin << shift;
		mask |= (uint32_t)(BINS - 1) << shift;
	}
	return found;
}

static void catalog_ask(struct app *app, cl_kernel score, cl_mem articles, cl_mem scores,
			int customer)
{
	args(score, "bbi", articles, scores, customer);
	run(app->queue, score, ARTICLES, 0);
	flush(app->queue);
}

void symposium_catalog_rank(struct app *app)
{
	enum { CUSTOMERS = 160 };
	cl_kernel score = kernel_of(app, catalog, "score");
	cl_mem articles = stocked(app, ARTICLES, 9);
	cl_mem scores = buffer_new(app, ARTICLES * sizeof(float));
	uint32_t *host = memory(ARTICLES * sizeof(*host));
	double sum = 0;

	catalog_ask(app, score, articles, scores, 0);
	for (int customer = 0; customer < CUSTOMERS; customer++) {
		get(app->queue, scores, ARTICLES * sizeof(*host), host);
		if (app->repaired && customer + 1 < CUSTOMERS)
			catalog_ask(app, score, articles, scores, customer + 1);
		sum += catalog_rank(host);
		if (!app->repaired && customer + 1 < CUSTOMERS)
			catalog_ask(app, score, articles, scores, customer + 1);
	}
	answer(sum);
	free(host);
	DROP(score);
	DROP(articles);
	DROP(scores);
}
