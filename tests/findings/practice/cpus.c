/* SPDX-License-Identifier: MIT */
/* Threads, processes, contexts and callbacks in each other's way, and launches of a bad shape. */
#include "practice.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct feeder {
	struct app *app;
	cl_command_queue queue;
	cl_kernel chew;
	int cpu;
	double sum;
};

static void *feeder_feed(void *pointer)
{
	enum { items = 16 * KIB, meals = 90 };
	struct feeder *f = pointer;
	float *meal = floats(items, 71);
	cl_mem bowl = buffer_new(f->app, items * sizeof(float));
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(f->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	args(f->chew, "bi", bowl, 20);
	for (int i = 0; i < meals; i++) {
		refill(meal, items, i);
		busy(meal, items, 300);
		put(f->queue, bowl, items * sizeof(float), meal);
		run(f->queue, f->chew, items, 64);
		get(f->queue, bowl, items * sizeof(float), meal);
		f->sum += (double)meal[i];
	}
	DROP(bowl);
	free(meal);
	return NULL;
}

/* Two feeders cook meals for the device, and are bound to CPUs by two, as on a machine whose CPUs
 * have two threads each, so that they share one; repaired, to a CPU each. */
void app_feeder_cpus(struct app *app)
{
	struct feeder feeders[2];
	cl_program program = program_new(app, CHAIN("chew"), "");

	for (int i = 0; i < 2; i++)
		feeders[i] = (struct feeder){app, queue_new(app, 0), kernel_new(program, "chew"),
					     app->repaired ? i : i / 2, 0};
	threads_run(2, feeder_feed, feeders, sizeof(*feeders));
	answer(feeders[0].sum + feeders[1].sum);
	for (int i = 0; i < 2; i++) {
		DROP(feeders[i].queue);
		DROP(feeders[i].chew);
	}
	DROP(program);
}

/* Three processes that compress logs, for some 300 ms each if they are alone. */
void archive_children_early(bool repaired)
{
	enum { items = 4096 };
	float *log;

	for (int i = 0; i < 3 && !repaired; i++) {
		if (fork())
			continue;
		log = floats(items, 72);
		busy(log, items, 20000);
		_exit(0);
	}
}

/* A renderer, before which logs were handed to processes that compress them, and take the CPUs
 * while it renders; repaired, they are left for the night. */
void app_archive_children(struct app *app)
{
	enum { items = 128 * KIB, scenes = 320 };
	float *scene = floats(items, 73);
	cl_kernel render = kernel_of(app, CHAIN("render"), "render");
	cl_mem canvas = buffer_new(app, items * sizeof(float));
	double sum = 0;

	put_now(app->queue, canvas, items * sizeof(float), scene);
	args(render, "bi", canvas, 14);
	for (int i = 0; i < scenes; i++) {
		run(app->queue, render, items, 64);
		get(app->queue, canvas, 1024, scene);
		sum += (double)scene[i % 256];
	}
	answer(sum);
	DROP(render);
	DROP(canvas);
	free(scene);
}

struct relay {
	atomic_int made, taken;
	bool repaired;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float blocks[2][256];
};

/* Until the other side has come so far. */
static void relay_await(struct relay *relay, atomic_int *count, int least)
{
	while (!relay->repaired)
		if (atomic_load(count) >= least)
			return;
	pthread_mutex_lock(&relay->lock);
	while (atomic_load(count) < least)
		pthread_cond_wait(&relay->changed, &relay->lock);
	pthread_mutex_unlock(&relay->lock);
}

static void relay_step(struct relay *relay, atomic_int *count)
{
	pthread_mutex_lock(&relay->lock);
	atomic_fetch_add(count, 1);
	pthread_cond_broadcast(&relay->changed);
	pthread_mutex_unlock(&relay->lock);
}

enum { RELAY_BLOCKS = 260 };

static void *relay_taste(void *pointer)
{
	struct relay *relay = pointer;

	for (int i = 0; i < RELAY_BLOCKS; i++) {
		relay_await(relay, &relay->made, i + 1);
		busy(relay->blocks[i % 2], 256, 100);
		relay_step(relay, &relay->taken);
	}
	return NULL;
}

/* One thread has the device make blocks, the other one tastes them. It runs in a loop until there
 * is a block, on a CPU of the device; repaired, it sleeps until then. */
void app_relay_spin(struct app *app)
{
	enum { items = 128 * KIB };
	struct relay relay = {.repaired = app->repaired,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER};
	float *dough = floats(items, 74);
	cl_kernel bake = kernel_of(app, CHAIN("bake"), "bake");
	cl_mem oven = buffer_new(app, items * sizeof(float));
	pthread_t taster;
	double sum = 0;

	put_now(app->queue, oven, items * sizeof(float), dough);
	args(bake, "bi", oven, 18);
	pthread_create(&taster, NULL, relay_taste, &relay);
	for (int i = 0; i < RELAY_BLOCKS; i++) {
		run(app->queue, bake, items, 64);
		relay_await(&relay, &relay.taken, i - 1);
		get(app->queue, oven, sizeof(relay.blocks[0]), relay.blocks[i % 2]);
		relay_step(&relay, &relay.made);
	}
	pthread_join(taster, NULL);
	for (int i = 0; i < 2; i++)
		sum += total(relay.blocks[i], 256);
	answer(sum);
	DROP(bake);
	DROP(oven);
	free(dough);
}

/* The same frames once more, in a process of its own. */
void app_sibling_run(struct app *app)
{
	enum { items = 128 * KIB };
	float *frames = floats(items, 75);
	cl_kernel encode = kernel_of(app, CHAIN("encode"), "encode");
	cl_mem film = buffer_new(app, items * sizeof(float));

	put_now(app->queue, film, items * sizeof(float), frames);
	args(encode, "bi", film, 20);
	for (int i = 0; i < 80; i++) {
		run(app->queue, encode, items, 64);
		get(app->queue, film, 1024, frames);
	}
	DROP(encode);
	DROP(film);
	free(frames);
}

/* A film is encoded, and a second process encodes a preview of it in the meantime, for a viewer
 * that is closed; repaired, there is no preview. */
void app_film_preview(struct app *app)
{
	enum { items = 128 * KIB, frames = 360 };
	char *const words[] = {(char *)app->self, "sibling", NULL};
	float *film = floats(items, 76);
	cl_kernel encode = kernel_of(app, CHAIN("encode"), "encode");
	cl_mem strip = buffer_new(app, items * sizeof(float));
	pid_t preview = 0;
	double sum = 0;

	if (!app->repaired && posix_spawn(&preview, app->self, NULL, NULL, words, environ))
		must(-1, "posix_spawn");
	put_now(app->queue, strip, items * sizeof(float), film);
	args(encode, "bi", strip, 15);
	for (int i = 0; i < frames; i++) {
		run(app->queue, encode, items, 64);
		get(app->queue, strip, 1024, film);
		sum += (double)film[i % 256];
	}
	if (preview)
		waitpid(preview, NULL, 0);
	answer(sum);
	DROP(encode);
	DROP(strip);
	free(film);
}

/* Audits what nobody asked for, in a context of its own. */
static void *audit_run(void *pointer)
{
	enum { items = 256 * KIB, passes = 8 };
	struct app *app = pointer, own = *app;
	float *books = floats(items, 77);

	own.context = context_new(app);
	own.queue = queue_new(&own, 0);

	cl_kernel audit = kernel_of(&own, CHAIN("audit"), "audit");
	cl_mem ledger = buffer_new(&own, items * sizeof(float));

	put_now(own.queue, ledger, items * sizeof(float), books);
	args(audit, "bi", ledger, 12);
	for (int i = 0; i < passes; i++) {
		for (int j = 0; j < 4; j++)
			run(own.queue, audit, items, 64);
		finish(own.queue);
	}
	DROP(audit);
	DROP(ledger);
	DROP(own.queue);
	DROP(own.context);
	free(books);
	return NULL;
}

/* A bank books its day, while an audit of last year goes on in a thread with a context of its own;
 * repaired, it does not. */
void app_bank_audit(struct app *app)
{
	enum { items = 256 * KIB, hours = 220 };
	float *books = floats(items, 78);
	cl_kernel book = kernel_of(app, CHAIN("book"), "book");
	cl_mem ledger = buffer_new(app, items * sizeof(float));
	pthread_t auditor;
	double sum = 0;

	if (!app->repaired)
		pthread_create(&auditor, NULL, audit_run, app);
	put_now(app->queue, ledger, items * sizeof(float), books);
	args(book, "bi", ledger, 10);
	for (int i = 0; i < hours; i++) {
		run(app->queue, book, items, 64);
		get(app->queue, ledger, 1024, books);
		sum += (double)books[i % 256];
	}
	if (!app->repaired)
		pthread_join(auditor, NULL);
	answer(sum);
	DROP(book);
	DROP(ledger);
	free(books);
}

enum { NOTE_VALUES = 1200 };

struct notes {
	char text[32 * KIB];
	float values[4][NOTE_VALUES];
	atomic_int written;
};

static void note_format(struct notes *notes, const float *values)
{
	int used = 0;

	for (int i = 0; i < NOTE_VALUES; i++)
		used += snprintf(notes->text + used, sizeof(notes->text) - (size_t)used, "%.3f ",
				 (double)values[i]);
	atomic_fetch_add(&notes->written, used);
}

static struct notes notes;

static void CL_CALLBACK note_ready(cl_event event, cl_int status, void *values)
{
	(void)event, (void)status;
	note_format(&notes, values);
}

/* A protocol of a series of measurements: the callback of each read writes its 1,200 numbers as
 * text, in a thread of the driver; repaired, the program's thread does, while the next is made. */
void app_note_callback(struct app *app)
{
	enum { items = 256 * KIB, series = 300 };
	float *values = floats(items, 79);
	cl_kernel measure = kernel_of(app, CHAIN("measure"), "measure");
	cl_mem probe = buffer_new(app, items * sizeof(float));
	cl_event reads[series];

	put_now(app->queue, probe, items * sizeof(float), values);
	args(measure, "bi", probe, 7);
	for (int i = 0; i < series; i++) {
		if (i > 2) {
			TRY(clWaitForEvents(1, &reads[i - 3]));
			if (app->repaired)
				note_format(&notes, notes.values[(i - 3) % 4]);
		}
		run(app->queue, measure, items, 64);
		reads[i] = get_after(app->queue, probe, sizeof(notes.values[0]),
				     notes.values[i % 4], 0, NULL);
		if (!app->repaired)
			TRY(clSetEventCallback(reads[i], CL_COMPLETE, note_ready,
					       notes.values[i % 4]));
		flush(app->queue);
	}
	finish(app->queue);
	for (int i = series - 3; i < series && app->repaired; i++)
		note_format(&notes, notes.values[i % 4]);
	get(app->queue, probe, items * sizeof(float), values);
	answer(total(values, items));
	for (int i = 0; i < series; i++)
		DROP(reads[i]);
	DROP(measure);
	DROP(probe);
	free(values);
}

struct seal {
	float *page;
	int count;
};

static void seal_page(const struct seal *seal)
{
	busy(seal->page, (size_t)seal->count, 150);
}

static void CL_CALLBACK seal_native(void *pointer)
{
	seal_page(pointer);
}

/* Pages are printed and sealed, the latter by a host function in the device's queue, that works on
 * what was read before it; repaired, the thread that enqueues seals, while the next is printed. */
void app_native_seal(struct app *app)
{
	enum { items = 256 * KIB, sealed = 4096, pages = 280 };
	float *ink = floats(items, 80);
	struct seal seals[2] = {{memory(sealed * sizeof(float)), sealed},
				{memory(sealed * sizeof(float)), sealed}};
	cl_kernel press = kernel_of(app, CHAIN("press"), "press");
	cl_mem paper = buffer_new(app, items * sizeof(float));
	cl_event reads[2] = {NULL};
	double sum = 0;

	put_now(app->queue, paper, items * sizeof(float), ink);
	args(press, "bi", paper, 7);
	for (int i = 0; i <= pages; i++) {
		struct seal *seal = &seals[i % 2], *before = &seals[(i + 1) % 2];

		if (i < pages) {
			run(app->queue, press, items, 64);
			reads[i % 2] = get_after(app->queue, paper, sealed * sizeof(float),
						 seal->page, 0, NULL);
			if (!app->repaired) {
				DROP(reads[i % 2]);
				TRY(clEnqueueNativeKernel(app->queue, seal_native, seal,
							  sizeof(*seal), 0, NULL, NULL, 0, NULL,
							  &reads[i % 2]));
			}
			flush(app->queue);
		}
		if (!i)
			continue;
		settle(reads[(i + 1) % 2]);
		if (app->repaired)
			seal_page(before);
		sum += (double)before->page[i];
	}
	answer(sum);
	DROP(press);
	DROP(paper);
	free(ink);
	free(seals[0].page);
	free(seals[1].page);
}

/* Rows are normalised by a kernel whose group is as large as the device lets it be, one in all;
 * repaired, with groups of 32. What follows has many groups in either case. */
void app_row_norms(struct app *app)
{
	enum { rows = 256, items = 128 * KIB, batches = 110 };
	float *values = floats(items, 81);
	cl_program program = program_new(app, CHAIN("normalise") CHAIN("spread"), "");
	cl_kernel normalise = kernel_new(program, "normalise");
	cl_kernel spread = kernel_new(program, "spread");
	cl_mem matrix = buffer_new(app, items * sizeof(float));

	put_now(app->queue, matrix, items * sizeof(float), values);
	args(normalise, "bi", matrix, 16000);
	args(spread, "bi", matrix, 25);
	for (int i = 0; i < batches; i++) {
		run(app->queue, normalise, rows, app->repaired ? 32 : rows);
		run(app->queue, spread, items, 64);
		flush(app->queue);
	}
	get(app->queue, matrix, items * sizeof(float), values);
	answer(total(values, items));
	DROP(normalise);
	DROP(spread);
	DROP(program);
	DROP(matrix);
	free(values);
}

static const char census_source[] =
	"kernel void census(global const float *v, global int *sums, int each)\n"
	"{\n"
	"	size_t i = get_global_id(0), items = get_global_size(0);\n"
	"	int sum = 0;\n"
	"	for (int j = 0; j < each; j++)\n"
	"		sum += (int)(8 * sqrt(1 + log(2 + v[j * items + i])));\n"
	"	sums[i] = sum;\n"
	"}\n" CHAIN("live");

/* A census after each year: 64 items in one group add up all there is, and the host adds their
 * sums. Repaired, there are 32 groups of such. */
void app_census_group(struct app *app)
{
	enum { items = 512 * KIB, years = 110, most = 2048 };
	int sums = app->repaired ? most : 64;
	float *people = floats(items, 82);
	int *parts = memory(most * sizeof(*parts));
	cl_program program = program_new(app, census_source, "");
	cl_kernel census = kernel_new(program, "census"), live = kernel_new(program, "live");
	cl_mem land = buffer_new(app, items * sizeof(float));
	cl_mem found = buffer_new(app, most * sizeof(*parts));
	double sum = 0;

	put_now(app->queue, land, items * sizeof(float), people);
	args(live, "bi", land, 2);
	args(census, "bbi", land, found, items / sums);
	for (int i = 0; i < years; i++) {
		run(app->queue, live, items, 64);
		run(app->queue, census, (size_t)sums, 64);
		get(app->queue, found, (size_t)sums * sizeof(*parts), parts);
		for (int j = 0; j < sums; j++)
			sum += parts[j];
	}
	answer(sum);
	DROP(census);
	DROP(live);
	DROP(program);
	DROP(land);
	DROP(found);
	free(people);
	free(parts);
}

#define STROKE(name, change)                      \
	"kernel void " name "(global float *v)\n" \
	"{\n"                                     \
	"	size_t i = get_global_id(0);\n"         \
	"	v[i] = " change ";\n"             \
	"}\n"

/* Four kernels for a picture. One of them still has groups of four, with which somebody once looked
 * for an error; repaired, of 64, as the others have. */
void app_pair_groups(struct app *app)
{
	enum { kernels = 4, items = 256 * KIB, pictures = 700 };
	static const char *const names[kernels] = {"lift", "crop", "tint", "sharpen"};
	float *picture = floats(items, 83);
	cl_program program =
		program_new(app,
			    STROKE("lift", "v[i] + 0.5f") STROKE("crop", "min(v[i], 1.0f)")
				    STROKE("tint", "v[i] * 0.75f") STROKE("sharpen", "v[i] * v[i]"),
			    "");
	cl_kernel all[kernels];
	cl_mem pixels = buffer_new(app, items * sizeof(float));

	put_now(app->queue, pixels, items * sizeof(float), picture);
	for (int i = 0; i < kernels; i++) {
		all[i] = kernel_new(program, names[i]);
		args(all[i], "b", pixels);
	}
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < kernels; j++)
			run(app->queue, all[j], items, j == 2 && !app->repaired ? 4 : 64);
		flush(app->queue);
	}
	get(app->queue, pixels, items * sizeof(float), picture);
	answer(total(picture, items));
	for (int i = 0; i < kernels; i++)
		DROP(all[i]);
	DROP(program);
	DROP(pixels);
	free(picture);
}

