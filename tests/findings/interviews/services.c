/* SPDX-License-Identifier: MIT */
/* Services and what they count: receipts, heart beats, ballots, flights. */
#include "interviews.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The receipts of a day's tills are grouped by article, in a hash table on the device. The kernel
 * sets a word when the table is too small, and that one stays set. */
enum { ROWS = 8 * KIB, ROLLS = 1400, ARTICLES = 16 * KIB };

static const char till_source[] =
	"kernel void group(global const uint *rows, global uint *keys, global uint *sums,\n"
	"		  global uint *full, int slots)\n"
	"{\n"
	"	uint row = rows[get_global_id(0)], key = (row >> 8) % 5000 + 1;\n"
	"	uint at = key * 2654435761u % (uint)slots;\n"
	"	for (int tries = 0; tries < 64; tries++, at = (at + 1) % (uint)slots) {\n"
	"		uint had = keys[at];\n"
	"		if (!had)\n"
	"			had = atomic_cmpxchg(&keys[at], 0u, key);\n"
	"		if (!had || had == key) {\n"
	"			atomic_add(&sums[at], row & 255);\n"
	"			return;\n"
	"		}\n"
	"	}\n"
	"	full[0] = 1;\n"
	"}\n";

void interview_till_rolls(struct app *app)
{
	const size_t bytes = ROWS * sizeof(uint32_t), table_bytes = ARTICLES * sizeof(uint32_t);
	uint32_t *rows = words_new((size_t)ROWS * ROLLS, 5), *table = memory(table_bytes), full = 0;
	cl_mem in = buffer_new(app, bytes), keys = buffer_new(app, table_bytes);
	cl_mem sums = buffer_new(app, table_bytes), flag = buffer_new(app, sizeof(full));
	cl_kernel group = kernel_of(app, till_source, "group");

	put_now(app->queue, keys, table_bytes, table);
	put_now(app->queue, sums, table_bytes, table);
	put_now(app->queue, flag, sizeof(full), &full);
	args(group, "bbbbi", in, keys, sums, flag, ARTICLES);
	for (size_t roll = 0; roll < ROLLS; roll++) {
		put(app->queue, in, bytes, rows + roll * ROWS);
		run(app->queue, group, ROWS, 64);
		if (!app->repaired)
			get(app->queue, flag, sizeof(full), &full);
		else if (roll % 64 == 63)
			flush(app->queue);
	}
	get(app->queue, flag, sizeof(full), &full);
	get(app->queue, sums, table_bytes, table);

	double sum = full ? -1 : 0;

	for (int i = 0; i < ARTICLES; i++)
		sum += table[i];
	answer(sum);
	free(rows);
	free(table);
	DROP(group);
	DROP(in);
	DROP(keys);
	DROP(sums);
	DROP(flag);
}

/* The noise is taken out of a day's electrocardiogram, lead by lead, by a
 * library that has a context and kernels of its own. */
enum { LEADS = 12, BEATS = 512 * KIB };

struct heart {
	struct app own;
	cl_kernel hum, drift;
	cl_mem in, out;
	bool open;
};

static void heart_open(struct heart *heart, const struct app *app)
{
	heart->own = *app;
	heart->own.context = context_new(app);
	heart->own.queue = queue_new(&heart->own, 0);
	heart->own.program = program_new(&heart->own, MIX("hum") MIX("drift"), "-cl-mad-enable");
	heart->hum = kernel_new(heart->own.program, "hum");
	heart->drift = kernel_new(heart->own.program, "drift");
	heart->in = buffer_new(&heart->own, BEATS * sizeof(uint32_t));
	heart->out = buffer_new(&heart->own, BEATS * sizeof(uint32_t));
	heart->open = true;
}

static void heart_close(struct heart *heart)
{
	if (!heart->open)
		return;
	DROP(heart->in);
	DROP(heart->out);
	DROP(heart->hum);
	DROP(heart->drift);
	DROP(heart->own.program);
	DROP(heart->own.queue);
	DROP(heart->own.context);
	heart->open = false;
}

static void heart_clean(struct heart *heart, const struct app *app, uint32_t *lead)
{
	const size_t bytes = BEATS * sizeof(*lead);

	if (!heart->open)
		heart_open(heart, app);
	put(heart->own.queue, heart->in, bytes, lead);
	for (int pass = 0; pass < 3; pass++) {
		args(heart->hum, "bbii", heart->in, heart->out, 8, pass);
		run(heart->own.queue, heart->hum, BEATS, 64);
		args(heart->drift, "bbii", heart->out, heart->in, 8, pass);
		run(heart->own.queue, heart->drift, BEATS, 64);
	}
	get(heart->own.queue, heart->in, bytes, lead);
	if (!app->repaired)
		heart_close(heart);
}

void interview_heart_leads(struct app *app)
{
	static struct heart heart;
	double sum = 0;

	for (int i = 0; i < LEADS; i++) {
		uint32_t *lead = words_new(BEATS, (uint32_t)i + 40);

		heart_clean(&heart, app, lead);
		sum += words_sum(lead, BEATS);
		free(lead);
	}
	heart_close(&heart);
	answer(sum);
}

/* Ballot papers are scanned, and workers find the marks on them; each has a queue, kernels and
 * buffers of its own. */
