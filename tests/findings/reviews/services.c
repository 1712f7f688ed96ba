/* SPDX-License-Identifier: MIT */
/* Services that answer requests: a database, a search engine and an archive. */
#include "reviews.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 4 };

struct plan {
	char text[512];
	cl_kernel kernel;
};

/* The kernel of a query's condition. */
static cl_kernel plan_of(struct app *app, struct plan *plans, const char *condition)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "kernel void count_rows(global const float *price, global float *counts)\n"
		 "{\n"
		 "	size_t i = get_global_id(0);\n"
		 "	float found = 0;\n"
		 "	for (size_t k = 0; k < 64; k++) {\n"
		 "		float p = price[i * 64 + k];\n"
		 "		found += (%s) ? 1.0f : 0.0f;\n"
		 "	}\n"
		 "	counts[i] = found;\n"
		 "}\n",
		 condition);
	if (!app->repaired)
		return kernel_of(app, text, "count_rows");
	for (int n = 0; n < PLANS; n++) {
		struct plan *plan = &plans[n];

		if (!plan->kernel) {
			strcpy(plan->text, text);
			plan->kernel = kernel_of(app, text, "count_rows");
		}
		if (strcmp(plan->text, text) != 0)
			continue;
		TRY(clRetainKernel(plan->kernel));
		return plan->kernel;
	}
	return kernel_of(app, text, "count_rows");
}

/* A database that makes a kernel of the condition of each query. */
void review_query_filters(struct app *app)
{
	static const char *const conditions[PLANS] = {
		"p > 0.25f && p < 0.5f",
		"p * p > 0.5f",
		"fabs(p - 0.5f) < 0.125f || p > 0.9f",
		"sin(p * 6.0f) > 0.0f",
	};
	enum { ROWS = 1024 * 1024, BLOCKS = ROWS / 64, QUERIES = 10 };
	float *rows = floats(ROWS, 29), *counts = memory(BLOCKS * sizeof(float));
	cl_mem price = buffer_new(app, ROWS * sizeof(float));
	cl_mem found = buffer_new(app, BLOCKS * sizeof(float));
	struct plan plans[PLANS] = {{{0}, NULL}};
	double sum = 0;

	put_now(app->queue, price, ROWS * sizeof(float), rows);
	for (int n = 0; n < QUERIES; n++) {
		cl_kernel kernel = plan_of(app, plans, conditions[(n * n + n / 3) % PLANS]);

		args(kernel, "bb", price, found);
		run(app->queue, kernel, BLOCKS, 64);
		get(app->queue, found, BLOCKS * sizeof(float), counts);
		sum += total(counts, BLOCKS);
		DROP(kernel);
	}
	answer(sum);
	for (int n = 0; n < PLANS; n++)
		if (plans[n].kernel)
			DROP(plans[n].kernel);
	DROP(found);
	DROP(price);
	free(counts);
	free(rows);
}

/* A search engine: each request's words are scored against all documents, and the best document
 * of each shelf is shown. */
void review_document_search(struct app *app)
{
	static const char source[] = MIX LARGEST(
		"shelves") "kernel void match(global const float *words, global float *scores, int rounds)\n"
			   "{\n"
			   "	size_t i = get_global_id(0);\n"
			   "	uint u = as_uint(words[i % 256]) + (uint)i;\n"
			   "	scores[i] = unit(mix(u, rounds));\n"
			   "}\n";
	enum { WORDS = 256, DOCUMENTS = 1024 * 1024, SHELVES = 1024, REQUESTS = 40 };
	enum { SHELF = DOCUMENTS / SHELVES };
	float *words = memory(WORDS * sizeof(float)), *scores = memory(DOCUMENTS * sizeof(float));
	float *tops = memory(SHELVES * sizeof(float));
	cl_mem query = buffer_new(app, WORDS * sizeof(float));
	cl_mem there = buffer_new(app, DOCUMENTS * sizeof(float));
	cl_mem best = buffer_new(app, SHELVES * sizeof(float));
	cl_kernel match, shelves;
	double sum = 0;

	app->program = program_new(app, source, "");
	match = kernel_new(app->program, "match");
	shelves = kernel_new(app->program, "shelves");
	args(match, "bbi", query, there, 1);
	args(shelves, "bbi", there, best, SHELF);
	for (int n = 0; n < REQUESTS; n++) {
		refill(words, WORDS, n);
		put(app->queue, query, WORDS * sizeof(float), words);
		run(app->queue, match, DOCUMENTS, 128);
		if (app->repaired) {
			run(app->queue, shelves, SHELVES, 32);
			get(app->queue, best, SHELVES * sizeof(float), tops);
		} else {
			get(app->queue, there, DOCUMENTS * sizeof(float), scores);
			for (size_t k = 0; k < SHELVES; k++)
				tops[k] = largest(&scores[k * SHELF], SHELF);
		}
		sum += total(tops, SHELVES);
	}
	answer(sum);
	DROP(shelves);
	DROP(match);
	DROP(best);
	DROP(there);
	DROP(query);
	free(tops);
	free(scores);
	free(words);
}

enum { READERS = 4, PAGE = 256 * 1024, PAGES = 32 };

struct archive {
	struct app *app;
	pthread_mutex_t lock; /* of the device's memory, which the readers share */
	cl_mem packed, plain;
	cl_kernel unpack;
};

struct reader {
	struct archive *archive;
	int number;
	double sum;
};

/* A page comes from the tape robot. */
static void fetch(float *page, int number)
{
	nap(2000);
	for (int i = 0; i < PAGE; i += 64)
		page[i] = (float)(number + i % 1024);
}

static void *reader_main(void *data)
{
	struct reader *reader = data;
	struct archive *archive = reader->archive;
	cl_command_queue queue = archive->app->queue;
	size_t bytes = PAGE * sizeof(float);
	float *page = memory(bytes), *text = memory(4096 * sizeof(float));

	for (int n = 0; n < PAGES; n++) {
		if (archive->app->repaired)
			fetch(page, reader->number * PAGES + n);
		pthread_mutex_lock(&archive->lock);
		if (!archive->app->repaired)
			fetch(page, reader->number * PAGES + n);
		put(queue, archive->packed, bytes, page);
		run(queue, archive->unpack, PAGE, 64);
		get(queue, archive->plain, 4096 * sizeof(float), text);
		pthread_mutex_unlock(&archive->lock);
		reader->sum += total(text, 4096);
	}
	free(text);
	free(page);
	return NULL;
}

/* An archive: readers fetch pages, and unpack them on the device. */
void review_archive_readers(struct app *app)
{
	static const char source[] = MIX EACH("unpack");
	struct archive archive = {.app = app, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct reader readers[READERS];
	double sum = 0;

	app->program = program_new(app, source, "");
	archive.packed = buffer_new(app, PAGE * sizeof(float));
	archive.plain = buffer_new(app, PAGE * sizeof(float));
	archive.unpack = kernel_new(app->program, "unpack");
	args(archive.unpack, "bbi", archive.packed, archive.plain, 4);
	for (int n = 0; n < READERS; n++)
		readers[n] = (struct reader){&archive, n, 0};
	threads_run(READERS, reader_main, readers, sizeof(*readers));
	for (int n = 0; n < READERS; n++)
		sum += readers[n].sum;
	answer(sum);
	DROP(archive.unpack);
	DROP(archive.plain);
	DROP(archive.packed);
}
