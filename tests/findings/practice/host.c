/* SPDX-License-Identifier: MIT */
/* The device has nothing to do, as the host is busy with something, or held up by it. */
#include "practice.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char dither_source[] =
	"kernel void dither(global float *v, global const float *noise, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float value = v[i] + noise[i % 4096];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		value = value * 0.9375f + 0.03125f;\n"
	"	v[i] = value;\n"
	"}\n";

/* Pictures are dithered, with noise of their own each. The host makes a picture's noise when the
 * picture before has come back; repaired, while the device works on it. */
void app_dither_noise(struct app *app)
{
	enum { items = 512 * KIB, noises = 4096, pictures = 130 };
	float *noise[2] = {floats(noises, 1), floats(noises, 1)}, *seen = memory(1024);
	float *picture = floats(items, 2);
	cl_kernel dither = kernel_of(app, dither_source, "dither");
	cl_mem pixels = buffer_new(app, items * sizeof(float));
	cl_mem speckle = buffer_new(app, noises * sizeof(float));
	double sum = 0;

	put_now(app->queue, pixels, items * sizeof(float), picture);
	args(dither, "bbi", pixels, speckle, 8);
	for (int i = 0; i < pictures; i++) {
		if (!app->repaired || !i)
			busy(noise[i % 2], noises, 120);
		put(app->queue, speckle, noises * sizeof(float), noise[i % 2]);
		run(app->queue, dither, items, 64);
		flush(app->queue);
		if (app->repaired && i < pictures - 1)
			busy(noise[(i + 1) % 2], noises, 120);
		get(app->queue, pixels, 1024, seen);
		sum += (double)seen[i % 256];
	}
	answer(sum);
	DROP(dither);
	DROP(pixels);
	DROP(speckle);
	free(noise[0]);
	free(noise[1]);
	free(seen);
	free(picture);
}

static const char late_source[] =
	CHAIN("prepare") "kernel void translate(global float *v, global const float *table)\n"
			 "{\n"
			 "	size_t i = get_global_id(0);\n"
			 "	v[i] += table[i % 4096];\n"
			 "}\n";

/* A translation in two passes. Only the second one looks into a table that the host computes, and
 * yet the first one is not begun before; repaired, it is. */
void app_table_startup(struct app *app)
{
	enum { items = 256 * KIB, table = 4096, firsts = 160, seconds = 200 };
	float *text = floats(items, 7), *words = floats(table, 8);
	cl_program program = program_new(app, late_source, "");
	cl_kernel prepare = kernel_new(program, "prepare");
	cl_kernel translate = kernel_new(program, "translate");
	cl_mem texts = buffer_new(app, items * sizeof(float));
	cl_mem tables = buffer_new(app, table * sizeof(float));

	if (!app->repaired)
		busy(words, table, 9000);
	put_now(app->queue, texts, items * sizeof(float), text);
	args(prepare, "bi", texts, 6);
	for (int i = 0; i < firsts; i++)
		run(app->queue, prepare, items, 64);
	flush(app->queue);
	if (app->repaired)
		busy(words, table, 9000);
	put(app->queue, tables, table * sizeof(float), words);
	args(translate, "bb", texts, tables);
	for (int i = 0; i < seconds; i++)
		run(app->queue, translate, items, 64);
	get(app->queue, texts, items * sizeof(float), text);
	answer(total(text, items));
	DROP(prepare);
	DROP(translate);
	DROP(program);
	DROP(texts);
	DROP(tables);
	free(text);
	free(words);
}

/* Reads what it is sent, no faster than a line of 4 KiB in 300 us. */
static pid_t slow_reader(int *to)
{
	int ends[2];
	char line[4 * KIB];

	if (pipe(ends))
		must(-1, "pipe");
	*to = ends[1];
	pid_t child = fork();

	if (child)
		close(ends[0]);
	if (child)
		return child;
	close(ends[1]);
	while (read(ends[0], line, sizeof(line)) > 0)
		nap(240);
	_exit(0);
}

static void send_all(int to, const void *data, size_t bytes)
{
	for (const char *at = data; bytes;) {
		ssize_t sent = write(to, at, bytes);

		if (sent <= 0)
			must(-1, "write");
		at += sent;
		bytes -= (size_t)sent;
	}
}

/* A simulation whose state goes down a pipe, to a viewer that takes its time, each 12 steps. The
 * next steps are enqueued when it has been sent; repaired, before it is. */
