/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <pthread.h>
#include <stdlib.h>

/* A viewer of scans smooths a volume, and shows one slice of it after each step: it reads all of
 * the volume. Repaired: it reads the slice. */
enum { SLICE = 64 * KIB, DEPTH = 64, VIEWS = 250 };

struct volume {
	cl_command_queue queue;
	cl_mem data;
	char *host;
	bool by_slice;
};

static const float *slice_view(const struct volume *volume, int z)
{
	size_t offset = (size_t)z * SLICE;

	if (volume->by_slice)
		TRY(clEnqueueReadBuffer(volume->queue, volume->data, CL_TRUE, offset, SLICE,
					volume->host + offset, 0, NULL, NULL));
	else
		get(volume->queue, volume->data, (size_t)SLICE * DEPTH, volume->host);
	return (const float *)(volume->host + offset);
}

void essay_scan_viewer(struct app *app)
{
	struct volume volume = {app->queue, filled(app, (size_t)SLICE * DEPTH, 9),
				memory((size_t)SLICE * DEPTH), app->repaired};
	cl_kernel smooth = kernel_of(app, SWEEP("smooth_volume"), "smooth_volume");
	double sum = 0;

	args(smooth, "bi", volume.data, 3);
	for (int view = 0; view < VIEWS; view++) {
		run(app->queue, smooth, SLICE * 4 / sizeof(float), 64);
		sum += (double)slice_view(&volume, view % 4)[5];
	}
	answer(sum);
	DROP(smooth);
	DROP(volume.data);
	free(volume.host);
}

/* A telescope's frames come from a tape whose robot takes 3 ms for each. The tape is read between
 * two frames. Repaired: a thread reads ahead into the other of two slots. */
enum { PLATE = 128 * KIB, PLATES = 80 };

struct tape {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float *slots[2];
	int read, used;
};

static void tape_read(float *plate, int number)
{
	nap(3000);
	plate[number] += 1;
}

static void *tape_ahead(void *each)
{
	struct tape *tape = *(struct tape **)each;

	for (int number = 0; number < PLATES; number++) {
		pthread_mutex_lock(&tape->lock);
		while (number - tape->used >= 2)
			pthread_cond_wait(&tape->changed, &tape->lock);
		pthread_mutex_unlock(&tape->lock);
		tape_read(tape->slots[number % 2], number);
		pthread_mutex_lock(&tape->lock);
		tape->read = number + 1;
		pthread_cond_broadcast(&tape->changed);
		pthread_mutex_unlock(&tape->lock);
	}
	return NULL;
}

static void tape_wait(struct tape *tape, int number)
{
	pthread_mutex_lock(&tape->lock);
	while (tape->read <= number)
		pthread_cond_wait(&tape->changed, &tape->lock);
	pthread_mutex_unlock(&tape->lock);
}

void essay_tape_plates(struct app *app)
{
	struct tape tape = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	struct tape *ahead = &tape;
	cl_kernel align = kernel_of(app, CHAIN("align_plate"), "align_plate");
	cl_mem plate = buffer_new(app, PLATE * sizeof(float));
	pthread_t thread;
	float first = 0;

	for (int i = 0; i < 2; i++)
		tape.slots[i] = floats(PLATE, (unsigned)i + 1);
	args(align, "bi", plate, 5);
	if (app->repaired)
		must(pthread_create(&thread, NULL, tape_ahead, &ahead), "pthread_create");
	for (int number = 0; number < PLATES; number++) {
		float *slot = tape.slots[app->repaired ? number % 2 : 0];

		if (app->repaired)
			tape_wait(&tape, number);
		else
			tape_read(slot, number);
		put(app->queue, plate, PLATE * sizeof(float), slot);
		for (int pass = 0; pass < 6; pass++)
			run(app->queue, align, PLATE, 64);
		get(app->queue, plate, sizeof(first), &first);
		pthread_mutex_lock(&tape.lock);
		tape.used = number + 1;
		pthread_cond_broadcast(&tape.changed);
		pthread_mutex_unlock(&tape.lock);
	}
	if (app->repaired)
		pthread_join(thread, NULL);
	answer((double)first);
	DROP(align);
	DROP(plate);
	free(tape.slots[0]);
	free(tape.slots[1]);
}
