/* SPDX-License-Identifier: MIT */
/* A device that waits for the host. */
#include "trials.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_ITEMS = 64 * KIB };

/* The next chunk, as the reader of a compressed file gives it. */
static void chunk_load(int file, float *chunk, int number)
{
	char *packed = memory(CHUNK_ITEMS);

	if (pread(file, packed, CHUNK_ITEMS, (off_t)number * CHUNK_ITEMS) != CHUNK_ITEMS)
		must(-1, "pread");
	for (int i = 0, value = number; i < CHUNK_ITEMS; i++) {
		value += packed[i] - 64 + (value >> 5);
		value &= 1023;
		chunk[i] = (float)value * 0.001f;
	}
	free(packed);
}

static int chunk_file_new(int chunks)
{
	char name[] = "/tmp/trials-XXXXXX", *packed = memory(CHUNK_ITEMS);
	int file = mkstemp(name);

	if (file < 0)
		must(-1, "mkstemp");
	unlink(name);
	for (int i = 0; i < chunks; i++) {
		for (int j = 0; j < CHUNK_ITEMS; j++)
			packed[j] = (char)((i * 31 + j * 7) & 127);
		if (write(file, packed, CHUNK_ITEMS) != CHUNK_ITEMS)
			must(-1, "write");
	}
	free(packed);
	return file;
}

/* A file's chunks are read, unpacked and transformed: the device waits for each chunk. Repaired,
 * the next chunk is read while the device has the last one. */
void trial_chunk_file(struct app *app)
{
	enum { chunks = 160, bytes = CHUNK_ITEMS * sizeof(float) };
	int file = chunk_file_new(chunks);
	float *chunk[2] = {memory(bytes), memory(bytes)}, *found = memory(4 * KIB);
	cl_kernel transform = kernel_of(app, MIX("transform"), "transform");
	cl_mem work = buffer_new(app, bytes);
	cl_event home;
	double sum = 0;

	args(transform, "bi", work, 4);
	chunk_load(file, chunk[0], 0);
	for (int i = 0; i < chunks; i++) {
		put(app->queue, work, bytes, chunk[i % 2]);
		run(app->queue, transform, CHUNK_ITEMS, 64);
		home = get_after(app->queue, work, 4 * KIB, found, 0, NULL);
		flush(app->queue);
		if (!app->repaired)
			TRY(clWaitForEvents(1, &home));
		if (i + 1 < chunks)
			chunk_load(file, chunk[(i + 1) % 2], i + 1);
		settle(home);
		sum += (double)found[i];
	}
	answer(sum);
	close(file);
	DROP(transform);
	DROP(work);
	for (int i = 0; i < 2; i++)
		free(chunk[i]);
	free(found);
}

struct augmenter {
	float *batch[2];
	pthread_barrier_t turn;
	size_t items;
	int count;
};

/* Turns the pictures of a batch, and changes their light. */
static void batch_augment(float *batch, size_t items, int number)
{
	refill(batch, items, number);
	busy(batch, items, 2);
	batch[0] = (float)number; /* whichever thread it was */
	for (size_t i = 0; i + 16 <= items; i += 16)
		for (size_t j = 0; j < 8; j++) {
			float left = batch[i + j];

			batch[i + j] = batch[i + 15 - j] * 0.9f;
			batch[i + 15 - j] = left * 1.1f;
		}
}

static void *augment_ahead(void *pointer)
{
	struct augmenter *a = pointer;

	for (int i = 1; i < a->count; i++) {
		batch_augment(a->batch[i % 2], a->items, i);
		pthread_barrier_wait(&a->turn);
	}
	return NULL;
}

/* Training: the thread that runs the device augments each batch before it sends it. Repaired, a
 * second thread is one batch ahead. */
void trial_augment_epochs(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), batches = 250 };
	struct augmenter ahead = {{memory(bytes), memory(bytes)}, .items = items, .count = batches};
	cl_kernel train = kernel_of(app, MIX("train"), "train");
	cl_mem net = buffer_new(app, bytes);
	float loss[256];
	pthread_t thread;
	double sum = 0;

	args(train, "bi", net, 5);
	batch_augment(ahead.batch[0], items, 0);
	pthread_barrier_init(&ahead.turn, NULL, 2);
	if (app->repaired)
		pthread_create(&thread, NULL, augment_ahead, &ahead);
	for (int i = 0; i < batches; i++) {
		if (i && !app->repaired)
			batch_augment(ahead.batch[i % 2], items, i);
		put_now(app->queue, net, bytes, ahead.batch[i % 2]);
		run(app->queue, train, items, 64);
		get(app->queue, net, sizeof(loss), loss);
		sum += (double)loss[i];
		if (app->repaired && i + 1 < batches)
			pthread_barrier_wait(&ahead.turn);
	}
	if (app->repaired)
		pthread_join(thread, NULL);
	pthread_barrier_destroy(&ahead.turn);
	answer(sum);
	DROP(train);
	DROP(net);
	free(ahead.batch[0]);
	free(ahead.batch[1]);
}