enum { COUNTERS = 3, SHEETS = 480, SHEET_CELLS = 32 * KIB, MARKS = 4 * KIB };

struct ballots {
	struct app *app;
	pthread_mutex_t device;
	atomic_int next;
};

struct counter {
	struct ballots *ballots;
	double marks;
};

static void sheet_scan(uint32_t *cells, int sheet)
{
	uint32_t ink = (uint32_t)sheet + 1;

	for (int i = 0; i < SHEET_CELLS; i++) {
		for (int k = 0; k < 3; k++)
			ink = ink * 1103515245u + 12345u;
		cells[i] = ink >> 8;
	}
}

static void sheet_read(cl_command_queue queue, cl_kernel kernels[2], cl_mem in, cl_mem out,
		       const uint32_t *cells, uint32_t *marks)
{
	put(queue, in, SHEET_CELLS * sizeof(*cells), cells);
	for (int i = 0; i < 2; i++) {
		args(kernels[i], "bbii", i ? out : in, i ? in : out, 8, i);
		run(queue, kernels[i], SHEET_CELLS, 64);
	}
	get(queue, in, MARKS * sizeof(*marks), marks);
}

static void *counter_main(void *data)
{
	struct counter *counter = data;
	struct ballots *ballots = counter->ballots;
	struct app *app = ballots->app;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel kernels[2] = {kernel_new(app->program, "deskew"),
				kernel_new(app->program, "ink")};
	cl_mem in = buffer_new(app, SHEET_CELLS * sizeof(uint32_t));
	cl_mem out = buffer_new(app, SHEET_CELLS * sizeof(uint32_t));
	uint32_t *cells = memory(SHEET_CELLS * sizeof(*cells));
	uint32_t *marks = memory(MARKS * sizeof(*marks));

	for (int sheet; (sheet = atomic_fetch_add(&ballots->next, 1)) < SHEETS;) {
		sheet_scan(cells, sheet);
		if (!app->repaired)
			pthread_mutex_lock(&ballots->device);
		sheet_read(queue, kernels, in, out, cells, marks);
		if (!app->repaired)
			pthread_mutex_unlock(&ballots->device);
		counter->marks += words_sum(marks, MARKS);
	}
	free(cells);
	free(marks);
	DROP(in);
	DROP(out);
	DROP(kernels[0]);
	DROP(kernels[1]);
	DROP(queue);
	return NULL;
}

void interview_ballot_count(struct app *app)
{
	static struct ballots ballots = {.device = PTHREAD_MUTEX_INITIALIZER};
	struct counter counters[COUNTERS];
	double marks = 0;

	ballots.app = app;
	app->program = program_new(app, MIX("deskew") MIX("ink"), "");
	for (int i = 0; i < COUNTERS; i++)
		counters[i] = (struct counter){&ballots, 0};
	threads_run(COUNTERS, counter_main, counters, sizeof(*counters));
	for (int i = 0; i < COUNTERS; i++)
		marks += counters[i].marks;
	answer(marks);
}

/* The flights of a drone show: two planners check formations on the host and have the paths
 * between them worked out by the device. A planner stays on a CPU, the first of a socket's. */
enum { PLANNERS = 2, FORMATIONS = 130, DRONES = 64 * KIB, CHECKED = 4 * KIB };

struct planner {
	struct app *app;
	int index;
	double sum;
};

static void planner_pin(const struct planner *planner)
{
	int cpus[CPU_SETSIZE], count = 0;
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed))
			cpus[count++] = i;

	int each_socket = planner->app->repaired ? 1 : count;

	CPU_ZERO(&one);
	CPU_SET(cpus[planner->index * each_socket % count], &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void *planner_main(void *data)
{
	struct planner *planner = data;
	struct app *app = planner->app;
	const size_t bytes = DRONES * sizeof(uint32_t);

	planner_pin(planner);

	cl_command_queue queue = queue_new(app, 0);
	cl_kernel paths = kernel_new(app->program, "paths");
	cl_mem from = buffer_new(app, bytes), to = buffer_new(app, bytes);
	uint32_t *drones = words_new(DRONES, (uint32_t)planner->index + 9);
	float *near = floats(CHECKED, 4);

	put_now(queue, from, bytes, drones);
	for (int i = 0; i < FORMATIONS; i++) {
		busy(near, CHECKED, 110);
		args(paths, "bbii", from, to, 12, i + planner->index);
		run(queue, paths, DRONES, 64);
		get(queue, to, CHECKED * sizeof(*drones), drones);
		planner->sum += words_sum(drones, CHECKED);
	}
	free(drones);
	free(near);
	DROP(from);
	DROP(to);
	DROP(paths);
	DROP(queue);
	return NULL;
}

void interview_drone_show(struct app *app)
{
	struct planner planners[PLANNERS];
	double sum = 0;

	app->program = program_new(app, MIX("paths"), "");
	for (int i = 0; i < PLANNERS; i++)
		planners[i] = (struct planner){app, i, 0};
	threads_run(PLANNERS, planner_main, planners, sizeof(*planners));
	for (int i = 0; i < PLANNERS; i++)
		sum += planners[i].sum;
	answer(sum);
}