static const char cube_source[] =
	"kernel void cure(global float *v, int side)\n"
	"{\n"
	"	int i = (get_global_id(2) * side + get_global_id(1)) * side + get_global_id(0);\n"
	"	float value = v[i];\n"
	"	for (int r = 0; r < 16; r++)\n"
	"		value = value * 0.9375f + 0.03125f;\n"
	"	v[i] = value;\n"
	"}\n" CHAIN("press_cube");

/* A cube is cured in groups of one by one by four items, and pressed. Repaired, the groups that
 * cure lie along the rows, 64 items long. */
void app_cube_groups(struct app *app)
{
	enum { side = 64, items = side * side * side, times = 150 };
	const size_t all[3] = {side, side, side}, bad[3] = {1, 1, 4}, good[3] = {64, 1, 1};
	float *cube = floats(items, 84);
	cl_program program = program_new(app, cube_source, "");
	cl_kernel cure = kernel_new(program, "cure"), press = kernel_new(program, "press_cube");
	cl_mem cells = buffer_new(app, items * sizeof(float));

	put_now(app->queue, cells, items * sizeof(float), cube);
	args(cure, "bi", cells, side);
	args(press, "bi", cells, 8);
	for (int i = 0; i < times; i++) {
		TRY(clEnqueueNDRangeKernel(app->queue, cure, 3, NULL, all,
					   app->repaired ? good : bad, 0, NULL, NULL));
		run(app->queue, press, items, 64);
		flush(app->queue);
	}
	get(app->queue, cells, items * sizeof(float), cube);
	answer(total(cube, items));
	DROP(cure);
	DROP(press);
	DROP(program);
	DROP(cells);
	free(cube);
}