enum { SLOTS = 4, SLOT_ITEMS = 4 * KIB, SLOT_JOBS = 240 };

struct slots {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int depth, made, taken;
	float *slot[SLOTS];
};

static void slots_step(struct slots *slots, int *count)
{
	pthread_mutex_lock(&slots->lock);
	(*count)++;
	pthread_cond_broadcast(&slots->changed);
	pthread_mutex_unlock(&slots->lock);
}

/* Jobs come unevenly: one in four takes longest to write down. */
static void *slots_write(void *pointer)
{
	struct slots *slots = pointer;

	for (int i = 0; i < SLOT_JOBS; i++) {
		pthread_mutex_lock(&slots->lock);
		while (slots->made <= i)
			pthread_cond_wait(&slots->changed, &slots->lock);
		pthread_mutex_unlock(&slots->lock);
		nap(i % 4 ? 250 : 2600);
		slots_step(slots, &slots->taken);
	}
	return NULL;
}

/* Results go to a thread that stores them, through a queue of one place, so that the device waits
 * whenever storing takes long. Repaired, the queue has four places. */
void trial_slot_queue(struct app *app)
{
	enum { items = 64 * KIB, bytes = SLOT_ITEMS * sizeof(float) };
	struct slots slots = {PTHREAD_MUTEX_INITIALIZER,
			      PTHREAD_COND_INITIALIZER,
			      app->repaired ? SLOTS : 1,
			      0,
			      0,
			      {NULL}};
	cl_kernel dock = kernel_of(app, MIX("dock"), "dock");
	cl_mem site = buffer_new(app, items * sizeof(float));
	float *molecule = floats(items, 30);
	pthread_t writer;
	double sum = 0;

	for (int i = 0; i < SLOTS; i++)
		slots.slot[i] = memory(bytes);
	put_now(app->queue, site, items * sizeof(float), molecule);
	args(dock, "bi", site, 12);
	pthread_create(&writer, NULL, slots_write, &slots);
	for (int i = 0; i < SLOT_JOBS; i++) {
		float *slot = slots.slot[i % slots.depth];

		pthread_mutex_lock(&slots.lock);
		while (i - slots.taken >= slots.depth)
			pthread_cond_wait(&slots.changed, &slots.lock);
		pthread_mutex_unlock(&slots.lock);
		run(app->queue, dock, items, 64);
		get(app->queue, site, bytes, slot);
		sum += (double)slot[i];
		slots_step(&slots, &slots.made);
	}
	pthread_join(writer, NULL);
	answer(sum);
	for (int i = 0; i < SLOTS; i++)
		free(slots.slot[i]);
	DROP(dock);
	DROP(site);
	free(molecule);
}

struct journal {
	pthread_mutex_t lock;
	bool repaired, over;
	int lines;
};

/* Writes down what has come, to a slow disk. */
static void *journal_run(void *pointer)
{
	struct journal *journal = pointer;
	int written = 0;

	for (bool over = false; !over;) {
		pthread_mutex_lock(&journal->lock);
		over = journal->over;
		written = journal->lines;
		if (!journal->repaired)
			nap(900 + written % 3);
		pthread_mutex_unlock(&journal->lock);
		if (journal->repaired)
			nap(900 + written % 3);
		nap(1500);
	}
	return NULL;
}

/* A solver tells a journal of each step; its thread keeps the lock while the disk writes, and the
 * solver stands. Repaired, it lets go of the lock before. */
void trial_log_lock(struct app *app)
{
	enum { items = 32 * KIB, steps = 500 };
	struct journal journal = {PTHREAD_MUTEX_INITIALIZER, app->repaired, false, 0};
	cl_kernel solve = kernel_of(app, MIX("solve"), "solve");
	cl_mem field = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 31);
	pthread_t thread;
	double sum = 0;

	put_now(app->queue, field, items * sizeof(float), data);
	args(solve, "bi", field, 14);
	pthread_create(&thread, NULL, journal_run, &journal);
	for (int i = 0; i < steps; i++) {
		run(app->queue, solve, items, 64);
		get(app->queue, field, 2 * KIB, data);
		sum += (double)data[i];
		pthread_mutex_lock(&journal.lock);
		journal.lines++;
		pthread_mutex_unlock(&journal.lock);
	}
	pthread_mutex_lock(&journal.lock);
	journal.over = true;
	pthread_mutex_unlock(&journal.lock);
	pthread_join(thread, NULL);
	answer(sum);
	DROP(solve);
	DROP(field);
	free(data);
}
