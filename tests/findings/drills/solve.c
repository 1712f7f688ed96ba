/* SPDX-License-Identifier: MIT */
/* Solvers and simulations. */
#include "drills.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sparse solver. Whether it has converged is asked by its monitor, which is told after how many
 * steps. */

static const char *const solver_source =
	"kernel void spmv(global const float *x, global float *y, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float s = 4 * x[i];\n"
	"	s -= i > 0 ? x[i - 1] : 0;\n"
	"	s -= i + 1 < n ? x[i + 1] : 0;\n"
	"	s -= i > 127 ? x[i - 128] : 0;\n"
	"	s -= i + 128 < n ? x[i + 128] : 0;\n"
	"	y[i] = s;\n"
	"}\n"
	"kernel void update(global float *x, global const float *y, float w)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	x[i] += w * (0.5f - y[i]);\n"
	"}\n"
	"kernel void norm(global const float *y, global float *parts, int each)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float s = 0;\n"
	"	for (int k = 0; k < each; k++)\n"
	"		s += fabs(0.5f - y[i * each + k]);\n"
	"	parts[i] = s;\n"
	"}\n";

struct monitor {
	cl_command_queue queue;
	cl_mem parts;
	int every, parts_count;
};

static double monitor_norm(struct monitor *monitor)
{
	cl_int status;
	size_t bytes = (size_t)monitor->parts_count * sizeof(float);
	float *parts = clEnqueueMapBuffer(monitor->queue, monitor->parts, CL_TRUE, CL_MAP_READ, 0,
					  bytes, 0, NULL, NULL, &status);

	must(status, "clEnqueueMapBuffer");

	double sum = total(parts, (size_t)monitor->parts_count);

	TRY(clEnqueueUnmapMemObject(monitor->queue, monitor->parts, parts, 0, NULL, NULL));
	return sum;
}

void drill_bicg_norm(struct app *app)
{
	enum { N = 32768, STEPS = 800, PARTS = 512 };
	cl_program program = program_new(app, solver_source, "");
	cl_kernel spmv = kernel_new(program, "spmv"), update = kernel_new(program, "update");
	cl_kernel norm = kernel_new(program, "norm");
	cl_mem x = filled(app, N * sizeof(float), 2), y = filled(app, N * sizeof(float), 3);
	struct monitor monitor = {app->queue, buffer_new(app, PARTS * sizeof(float)),
				  app->repaired ? 40 : 1, PARTS};
	double last = 0;

	args(spmv, "bbi", x, y, N);
	args(update, "bbf", x, y, 0.1);
	args(norm, "bbi", y, monitor.parts, N / PARTS);
	for (int step = 1; step <= STEPS; step++) {
		run(app->queue, spmv, N, 64);
		run(app->queue, update, N, 64);
		if (step % monitor.every)
			continue;
		run(app->queue, norm, PARTS, 64);
		last = monitor_norm(&monitor);
		if (last < -1)
			break;
	}
	answer(last);
	DROP(spmv);
	DROP(update);
	DROP(norm);
	DROP(monitor.parts);
	DROP(x);
	DROP(y);
	DROP(program);
}

/* Bodies, with a snapshot after each few steps, which is packed by the host. */

struct snapshots {
	float *bodies;
	size_t count;
	double energy;
};

static void snapshot_pack(struct snapshots *snapshots)
{
	busy(snapshots->bodies, snapshots->count, 160);
	snapshots->energy += total(snapshots->bodies, snapshots->count);
}

void drill_nbody_snapshots(struct app *app)
{
	enum { BODIES = 16384, SNAPSHOTS = 100, STEPS = 30 };
	struct snapshots snapshots = {memory(BODIES * sizeof(float)), BODIES, 0};
	cl_mem bodies = filled(app, BODIES * sizeof(float), 4);
	cl_mem kept = buffer_new(app, BODIES * sizeof(float));
	cl_kernel move = kernel_of(app, SWEEP("move_bodies"), "move_bodies");

	args(move, "bi", bodies, 2);
	for (int i = 0; i < SNAPSHOTS; i++) {
		for (int step = 0; step < STEPS; step++)
			run(app->queue, move, BODIES, 64);
		if (app->repaired) {
			flush(app->queue);
			if (i)
				snapshot_pack(&snapshots);
		}
		TRY(clEnqueueCopyBuffer(app->queue, bodies, kept, 0, 0, BODIES * sizeof(float), 0,
					NULL, NULL));
		get(app->queue, kept, BODIES * sizeof(float), snapshots.bodies);
		if (!app->repaired)
			snapshot_pack(&snapshots);
	}
	if (app->repaired)
		snapshot_pack(&snapshots);
	answer(snapshots.energy);
	DROP(move);
	DROP(bodies);
	DROP(kept);
	free(snapshots.bodies);
}