void app_viewer_pipe(struct app *app)
{
	enum { items = 256 * KIB, sent = 192 * KIB, rounds = 28, steps = 12 };
	float *state = floats(items, 5);
	cl_kernel advance = kernel_of(app, CHAIN("advance"), "advance");
	cl_mem field = buffer_new(app, items * sizeof(float));
	double sum = 0;
	int to;
	pid_t child = slow_reader(&to);

	put_now(app->queue, field, items * sizeof(float), state);
	args(advance, "bi", field, 6);
	for (int i = 0; i < rounds; i++) {
		if (!app->repaired || !i)
			for (int j = 0; j < steps; j++)
				run(app->queue, advance, items, 64);
		get(app->queue, field, sent, state);
		for (int j = 0; j < steps && app->repaired && i < rounds - 1; j++)
			run(app->queue, advance, items, 64);
		flush(app->queue);
		sum += (double)state[i];
		send_all(to, state, sent);
	}
	close(to);
	waitpid(child, NULL, 0);
	answer(sum);
	DROP(advance);
	DROP(field);
	free(state);
}

struct diary {
	pthread_mutex_t lock;
	bool over, repaired;
	char pages[4096];
};

/* Every few milliseconds the diary's page goes to a slow place. */
static void *diary_keep(void *pointer)
{
	struct diary *diary = pointer;
	char copy[sizeof(diary->pages)];
	bool over = false;

	while (!over) {
		pthread_mutex_lock(&diary->lock);
		memcpy(copy, diary->pages, sizeof(copy));
		over = diary->over;
		if (!diary->repaired)
			nap(2500);
		pthread_mutex_unlock(&diary->lock);
		if (diary->repaired)
			nap(2500);
		nap(5000);
	}
	return NULL;
}

/* Cells of a culture, generation by generation, and a diary in which each is noted. The diary's
 * thread holds its lock while it writes to a slow place; repaired, it copies the page before. */
void app_diary_lock(struct app *app)
{
	enum { items = 96 * KIB, generations = 420 };
	struct diary diary = {.lock = PTHREAD_MUTEX_INITIALIZER, .repaired = app->repaired};
	float *cells = floats(items, 10), few[64];
	cl_kernel grow = kernel_of(app, CHAIN("grow"), "grow");
	cl_mem culture = buffer_new(app, items * sizeof(float));
	pthread_t keeper;
	double sum = 0;

	put_now(app->queue, culture, items * sizeof(float), cells);
	args(grow, "bi", culture, 14);
	pthread_create(&keeper, NULL, diary_keep, &diary);
	for (int i = 0; i < generations; i++) {
		run(app->queue, grow, items, 64);
		get(app->queue, culture, sizeof(few), few);
		sum += (double)few[i % 64];
		pthread_mutex_lock(&diary.lock);
		snprintf(diary.pages, sizeof(diary.pages), "generation %d: %g\n", i, sum);
		pthread_mutex_unlock(&diary.lock);
	}
	pthread_mutex_lock(&diary.lock);
	diary.over = true;
	pthread_mutex_unlock(&diary.lock);
	pthread_join(keeper, NULL);
	answer(sum);
	DROP(grow);
	DROP(culture);
	free(cells);
}

enum { MAIL_ITEMS = 64 * KIB, MAIL_BLOCKS = 220, MAIL_MOST = 6 };

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int filled, emptied, most;
	float *blocks[MAIL_MOST];
};

static void *mailbox_fill(void *pointer)
{
	struct mailbox *box = pointer;

	for (int i = 0; i < MAIL_BLOCKS; i++) {
		pthread_mutex_lock(&box->lock);
		while (box->filled - box->emptied >= box->most)
			pthread_cond_wait(&box->changed, &box->lock);
		pthread_mutex_unlock(&box->lock);
		refill(box->blocks[i % box->most], MAIL_ITEMS, i);
		nap(1400); /* a disk that turns */
		pthread_mutex_lock(&box->lock);
		box->filled++;
		pthread_cond_broadcast(&box->changed);
		pthread_mutex_unlock(&box->lock);
	}
	return NULL;
}

/* A thread reads blocks from a disk for another one, which has the device check them. There is one
 * block for both, so that one of them always waits for the other; repaired, there are six. */
void app_mailbox_depth(struct app *app)
{
	enum { bytes = MAIL_ITEMS * sizeof(float) };
	struct mailbox box = {PTHREAD_MUTEX_INITIALIZER,
			      PTHREAD_COND_INITIALIZER,
			      0,
			      0,
			      app->repaired ? MAIL_MOST : 1,
			      {NULL}};
	cl_kernel verify = kernel_of(app, CHAIN("verify"), "verify");
	cl_mem block = buffer_new(app, bytes);
	pthread_t reader;
	float few[256];
	double sum = 0;

	for (int i = 0; i < MAIL_MOST; i++)
		box.blocks[i] = memory(bytes);
	args(verify, "bi", block, 14);
	pthread_create(&reader, NULL, mailbox_fill, &box);
	for (int i = 0; i < MAIL_BLOCKS; i++) {
		pthread_mutex_lock(&box.lock);
		while (box.filled <= i)
			pthread_cond_wait(&box.changed, &box.lock);
		pthread_mutex_unlock(&box.lock);
		put(app->queue, block, bytes, box.blocks[i % box.most]);
		for (int j = 0; j < 3; j++)
			run(app->queue, verify, MAIL_ITEMS, 64);
		get(app->queue, block, sizeof(few), few);
		sum += (double)few[i % 256];
		pthread_mutex_lock(&box.lock);
		box.emptied++;
		pthread_cond_broadcast(&box.changed);
		pthread_mutex_unlock(&box.lock);
	}
	pthread_join(reader, NULL);
	answer(sum);
	for (int i = 0; i < MAIL_MOST; i++)
		free(box.blocks[i]);
	DROP(verify);
	DROP(block);
}

