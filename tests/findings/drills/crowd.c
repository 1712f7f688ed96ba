/* SPDX-License-Identifier: MIT */
/* Threads, processes and contexts that share CPUs or a device. */
#include "drills.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A camera's frames are filtered by the device while two threads pack those before. The thread
 * that feeds the device looks at a flag that the driver's callback sets. */

struct capture {
	pthread_mutex_t lock;
	pthread_cond_t news;
	atomic_bool there;
	bool sleeps;
};

static void CL_CALLBACK capture_there(cl_event event, cl_int status, void *argument)
{
	struct capture *capture = argument;

	(void)event;
	must(status, "capture");
	pthread_mutex_lock(&capture->lock);
	atomic_store(&capture->there, true);
	pthread_cond_signal(&capture->news);
	pthread_mutex_unlock(&capture->lock);
}

static void capture_wait(struct capture *capture)
{
	if (!capture->sleeps)
		while (!atomic_load(&capture->there)) {
		}
	pthread_mutex_lock(&capture->lock);
	while (!atomic_load(&capture->there))
		pthread_cond_wait(&capture->news, &capture->lock);
	pthread_mutex_unlock(&capture->lock);
	atomic_store(&capture->there, false);
}

static void *packer_main(void *argument)
{
	float *data = argument;

	for (int i = 0; i < 120; i++)
		busy(data, 8192, 200);
	return NULL;
}

void drill_capture_flag(struct app *app)
{
	enum { FRAMES = 300, PACKERS = 2 };
	struct capture capture = {.lock = PTHREAD_MUTEX_INITIALIZER,
				  .news = PTHREAD_COND_INITIALIZER,
				  .sleeps = app->repaired};
	cl_mem frame = filled(app, 1 * MIB, 3);
	cl_kernel filter = kernel_of(app, SWEEP("filter_frame"), "filter_frame");
	pthread_t packers[PACKERS];
	float *packed[PACKERS];

	for (unsigned i = 0; i < PACKERS; i++) {
		packed[i] = floats(8192, i);
		if (pthread_create(&packers[i], NULL, packer_main, packed[i]))
			must(-1, "pthread_create");
	}
	args(filter, "bi", frame, 1);
	for (int i = 0; i < FRAMES; i++) {
		cl_event done;

		run(app->queue, filter, 256 * KIB, 64);
		done = run_after(app->queue, filter, 64, 64, 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, capture_there, &capture));
		flush(app->queue);
		capture_wait(&capture);
		DROP(done);
	}
	for (int i = 0; i < PACKERS; i++) {
		pthread_join(packers[i], NULL);
		free(packed[i]);
	}
	answer(FRAMES);
	DROP(filter);
	DROP(frame);
}

/* Compression by two threads. The main thread is bound to a CPU, for clocks that agree; what it
 * starts is so, too, unless that is undone. */

struct block_worker {
	const struct app *app;
	cl_program program;
	cl_mem v;
	bool free;
	double sum;
};

static void *block_main(void *argument)
{
	struct block_worker *worker = argument;
	cl_kernel match = kernel_new(worker->program, "match_blocks");
	cl_command_queue queue = queue_new(worker->app, 0);
	float *block = floats(8192, 1);
	cpu_set_t all;

	if (worker->free) {
		memset(&all, 0xff, sizeof(all));
		sched_setaffinity(0, sizeof(all), &all);
	}
	args(match, "bi", worker->v, 1);
	for (int i = 0; i < 80; i++) {
		put_now(queue, worker->v, 32 * KIB, block);
		run(queue, match, 8 * KIB, 64);
		flush(queue);
		busy(block, 8192, 250);
		finish(queue);
	}
	worker->sum = total(block, 8192);
	free(block);
	DROP(queue);
	DROP(match);
	return NULL;
}

