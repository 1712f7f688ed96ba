/* SPDX-License-Identifier: MIT */
/* Faults of how work is cut up: groups of a kernel, and CPUs of threads. */
#include "colloquia.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* prime_width: groups are as wide as the width's largest factor that fits, and a scan is 1021 wide. */
enum { WIDTH = 1021, HEIGHT = 509, SCANS = 24 };

static const char scan_source[] =
	"kernel void despeckle(global float *scan, int width, int height)\n"
	"{\n"
	"	int x = (int)get_global_id(0), y = (int)get_global_id(1);\n"
	"	if (x >= width || y >= height)\n"
	"		return;\n"
	"	float v = scan[y * width + x];\n"
	"	for (int k = 0; k < 6; k++)\n"
	"		v = v * 0.875f + 0.01f * k;\n"
	"	scan[y * width + x] = v;\n"
	"}\n";

static size_t group_width(size_t width)
{
	for (size_t local = 64; local > 1; local--)
		if (width % local == 0)
			return local;
	return 1;
}

void colloquium_prime_width(struct app *app)
{
	size_t width = app->repaired ? (WIDTH + 63) / 64 * 64 : WIDTH;
	cl_mem scan = filled(app, WIDTH * HEIGHT * 4, 1);
	cl_kernel despeckle = kernel_of(app, scan_source, "despeckle");
	float some[64];

	args(despeckle, "bii", scan, WIDTH, HEIGHT);
	for (int n = 0; n < SCANS; n++) {
		run_plane(app->queue, despeckle, width, HEIGHT, group_width(width), 1);
		flush(app->queue);
		if (n % 4 == 3)
			finish(app->queue);
	}
	read_now(app->queue, scan, sizeof(some), some);
	answer(total(some, 64));
	DROP(despeckle);
	DROP(scan);
}

/* one_group: a column's sum was written for one group, and is made of 512 Ki numbers by now. */
enum { NUMBERS = 512 * KIB, SUMS = 80, LANES = 64 };

static const char sum_source[] =
	"kernel void column_sum(global const float *column, global float *sums, int count,\n"
	"		       local float *part)\n"
	"{\n"
	"	int lane = (int)get_local_id(0), lanes = (int)get_local_size(0);\n"
	"	int each = count / (int)get_num_groups(0), first = each * (int)get_group_id(0);\n"
	"	float sum = 0;\n"
	"	for (int i = first + lane; i < first + each; i += lanes)\n"
	"	{\n"
	"		float a = column[i];\n"
	"		for (int k = 0; k < 24; k++)\n"
	"			a = a * 0.875f + 0.0625f;\n"
	"		sum += a;\n"
	"	}\n"
	"	part[lane] = sum;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (lane)\n"
	"		return;\n"
	"	for (int k = 1; k < lanes; k++)\n"
	"		sum += part[k];\n"
	"	sums[get_group_id(0)] = sum;\n"
	"}\n";

void colloquium_one_group(struct app *app)
{
	size_t groups = app->repaired ? 32 : 1;
	cl_mem column = filled(app, (size_t)NUMBERS * 4, 2), sums = buffer_new(app, 4096);
	cl_kernel sum = kernel_of(app, sum_source, "column_sum");
	float parts[32] = {0};
	double all = 0;

	put_now(app->queue, sums, sizeof(parts), parts);
	args(sum, "bbil", column, sums, NUMBERS, (size_t)LANES * 4);
	for (int n = 0; n < SUMS; n++) {
		run(app->queue, sum, groups * LANES, LANES);
		read_now(app->queue, sums, groups * 4, parts);
		all += total(parts, groups);
	}
	answer(all > 0);
	DROP(sum);
	DROP(column);
	DROP(sums);
}

/* core_pin: the thread that keeps time stays on one CPU, and so does all that it starts. */
enum { WORKERS = 2, LETTERS = 80 };

struct worker {
	struct app *app;
	cl_command_queue queue;
	cl_kernel stamp;
	cl_mem page;
	float *ink;
	const cpu_set_t *cpus;
};

static void *worker_main(void *each)
{
	struct worker *worker = each;

	if (worker->app->repaired)
		sched_setaffinity(0, sizeof(*worker->cpus), worker->cpus);
	args(worker->stamp, "bi", worker->page, 4);
	for (int n = 0; n < LETTERS; n++) {
		busy(worker->ink, 8192, 260);
		write_at(worker->queue, worker->page, 0, 8192 * 4, worker->ink, NULL);
		run(worker->queue, worker->stamp, 64 * KIB, 0);
		finish(worker->queue);
	}
	return NULL;
}

void colloquium_core_pin(struct app *app)
{
	struct worker workers[WORKERS];
	cl_program program = program_new(app, STIR("stamp"), "");
	cpu_set_t all, one;
	int first = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		exit(1);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	for (int i = 0; i < WORKERS; i++)
		workers[i] = (struct worker){
			app,
			queue_new(app, 0),
			kernel_new(program, "stamp"),
			filled(app, 256 * KIB, 3),
			floats(8192, 4),
			&all,
		};
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
	threads_run(WORKERS, worker_main, workers, sizeof(*workers));
	answer(workers[1].ink[7]);
	for (int i = 0; i < WORKERS; i++) {
		DROP(workers[i].queue);
		DROP(workers[i].stamp);
		DROP(workers[i].page);
		free(workers[i].ink);
	}
	DROP(program);
}
