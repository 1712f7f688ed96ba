/* SPDX-License-Identifier: MIT */
/* Programs of many short steps: how they wait for what they have enqueued. */
#include "fittings.h"

#include <stdlib.h>

enum { TILE = 16384, TILES = 32 };

/* A photo mosaic: each tile is a part of the picture's buffer, and is toned by itself. */
void fitting_mosaic_tiles(struct app *app)
{
	cl_kernel kernel = kernel_of(app, STIR("tone_tile"), "tone_tile");
	cl_mem photo = seeded(app, (size_t)TILE * TILES, 3);
	cl_mem tiles[TILES];
	cl_event done[TILES];
	cl_int status;

	for (int i = 0; i < TILES; i++) {
		cl_buffer_region region = {(size_t)i * TILE * sizeof(float), TILE * sizeof(float)};

		tiles[i] = clCreateSubBuffer(photo, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					     &region, &status);
		must(status, "clCreateSubBuffer");
	}
	for (int pass = 0; pass < 60; pass++) {
		for (int i = 0; i < TILES; i++) {
			args(kernel, "bbi", tiles[i], tiles[i], 2 + pass % 3);
			done[i] = run_after(app->queue, kernel, TILE, 64, 0, NULL);
			if (!app->repaired)
				TRY(clWaitForEvents(1, &done[i]));
		}
		if (app->repaired)
			TRY(clWaitForEvents(TILES, done));
		for (int i = 0; i < TILES; i++)
			DROP(done[i]);
	}
	answer(sum_of(app->queue, photo, (size_t)TILE * TILES));
	for (int i = 0; i < TILES; i++)
		DROP(tiles[i]);
	DROP(photo);
	DROP(kernel);
}

/* A bank's books: of each day, the sums are cleared, then its entries are posted. */
void fitting_ledger_days(struct app *app)
{
	enum { ACCOUNTS = 8192, DAYS = 1200 };
	cl_kernel kernel = kernel_of(app, STIR("post_entries"), "post_entries");
	cl_mem entries = seeded(app, ACCOUNTS, 7);
	cl_mem sums = buffer_new(app, ACCOUNTS * sizeof(float));
	const cl_float none = 0;

	for (int day = 0; day < DAYS; day++) {
		TRY(clEnqueueFillBuffer(app->queue, sums, &none, sizeof(none), 0,
					ACCOUNTS * sizeof(float), 0, NULL, NULL));
		if (!app->repaired)
			finish(app->queue);
		args(kernel, "bbi", entries, sums, 5);
		run(app->queue, kernel, ACCOUNTS, 64);
		if (!app->repaired)
			finish(app->queue);
		args(kernel, "bbi", sums, entries, 3);
		run(app->queue, kernel, ACCOUNTS, 64);
		if (!app->repaired)
			finish(app->queue);
	}
	finish(app->queue);
	answer(sum_of(app->queue, entries, ACCOUNTS));
	DROP(entries);
	DROP(sums);
	DROP(kernel);
}

/* A mixing desk: blocks of several tracks, each with its own strip of effects. */
void fitting_mixer_tracks(struct app *app)
{
	enum { TRACKS = 8, BLOCK = 8192, BLOCKS = 150 };
	cl_kernel kernel = kernel_of(app, STIR("strip_effects"), "strip_effects");
	size_t bytes = BLOCK * sizeof(float);
	float *song[TRACKS];
	cl_mem input[TRACKS], output[TRACKS];
	double sum = 0;

	for (int t = 0; t < TRACKS; t++) {
		song[t] = floats((size_t)BLOCK * BLOCKS, (unsigned)t);
		input[t] = buffer_new(app, bytes);
		output[t] = buffer_new(app, bytes);
	}
	for (int b = 0; b < BLOCKS; b++) {
		for (int t = 0; t < TRACKS; t++) {
			TRY(clEnqueueWriteBuffer(app->queue, input[t],
						 app->repaired ? CL_FALSE : CL_TRUE, 0, bytes,
						 song[t] + (size_t)b * BLOCK, 0, NULL, NULL));
			args(kernel, "bbi", input[t], output[t], 6);
			run(app->queue, kernel, BLOCK, 64);
		}
		flush(app->queue);
	}
	for (int t = 0; t < TRACKS; t++)
		sum += sum_of(app->queue, output[t], BLOCK);
	answer(sum);
	for (int t = 0; t < TRACKS; t++) {
		free(song[t]);
		DROP(input[t]);
		DROP(output[t]);
	}
	DROP(kernel);
}