void drill_pinned_pool(struct app *app)
{
	struct block_worker workers[2];
	cl_program program = program_new(app, SWEEP("match_blocks"), "");
	cpu_set_t mine, one;

	sched_getaffinity(0, sizeof(mine), &mine);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &mine))
			CPU_SET(i, &one);
	finish(app->queue);
	sched_setaffinity(0, sizeof(one), &one);
	for (unsigned i = 0; i < 2; i++)
		workers[i] = (struct block_worker){app, program, filled(app, 32 * KIB, i),
						   app->repaired, 0};
	threads_run(2, block_main, workers, sizeof(*workers));
	answer(workers[0].sum + workers[1].sum > 0);
	DROP(workers[0].v);
	DROP(workers[1].v);
	DROP(program);
}

/* A server with a second process that could take over. To be ready it does what the first one
 * does, or only starts a kernel now and then. */

void drill_replica(struct app *app)
{
	bool light = app->repaired;
	cl_mem v = filled(app, 512 * KIB, 1);
	cl_kernel follow = kernel_of(app, SWEEP("follow"), "follow");
	struct pollfd lead = {.fd = 0, .events = POLLIN};

	args(follow, "bi", v, light ? 1 : 10);
	if (write(1, "r", 1) != 1)
		must(-1, "write");
	while (!poll(&lead, 1, light ? 20 : 0)) {
		run(app->queue, follow, light ? 4 * KIB : 128 * KIB, 64);
		finish(app->queue);
	}
	DROP(follow);
	DROP(v);
}

void drill_standby_replica(struct app *app)
{
	int in, out;
	pid_t replica = self_start(app, "replica", &in, &out);
	cl_mem v = filled(app, 512 * KIB, 2);
	cl_kernel serve = kernel_of(app, SWEEP("serve_lead"), "serve_lead");
	char ready;
	float first;

	args(serve, "bi", v, 10);
	read_all(out, &ready, 1);
	for (int i = 0; i < 250; i++) {
		run(app->queue, serve, 128 * KIB, 64);
		get(app->queue, v, sizeof(first), &first);
	}
	answer((double)first);
	close(in);
	self_end(replica);
	close(out);
	DROP(serve);
	DROP(v);
}

/* An editor of films, with a thread that keeps thumbnails, in a context of its own. Nothing has
 * changed in most of them. */

struct thumbs {
	const struct app *app;
	atomic_bool ends;
	atomic_int frame;
	bool compares;
};

static void *thumbs_main(void *argument)
{
	struct thumbs *thumbs = argument;
	struct app own = *thumbs->app;
	int seen = -1;

	own.context = context_new(&own);
	own.queue = queue_new(&own, 0);

	cl_mem v = filled(&own, 1 * MIB, 3);
	cl_kernel shrink = kernel_of(&own, SWEEP("shrink"), "shrink");

	args(shrink, "bi", v, 2);
	while (!atomic_load(&thumbs->ends)) {
		int shown = atomic_load(&thumbs->frame) / 40;

		if (thumbs->compares && shown == seen) {
			nap(1000);
			continue;
		}
		run(own.queue, shrink, 256 * KIB, 64);
		finish(own.queue);
		seen = shown;
		nap(100);
	}
	DROP(shrink);
	DROP(v);
	DROP(own.queue);
	DROP(own.context);
	return NULL;
}

void drill_thumb_context(struct app *app)
{
	struct thumbs thumbs = {.app = app, .compares = app->repaired};
	cl_mem v = filled(app, 256 * KIB, 2);
	cl_kernel edit = kernel_of(app, SWEEP("edit_frame"), "edit_frame");
	pthread_t thread;
	float first;

	args(edit, "bi", v, 3);
	if (pthread_create(&thread, NULL, thumbs_main, &thumbs))
		must(-1, "pthread_create");
	for (int i = 0; i < 400; i++) {
		run(app->queue, edit, 64 * KIB, 64);
		run(app->queue, edit, 64 * KIB, 64);
		get(app->queue, v, sizeof(first), &first);
		atomic_store(&thumbs.frame, i);
	}
	atomic_store(&thumbs.ends, true);
	pthread_join(thread, NULL);
	answer((double)first);
	DROP(edit);
	DROP(v);
}