/* Meshes by another process, which loads one when it is asked to. */

enum { MESH = 64 * KIB, MESHES = 60 };

void drill_mesh_source(struct app *app)
{
	float *mesh = memory(MESH);
	char ask;

	(void)app;
	for (int i = 0; read(0, &ask, 1) == 1; i++) {
		nap(4000); /* the disk */
		refill(mesh, MESH / sizeof(*mesh), i);
		for (size_t at = 0; at < MESH;) {
			ssize_t done = write(1, (char *)mesh + at, MESH - at);

			if (done <= 0)
				must(-1, "write");
			at += (size_t)done;
		}
	}
	free(mesh);
}

struct loader {
	int ask, meshes;
	int asked;
};

static void loader_ask(struct loader *loader)
{
	if (loader->asked == MESHES)
		return;
	if (write(loader->ask, "m", 1) != 1)
		must(-1, "write");
	loader->asked++;
}

void drill_mesh_feed(struct app *app)
{
	enum { ITEMS = MESH / sizeof(float) };
	struct loader loader = {.asked = 0};
	pid_t source = self_start(app, "mesh_source", &loader.ask, &loader.meshes);
	float *mesh = memory(MESH), first;
	cl_mem v = buffer_new(app, MESH);
	cl_kernel refine = kernel_of(app, SWEEP("refine"), "refine");

	args(refine, "bi", v, 30);
	if (app->repaired)
		loader_ask(&loader);
	for (int i = 0; i < MESHES; i++) {
		if (!app->repaired)
			loader_ask(&loader);
		read_all(loader.meshes, mesh, MESH);
		if (app->repaired)
			loader_ask(&loader);
		put(app->queue, v, MESH, mesh);
		for (int pass = 0; pass < 40; pass++)
			run(app->queue, refine, ITEMS, 64);
		get(app->queue, v, sizeof(first), &first);
	}
	answer((double)first);
	close(loader.ask);
	close(loader.meshes);
	self_end(source);
	DROP(refine);
	DROP(v);
	free(mesh);
}

/* A simulation that says after each step how far it is; what is said is kept for a thread that
 * writes it to a slow disk. */

struct journal {
	pthread_mutex_t lock;
	pthread_cond_t news;
	int waiting, written;
	bool ends, writes_outside;
};

static void *journal_main(void *argument)
{
	struct journal *journal = argument;

	pthread_mutex_lock(&journal->lock);
	for (;;) {
		while (!journal->waiting && !journal->ends)
			pthread_cond_wait(&journal->news, &journal->lock);
		if (!journal->waiting)
			break;

		int count = journal->waiting;

		journal->waiting = 0;
		if (journal->writes_outside)
			pthread_mutex_unlock(&journal->lock);
		nap(6000);
		if (journal->writes_outside)
			pthread_mutex_lock(&journal->lock);
		journal->written += count;
	}
	pthread_mutex_unlock(&journal->lock);
	return NULL;
}

static void journal_say(struct journal *journal)
{
	pthread_mutex_lock(&journal->lock);
	journal->waiting++;
	pthread_cond_signal(&journal->news);
	pthread_mutex_unlock(&journal->lock);
}

