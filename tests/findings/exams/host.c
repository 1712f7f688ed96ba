/* SPDX-License-Identifier: MIT */
/* A device that waits for the host. */
#include "exams.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICKS = 8 * KIB, TICK_TEXT = 8 };

/* An hour of prices, as the exchange sends them. */
static void ticks_receive(char *text, int hour)
{
	for (int i = 0; i < TICKS; i++) {
		unsigned price = ((unsigned)i * 37u + (unsigned)hour * 101u) % 1000u;

		memcpy(text + (size_t)i * TICK_TEXT, "12.000\n", TICK_TEXT);
		for (int j = 5; j > 2; j--, price /= 10)
			text[i * TICK_TEXT + j] = (char)('0' + price % 10);
	}
}

static void ticks_parse(const char *text, float *prices)
{
	for (int i = 0; i < TICKS; i++)
		prices[i] = strtof(text + (size_t)i * TICK_TEXT, NULL);
}

/* Prices come as text, which the host parses before the device has anything to do. Repaired, it
 * parses the next hour's while the device has the last one's. */
void exam_tick_parse(struct app *app)
{
	enum { bytes = TICKS * sizeof(float), hours = 130 };
	char *text = memory(TICKS * TICK_TEXT);
	float *prices[2] = {memory(bytes), memory(bytes)}, seen[256];
	cl_kernel average = kernel_of(app, STIR("average"), "average");
	cl_mem hour = buffer_new(app, bytes);
	double sum = 0;

	args(average, "bi", hour, 24);
	ticks_receive(text, 0);
	ticks_parse(text, prices[0]);
	for (int i = 0; i < hours; i++) {
		put(app->queue, hour, bytes, prices[i % 2]);
		for (int j = 0; j < 4; j++)
			run(app->queue, average, TICKS, 64);

		cl_event home = get_after(app->queue, hour, sizeof(seen), seen, 0, NULL);

		flush(app->queue);
		if (!app->repaired)
			settle(home);
		if (i + 1 < hours) {
			ticks_receive(text, i + 1);
			ticks_parse(text, prices[(i + 1) % 2]);
		}
		if (app->repaired)
			settle(home);
		sum += total(seen, 256);
	}
	answer(sum);
	DROP(average);
	DROP(hour);
	free(text);
	free(prices[0]);
	free(prices[1]);
}

static int fitness_compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The best tenth of a generation, for the protocol. */
static double elite_of(float *fitness, size_t count)
{
	qsort(fitness, count, sizeof(*fitness), fitness_compare);
	return total(fitness + count - count / 10, count / 10);
}

/* Evolution, on the device. The host sorts each generation by its fitness for a protocol, on which
 * nothing depends, and then has the next one made. Repaired, it sorts while that is made. */
void exam_elite_sort(struct app *app)
{
	enum { items = 4 * KIB, bytes = items * sizeof(float), generations = 120 };
	cl_kernel mutate = kernel_of(app, STIR("mutate"), "mutate");
	cl_mem population = buffer_new(app, bytes);
	float *fitness[2] = {floats(items, 15), memory(bytes)};
	cl_event home[2] = {NULL, NULL};
	double sum = 0;

	put_now(app->queue, population, bytes, fitness[0]);
	args(mutate, "bi", population, 40);
	for (int i = 0; i <= generations; i++) {
		int late = app->repaired ? 1 - i % 2 : i % 2;

		if (i < generations) {
			for (int j = 0; j < 6; j++)
				run(app->queue, mutate, items, 64);
			home[i % 2] =
				get_after(app->queue, population, bytes, fitness[i % 2], 0, NULL);
			flush(app->queue);
		}
		if (!home[late])
			continue;
		settle(home[late]);
		home[late] = NULL;
		sum += elite_of(fitness[late], items);
	}
	answer(sum);
	DROP(mutate);
	DROP(population);
	free(fitness[0]);
	free(fitness[1]);
}

enum { FRAME_ITEMS = 16 * KIB, FRAME_BYTES = FRAME_ITEMS * sizeof(float) };

/* All of it, or nothing is left. */
static bool bytes_read(int from, void *data, size_t bytes)
{
	char *at = data;

	while (bytes) {
		ssize_t got = read(from, at, bytes);

		if (got <= 0)
			return false;
		at += got;
		bytes -= (size_t)got;
	}
	return true;
}

static void bytes_write(int to, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t gone = write(to, at, bytes);

		if (gone <= 0)
			must(-1, "write");
		at += gone;
		bytes -= (size_t)gone;
	}
}

/* The far end: a store that needs most of a millisecond to find a frame. */
static void *store_run(void *pointer)
{
	float *frame = memory(FRAME_BYTES);
	int line = *(int *)pointer, wanted;

	while (bytes_read(line, &wanted, sizeof(wanted)) && wanted >= 0) {
		nap(700);
		refill(frame, FRAME_ITEMS, wanted);
		bytes_write(line, frame, FRAME_BYTES);
	}
	free(frame);
	return NULL;
}

/* Frames lie in a store, and the program asks for the next one when it is through with the last.
 * Repaired, it asks when it has received one, so that the store looks while the device works. */
