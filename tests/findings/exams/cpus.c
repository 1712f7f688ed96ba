/* SPDX-License-Identifier: MIT */
/* Threads, processes and callbacks in the driver's way, and errors that nobody reads. */
#include "exams.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SERIES = 3 * KIB, SERIES_PLACES = 4 };

struct series {
	float *values;
	double median;
};

static int value_compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void series_sort(struct series *series)
{
	qsort(series->values, SERIES, sizeof(float), value_compare);
	series->median += (double)series->values[SERIES / 2];
}

static void CL_CALLBACK series_arrived(cl_event event, cl_int status, void *series)
{
	(void)event, (void)status;
	series_sort(series);
}

/* Series of measurements: the callback of each sorts it, for its median, in the driver's thread.
 * Repaired, the program's thread does, when the series' place is needed again. */
void exam_quantile_callback(struct app *app)
{
	enum { items = 64 * KIB, bytes = SERIES * sizeof(float), count = 150 };
	cl_kernel measure = kernel_of(app, STIR("measure"), "measure");
	cl_mem field = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 16);
	struct series series[SERIES_PLACES];
	cl_event home[SERIES_PLACES] = {NULL};
	double sum = 0;

	for (int i = 0; i < SERIES_PLACES; i++)
		series[i] = (struct series){memory(bytes), 0};
	put_now(app->queue, field, items * sizeof(float), data);
	args(measure, "bi", field, 12);
	for (int i = 0; i < count + SERIES_PLACES; i++) {
		int at = i % SERIES_PLACES;

		if (home[at]) {
			settle(home[at]);
			home[at] = NULL;
			if (app->repaired)
				series_sort(&series[at]);
		}
		if (i >= count)
			continue;
		run(app->queue, measure, items, 64);
		home[at] = get_after(app->queue, field, bytes, series[at].values, 0, NULL);
		if (!app->repaired)
			TRY(clSetEventCallback(home[at], CL_COMPLETE, series_arrived, &series[at]));
		flush(app->queue);
	}
	finish(app->queue);
	nap(5000); /* for the last callbacks */
	for (int i = 0; i < SERIES_PLACES; i++) {
		sum += series[i].median;
		free(series[i].values);
	}
	answer(sum);
	DROP(measure);
	DROP(field);
	free(data);
}

struct dash {
	atomic_bool *over;
	bool repaired;
	float log[4 * KIB];
};

/* A chart of the log's last lines. */
static void *dash_draw(void *pointer)
{
	struct dash *dash = pointer;

	while (!atomic_load(dash->over)) {
		busy(dash->log, sizeof(dash->log) / sizeof(float), 300);
		nap(dash->repaired ? 40000 : 500);
	}
	return NULL;
}

/* Two threads draw charts of what goes on, anew half a millisecond after they are through, for a
 * screen that shows 25 pictures a second; repaired, 25 times a second or less. */
void exam_dash_threads(struct app *app)
{
	enum { items = 96 * KIB, steps = 200 };
	static struct dash dashes[2];
	cl_kernel sweep = kernel_of(app, STIR("sweep"), "sweep");
	cl_mem field = buffer_new(app, items * sizeof(float));
	float *data = floats(items, 17);
	pthread_t threads[2];
	atomic_bool over = false;
	double sum = 0;

	put_now(app->queue, field, items * sizeof(float), data);
	args(sweep, "bi", field, 12);
	for (int i = 0; i < 2; i++) {
		dashes[i] = (struct dash){.over = &over, .repaired = app->repaired};
		pthread_create(&threads[i], NULL, dash_draw, &dashes[i]);
	}
	for (int i = 0; i < steps; i++) {
		run(app->queue, sweep, items, 64);
		get(app->queue, field, KIB, data);
		sum += (double)data[i];
	}
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	answer(sum);
	DROP(sweep);
	DROP(field);
	free(data);
}

/* A launcher that binds itself to a CPU, for its clock's sake; what it starts is bound as well. */
void spawned_pin_early(bool repaired)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (!repaired && sched_setaffinity(0, sizeof(set), &set))
		must(-1, "sched_setaffinity");
}

static double shots_render(struct app *app, int count, unsigned seed)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float) };
	cl_kernel shot = kernel_of(app, STIR("shot"), "shot");
	cl_mem scene = buffer_new(app, bytes);
	float *data = floats(items, seed);
	double sum = 0;

	args(shot, "bi", scene, 12);
	for (int i = 0; i < count; i++) {
		data[0] = (float)i;
		put(app->queue, scene, bytes, data);
		run(app->queue, shot, items, 64);
		get(app->queue, scene, bytes, data);
		sum += total(data, items);
	}
	DROP(shot);
	DROP(scene);
	free(data);
	return sum;
}

void exam_pin_half(struct app *app)
{
	answer(shots_render(app, 120, 18));
}

/* A film is rendered by two processes, a half each. The first one has bound itself to a CPU before
 * it starts the other one, so that both share it; repaired, it has not. */
void exam_spawned_pin(struct app *app)
{
	int other = process_start(app, "pin_half", NULL, -1);
	double sum = shots_render(app, 120, 19);

	process_end(other);
	answer(sum);
}

