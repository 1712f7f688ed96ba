/* SPDX-License-Identifier: MIT */
/* Callbacks that take long, CPUs that threads have to share, and devices that others use. */
#include "resits.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Meshes that are simplified by the device and packed for a file in the callback of their read; the
 * repaired program packs them in a thread of its own. */

enum { MESHES = 60, MESH_ITEMS = 1 << 14 };

struct packer {
	pthread_mutex_t lock;
	pthread_cond_t more;
	bool hands_over;
	int ready, order[MESHES]; /* what is to be packed */
	atomic_int packed;
	float *meshes;
};

struct mesh {
	struct packer *packer;
	int number;
};

static void mesh_pack(struct packer *packer, int number)
{
	busy(packer->meshes + (size_t)number * MESH_ITEMS, MESH_ITEMS, 250);
	atomic_fetch_add(&packer->packed, 1);
}

static void CL_CALLBACK mesh_done(cl_event event, cl_int status, void *arg)
{
	struct mesh *mesh = arg;
	struct packer *packer = mesh->packer;

	(void)event;
	must(status, "mesh");
	if (!packer->hands_over)
		mesh_pack(packer, mesh->number);
	pthread_mutex_lock(&packer->lock);
	packer->order[packer->ready++] = mesh->number;
	pthread_cond_signal(&packer->more);
	pthread_mutex_unlock(&packer->lock);
}

static void *packer_main(void *arg)
{
	struct packer *packer = arg;

	for (int i = 0; i < MESHES; i++) {
		pthread_mutex_lock(&packer->lock);
		while (packer->ready <= i)
			pthread_cond_wait(&packer->more, &packer->lock);
		pthread_mutex_unlock(&packer->lock);
		if (packer->hands_over)
			mesh_pack(packer, packer->order[i]);
	}
	return NULL;
}

void resit_mesh_export(struct app *app)
{
	struct packer packer = {.lock = PTHREAD_MUTEX_INITIALIZER,
				.more = PTHREAD_COND_INITIALIZER,
				.hands_over = app->repaired,
				.meshes = floats((size_t)MESHES * MESH_ITEMS, 3)};
	cl_mem v = loaded(app, MESH_ITEMS * 4, packer.meshes);
	cl_kernel simplify = kernel_of(app, MIX("simplify"), "simplify");
	struct mesh meshes[MESHES];
	pthread_t thread;

	args(simplify, "bi", v, 4);
	if (pthread_create(&thread, NULL, packer_main, &packer))
		exit(1);
	for (int i = 0; i < MESHES; i++) {
		cl_event done;

		meshes[i] = (struct mesh){&packer, i};
		for (int k = 0; k < 60; k++)
			run(app->queue, simplify, MESH_ITEMS, 0);
		done = get_after(app->queue, v, MESH_ITEMS * 4,
				 packer.meshes + (size_t)i * MESH_ITEMS, 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, mesh_done, &meshes[i]));
		flush(app->queue);
		DROP(done);
	}
	finish(app->queue);
	pthread_join(thread, NULL);
	answer(packer.packed);
	DROP(simplify);
	DROP(v);
	free(packer.meshes);
}

/* Two readers of logs, each with a queue, are bound to CPUs by their number. The pool counts CPUs
 * with two threads each, which this machine need not have. */

enum { READERS = 2, READER_FILES = 30, READER_ITEMS = 1 << 13 };

struct reader {
	const struct app *app;
	int number;
	double sum;
};

static void reader_bind(int number)
{
	cpu_set_t ours, mine;
	int left = number;

	if (sched_getaffinity(0, sizeof(ours), &ours) || CPU_COUNT(&ours) < 2)
		return;
	CPU_ZERO(&mine);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &ours) && !left--)
			CPU_SET(cpu, &mine);
	sched_setaffinity(0, sizeof(mine), &mine);
}

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	const struct app *app = reader->app;
	float *lines = floats(READER_ITEMS, (unsigned)reader->number + 1), found[16];
	cl_command_queue queue = queue_new(app, 0);
	cl_mem v = buffer_new(app, READER_ITEMS * 4);
	cl_kernel match = kernel_new(app->program, "match");

	reader_bind(app->repaired ? reader->number : reader->number / 2);
	args(match, "bi", v, 2);
	for (int file = 0; file < READER_FILES; file++) {
		busy(lines, READER_ITEMS, 600);
		put(queue, v, READER_ITEMS * 4, lines);
		run(queue, match, READER_ITEMS, 64);
		get(queue, v, sizeof(found), found);
		reader->sum += (double)found[file % 16];
	}
	DROP(match);
	DROP(v);
	DROP(queue);
	free(lines);
	return NULL;
}

void resit_log_readers(struct app *app)
{
	struct reader readers[READERS];

	app->program = program_new(app, MIX("match"), "");
	for (int i = 0; i < READERS; i++)
		readers[i] = (struct reader){app, i, 0};
	threads_run(READERS, reader_main, readers, sizeof(*readers));
	answer(readers[0].sum + readers[1].sum);
}

/* A map viewer whose helper process computes tiles that might be asked for next. It never rests,
 * though the viewer itself needs the device; the repaired one computes when it is asked. */

enum { VIEWS = 40, TILE = 1 << 15 };

