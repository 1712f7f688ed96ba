/* SPDX-License-Identifier: MIT */
/* Services that answer requests, and a bank's batch. */
#include "tutorials.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Telephone calls are split into windows, and each one's spectrum is looked through for where
 * somebody speaks, by the host, while the device has the next ones. */
static const char spectrum_source[] =
	"kernel void spectrum(global const float *sound, global float *bands, int window)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 8; k++)\n"
	"		sum += sound[(i * 5 + k * (window + 3)) & 0xffff] * (float)(k % 5);\n"
	"	bands[i] = sum;\n"
	"}\n";

enum { WINDOWS = 200, SOUND = 64 * KIB, BANDS = 128 * KIB, BELOW = 32 * KIB, SPECTRA = 4 };

struct listener {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool away; /* windows are judged by a thread of their own */
	bool arrived[WINDOWS], judged[WINDOWS];
	float *bands[SPECTRA];
	double speech[WINDOWS];
};

struct window {
	struct listener *listener;
	int number;
};

static void judge(struct listener *own, int window)
{
	const float *bands = own->bands[window % SPECTRA];
	double speech = 0, before = 0;

	for (int i = 0; i < BELOW; i++) {
		double now = sqrt((double)bands[i]);

		speech += before > now ? before - now : 0;
		before = before * 0.75 + now * 0.25;
	}
	own->speech[window] = speech;
	pthread_mutex_lock(&own->lock);
	own->judged[window] = true;
	pthread_cond_broadcast(&own->changed);
	pthread_mutex_unlock(&own->lock);
}

static void CL_CALLBACK window_here(cl_event event, cl_int status, void *argument)
{
	struct window *window = argument;
	struct listener *own = window->listener;

	(void)event;
	(void)status;
	if (!own->away) {
		judge(own, window->number);
		return;
	}
	pthread_mutex_lock(&own->lock);
	own->arrived[window->number] = true;
	pthread_cond_broadcast(&own->changed);
	pthread_mutex_unlock(&own->lock);
}

static void *judge_main(void *argument)
{
	struct listener *own = argument;

	for (int w = 0; w < WINDOWS; w++) {
		pthread_mutex_lock(&own->lock);
		while (!own->arrived[w])
			pthread_cond_wait(&own->changed, &own->lock);
		pthread_mutex_unlock(&own->lock);
		judge(own, w);
	}
	return NULL;
}

static void until_judged(struct listener *own, int window)
{
	pthread_mutex_lock(&own->lock);
	while (!own->judged[window])
		pthread_cond_wait(&own->changed, &own->lock);
	pthread_mutex_unlock(&own->lock);
}

void tutorial_call_windows(struct app *app)
{
	static struct listener own = {.lock = PTHREAD_MUTEX_INITIALIZER,
				      .changed = PTHREAD_COND_INITIALIZER};
	static struct window windows[WINDOWS];
	cl_kernel spectrum = kernel_of(app, spectrum_source, "spectrum");
	cl_mem sound = loaded(app, SOUND, 1), bands = buffer_new(app, BANDS * sizeof(float));
	pthread_t thread;

	own.away = app->repaired;
	if (own.away && pthread_create(&thread, NULL, judge_main, &own))
		must(-1, "pthread_create");
	for (int s = 0; s < SPECTRA; s++)
		own.bands[s] = memory(BELOW * sizeof(float));
	for (int w = 0; w < WINDOWS; w++) {
		cl_event event;

		if (w >= SPECTRA)
			until_judged(&own, w - SPECTRA);
		args(spectrum, "bbi", sound, bands, w % 64);
		run(app->queue, spectrum, BANDS, 64);
		event = get_after(app->queue, bands, BELOW * sizeof(float), own.bands[w % SPECTRA],
				  0, NULL);
		windows[w] = (struct window){&own, w};
		TRY(clSetEventCallback(event, CL_COMPLETE, window_here, &windows[w]));
		flush(app->queue);
		DROP(event);
	}
	for (int w = 0; w < WINDOWS; w++)
		until_judged(&own, w);
	if (own.away)
		pthread_join(thread, NULL);
	answer(total(own.bands[(WINDOWS - 1) % SPECTRA], BELOW) + own.speech[WINDOWS / 2]);
	for (int s = 0; s < SPECTRA; s++)
		free(own.bands[s]);
	DROP(sound);
	DROP(bands);
	DROP(spectrum);
}

/* A bank's night run: what each contract may lose, by many paths of the market. */
static const char path_source[] =
	"kernel void paths(global float *losses, float strike, float spread, int steps)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint s = (uint)i * 747796405u + 1u;\n"
	"	float price = 1.0f;\n"
	"	for (int t = 0; t < steps; t++) {\n"
	"		s = s * 1664525u + 1013904223u;\n"
	"		price += spread * ((float)(s >> 8) / 16777216.0f - 0.5f);\n"
	"	}\n"
	"	losses[i] = max(strike - price, 0.0f);\n"
	"}\n"
	"kernel void fold(global const float *losses, global float *sums, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		sum += losses[i * each + k];\n"
	"	sums[i] = sum / each;\n"
	"}\n";

void tutorial_credit_paths(struct app *app)
{
	enum { CONTRACTS = 2000, PATHS = 4096, SUMS = 64, STEPS = 24 };
	cl_program program = program_new(app, path_source, "");
	cl_kernel paths = kernel_new(program, "paths"), fold = kernel_new(program, "fold");
	cl_mem losses = buffer_new(app, PATHS * sizeof(float));
	cl_mem sums = buffer_new(app, SUMS * sizeof(float));
	float *book = memory((size_t)CONTRACTS * SUMS * sizeof(*book));

	args(fold, "bbi", losses, sums, PATHS / SUMS);
	for (int c = 0; c < CONTRACTS; c++) {
		float *row = book + (size_t)c * SUMS;

		args(paths, "bffi", losses, 0.9 + c % 20 * 0.01, 0.01 + c % 7 * 0.01, STEPS);
		run(app->queue, paths, PATHS, 256);
		run(app->queue, fold, SUMS, 16);
		TRY(clEnqueueReadBuffer(app->queue, sums, !app->repaired, 0, SUMS * sizeof(*row),
					row, 0, NULL, NULL));
		if (c % 16 == 15)
			flush(app->queue);
	}
	finish(app->queue);
	answer(total(book, (size_t)CONTRACTS * SUMS));
	free(book);
	DROP(losses);
	DROP(sums);
	DROP(paths);
	DROP(fold);
	DROP(program);
}