void exam_remote_frames(struct app *app)
{
	enum { frames = 130 };
	cl_kernel detect = kernel_of(app, STIR("detect"), "detect");
	cl_mem picture = buffer_new(app, FRAME_BYTES);
	float *frame = memory(FRAME_BYTES), *found = memory(FRAME_BYTES);
	int line[2], end = -1;
	pthread_t store;
	double sum = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, line))
		must(-1, "socketpair");
	pthread_create(&store, NULL, store_run, &line[1]);
	args(detect, "bi", picture, 12);
	for (int i = 0, next = 1; i < frames; i++) {
		if (!app->repaired || !i)
			bytes_write(line[0], &i, sizeof(i));
		if (!bytes_read(line[0], frame, FRAME_BYTES))
			must(-1, "read");
		if (app->repaired && next < frames)
			bytes_write(line[0], &next, sizeof(next));
		next++;
		put(app->queue, picture, FRAME_BYTES, frame);
		for (int j = 0; j < 8; j++)
			run(app->queue, detect, FRAME_ITEMS, 64);
		get(app->queue, picture, FRAME_BYTES, found);
		sum += total(found, FRAME_ITEMS);
	}
	bytes_write(line[0], &end, sizeof(end));
	pthread_join(store, NULL);
	answer(sum);
	close(line[0]);
	close(line[1]);
	DROP(detect);
	DROP(picture);
	free(frame);
	free(found);
}

struct film {
	struct app *app;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int turn; /* the picture that may go into the film */
	cl_kernel kernel;
	cl_mem reel;
};

struct painter {
	struct film *film;
	int number;
	double sum;
};

static void film_await(struct film *film, int picture)
{
	pthread_mutex_lock(&film->lock);
	while (film->turn != picture) {
		if (film->app->repaired) {
			pthread_cond_wait(&film->changed, &film->lock);
			continue;
		}
		pthread_mutex_unlock(&film->lock);
		nap(500);
		pthread_mutex_lock(&film->lock);
	}
	pthread_mutex_unlock(&film->lock);
}

static void film_next(struct film *film)
{
	pthread_mutex_lock(&film->lock);
	film->turn++;
	pthread_cond_broadcast(&film->changed);
	pthread_mutex_unlock(&film->lock);
}

static void *painter_run(void *pointer)
{
	enum { items = 16 * KIB, bytes = items * sizeof(float), pictures = 160 };
	struct painter *painter = pointer;
	struct film *film = painter->film;
	cl_command_queue queue = film->app->queue;
	float *picture = memory(bytes);

	for (int i = painter->number; i < pictures; i += 2) {
		refill(picture, items, i);
		busy(picture, items, 2);
		picture[0] = (float)i;
		film_await(film, i);
		put(queue, film->reel, bytes, picture);
		args(film->kernel, "bi", film->reel, 12);
		for (int j = 0; j < 4; j++)
			run(queue, film->kernel, items, 64);
		get(queue, film->reel, bytes, picture);
		film_next(film);
		painter->sum += total(picture, items);
	}
	free(picture);
	return NULL;
}

/* Two painters make the pictures of a film, every other one each, and put them on its one reel in
 * order. Who is too early looks again half a millisecond later, and again; repaired, the other one
 * wakes it. */
void exam_turn_naps(struct app *app)
{
	struct film film = {app,
			    PTHREAD_MUTEX_INITIALIZER,
			    PTHREAD_COND_INITIALIZER,
			    0,
			    kernel_of(app, STIR("paint"), "paint"),
			    buffer_new(app, 16 * KIB * sizeof(float))};
	struct painter painters[2] = {{&film, 0, 0}, {&film, 1, 0}};

	threads_run(2, painter_run, painters, sizeof(*painters));
	answer(painters[0].sum + painters[1].sum);
	DROP(film.kernel);
	DROP(film.reel);
}

/* A number for what a kernel's parameter is called on this device, as a table of tuned ones has
 * it. */
static unsigned key_of(const struct app *app, cl_kernel kernel, const char *parameter)
{
	static const cl_device_info wanted[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
						CL_DRIVER_VERSION};
	char text[1024];
	unsigned key = 5381;

	for (size_t i = 0; i <= sizeof(wanted) / sizeof(*wanted); i++) {
		if (i)
			TRY(clGetDeviceInfo(app->device, wanted[i - 1], sizeof(text), text, NULL));
		else
			TRY(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text,
					    NULL));
		key = key * 33u ^ (unsigned)strlen(text) ^ (unsigned char)text[0];
	}
	return key * 33u ^ (unsigned char)*parameter;
}

/* How many items a group of the kernel has best. */
static size_t group_of(const struct app *app, cl_kernel kernel)
{
	static const char *const parameters[] = {"group",  "vector", "unroll", "local",
						 "stride", "tile",   "depth",  "cache"};
	size_t most, multiple;
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		found |= key_of(app, kernel, parameters[i]);
	TRY(clGetKernelWorkGroupInfo(kernel, app->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most),
				     &most, NULL));
	TRY(clGetKernelWorkGroupInfo(kernel, app->device,
				     CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(multiple),
				     &multiple, NULL));
	return found && most >= 64 && multiple ? 64 : 1;
}

/* An engine for sound, of many small kernels, looks up before each launch what is best for
 * it, for which it asks device and kernel who they are, once for each parameter. Repaired, it does
 * that once. */
void exam_device_queries(struct app *app)
{
	enum { items = 256, bytes = items * sizeof(float), blocks = 300, effects = 40 };
	cl_kernel effect = kernel_of(app, STIR("effect"), "effect");
	size_t group = group_of(app, effect);
	cl_mem sound = buffer_new(app, bytes);
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < blocks; i++) {
		refill(data, items, i);
		put(app->queue, sound, bytes, data);
		for (int j = 0; j < effects; j++) {
			if (!app->repaired)
				group = group_of(app, effect);
			args(effect, "bi", sound, j % 4);
			run(app->queue, effect, items, group);
		}
		get(app->queue, sound, bytes, data);
		sum += total(data, items);
	}
	answer(sum);
	DROP(effect);
	DROP(sound);
	free(data);
}
