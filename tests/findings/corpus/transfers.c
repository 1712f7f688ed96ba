/* SPDX-License-Identifier: MIT */
/* Faults in what is moved. */
#include "corpus.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static char data[16 << 20];

void corpus_small_writes(struct corpus *corpus)
{
	cl_mem buffer = corpus_buffer(corpus, 256 << 10);

	memset(data, 1, 256 << 10);
	if (corpus->repaired)
		corpus_write(corpus, buffer, CL_TRUE, 0, 256 << 10, data);
	for (size_t i = 0; !corpus->repaired && i < 4096; i++)
		corpus_write(corpus, buffer, CL_TRUE, i * 64, 64, data + i * 64);
	for (int i = 0; i < 20; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
	corpus_write(corpus, buffer, CL_TRUE, 0, 256 << 10, data);
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

void corpus_small_reads(struct corpus *corpus)
{
	cl_mem buffer = corpus_buffer(corpus, 256 << 10);

	memset(data, 1, 256 << 10);
	corpus_write(corpus, buffer, CL_TRUE, 0, 256 << 10, data);
	for (int i = 0; i < 20; i++)
		corpus_work(corpus, 100, 0, NULL, NULL);
	if (corpus->repaired)
		corpus_read(corpus, buffer, CL_TRUE, 0, 256 << 10, data);
	for (size_t i = 0; !corpus->repaired && i < 4096; i++)
		corpus_read(corpus, buffer, CL_TRUE, i * 64, 64, data + i * 64);
	corpus_read(corpus, buffer, CL_TRUE, 0, 256 << 10, data);
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* The host looks at nothing in between. */
void corpus_bounce(struct corpus *corpus)
{
	size_t bytes = corpus_items * sizeof(float);

	for (int i = 0; i < 60; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		if (corpus->repaired)
			continue;
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
		corpus_write(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
	}
	corpus_read(corpus, corpus->buffer, CL_TRUE, 0, bytes, data);
}

void corpus_copy_by_host(struct corpus *corpus)
{
	size_t bytes = 4 << 20;
	cl_mem from = corpus_buffer(corpus, bytes), to = corpus_buffer(corpus, bytes);

	memset(data, 1, bytes);
	corpus_write(corpus, from, CL_TRUE, 0, bytes, data);
	for (int i = 0; i < 40; i++) {
		if (corpus->repaired) {
			must(clEnqueueCopyBuffer(corpus->queue, from, to, 0, 0, bytes, 0, NULL,
						 NULL),
			     "clEnqueueCopyBuffer");
		} else {
			corpus_read(corpus, from, CL_TRUE, 0, bytes, data);
			corpus_write(corpus, to, CL_TRUE, 0, bytes, data);
		}
	}
	corpus_finish(corpus);
	must(clReleaseMemObject(from), "clReleaseMemObject");
	must(clReleaseMemObject(to), "clReleaseMemObject");
}

struct taker {
	const struct corpus *corpus;
	cl_mem to;
	sem_t full, taken;
	int count;
};

static void taker_wait(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *taker_main(void *user)
{
	struct taker *taker = user;

	for (int i = 0; i < taker->count; i++) {
		taker_wait(&taker->full);
		corpus_write(taker->corpus, taker->to, CL_TRUE, 0, 1 << 20, data);
		sem_post(&taker->taken);
	}
	return NULL;
}

/* One thread reads a stage's result, another one writes it to the next stage's buffer. */
void corpus_copy_by_threads(struct corpus *corpus)
{
	size_t bytes = 1 << 20;
	cl_mem from = corpus_buffer(corpus, bytes);
	struct taker taker = {corpus, .to = corpus_buffer(corpus, bytes),
			      .count = corpus->repaired ? 0 : 40};
	pthread_t thread;

	sem_init(&taker.full, 0, 0);
	sem_init(&taker.taken, 0, 0);
	memset(data, 1, bytes);
	corpus_write(corpus, from, CL_TRUE, 0, bytes, data);
	pthread_create(&thread, NULL, taker_main, &taker);
	for (int i = 0; i < 40; i++) {
		corpus_work(corpus, 40, 0, NULL, NULL);
		if (corpus->repaired) {
			must(clEnqueueCopyBuffer(corpus->queue, from, taker.to, 0, 0, bytes, 0,
						 NULL, NULL),
			     "clEnqueueCopyBuffer");
			continue;
		}
		corpus_read(corpus, from, CL_TRUE, 0, bytes, data);
		sem_post(&taker.full);
		taker_wait(&taker.taken);
	}
	pthread_join(thread, NULL);
	corpus_finish(corpus);
	sem_destroy(&taker.full);
	sem_destroy(&taker.taken);
	must(clReleaseMemObject(from), "clReleaseMemObject");
	must(clReleaseMemObject(taker.to), "clReleaseMemObject");
}

/* A table that never changes goes to the device before each kernel. */
void corpus_upload_again(struct corpus *corpus)
{
	size_t bytes = 4 << 20;
	cl_mem table = corpus_buffer(corpus, bytes);

	memset(data, 3, bytes);
	for (int i = 0; i < 40; i++) {
		if (!i || !corpus->repaired)
			corpus_write(corpus, table, CL_TRUE, 0, bytes, data);
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
	}
	must(clReleaseMemObject(table), "clReleaseMemObject");
}

/* As upload_again(), of a part of each row of a wider table. */
void corpus_window_again(struct corpus *corpus)
{
	const size_t none[3] = {0}, from[3] = {512, 8, 0}, size[3] = {1024, 1024, 1};
	cl_mem window = corpus_buffer(corpus, size[0] * size[1]);

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * i >> 9);
	for (int i = 0; i < 40; i++) {
		if (!i || !corpus->repaired)
			must(clEnqueueWriteBufferRect(corpus->queue, window, CL_TRUE, none, from,
						      size, 0, 0, 4096, 0, data, 0, NULL, NULL),
			     "clEnqueueWriteBufferRect");
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
	}
	must(clReleaseMemObject(window), "clReleaseMemObject");
}

/* As copy_by_host(): a tile of a grid, which has a place among others in the host's memory, to a buffer. */
void corpus_window_by_host(struct corpus *corpus)
{
	const size_t none[3] = {0}, at[3] = {1024, 16, 0}, size[3] = {1024, 1024, 1};
	cl_mem grid = corpus_buffer(corpus, 4 << 20), tile = corpus_buffer(corpus, 1 << 20);

	for (int i = 0; i < 40; i++) {
		for (size_t j = 0; j < 4 << 20; j++)
			data[j] = (char)(j * j >> 9 ^ (size_t)i);
		corpus_write(corpus, grid, CL_TRUE, 0, 4 << 20, data);
		if (corpus->repaired) {
			must(clEnqueueCopyBufferRect(corpus->queue, grid, tile, at, none, size,
						     2048, 0, 0, 0, 0, NULL, NULL),
			     "clEnqueueCopyBufferRect");
			continue;
		}
		must(clEnqueueReadBufferRect(corpus->queue, grid, CL_TRUE, at, at, size, 2048, 0,
					     4096, 0, data, 0, NULL, NULL),
		     "clEnqueueReadBufferRect");
		must(clEnqueueWriteBufferRect(corpus->queue, tile, CL_TRUE, none, at, size, 0, 0,
					      4096, 0, data, 0, NULL, NULL),
		     "clEnqueueWriteBufferRect");
	}
	corpus_finish(corpus);
	must(clReleaseMemObject(grid), "clReleaseMemObject");
	must(clReleaseMemObject(tile), "clReleaseMemObject");
}

/* Each step makes a buffer of its own, for the same table. */
void corpus_upload_to_new(struct corpus *corpus)
{
	size_t bytes = 4 << 20;

	memset(data, 3, bytes);
	for (int i = 0; i < 40; i++) {
		cl_mem table = corpus_buffer(corpus, bytes);

		if (corpus->repaired)
			data[i] = (char)(5 + i);
		corpus_write(corpus, table, CL_TRUE, 0, bytes, data);
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
		must(clReleaseMemObject(table), "clReleaseMemObject");
	}
}

/* All transfers are rows of 16 KiB: no larger one says what a byte takes. */
void corpus_rows_of_one_size(struct corpus *corpus)
{
	size_t row = 16 << 10, bytes = 4 << 20;
	cl_mem table = corpus_buffer(corpus, bytes);

	for (int step = 0; step < 8; step++) {
		memset(data, step, bytes);
		if (corpus->repaired)
			corpus_write(corpus, table, CL_TRUE, 0, bytes, data);
		for (size_t at = 0; !corpus->repaired && at < bytes; at += row)
			corpus_write(corpus, table, CL_TRUE, at, row, data + at);
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_finish(corpus);
	}
	must(clReleaseMemObject(table), "clReleaseMemObject");
}

/* All of a buffer comes back after each step; only the last is used. */
void corpus_read_each(struct corpus *corpus)
{
	size_t bytes = 8 << 20;
	cl_mem result = corpus_buffer(corpus, bytes);

	memset(data, 1, bytes);
	corpus_write(corpus, result, CL_TRUE, 0, bytes, data);
	for (int i = 0; i < 30; i++) {
		corpus_work(corpus, 20, 0, NULL, NULL);
		if (!corpus->repaired || i == 29)
			corpus_read(corpus, result, CL_TRUE, 0, bytes, data);
	}
	must(clReleaseMemObject(result), "clReleaseMemObject");
}

/* Each step has new input, and all of its field comes back, of which the host looks at one value. */
void corpus_read_all(struct corpus *corpus)
{
	size_t bytes = 4 << 20, step = 8192;
	cl_mem field = corpus_buffer(corpus, bytes);
	int sum = 0;

	for (int i = 0; i < 30; i++) {
		memset(data, i, step);
		corpus_write(corpus, field, CL_TRUE, 0, step, data);
		corpus_work(corpus, 20, 0, NULL, NULL);
		corpus_read(corpus, field, CL_TRUE, 0, corpus->repaired ? step : bytes,
			    data + step);
		sum += data[step];
	}
	must(sum < 0, "sum");
	must(clReleaseMemObject(field), "clReleaseMemObject");
}