void resit_tile_helper(struct app *app)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	cl_mem v = buffer_new(app, TILE * 4);
	cl_kernel guess = kernel_of(app, MIX("guess"), "guess");
	float tile[16];
	char byte = 'r';

	args(guess, "bi", v, 60);
	if (write(1, &byte, 1) != 1)
		exit(1);
	for (;;) {
		if (poll(&input, 1, app->word[0] ? -1 : 0) > 0 && read(0, &byte, 1) <= 0)
			break;
		run(app->queue, guess, TILE, 64);
		get(app->queue, v, sizeof(tile), tile);
	}
	DROP(guess);
	DROP(v);
}

void resit_map_viewer(struct app *app)
{
	struct peer helper = peer_start(app, "tile_helper");
	float *tile = floats(TILE, 2);
	cl_mem v = loaded(app, TILE * 4, tile);
	cl_kernel draw = kernel_of(app, MIX("draw"), "draw");
	double sum = 0;
	char byte;

	args(draw, "bi", v, 60);
	if (read(helper.out, &byte, 1) != 1)
		exit(1);
	for (int view = 0; view < VIEWS; view++) {
		for (int layer = 0; layer < 3; layer++)
			run(app->queue, draw, TILE, 64);
		get(app->queue, v, TILE * 4, tile);
		sum += (double)tile[view];
		if (view % 8 == 0 && write(helper.in, "t", 1) != 1)
			exit(1);
	}
	peer_end(&helper);
	answer(sum);
	DROP(draw);
	DROP(v);
	free(tile);
}

/* A simulation, and a preview of it that has a context of its own. The preview draws as often as it
 * can; the repaired one draws twenty times a second. */

enum { SIM_STEPS = 150, SIM_ITEMS = 1 << 15 };

struct preview {
	const struct app *app;
	atomic_bool over;
};

static void *preview_main(void *arg)
{
	struct preview *preview = arg;
	struct app own = {.repaired = preview->app->repaired, .device = preview->app->device};

	own.context = context_new(&own);
	own.queue = queue_new(&own, 0);

	cl_mem picture = buffer_new(&own, SIM_ITEMS * 4);
	cl_kernel shade = kernel_of(&own, MIX("shade"), "shade");
	float pixels[64];

	args(shade, "bi", picture, 20);
	while (!atomic_load(&preview->over)) {
		for (int i = 0; i < 12; i++)
			run(own.queue, shade, SIM_ITEMS, 64);
		get(own.queue, picture, sizeof(pixels), pixels);
		if (own.repaired)
			nap(50000);
	}
	DROP(shade);
	DROP(picture);
	DROP(own.queue);
	DROP(own.context);
	return NULL;
}

void resit_preview_context(struct app *app)
{
	struct preview preview = {.app = app};
	float *state = floats(SIM_ITEMS, 5), probes[64];
	double sum = 0;
	cl_mem v = loaded(app, SIM_ITEMS * 4, state);
	cl_kernel advance = kernel_of(app, MIX("advance"), "advance");
	pthread_t thread;

	args(advance, "bi", v, 20);
	if (pthread_create(&thread, NULL, preview_main, &preview))
		exit(1);
	for (int step = 0; step < SIM_STEPS; step++) {
		for (int i = 0; i < 10; i++)
			run(app->queue, advance, SIM_ITEMS, 64);
		get(app->queue, v, sizeof(probes), probes);
		sum += (double)probes[step % 64];
	}
	atomic_store(&preview.over, true);
	pthread_join(thread, NULL);
	get(app->queue, v, SIM_ITEMS * 4, state);
	answer(sum + total(state, SIM_ITEMS));
	DROP(advance);
	DROP(v);
	free(state);
}

/* An assistant that answers requests in turn, with threads that keep a usage report up to date.
 * They make it again and again, though nobody looks at it before the end; repaired, a few times a
 * second. */

enum { REPORTERS = 3, REQUESTS = 60, USAGE = 1 << 14 };

struct reporter {
	bool rests;
	atomic_bool *over;
};

static void *reporter_main(void *arg)
{
	struct reporter *reporter = arg;
	float *usage = floats(USAGE, 1);

	while (!atomic_load(reporter->over)) {
		busy(usage, USAGE, 40);
		nap(reporter->rests ? 100000 : 300);
	}
	free(usage);
	return NULL;
}

void resit_usage_reports(struct app *app)
{
	float *prompt = floats(1 << 13, 4);
	cl_mem v = buffer_new(app, (1 << 13) * 4);
	cl_kernel attend = kernel_of(app, MIX("attend"), "attend");
	struct reporter reporter = {app->repaired, NULL};
	pthread_t threads[REPORTERS];
	atomic_bool over = false;
	double sum = 0;

	args(attend, "bi", v, 10);
	reporter.over = &over;
	for (int i = 0; i < REPORTERS; i++)
		if (pthread_create(&threads[i], NULL, reporter_main, &reporter))
			exit(1);
	for (int i = 0; i < REQUESTS; i++) {
		busy(prompt, 1 << 13, 60);
		put(app->queue, v, (1 << 13) * 4, prompt);
		for (int layer = 0; layer < 20; layer++)
			run(app->queue, attend, 1 << 13, 64);
		get(app->queue, v, (1 << 13) * 4, prompt);
		sum += (double)prompt[i];
	}
	atomic_store(&over, true);
	for (int i = 0; i < REPORTERS; i++)
		pthread_join(threads[i], NULL);
	answer(sum);
	DROP(attend);
	DROP(v);
	free(prompt);
}
