/* SPDX-License-Identifier: MIT */
/* Processes, contexts and threads that are in each other's way. */
#include "finals.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

/* A hot standby: a second process that does all that the first one does, so that it may take over
 * at once. It ends with the first. */

static void index_run(const struct app *app, int files)
{
	enum { N = 1 << 15 };
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel index = kernel_of(app, MIX("index_file"), "index_file");

	args(index, "bi", v, 40);
	for (int i = 0; i < files; i++) {
		for (int k = 0; k < 4; k++)
			run(app->queue, index, N, 64);
		get(app->queue, v, N * 4, data);
	}
	answer(total(data, N));
	DROP(index);
	DROP(v);
}

void final_standby(struct app *app)
{
	index_run(app, 60);
}

void final_hot_standby(struct app *app)
{
	char *const words[] = {(char *)app->self, "standby", NULL};
	posix_spawn_file_actions_t actions;
	pid_t standby = 0;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	if (!app->repaired && posix_spawn(&standby, app->self, &actions, NULL, words, environ))
		must(-1, "posix_spawn");
	posix_spawn_file_actions_destroy(&actions);
	index_run(app, 60);
	if (standby && (waitpid(standby, &status, 0) != standby || status))
		must(-1, "waitpid");
}

/* An editor with a preview: a thread with a context of its own renders it all the time while the
 * export runs, though nobody looks at it until the end. */

struct preview {
	struct app *app;
	_Atomic bool over;
	bool once;
	int frames;
};

static void *preview_run(void *data)
{
	enum { N = 1 << 16 };
	struct preview *preview = data;
	struct app own = *preview->app;
	float *pixels = floats(N, 1);

	own.context = context_new(preview->app);
	own.queue = queue_new(&own, 0);

	cl_mem v = loaded(&own, N * 4, pixels);
	cl_kernel draw = kernel_of(&own, MIX("draw"), "draw");

	args(draw, "bi", v, 15);
	do {
		for (int i = 0; i < 4; i++)
			run(own.queue, draw, N, 64);
		finish(own.queue);
		preview->frames++;
	} while (!preview->once && !atomic_load(&preview->over));
	get(own.queue, v, N * 4, pixels);
	DROP(draw);
	DROP(v);
	DROP(own.queue);
	DROP(own.context);
	free(pixels);
	return NULL;
}

void final_live_preview(struct app *app)
{
	enum { N = 1 << 15, FRAMES = 200 };
	struct preview preview = {.app = app, .once = app->repaired};
	float *data = floats(N, 2);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel grade = kernel_of(app, MIX("grade"), "grade");
	pthread_t thread;

	args(grade, "bi", v, 12);
	if (!app->repaired && pthread_create(&thread, NULL, preview_run, &preview))
		must(-1, "pthread_create");
	for (int frame = 0; frame < FRAMES; frame++) {
		for (int i = 0; i < 3; i++)
			run(app->queue, grade, N, 64);
		get(app->queue, v, N * 4, data);
	}
	atomic_store(&preview.over, true);
	if (app->repaired)
		preview_run(&preview);
	else
		pthread_join(thread, NULL);
	answer(total(data, N) + (preview.frames < 1));
	DROP(grade);
	DROP(v);
}

/* A pool whose workers choose a CPU by their number: a slip in it gives all of them the first. */

struct worker {
	struct app *app;
	cl_kernel kernel;
	int number, count;
	double sum;
};

static void worker_pin(const struct worker *worker)
{
	cpu_set_t all, own;
	int cpus, which, cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		must(-1, "sched_getaffinity");
	cpus = CPU_COUNT(&all);
	which = worker->app->repaired ? worker->number % cpus : worker->number / worker->count;
	for (int seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && seen++ == which)
			break;
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	if (sched_setaffinity(0, sizeof(own), &own))
		must(-1, "sched_setaffinity");
}

static void *worker_run(void *data)
{
	enum { N = 1 << 13, BLOCKS = 80 };
	struct worker *worker = data;
	float *block = floats(N, (unsigned)worker->number);
	cl_command_queue queue = queue_new(worker->app, 0);
	cl_mem v = buffer_new(worker->app, N * 4);

	worker_pin(worker);
	args(worker->kernel, "bi", v, 10);
	for (int i = 0; i < BLOCKS; i++) {
		busy(block, N, 300);
		put(queue, v, N * 4, block);
		run(queue, worker->kernel, N, 64);
		get(queue, v, N * 4, block);
		worker->sum += (double)block[i];
	}
	DROP(v);
	DROP(queue);
	free(block);
	return NULL;
}

void final_worker_cpus(struct app *app)
{
	enum { WORKERS = 2 };
	struct worker workers[WORKERS];

	app->program = program_new(app, MIX("transform"), "");
	for (int i = 0; i < WORKERS; i++)
		workers[i] =
			(struct worker){app, kernel_new(app->program, "transform"), i, WORKERS, 0};
	threads_run(WORKERS, worker_run, workers, sizeof(workers[0]));
	answer(workers[0].sum + workers[1].sum);
	for (int i = 0; i < WORKERS; i++)
		DROP(workers[i].kernel);
}

/* A server with threads that pack its logs, one for each file, again and again while requests come:
 * they have the same right to the CPUs as who answers. It is enough to do it once, at the end. */

struct packer {
	_Atomic bool *over;
	uint32_t sum;
	long blocks;
};

static void *packer_run(void *data)
{
	enum { N = 1 << 14, BLOCKS = 24 };
	struct packer *packer = data;
	float *file = floats(N, 3);

	do {
		for (int i = 0; i < BLOCKS; i++)
			packer->sum += checksum(file, N * 4);
		packer->blocks += BLOCKS;
		nap(1000);
	} while (!atomic_load(packer->over));
	free(file);
	return NULL;
}

void final_log_packers(struct app *app)
{
	enum { N = 1 << 12, REQUESTS = 80, PACKERS = 4 };
	_Atomic bool over = false;
	struct packer packers[PACKERS];
	pthread_t threads[PACKERS];
	float *data = floats(N, 1);
	cl_mem v = loaded(app, N * 4, data);
	cl_kernel reply = kernel_of(app, MIX("reply"), "reply");
	long blocks = 0;

	args(reply, "bi", v, 100);
	for (int i = 0; i < PACKERS; i++) {
		packers[i] = (struct packer){&over, 0, 0};
		if (!app->repaired && pthread_create(&threads[i], NULL, packer_run, &packers[i]))
			must(-1, "pthread_create");
	}
	for (int i = 0; i < REQUESTS; i++) {
		busy(data, N, 250);
		put(app->queue, v, N * 4, data);
		run(app->queue, reply, N, 64);
		get(app->queue, v, N * 4, data);
	}
	atomic_store(&over, true);
	for (int i = 0; i < PACKERS; i++) {
		if (app->repaired)
			packer_run(&packers[i]);
		else
			pthread_join(threads[i], NULL);
		blocks += packers[i].blocks;
	}
	answer(total(data, N) + (blocks < 0));
	DROP(reply);
	DROP(v);
}