static double probe_once(struct app *app, cl_kernel probe, cl_mem field)
{
	float seen[256];

	args(probe, "bi", field, 12);
	run(app->queue, probe, 64 * KIB, 64);
	get(app->queue, field, sizeof(seen), seen);
	return total(seen, 256);
}

/* Probes a device, until whoever started it closes the pipe. */
void exam_probe(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float) };
	cl_kernel probe = kernel_of(app, STIR("probe"), "probe");
	cl_mem field = buffer_new(app, bytes);
	float *data = floats(items, 20);
	struct pollfd end = {0, POLLIN, 0};
	double sum = 0;

	put_now(app->queue, field, bytes, data);
	while (!poll(&end, 1, app->repaired ? 60 : 0))
		sum += probe_once(app, probe, field);
	answer(sum);
	DROP(probe);
	DROP(field);
	free(data);
}

/* A process looks after the device's health, with a kernel that it runs again as soon as it is
 * over, beside the one that serves; repaired, each 60 ms. */
void exam_health_probe(struct app *app)
{
	double sum;
	int ends[2], probe;

	if (pipe2(ends, O_CLOEXEC))
		must(-1, "pipe2");
	probe = process_start(app, "probe", app->repaired ? "repaired" : NULL, ends[0]);
	sum = shots_render(app, 260, 21);
	close(ends[1]);
	process_end(probe);
	close(ends[0]);
	answer(sum);
}

struct guess {
	struct app app;
	atomic_bool over;
};

/* Renders what the user may want to see next, in a context of the plugin's own. */
static void *guess_run(void *pointer)
{
	enum { items = 64 * KIB };
	struct guess *guess = pointer;
	cl_kernel tile = kernel_of(&guess->app, STIR("next_tile"), "next_tile");
	cl_mem cache = buffer_new(&guess->app, items * sizeof(float));
	float *data = floats(items, 22);

	put_now(guess->app.queue, cache, items * sizeof(float), data);
	while (!atomic_load(&guess->over)) {
		args(tile, "bi", cache, 20);
		run(guess->app.queue, tile, items, 64);
		finish(guess->app.queue);
	}
	DROP(tile);
	DROP(cache);
	free(data);
	return NULL;
}

/* A map's viewer: beside the tiles that are shown, a plugin renders those that might be asked for
 * next, in another context, and throws them away. Repaired, there is no such plugin. */
void exam_speculative_tiles(struct app *app)
{
	struct guess guess = {.app = *app};
	pthread_t thread;
	double sum;

	if (!app->repaired) {
		guess.app.context = context_new(app);
		guess.app.queue = queue_new(&guess.app, 0);
		pthread_create(&thread, NULL, guess_run, &guess);
	}
	sum = shots_render(app, 140, 23);
	atomic_store(&guess.over, true);
	if (!app->repaired) {
		pthread_join(thread, NULL);
		DROP(guess.app.queue);
		DROP(guess.app.context);
	}
	answer(sum);
}

/* A wrapper's launch tries groups of 65536, as a note in its source says for the device of its
 * author, and takes 64 when that fails; nobody is told. Repaired, it takes 64. */
void exam_tuner_sizes(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), steps = 250 };
	const size_t all = items, hoped = 64 * KIB;
	cl_kernel smooth = kernel_of(app, STIR("smooth"), "smooth");
	cl_mem field = buffer_new(app, bytes);
	float *data = floats(items, 24);

	put_now(app->queue, field, bytes, data);
	for (int i = 0; i < steps; i++) {
		args(smooth, "bi", field, 4 + i % 3);
		if (app->repaired || clEnqueueNDRangeKernel(app->queue, smooth, 1, NULL, &all,
							    &hoped, 0, NULL, NULL) != CL_SUCCESS)
			run(app->queue, smooth, items, 64);
	}
	get(app->queue, field, bytes, data);
	answer(total(data, items));
	DROP(smooth);
	DROP(field);
	free(data);
}

/* Jobs behind a gate each. When a user takes a job back, its gate tells so by an error, with which
 * its commands end, though they need not have been enqueued; repaired, they are not. */
void exam_cancelled_jobs(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), jobs = 160 };
	cl_command_queue queue = loose_queue(app);
	cl_kernel job = kernel_of(app, STIR("job"), "job");
	cl_mem work = buffer_new(app, bytes);
	float *data = floats(items, 25), seen[256];
	double sum = 0;
	cl_int status;

	put_now(queue, work, bytes, data);
	args(job, "bi", work, 12);
	for (int i = 0; i < jobs; i++) {
		bool cancelled = i % 4 == 3;
		cl_event gate, done, home;

		if (cancelled && app->repaired)
			continue;
		gate = clCreateUserEvent(app->context, &status);
		must(status, "clCreateUserEvent");
		done = run_after(queue, job, items, 64, 1, &gate);
		home = get_after(queue, work, sizeof(seen), seen, 1, &done);
		TRY(clSetUserEventStatus(gate, cancelled ? -1 : CL_COMPLETE));
		flush(queue);
		if (clWaitForEvents(1, &home) == CL_SUCCESS)
			sum += total(seen, 256);
		DROP(gate);
		DROP(done);
		DROP(home);
	}
	answer(sum);
	DROP(job);
	DROP(work);
	DROP(queue);
	free(data);
}
