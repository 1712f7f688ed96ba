/* SPDX-License-Identifier: MIT */
/* Threads, contexts and processes that are in each other's way. */
#include "theses.h"

#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

/* At a hospital bed: each window of a signal is prepared, filtered by the device, and judged before
 * the next comes. An archive is packed by some threads meanwhile. */
enum { WINDOWS = 350, WINDOW = 24 * 1024, PREPARE = 16, PACKED = 16 * 1024, PACKS = 9000 };

struct packer {
	int rounds;
	double sum;
};

static void *packer_main(void *argument)
{
	struct packer *packer = argument;
	float *pages = floats(PACKED, 4);

	for (int i = 0; i < packer->rounds; i += 10)
		busy(pages, PACKED, 10);
	packer->sum = total(pages, PACKED);
	free(pages);
	return NULL;
}

void thesis_bedside_monitor(struct app *app)
{
	int count = app->repaired ? 1 : 6;
	struct packer packers[6];
	pthread_t packing[6];
	float *window = floats(WINDOW, 9), alarm[256];
	cl_mem signal = buffer_new(app, WINDOW * sizeof(float));
	cl_kernel filter = kernel_of(app, SPIN("notch"), "notch");
	double sum = 0;

	args(filter, "bi", signal, 20);
	for (int i = 0; i < count; i++) {
		packers[i] = (struct packer){.rounds = PACKS / count};
		if (pthread_create(&packing[i], NULL, packer_main, &packers[i]))
			must(-1, "pthread_create");
	}
	for (int i = 0; i < WINDOWS; i++) {
		window[0] = (float)i;
		busy(window, WINDOW, PREPARE);
		put(app->queue, signal, WINDOW * sizeof(float), window);
		run(app->queue, filter, WINDOW, 0);
		get(app->queue, signal, sizeof(alarm), alarm);
		sum += total(alarm, 256);
	}
	for (int i = 0; i < count; i++)
		pthread_join(packing[i], NULL);
	answer(sum);
	DROP(filter);
	DROP(signal);
	free(window);
}

/* A survey from the air: tiles are rectified, then sent to an archive. Another process makes small
 * pictures of the last survey. */
enum { TILES = 40, TILE = 512 * 1024, TILE_ROUNDS = 16, SENT = 25, SEND_US = 16000 };

static void tiles_rectify(struct app *app, const char *name)
{
	cl_mem tile = blank(app, TILE * sizeof(float));
	cl_kernel rectify = kernel_of(app, SPIN("rectify"), "rectify");
	float corner[64];
	double sum = 0;

	args(rectify, "bi", tile, TILE_ROUNDS);
	for (int i = 0; i < TILES; i++) {
		run(app->queue, rectify, TILE, 0);
		if (i % 4 == 3) {
			get(app->queue, tile, sizeof(corner), corner);
			sum += total(corner, 64);
		}
	}
	if (*name)
		answer(sum);
	DROP(rectify);
	DROP(tile);
}

static pid_t pyramid_start(const struct app *app)
{
	char *words[] = {(char *)app->self, "survey_pyramid", "pyramid", NULL};
	pid_t child;

	if (posix_spawn(&child, app->self, NULL, NULL, words, environ))
		must(-1, "posix_spawn");
	return child;
}

void thesis_survey_pyramid(struct app *app)
{
	pid_t child = -1;
	int status;

	if (!strcmp(app->word, "pyramid")) {
		tiles_rectify(app, "");
		return;
	}
	if (!app->repaired)
		child = pyramid_start(app);
	tiles_rectify(app, "survey");
	if (app->repaired)
		child = pyramid_start(app);
	for (int i = 0; i < SENT; i++)
		nap(SEND_US); /* the archive's answer */
	if (waitpid(child, &status, 0) != child || status)
		must(-1, "the other process");
}

/* A microscope. A focus search, which moves the stage and looks again, is asked for by the user;
 * a library with a context of its own draws an overview. */
enum { LOOKS = 70, LOOK = 64 * 1024, STAGE_US = 2500, OVERVIEW = 2560 * 1024, SLICE = 256 * 1024 };
enum { OVERVIEWS = 24 };

struct overview {
	struct app app;
	cl_mem picture;
	cl_kernel draw;
};

static void *overview_main(void *argument)
{
	struct overview *overview = argument;
	size_t slice = overview->app.repaired ? SLICE : OVERVIEW;
	cl_event before = NULL;

	for (size_t i = 0; i < (size_t)OVERVIEWS * OVERVIEW / slice; i++) {
		cl_event event = run_after(overview->app.queue, overview->draw, slice, 0, 0, NULL);

		flush(overview->app.queue);
		/* One is ahead; all of them, where the picture is drawn at once. */
		if (before && overview->app.repaired)
			TRY(clWaitForEvents(1, &before));
		if (before)
			DROP(before);
		before = event;
	}
	settle(before);
	return NULL;
}

void thesis_scope_preview(struct app *app)
{
	struct overview overview = {.app = *app};
	cl_mem image = blank(app, LOOK * sizeof(float));
	cl_kernel contrast = kernel_of(app, SPIN("contrast"), "contrast");
	float sharp[128];
	pthread_t drawing;
	double sum = 0;

	finish(app->queue);
	overview.app.context = context_new(app);
	overview.app.queue = queue_new(&overview.app, 0);
	overview.picture = blank(&overview.app, OVERVIEW * sizeof(float));
	overview.draw = kernel_of(&overview.app, SPIN("draw"), "draw");
	finish(overview.app.queue);
	args(overview.draw, "bi", overview.picture, 8);
	args(contrast, "bi", image, 12);
	if (pthread_create(&drawing, NULL, overview_main, &overview))
		must(-1, "pthread_create");
	for (int i = 0; i < LOOKS; i++) {
		nap(STAGE_US); /* the stage moves */
		run(app->queue, contrast, LOOK, 0);
		get(app->queue, image, sizeof(sharp), sharp);
		sum += total(sharp, 128);
	}
	pthread_join(drawing, NULL);
	answer(sum);
	DROP(contrast);
	DROP(image);
	DROP(overview.draw);
	DROP(overview.picture);
	DROP(overview.app.queue);
	DROP(overview.app.context);
}