void drill_slow_logger(struct app *app)
{
	enum { STEPS = 150, ITEMS = 32 * KIB };
	struct journal journal = {.lock = PTHREAD_MUTEX_INITIALIZER,
				  .news = PTHREAD_COND_INITIALIZER,
				  .writes_outside = app->repaired};
	cl_mem field = filled(app, ITEMS * sizeof(float), 4);
	cl_kernel step = kernel_of(app, SWEEP("advance"), "advance");
	pthread_t writer;
	float first;

	if (pthread_create(&writer, NULL, journal_main, &journal))
		must(-1, "pthread_create");
	args(step, "bi", field, 3);
	for (int i = 0; i < STEPS; i++) {
		for (int pass = 0; pass < 12; pass++)
			run(app->queue, step, ITEMS, 64);
		get(app->queue, field, sizeof(first), &first);
		journal_say(&journal);
	}
	pthread_mutex_lock(&journal.lock);
	journal.ends = true;
	pthread_cond_signal(&journal.news);
	pthread_mutex_unlock(&journal.lock);
	pthread_join(writer, NULL);
	answer(journal.written);
	DROP(step);
	DROP(field);
}

/* A grid whose left and right edges are neighbours: after each step an edge goes to the other
 * side, by way of the host, which keeps a record of it. */

static const char *const halo_source =
	"kernel void relax(global float *grid, global float *edge, int width)\n"
	"{\n"
	"	size_t y = get_global_id(0);\n"
	"	global float *row = grid + y * width;\n"
	"	float x = row[0];\n"
	"	for (int k = 1; k < 12; k++) {\n"
	"		x = 0.5f * x + 0.5f * row[width - k];\n"
	"		row[width - k] = x;\n"
	"	}\n"
	"	edge[y] = row[width - 1];\n"
	"}\n"
	"kernel void relax_wrapped(global float *grid, global float *edge, int width)\n"
	"{\n"
	"	size_t y = get_global_id(0);\n"
	"	global float *row = grid + y * width;\n"
	"	float x = edge[y];\n"
	"	for (int k = 1; k < 12; k++) {\n"
	"		x = 0.5f * x + 0.5f * row[width - k];\n"
	"		row[width - k] = x;\n"
	"	}\n"
	"	edge[y] = row[width - 1];\n"
	"}\n";

enum { GRID_WIDTH = 1032, GRID_HEIGHT = 8192, GRID_ROW = GRID_WIDTH * 4 };

static void column_move(cl_command_queue queue, cl_mem grid, size_t column, float *host, bool out)
{
	size_t there[3] = {column * sizeof(float), 0, 0}, here[3] = {0};
	size_t box[3] = {sizeof(float), GRID_HEIGHT, 1};

	if (out)
		TRY(clEnqueueReadBufferRect(queue, grid, CL_TRUE, there, here, box, GRID_ROW, 0,
					    sizeof(float), 0, host, 0, NULL, NULL));
	else
		TRY(clEnqueueWriteBufferRect(queue, grid, CL_FALSE, there, here, box, GRID_ROW, 0,
					     sizeof(float), 0, host, 0, NULL, NULL));
}

void drill_halo_columns(struct app *app)
{
	enum { STEPS = 200 };
	float *column = memory(GRID_HEIGHT * sizeof(float));
	cl_mem grid = filled(app, (size_t)GRID_ROW * GRID_HEIGHT, 7);
	cl_mem edge = filled(app, GRID_HEIGHT * sizeof(float), 8);
	cl_program program = program_new(app, halo_source, "");
	cl_kernel relax = kernel_new(program, app->repaired ? "relax_wrapped" : "relax");
	double sum = 0;

	args(relax, "bbi", grid, edge, GRID_WIDTH);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, relax, GRID_HEIGHT, 64);
		if (app->repaired) {
			get(app->queue, edge, GRID_HEIGHT * sizeof(float), column);
		} else {
			column_move(app->queue, grid, GRID_WIDTH - 1, column, true);
			column_move(app->queue, grid, 0, column, false);
		}
		sum += total(column, 16);
	}
	finish(app->queue);
	answer(sum > 0);
	DROP(relax);
	DROP(program);
	DROP(grid);
	DROP(edge);
	free(column);
}

/* Waves in the ground, and receivers that all lie in one row of the field. */

struct receivers {
	cl_command_queue queue;
	cl_mem field;
	float *host; /* the field, as far as it was fetched */
	size_t width, height, row;
	bool only_row;
};