struct workshop {
	const struct app *app;
	cl_kernel polish;
};

static void *workshop_build(void *pointer)
{
	struct workshop *shop = pointer;

	shop->polish = kernel_of(shop->app, CHAIN("polish"), "polish");
	return NULL;
}

/* Lenses are ground, and later polished. The kernel that polishes is built when it is needed, while
 * the device waits; repaired, a thread builds it while lenses are ground. */
void app_lens_polish(struct app *app)
{
	enum { items = 256 * KIB, grinds = 260, polishes = 240 };
	float *lens = floats(items, 11);
	struct workshop shop = {app, NULL};
	cl_kernel grind = kernel_of(app, CHAIN("grind"), "grind");
	cl_mem glass = buffer_new(app, items * sizeof(float));
	pthread_t builder;

	if (app->repaired)
		pthread_create(&builder, NULL, workshop_build, &shop);
	put_now(app->queue, glass, items * sizeof(float), lens);
	args(grind, "bi", glass, 4);
	for (int i = 0; i < grinds; i++)
		run(app->queue, grind, items, 64);
	get(app->queue, glass, items * sizeof(float), lens);
	refill(lens, 64, (int)(lens[5] * 64));
	if (app->repaired)
		pthread_join(builder, NULL);
	else
		workshop_build(&shop);
	put(app->queue, glass, 64 * sizeof(float), lens);
	args(shop.polish, "bi", glass, 4);
	for (int i = 0; i < polishes; i++)
		run(app->queue, shop.polish, items, 64);
	get(app->queue, glass, items * sizeof(float), lens);
	answer(total(lens, items));
	DROP(grind);
	DROP(shop.polish);
	DROP(glass);
	free(lens);
}

static const char species_source[] = "kernel void breed(global float *v, int first)\n"
				     "{\n"
				     "	size_t i = first + get_global_id(0);\n"
				     "	float rate = 0.001f * (i / 256);\n"
				     "	v[i] = v[i] * (1 - rate) + rate;\n"
				     "}\n" CHAIN("weather");

/* 16 species of 256 each: a kernel is launched for one after the other; repaired, one for all. Then
 * comes the weather. */
void app_species_launch(struct app *app)
{
	enum { species = 16, each = 256, years = 290, land = 512 * KIB };
	float *numbers = floats(land, 14);
	cl_program program = program_new(app, species_source, "");
	cl_kernel breed = kernel_new(program, "breed"), weather = kernel_new(program, "weather");
	cl_mem herd = buffer_new(app, species * each * sizeof(float));
	cl_mem sky = buffer_new(app, land * sizeof(float));

	put_now(app->queue, herd, species * each * sizeof(float), numbers);
	put_now(app->queue, sky, land * sizeof(float), numbers);
	args(weather, "bi", sky, 1);
	for (int i = 0; i < years; i++) {
		int count = app->repaired ? 1 : species, size = species * each / count;

		for (int j = 0; j < count; j++) {
			args(breed, "bi", herd, j * size);
			run(app->queue, breed, (size_t)size, 64);
		}
		run(app->queue, weather, land, 64);
	}
	get(app->queue, herd, species * each * sizeof(float), numbers);
	answer(total(numbers, species * each));
	DROP(breed);
	DROP(weather);
	DROP(program);
	DROP(herd);
	DROP(sky);
	free(numbers);
}

static const char tree_source[] = "kernel void leaf(global float *v, int first)\n"
				  "{\n"
				  "	v[first + get_global_id(0)] += 0.5f;\n"
				  "}\n"
				  "kernel void leaves(global float *v, global const int *marked)\n"
				  "{\n"
				  "	size_t i = get_global_id(0);\n"
				  "	if (marked[i / 1024])\n"
				  "		v[i] += 0.5f;\n"
				  "}\n" CHAIN("flow");

enum { LEAF = 1024 };

struct tree {
	cl_command_queue queue;
	cl_kernel leaf;
	cl_mem field;
	int *marked, seed;
};

