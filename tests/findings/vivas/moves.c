/* SPDX-License-Identifier: MIT */
/* Bytes that are moved without need, in too small parts, or a long way round. */
#include "vivas.h"

#include <stdlib.h>
#include <string.h>

/* A spelling server: the word list goes along with each query, as the first client's did. */
struct speller {
	const struct app *app;
	cl_mem words, query;
	cl_kernel kernel;
	float *list;
	bool loaded;
};
enum { WORDS = 262144, QUERY = 16384 };

static void speller_load(struct speller *speller)
{
	if (speller->loaded && speller->app->repaired)
		return;
	put(speller->app->queue, speller->words, WORDS * sizeof(float), speller->list);
	speller->loaded = true;
}

static float speller_ask(struct speller *speller, int number)
{
	static float query[QUERY];

	refill(query, QUERY, number);
	speller_load(speller);
	put(speller->app->queue, speller->query, sizeof(query), query);
	run(speller->app->queue, speller->kernel, QUERY, 64);
	get(speller->app->queue, speller->query, sizeof(query), query);
	return query[1];
}

void viva_word_list(struct app *app)
{
	struct speller speller = {.app = app, .list = floats(WORDS, 21)};
	double sum = 0;

	speller.kernel =
		kernel_of(app,
			  "kernel void match(global const float *words, global float *q)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	float best = q[i];\n"
			  "	for (int k = 0; k < 16; k++)\n"
			  "		best = fmin(best, fabs(words[i * 16 + k] - q[i]));\n"
			  "	q[i] = best;\n"
			  "}\n",
			  "match");
	speller.words = buffer_new(app, WORDS * sizeof(float));
	speller.query = buffer_new(app, QUERY * sizeof(float));
	args(speller.kernel, "bb", speller.words, speller.query);
	for (int i = 0; i < 500; i++)
		sum += (double)speller_ask(&speller, i);
	answer(sum);
	free(speller.list);
	DROP(speller.words);
	DROP(speller.query);
	DROP(speller.kernel);
}

/* Greeks of an option book: what each desk has asked for is read by itself. */
struct greeks {
	float delta, gamma, vega, theta;
};

void viva_option_book(struct app *app)
{
	enum { OPTIONS = 32768, DESKS = 64, ROUNDS = 120, EACH = OPTIONS / DESKS };
	static struct greeks book[OPTIONS];
	cl_kernel kernel = kernel_of(app, FIELD("price_greeks"), "price_greeks");
	cl_mem prices = seeded(app, sizeof(book), 13);
	double exposure = 0;

	args(kernel, "bi", prices, 4);
	for (int round = 0; round < ROUNDS; round++) {
		run(app->queue, kernel, OPTIONS * 4, 64);
		if (app->repaired)
			get_part(app->queue, prices, 0, sizeof(book), book);
		for (int i = 0; !app->repaired && i < OPTIONS; i += EACH)
			get_part(app->queue, prices, (size_t)i * sizeof(*book),
				 EACH * sizeof(*book), &book[i]);
		finish(app->queue);
		for (int i = 0; i < OPTIONS; i++)
			exposure += (double)(book[i].delta + book[i].vega);
	}
	answer(exposure);
	DROP(prices);
	DROP(kernel);
}

/* One channel of interleaved audio is taken out of the buffer by a box four bytes wide. */
void viva_channel_box(struct app *app)
{
	enum { FRAMES = 131072, CHANNELS = 8, BLOCKS = 120 };
	cl_program program =
		program_new(app,
			    FIELD("equalize") "kernel void pick(global const float *all,\n"
					      "		 global float *one, int channel)\n"
					      "{\n"
					      "	size_t i = get_global_id(0);\n"
					      "	one[i] = all[i * 8 + channel];\n"
					      "}\n",
			    "");
	cl_kernel equalize = kernel_new(program, "equalize"), pick = kernel_new(program, "pick");
	cl_mem sound = seeded(app, FRAMES * CHANNELS * sizeof(float), 17);
	cl_mem one = buffer_new(app, FRAMES * sizeof(float));
	float *track = memory(FRAMES * sizeof(float));
	double sum = 0;

	for (int block = 0; block < BLOCKS; block++) {
		size_t from[3] = {(size_t)(block % CHANNELS) * sizeof(float), 0, 0};
		size_t to[3] = {0, 0, 0}, box[3] = {sizeof(float), FRAMES, 1};

		args(equalize, "bi", sound, 1);
		run(app->queue, equalize, FRAMES, 64);
		if (app->repaired) {
			args(pick, "bbi", sound, one, block % CHANNELS);
			run(app->queue, pick, FRAMES, 64);
			get(app->queue, one, FRAMES * sizeof(float), track);
		} else {
			TRY(clEnqueueReadBufferRect(app->queue, sound, CL_TRUE, from, to, box,
						    CHANNELS * sizeof(float), 0, sizeof(float), 0,
						    track, 0, NULL, NULL));
		}
		sum += total(track, FRAMES);
	}
	answer(sum);
	free(track);
	DROP(sound);
	DROP(one);
	DROP(equalize);
	DROP(pick);
	DROP(program);
}

/* A wave's state of the last step is kept: it becomes a buffer of its own by way of the host. */
static void field_keep(const struct app *app, cl_mem from, cl_mem to, size_t bytes, void *way)
{
	if (app->repaired) {
		TRY(clEnqueueCopyBuffer(app->queue, from, to, 0, 0, bytes, 0, NULL, NULL));
		return;
	}
	get(app->queue, from, bytes, way);
	put(app->queue, to, bytes, way);
}

void viva_wave_history(struct app *app)
{
	enum { COUNT = 262144, BYTES = COUNT * sizeof(float) };
	cl_kernel kernel =
		kernel_of(app,
			  "kernel void wave(global float *now, global const float *then, int t)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	now[i] = now[i] * 0.75f + then[i] * 0.125f + (float)t;\n"
			  "}\n",
			  "wave");
	cl_mem now = seeded(app, BYTES, 2), then = seeded(app, BYTES, 3);
	float *way = memory(BYTES), first = 0;

	for (int step = 0; step < 250; step++) {
		args(kernel, "bbi", now, then, step);
		run(app->queue, kernel, COUNT, 64);
		field_keep(app, now, then, BYTES, way);
	}
	get(app->queue, now, sizeof(first), &first);
	answer((double)first);
	free(way);
	DROP(now);
	DROP(then);
	DROP(kernel);
}

/* A game's agents: a hook of plug-ins may look at them on the host, so they go there and back;
 * there is no plug-in. */
static void hooks_call(const struct app *app, cl_mem agents, size_t bytes, void *mirror)
{
	int plugins = 0;

	if (app->repaired && !plugins)
		return;
	get(app->queue, agents, bytes, mirror);
	for (int i = 0; i < plugins; i++)
		refill(mirror, bytes / sizeof(float), i);
	put(app->queue, agents, bytes, mirror);
}

void viva_empty_hooks(struct app *app)
{
	enum { COUNT = 262144, BYTES = COUNT * sizeof(float) };
	cl_kernel kernel = kernel_of(app, FIELD("agents_think"), "agents_think");
	cl_mem agents = seeded(app, BYTES, 23);
	float *mirror = memory(BYTES), first = 0;

	args(kernel, "bi", agents, 2);
	for (int tick = 0; tick < 250; tick++) {
		run(app->queue, kernel, COUNT, 64);
		hooks_call(app, agents, BYTES, mirror);
	}
	get(app->queue, agents, sizeof(first), &first);
	answer((double)first);
	free(mirror);
	DROP(agents);
	DROP(kernel);
}