static double receivers_sample(struct receivers *receivers)
{
	size_t bytes = receivers->width * sizeof(float), at = receivers->row * bytes;
	double sum = 0;

	if (receivers->only_row)
		TRY(clEnqueueReadBuffer(receivers->queue, receivers->field, CL_TRUE, at, bytes,
					receivers->host + at / sizeof(float), 0, NULL, NULL));
	else
		get(receivers->queue, receivers->field, bytes * receivers->height, receivers->host);
	for (size_t i = 0; i < 8; i++)
		sum += (double)receivers->host[at / sizeof(float) + i * 100];
	return sum;
}

void drill_probe_points(struct app *app)
{
	enum { WIDTH = 1024, HEIGHT = 1024, STEPS = 120, ITEMS = 64 * KIB };
	cl_mem field = filled(app, WIDTH * HEIGHT * sizeof(float), 3);
	struct receivers receivers = {app->queue,   field,  memory(WIDTH * HEIGHT * sizeof(float)),
				      WIDTH,	    HEIGHT, 17,
				      app->repaired};
	cl_kernel wave = kernel_of(app, SWEEP("propagate"), "propagate");
	double trace = 0;

	args(wave, "bi", field, 2);
	for (int step = 0; step < STEPS; step++) {
		run(app->queue, wave, ITEMS, 64);
		run(app->queue, wave, ITEMS, 64);
		trace += receivers_sample(&receivers);
	}
	answer(trace);
	DROP(wave);
	DROP(field);
	free(receivers.host);
}

/* Fields in shared memory. A step has scratch of its own, by the allocator that is for both. */

static void *shared_new(const struct app *app, size_t bytes)
{
	void *data = clSVMAlloc(app->context, CL_MEM_READ_WRITE, bytes, 0);

	must(data ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
	return data;
}

static void scratch_clear(const struct app *app, float *scratch, size_t bytes)
{
	const float zero = 0;

	TRY(clEnqueueSVMMemFill(app->queue, scratch, &zero, sizeof(zero), bytes, 0, NULL, NULL));
}

void drill_svm_steps(struct app *app)
{
	enum { BYTES = 16 * MIB, STEPS = 60, ITEMS = 32 * KIB };
	float *field = shared_new(app, ITEMS * sizeof(float)), *scratch = NULL;
	cl_kernel step =
		kernel_of(app,
			  "kernel void step_shared(global float *f, global float *s, int rounds)\n"
			  "{\n"
			  "	size_t i = get_global_id(0);\n"
			  "	float x = f[i];\n"
			  "	for (int r = 0; r < rounds; r++)\n"
			  "		x = x * 0.96875f + 0.03125f;\n"
			  "	s[i * 128] = x;\n"
			  "	f[i] = x;\n"
			  "}\n",
			  "step_shared");
	cl_int rounds = 400;

	TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_WRITE, field, ITEMS * sizeof(float), 0,
			    NULL, NULL));
	for (int i = 0; i < ITEMS; i++)
		field[i] = (float)i / ITEMS;
	TRY(clEnqueueSVMUnmap(app->queue, field, 0, NULL, NULL));
	for (int i = 0; i < STEPS; i++) {
		if (!scratch)
			scratch = shared_new(app, BYTES);
		scratch_clear(app, scratch, BYTES);
		TRY(clSetKernelArgSVMPointer(step, 0, field));
		TRY(clSetKernelArgSVMPointer(step, 1, scratch));
		TRY(clSetKernelArg(step, 2, sizeof(rounds), &rounds));
		run(app->queue, step, ITEMS, 64);
		finish(app->queue);
		if (app->repaired)
			continue;
		clSVMFree(app->context, scratch);
		scratch = NULL;
	}
	if (scratch)
		clSVMFree(app->context, scratch);
	TRY(clEnqueueSVMMap(app->queue, CL_TRUE, CL_MAP_READ, field, ITEMS * sizeof(float), 0, NULL,
			    NULL));
	answer(total(field, ITEMS) > 0);
	TRY(clEnqueueSVMUnmap(app->queue, field, 0, NULL, NULL));
	finish(app->queue);
	clSVMFree(app->context, field);
	DROP(step);
}