/* Goes down to the leaves, half of which change. */
static void tree_walk(struct tree *t, int first, int count, bool launches)
{
	if (count > LEAF) {
		tree_walk(t, first, count / 2, launches);
		tree_walk(t, first + count / 2, count / 2, launches);
		return;
	}
	t->seed = t->seed * 5 + 3;
	t->marked[first / LEAF] = t->seed >> 4 & 1;
	if (!launches || !t->marked[first / LEAF])
		return;
	args(t->leaf, "bi", t->field, first);
	run(t->queue, t->leaf, LEAF, 64);
}

/* A flow on a grid that is refined here and there: what was marked in a tree's leaves gets a kernel
 * each; repaired, the marks go to the device, and one kernel looks at them. */
void app_tree_leaves(struct app *app)
{
	enum { items = 256 * KIB, times = 24, steps = 20 };
	float *grid = floats(items, 15);
	cl_program program = program_new(app, tree_source, "");
	cl_kernel leaves = kernel_new(program, "leaves"), flow = kernel_new(program, "flow");
	struct tree t = {app->queue, kernel_new(program, "leaf"),
			 buffer_new(app, items * sizeof(float)), memory(items / LEAF * sizeof(int)),
			 1};
	cl_mem marks = buffer_new(app, items / LEAF * sizeof(int));

	put_now(app->queue, t.field, items * sizeof(float), grid);
	args(flow, "bi", t.field, 5);
	args(leaves, "bb", t.field, marks);
	for (int i = 0; i < times; i++) {
		tree_walk(&t, 0, items, !app->repaired);
		if (app->repaired) {
			put_now(app->queue, marks, items / LEAF * sizeof(int), t.marked);
			run(app->queue, leaves, items, 64);
		}
		for (int j = 0; j < steps; j++)
			run(app->queue, flow, items, 64);
	}
	get(app->queue, t.field, items * sizeof(float), grid);
	answer(total(grid, items));
	DROP(t.leaf);
	DROP(leaves);
	DROP(flow);
	DROP(program);
	DROP(t.field);
	DROP(marks);
	free(t.marked);
	free(grid);
}

/* Blocks go round a ring of four. Those of a turn are enqueued, and the next turn's are unpacked by
 * the host before anybody waits for them, so that they are begun then only; repaired, the turn is
 * flushed. */
void app_ring_turns(struct app *app)
{
	enum { places = 4, items = 256 * KIB, turns = 90, packed = 4096 };
	float *blocks[places], *pack = floats(packed, 16);
	cl_kernel unroll = kernel_of(app, CHAIN("unroll"), "unroll");
	cl_mem ring[places];
	double sum = 0;

	for (int i = 0; i < places; i++) {
		blocks[i] = floats(packed, 17u + (unsigned)i);
		ring[i] = buffer_new(app, items * sizeof(float));
	}
	for (int i = 0; i < turns; i++) {
		cl_event last = NULL;

		for (int j = 0; j < places; j++) {
			TRY(clEnqueueWriteBuffer(app->queue, ring[j], CL_FALSE, 0,
						 packed * sizeof(float), blocks[j], 0, NULL, NULL));
			args(unroll, "bi", ring[j], 12);
			run(app->queue, unroll, items, 64);
			if (last)
				DROP(last);
			TRY(clEnqueueReadBuffer(app->queue, ring[j], CL_FALSE, 0,
						packed * sizeof(float), blocks[j], 0, NULL, &last));
		}
		if (app->repaired)
			flush(app->queue);
		busy(pack, packed, 500);
		settle(last);
		sum += (double)blocks[i % places][i] + (double)pack[i];
	}
	answer(sum);
	for (int i = 0; i < places; i++) {
		DROP(ring[i]);
		free(blocks[i]);
	}
	DROP(unroll);
	free(pack);
}

/* Readings of a sensor are worked on by the hundred. A full hundred is flushed, but not what is
 * left at the end of a burst, for which the host sleeps until the sensor has the next; repaired, it
 * is flushed too. */
void app_burst_tail(struct app *app)
{
	enum { items = 256 * KIB, bursts = 40, full = 8, each = 10 };
	float *readings = floats(items, 18), few[64];
	cl_kernel weigh = kernel_of(app, CHAIN("weigh"), "weigh");
	cl_mem scale = buffer_new(app, items * sizeof(float));
	double sum = 0;

	put_now(app->queue, scale, items * sizeof(float), readings);
	args(weigh, "bi", scale, 5);
	for (int i = 0; i < bursts; i++) {
		for (int j = 1; j <= each; j++) {
			run(app->queue, weigh, items, 64);
			if (j % full == 0)
				flush(app->queue);
		}
		if (app->repaired)
			flush(app->queue);
		nap(11000);
		get(app->queue, scale, sizeof(few), few);
		sum += (double)few[i];
	}
	answer(sum);
	DROP(weigh);
	DROP(scale);
	free(readings);
}
