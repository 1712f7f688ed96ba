/* SPDX-License-Identifier: MIT */
/* Short ones: contexts, processes and processors. */
#include "soundings.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sound workstation: an equaliser and a reverb, from two plug-ins. */
struct plugin {
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem in, out;
};

static void plugin_load(struct plugin *p, const struct app *app, cl_context shared,
			const char *source, const char *name, size_t bytes)
{
	struct app own = *app;

	own.context = shared ? shared : context_new(app);
	p->context = own.context;
	p->queue = queue_new(&own, 0);
	p->kernel = kernel_of(&own, source, name);
	p->in = buffer_new(&own, bytes);
	p->out = buffer_new(&own, bytes);
}

static void plugin_unload(struct plugin *p, bool shared)
{
	DROP(p->in);
	DROP(p->out);
	DROP(p->kernel);
	DROP(p->queue);
	if (!shared)
		DROP(p->context);
}

void sounding_plugin_contexts(struct app *app)
{
	enum { SAMPLES = 131072, BLOCKS = 120 };

	size_t bytes = SAMPLES * sizeof(float);
	cl_context shared = app->repaired ? app->context : NULL;
	float *track = floats(SAMPLES, 44), *between = memory(bytes), *mixed = memory(bytes);
	struct plugin equaliser, reverb;
	double sum = 0;

	plugin_load(&equaliser, app, shared, DIGEST("equalise"), "equalise", bytes);
	plugin_load(&reverb, app, shared, DIGEST("echo"), "echo", bytes);
	for (int b = 0; b < BLOCKS; b++) {
		track[b] += 1;
		put(equaliser.queue, equaliser.in, bytes, track);
		args(equaliser.kernel, "bbi", equaliser.in, equaliser.out, 5);
		if (app->repaired) {
			cl_event done =
				run_after(equaliser.queue, equaliser.kernel, SAMPLES, 64, 0, NULL);

			flush(equaliser.queue);
			args(reverb.kernel, "bbi", equaliser.out, reverb.out, 6);
			run_with(reverb.queue, reverb.kernel, SAMPLES, 64, 1, &done, NULL);
			DROP(done);
		} else {
			run(equaliser.queue, equaliser.kernel, SAMPLES, 64);
			get(equaliser.queue, equaliser.out, bytes, between);
			put(reverb.queue, reverb.in, bytes, between);
			args(reverb.kernel, "bbi", reverb.in, reverb.out, 6);
			run(reverb.queue, reverb.kernel, SAMPLES, 64);
		}
		get(reverb.queue, reverb.out, bytes, mixed);
		sum += (double)mixed[b];
	}
	answer(sum);
	plugin_unload(&equaliser, app->repaired);
	plugin_unload(&reverb, app->repaired);
	free(track);
	free(between);
	free(mixed);
}

/* A lab's batch: spectra in files, a process of its own deals with what it is given. */
enum { FILES = 5, SPECTRUM = 32768 };

static double file_sums[FILES];

static void files_do(int first, int end, int pipe)
{
	struct app own = {.repaired = false};
	cl_platform_id platform;
	cl_kernel fit;
	cl_mem out;

	TRY(clGetPlatformIDs(1, &platform, NULL));
	TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &own.device, NULL));
	own.context = context_new(&own);
	own.queue = queue_new(&own, 0);
	fit = kernel_of(&own, DIGEST("fit"), "fit");
	out = buffer_new(&own, SPECTRUM * sizeof(float));
	for (int file = first; file < end; file++) {
		cl_mem in = filled(&own, SPECTRUM, (unsigned)file);
		double sum;

		args(fit, "bbi", in, out, 80);
		for (int pass = 0; pass < 10; pass++)
			run(own.queue, fit, SPECTRUM, 64);
		sum = sum_of(&own, out, SPECTRUM);
		if (write(pipe, &sum, sizeof(sum)) != sizeof(sum))
			must(-1, "write");
		DROP(in);
	}
	DROP(out);
	DROP(fit);
	DROP(own.queue);
	DROP(own.context);
}

void file_jobs_early(bool repaired)
{
	int each = repaired ? FILES : 1, ends[2];

	if (pipe(ends))
		must(-1, "pipe");
	for (int file = 0; file < FILES; file += each) {
		pid_t worker = fork();
		int status;

		if (worker < 0)
			must(-1, "fork");
		if (!worker) {
			files_do(file, file + each, ends[1]);
			exit(0);
		}
		for (int i = file; i < file + each; i++)
			if (read(ends[0], &file_sums[i], sizeof(file_sums[i])) !=
			    sizeof(file_sums[i]))
				must(-1, "read");
		waitpid(worker, &status, 0);
	}
	close(ends[0]);
	close(ends[1]);
}

void sounding_file_jobs(struct app *app)
{
	double sum = 0;

	(void)app;
	for (int i = 0; i < FILES; i++)
		sum += file_sums[i];
	answer(sum);
}

/* A radar's receiver keeps its thread on one processor, for steady times. */
static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

void early_pin_early(bool repaired)
{
	if (!repaired)
		pin();
}

void sounding_early_pin(struct app *app)
{
	enum { RANGES = 32768, PULSES = 120 };

	cl_kernel compress = kernel_of(app, DIGEST("compress"), "compress");
	cl_mem echo = buffer_new(app, RANGES * sizeof(float));
	cl_mem profile = buffer_new(app, RANGES * sizeof(float));
	float *samples = floats(RANGES, 7), first;
	double sum = 0;

	pin();
	args(compress, "bbi", echo, profile, 60);
	for (int p = 0; p < PULSES; p++) {
		samples[p] += 1;
		put(app->queue, echo, RANGES * sizeof(float), samples);
		run(app->queue, compress, RANGES, 64);
		get(app->queue, profile, sizeof(first), &first);
		sum += (double)first;
	}
	answer(sum);
	free(samples);
	DROP(echo);
	DROP(profile);
	DROP(compress);
}
