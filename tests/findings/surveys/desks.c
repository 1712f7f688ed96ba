/* SPDX-License-Identifier: MIT */
/* Services with threads of their own. */
#include "surveys.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A desk that quotes prices: two threads take requests, read them, have them priced, and write the
 * replies. */
static const char quote_source[] =
	"kernel void quote(global const float *terms, global float *prices, int steps)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float v = terms[i], p = v;\n"
	"	for (int s = 0; s < steps; s++)\n"
	"		p = p * 0.984375f + 0.015625f * (v - p * p * 0.125f);\n"
	"	prices[i] = p;\n"
	"}\n";

enum { QUOTE_TERMS = 32 * 1024, QUOTE_BYTES = QUOTE_TERMS * 4, QUOTE_DESKS = 2, QUOTES = 400 };

struct desk {
	const struct app *app;
	pthread_mutex_t *lock; /* of what the desks share */
	atomic_int *next;
	cl_command_queue queue;
	cl_kernel quote;
	cl_mem terms, prices;
	float *request, *reply;
	double *sums;
};

static void quote_serve(const struct desk *desk, int number)
{
	refill(desk->request, QUOTE_TERMS, number);
	busy(desk->request, QUOTE_TERMS, 8);
	desk->request[0] = 0.5f; /* who asks */
	put(desk->queue, desk->terms, QUOTE_BYTES, desk->request);
	args(desk->quote, "bbi", desk->terms, desk->prices, 12);
	run(desk->queue, desk->quote, QUOTE_TERMS, 64);
	get(desk->queue, desk->prices, QUOTE_BYTES, desk->reply);
	busy(desk->reply, QUOTE_TERMS, 6);
	desk->sums[number] = (double)desk->reply[1 + number];
}

static void *desk_main(void *arg)
{
	const struct desk *desk = arg;

	for (int n = 0; (n = atomic_fetch_add(desk->next, 1)) < QUOTES;) {
		if (!desk->app->repaired)
			pthread_mutex_lock(desk->lock);
		quote_serve(desk, n);
		if (!desk->app->repaired)
			pthread_mutex_unlock(desk->lock);
	}
	return NULL;
}

static void desk_open(struct desk *desk, cl_command_queue queue, cl_program program)
{
	desk->queue = queue;
	desk->quote = kernel_new(program, "quote");
	desk->terms = buffer_new(desk->app, QUOTE_BYTES);
	desk->prices = buffer_new(desk->app, QUOTE_BYTES);
	desk->request = memory(QUOTE_BYTES);
	desk->reply = memory(QUOTE_BYTES);
}

static void desk_close(const struct desk *desk)
{
	free(desk->reply);
	free(desk->request);
	DROP(desk->prices);
	DROP(desk->terms);
	DROP(desk->quote);
}

void survey_quote_desk(struct app *app)
{
	cl_program program = program_new(app, quote_source, "");
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	atomic_int next = 0;
	double sums[QUOTES];
	struct desk desks[QUOTE_DESKS] = {{.app = app, .lock = &lock, .next = &next, .sums = sums}};
	double sum = 0;

	desks[1] = desks[0];
	desk_open(&desks[0], app->queue, program);
	if (app->repaired)
		desk_open(&desks[1], queue_new(app, 0), program);
	else
		desks[1] = desks[0];
	threads_run(QUOTE_DESKS, desk_main, desks, sizeof(*desks));
	for (int n = 0; n < QUOTES; n++)
		sum += sums[n];
	answer(sum);
	if (app->repaired) {
		desk_close(&desks[1]);
		DROP(desks[1].queue);
	}
	desk_close(&desks[0]);
	DROP(program);
}

/* Blocks of audio: the device does the room's echoes, and a helper mixes what is played dry. */
static const char echo_source[] = "kernel void echo(global float *sound, int rounds)\n"
				  "{\n"
				  "	int i = (int)get_global_id(0);\n"
				  "	float v = sound[i];\n"
				  "	for (int r = 0; r < rounds; r++)\n"
				  "		v = v * 0.96875f + 0.03125f * (0.5f - v * v);\n"
				  "	sound[i] = v;\n"
				  "}\n";

enum { ECHO_SAMPLES = 128 * 1024, DRY_SAMPLES = 8 * 1024, AUDIO_BLOCKS = 90, HELPERS = 1 };

struct helper {
	bool sleeps; /* between blocks */
	atomic_int asked;
	sem_t ask, done;
	float *dry;
};

static void *helper_main(void *arg)
{
	struct helper *helper = arg;

	for (int block = 0; block < AUDIO_BLOCKS; block++) {
		if (helper->sleeps)
			sem_wait(&helper->ask);
		else
			while (atomic_load(&helper->asked) <= block)
				;
		busy(helper->dry, DRY_SAMPLES, 4);
		helper->dry[0] = 0;
		sem_post(&helper->done);
	}
	return NULL;
}

static void audio_play(const struct app *app, struct helper *helpers)
{
	cl_kernel echo = kernel_of(app, echo_source, "echo");
	cl_mem sound = numbers(app, ECHO_SAMPLES, 149);
	float heard[64];
	double sum = 0;

	args(echo, "bi", sound, 40);
	for (int block = 0; block < AUDIO_BLOCKS; block++) {
		run(app->queue, echo, ECHO_SAMPLES, 128);
		get(app->queue, sound, sizeof(heard), heard);
		for (int h = 0; h < HELPERS; h++) {
			atomic_fetch_add(&helpers[h].asked, 1);
			sem_post(&helpers[h].ask);
		}
		for (int h = 0; h < HELPERS; h++)
			sem_wait(&helpers[h].done);
		sum += total(heard, 64) + (double)helpers[0].dry[block];
	}
	answer(sum + sum_of(app, sound, ECHO_SAMPLES));
	DROP(sound);
	DROP(echo);
}

void survey_audio_helpers(struct app *app)
{
	struct helper helpers[HELPERS];
	pthread_t threads[HELPERS];

	for (int h = 0; h < HELPERS; h++) {
		helpers[h].sleeps = app->repaired;
		atomic_init(&helpers[h].asked, 0);
		helpers[h].dry = floats(DRY_SAMPLES, 151 + (unsigned)h);
		if (sem_init(&helpers[h].ask, 0, 0) || sem_init(&helpers[h].done, 0, 0) ||
		    pthread_create(&threads[h], NULL, helper_main, &helpers[h]))
			must(-1, "helper");
	}
	audio_play(app, helpers);
	for (int h = 0; h < HELPERS; h++) {
		pthread_join(threads[h], NULL);
		sem_destroy(&helpers[h].done);
		sem_destroy(&helpers[h].ask);
		free(helpers[h].dry);
	}
}