/* A robot's lidar: a sweep's points are sorted out, and the next sweep comes when it is done. */
void fitting_lidar_sweeps(struct app *app)
{
	enum { POINTS = 1 << 17, SWEEPS = 150 };
	cl_kernel kernel = kernel_of(app, STIR("sort_points"), "sort_points");
	cl_mem points = seeded(app, POINTS, 5);
	cl_mem map = buffer_new(app, POINTS * sizeof(float));
	cl_int state;

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		cl_event done;

		args(kernel, "bbi", sweep % 2 ? map : points, sweep % 2 ? points : map, 10);
		done = run_after(app->queue, kernel, POINTS, 64, 0, NULL);
		flush(app->queue);
		if (app->repaired) {
			settle(done);
			continue;
		}
		for (;;) {
			TRY(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
					   &state, NULL));
			if (state <= CL_COMPLETE)
				break;
			nap(2000);
		}
		DROP(done);
	}
	answer(sum_of(app->queue, points, POINTS));
	DROP(points);
	DROP(map);
	DROP(kernel);
}

/* Annealing of a spin glass: what remains after the last sweep is the result. */
void fitting_anneal_sweeps(struct app *app)
{
	enum { SPINS = 1 << 17, SWEEPS = 400 };
	cl_kernel kernel = kernel_of(app, STIR("flip_spins"), "flip_spins");
	cl_mem lattice[2] = {seeded(app, SPINS, 11), buffer_new(app, SPINS * sizeof(float))};
	float *best = memory(SPINS * sizeof(*best));

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		args(kernel, "bbi", lattice[sweep % 2], lattice[(sweep + 1) % 2], 4);
		run(app->queue, kernel, SPINS, 64);
		if (!app->repaired || sweep == SWEEPS - 1)
			get(app->queue, lattice[(sweep + 1) % 2], SPINS * sizeof(*best), best);
	}
	answer(total(best, SPINS));
	free(best);
	DROP(lattice[0]);
	DROP(lattice[1]);
	DROP(kernel);
}

/* A sum by columns of a table of measurements, with a group of its own for some columns. */
void fitting_column_sums(struct app *app)
{
	enum { COLUMNS = 1 << 18 };
	cl_kernel kernel = kernel_of(app, STIR("sum_columns"), "sum_columns");
	cl_mem table = seeded(app, COLUMNS, 2);
	cl_mem sums = buffer_new(app, COLUMNS * sizeof(float));

	for (int part = 0; part < 40; part++) {
		args(kernel, "bbi", part % 2 ? sums : table, part % 2 ? table : sums, 12);
		run(app->queue, kernel, COLUMNS, app->repaired ? 64 : 1);
	}
	answer(sum_of(app->queue, table, COLUMNS));
	DROP(table);
	DROP(sums);
	DROP(kernel);
}

static const char shear_source[] = "kernel void shear_row(global float *scan, int width, int row)\n"
				   "{\n"
				   "	size_t i = get_global_id(0) + (size_t)row * width;\n"
				   "	scan[i] = scan[i] * 0.5f + (float)(i % 61);\n"
				   "}\n";

/* A page scanner's picture is sheared, row by row. */
void fitting_row_launches(struct app *app)
{
	enum { WIDTH = 512, HEIGHT = 256 };
	cl_kernel kernel = kernel_of(app, shear_source, "shear_row");
	cl_mem scan = seeded(app, (size_t)WIDTH * HEIGHT, 9);

	for (int page = 0; page < 25; page++) {
		for (int row = 0; row < (app->repaired ? 1 : HEIGHT); row++) {
			args(kernel, "bii", scan, WIDTH, row);
			run(app->queue, kernel, (size_t)WIDTH * (app->repaired ? HEIGHT : 1), 64);
		}
		busy((float[1024]){0}, 1024, 2000);
		finish(app->queue);
	}
	answer(sum_of(app->queue, scan, (size_t)WIDTH * HEIGHT));
	DROP(scan);
	DROP(kernel);
}
