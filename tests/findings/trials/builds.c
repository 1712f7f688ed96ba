/* SPDX-License-Identifier: MIT */
/* Builds that are too many, or come at the wrong time. */
#include "trials.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct stream {
	struct app *app;
	cl_command_queue queue;
	cl_program shared; /* or NULL */
	int number;
	double sum;
};

static const char *const stream_source = MIX("decode") MIX("scale") MIX("encode");

/* One stream of a transcoder: a few clips, each opened with a program of its own. */
static void *stream_run(void *pointer)
{
	enum { items = 8 * KIB, bytes = items * sizeof(float), clips = 6, frames = 24 };
	struct stream *s = pointer;
	cl_mem frame = buffer_new(s->app, bytes);
	float *data = memory(bytes);

	for (int i = 0; i < clips; i++) {
		cl_program program = s->shared;

		if (!program)
			program = program_new(s->app, stream_source, "-cl-mad-enable");

		cl_kernel decode = kernel_new(program, "decode");

		args(decode, "bi", frame, 40);
		refill(data, items, s->number * clips + i);
		put_now(s->queue, frame, bytes, data);
		for (int j = 0; j < frames; j++)
			run(s->queue, decode, items, 64);
		get(s->queue, frame, bytes, data);
		s->sum += total(data, items);
		DROP(decode);
		if (!s->shared)
			DROP(program);
	}
	DROP(frame);
	free(data);
	return NULL;
}

/* Two streams of video clips. Each clip's program is built from the same source as the last one's;
 * repaired, all use one that is built before. */
void trial_stream_builds(struct app *app)
{
	struct stream streams[2];
	cl_program shared = NULL;
	double sum = 0;

	if (app->repaired)
		shared = program_new(app, stream_source, "-cl-mad-enable");
	for (int i = 0; i < 2; i++)
		streams[i] = (struct stream){app, queue_new(app, 0), shared, i, 0};
	threads_run(2, stream_run, streams, sizeof(*streams));
	for (int i = 0; i < 2; i++) {
		sum += streams[i].sum;
		DROP(streams[i].queue);
	}
	answer(sum);
	if (shared)
		DROP(shared);
}

static const char sigma_source[] =
	"#ifdef SIGMA\n"
	"#define SIZE SIGMA\n"
	"#else\n"
	"#define SIZE size\n"
	"#endif\n"
	"kernel void blur(global const float *in, global float *out, int n, int size)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int d = -SIZE; d <= SIZE; d++)\n"
	"		sum += in[clamp(i + d, 0, n - 1)];\n"
	"	out[i] = sum / (2 * SIZE + 1);\n"
	"}\n";

/* A space of scales: the blur is built anew for each of 14 widths, which is an option of its build.
 * Repaired, it is built once, and the width is an argument. */
void trial_sigma_options(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), scales = 14, times = 2 };
	cl_mem in = buffer_new(app, bytes), out = buffer_new(app, bytes);
	float *line = floats(items, 15);
	cl_kernel blur = NULL;
	char options[32];
	double sum = 0;

	put_now(app->queue, in, bytes, line);
	for (int i = 1; i <= scales; i++) {
		if (!blur) {
			snprintf(options, sizeof(options), "-DSIGMA=%d", i);

			cl_program program =
				program_new(app, sigma_source, app->repaired ? "" : options);

			blur = kernel_new(program, "blur");
			DROP(program);
		}
		args(blur, "bbii", in, out, items, i);
		for (int j = 0; j < times; j++)
			run(app->queue, blur, items, 64);
		get(app->queue, out, bytes, line);
		sum += total(line, items);
		if (app->repaired && i < scales)
			continue;
		DROP(blur);
		blur = NULL;
	}
	answer(sum);
	DROP(in);
	DROP(out);
	free(line);
}

static const char *const loader_source = MIX("embed");

static void *loader_build(void *pointer)
{
	return program_new(pointer, loader_source, "-DLOADER");
}

/* A program reads its large tables, and then builds its kernel; repaired, a thread builds it while
 * the tables are read. */
void trial_loader_build(struct app *app)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), passes = 20, queries = 30 };
	float *table = floats(items, 16);
	pthread_t thread;
	void *program = NULL;
	double sum = 0;

	if (app->repaired)
		pthread_create(&thread, NULL, loader_build, app);
	for (int i = 0; i < passes; i++)
		busy(table, items, 100);
	if (app->repaired)
		pthread_join(thread, &program);
	else
		program = loader_build(app);

	cl_kernel embed = kernel_new(program, "embed");
	cl_mem tables = buffer_new(app, bytes);

	put_now(app->queue, tables, bytes, table);
	args(embed, "bi", tables, 10);
	for (int i = 0; i < queries; i++) {
		run(app->queue, embed, items, 64);
		get(app->queue, tables, 4 * KIB, table);
		sum += (double)table[i];
	}
	answer(sum);
	DROP(embed);
	DROP((cl_program)program);
	DROP(tables);
	free(table);
}

static const char *const phase_sources[3] = {MIX("assemble"), MIX("smooth"), MIX("project")};
static const char *const phase_names[3] = {"assemble", "smooth", "project"};

struct phases {
	struct app *app;
	cl_program programs[3];
};

static void *phases_build(void *pointer)
{
	struct phases *phases = pointer;

	for (int i = 1; i < 3; i++)
		phases->programs[i] = program_new(phases->app, phase_sources[i], "-DPHASE");
	return NULL;
}

/* A simulation of three phases, whose program each phase builds when it begins, while the device
 * has nothing to do. Repaired, a thread builds the later ones during the first phase. */
void trial_phase_build(struct app *app)
{
	enum { items = 256 * KIB, bytes = items * sizeof(float), steps = 60 };
	struct phases phases = {.app = app};
	float *cells = floats(items, 17);
	cl_mem mesh = buffer_new(app, bytes);
	pthread_t thread;

	put_now(app->queue, mesh, bytes, cells);
	phases.programs[0] = program_new(app, phase_sources[0], "-DPHASE");
	if (app->repaired)
		pthread_create(&thread, NULL, phases_build, &phases);
	for (int i = 0; i < 3; i++) {
		if (i == 1 && app->repaired)
			pthread_join(thread, NULL);
		if (!phases.programs[i])
			phases.programs[i] = program_new(app, phase_sources[i], "-DPHASE");

		cl_kernel kernel = kernel_new(phases.programs[i], phase_names[i]);

		args(kernel, "bi", mesh, 20);
		for (int j = 0; j < steps; j++)
			run(app->queue, kernel, items, 64);
		get(app->queue, mesh, bytes, cells);
		DROP(kernel);
	}
	answer(total(cells, items));
	for (int i = 0; i < 3; i++)
		DROP(phases.programs[i]);
	DROP(mesh);
	free(cells);
}
