/* SPDX-License-Identifier: MIT */
/* Hosts that wait, sleep, hold locks, or order commands that need no order. */
#include "outside.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { frame_items = 64 * KIB };

static bool is_over(cl_event event)
{
	cl_int status;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

/* Three frames are under way; which of them is over is asked all the time. */
void outside_poll_ring(struct app *app)
{
	enum { slots = 3, frames = 120 };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_event slot[slots] = {NULL};
	cl_mem memory[slots];
	int begun = 0, ended = 0;

	for (int i = 0; i < slots; i++)
		memory[i] = buffer_new(app, frame_items * sizeof(float));
	while (ended < frames) {
		int at = ended % slots;

		while (begun < frames && begun - ended < slots) {
			args(advance, "bii", memory[begun % slots], 40, frame_items);
			run(app->queue, advance, frame_items, 64);
			slot[begun++ % slots] =
				run_after(app->queue, advance, frame_items, 64, 0, NULL);
			flush(app->queue);
		}
		if (app->repaired)
			TRY(clWaitForEvents(1, &slot[at]));
		if (!is_over(slot[at]))
			continue;
		free_event(&slot[at]);
		ended++;
	}
	for (int i = 0; i < slots; i++)
		DROP(memory[i]);
	DROP(advance);
}

/* A batch is enqueued behind a gate, which opens when the host has its data: the device waits for
 * the host, and then the host for the device. Or the next batch is prepared meanwhile. */
void outside_gate_late(struct app *app)
{
	static float data[2][frame_items];
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory[2];
	cl_event done[2] = {NULL};

	for (int i = 0; i < 2; i++)
		memory[i] = buffer_new(app, sizeof(data[i]));
	for (int i = 0; i < 100; i++) {
		cl_event gate = NULL;
		int at = i % 2;
		cl_int status;

		if (done[at])
			TRY(clWaitForEvents(1, &done[at]));
		free_event(&done[at]);
		if (app->repaired) {
			crunch(data[at], frame_items, 12);
		} else {
			gate = clCreateUserEvent(app->context, &status);
			must(status, "clCreateUserEvent");
		}
		TRY(clEnqueueWriteBuffer(app->queue, memory[at], CL_FALSE, 0, sizeof(data[at]),
					 data[at], gate ? 1 : 0, gate ? &gate : NULL, NULL));
		args(advance, "bii", memory[at], 15, frame_items);
		for (int j = 0; j < 6; j++)
			run_with(app->queue, advance, frame_items, 64, 0, NULL,
				 j == 5 ? &done[at] : NULL);
		flush(app->queue);
		if (!gate)
			continue;
		crunch(data[at], frame_items, 12);
		TRY(clSetUserEventStatus(gate, CL_COMPLETE));
		free_event(&gate);
		TRY(clWaitForEvents(1, &done[at]));
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		DROP(memory[i]);
	}
	DROP(advance);
}

/* What a program's own library looks like. */
struct library {
	cl_command_queue queue;
	bool check; /* each command by itself, so that an error tells where it is */
};

static void library_run(struct library *library, cl_kernel kernel, size_t items)
{
	run(library->queue, kernel, items, 64);
	if (library->check)
		finish(library->queue);
}

/* Of three phases the one that solves was being debugged, and still is. */
void outside_debug_finish(struct app *app)
{
	enum { items = 8 * KIB };
	static float host[frame_items];
	struct library library = {.queue = app->queue};
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel add = kernel_new(app->program, "add");
	cl_mem field = buffer_new(app, sizeof(host)), right = buffer_new(app, sizeof(host));

	for (int i = 0; i < 8; i++) { /* load */
		crunch(host, frame_items, 4);
		put_now(library.queue, i % 2 ? field : right, sizeof(host), host);
	}
	args(advance, "bii", field, 30, frame_items);
	for (int i = 0; i < 100; i++)
		library_run(&library, advance, frame_items);
	library.check = !app->repaired;
	args(advance, "bii", field, 1, items);
	args(add, "bbf", field, right, 0.25);
	for (int i = 0; i < 1800; i++) { /* solve */
		library_run(&library, advance, items);
		library_run(&library, add, items);
	}
	library.check = false;
	get(library.queue, field, sizeof(host), host);
	crunch(host, frame_items, 20);
	DROP(field);
	DROP(right);
	DROP(advance);
	DROP(add);
}

struct tenant {
	struct app *app;
	pthread_mutex_t *lock;
	int number;
};

static void *tenant_main(void *argument)
{
	enum { bytes = 96 * KIB, items = 256 };
	struct tenant *tenant = argument;
	struct app *app = tenant->app;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, bytes);
	float *data = calloc(1, bytes);

	for (int i = 0; i < 250; i++) {
		data[i] = (float)(i + tenant->number);
		pthread_mutex_lock(tenant->lock);
		put(queue, memory, bytes, data);
		args(advance, "bii", memory, 2000, items);
		run(queue, advance, items, items);
		flush(queue);
		if (app->repaired)
			pthread_mutex_unlock(tenant->lock);
		get(queue, memory, bytes, data);
		if (!app->repaired)
			pthread_mutex_unlock(tenant->lock);
	}
	free(data);
	DROP(memory);
	DROP(advance);
	DROP(queue);
	return NULL;
}

/* One lock for the device, and a thread keeps it until it has its result. */
void outside_locked_wait(struct app *app)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct tenant tenants[3];

	for (int i = 0; i < 3; i++)
		tenants[i] = (struct tenant){app, &lock, i};
	threads_run(3, tenant_main, tenants, sizeof(*tenants));
}

/* After each part of the second phase the program pauses, for the desktop's sake. */
void outside_throttle(struct app *app)
{
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, frame_items * sizeof(float));
	float first;

	args(advance, "bii", field, 10, frame_items);
	for (int i = 0; i < 500; i++)
		run(app->queue, advance, frame_items, 64);
	finish(app->queue);
	for (int i = 0; i < 60; i++) {
		for (int j = 0; j < 12; j++)
			run(app->queue, advance, frame_items, 64);
		get(app->queue, field, sizeof(first), &first);
		if (!app->repaired)
			nap(first < 1e9f ? 2500 : 2600);
	}
	DROP(field);
	DROP(advance);
}

static double time_of(cl_event event)
{
	cl_ulong begin, end;

	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin,
				    NULL));
	TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	return (double)(end - begin);
}

/* Statistics of each kernel: its time is asked for when it was launched, or when 200 are over. */
void outside_timed_each(struct app *app)
{
	enum { most = 200, items = 8 * KIB };
	cl_command_queue queue = queue_new(app, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernels[2] = {kernel_new(app->program, "advance"),
				kernel_new(app->program, "sharpen")};
	cl_mem from = buffer_new(app, items * sizeof(float));
	cl_mem to = buffer_new(app, items * sizeof(float));
	double times[2] = {0};
	cl_event events[most];
	int count = 0;

	args(kernels[0], "bii", from, 20, items);
	args(kernels[1], "bbf", from, to, 0.125);
	for (int i = 0; i < 6000; i++) {
		events[count++] = run_after(queue, kernels[i % 2], items, 64, 0, NULL);
		if (app->repaired && count < most)
			continue;
		TRY(clWaitForEvents(1, &events[count - 1]));
		for (int j = 0; j < count; j++) {
			times[(i + 1 - count + j) % 2] += time_of(events[j]);
			free_event(&events[j]);
		}
		count = 0;
	}
	if (times[0] < 0 || times[1] < 0)
		must(-1, "time_of");
	DROP(from);
	DROP(to);
	DROP(kernels[0]);
	DROP(kernels[1]);
	DROP(queue);
}

/* Two queues get a batch each, and the device may begin when the host has built its tree. */
void outside_late_flush(struct app *app)
{
	static float tree[16 * KIB];
	cl_command_queue queues[2] = {app->queue, queue_new(app, 0)};
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory[2];

	for (int i = 0; i < 2; i++)
		memory[i] = buffer_new(app, frame_items * sizeof(float));
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 2; j++) {
			args(advance, "bii", memory[j], 4, frame_items / 2);
			for (int k = 0; k < 6; k++)
				run(queues[j], advance, frame_items / 2, 64);
			if (app->repaired)
				flush(queues[j]);
		}
		crunch(tree, sizeof(tree) / sizeof(*tree), 60);
		finish(queues[0]);
		finish(queues[1]);
	}
	for (int i = 0; i < 2; i++)
		DROP(memory[i]);
	DROP(advance);
	DROP(queues[1]);
}

/* Tiles that have nothing to do with each other, and a barrier behind all that is enqueued. */
void outside_groups_apart(struct app *app)
{
	enum { tiles = 16, bytes = 64 * KIB, items = 256 };
	static float data[tiles][bytes / sizeof(float)];
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory[tiles];

	for (int i = 0; i < tiles; i++)
		memory[i] = buffer_new(app, bytes);
	for (int i = 0; i < 80; i++) {
		for (int j = 0; j < tiles; j++) {
			cl_event there;

			data[j][0] = (float)i;
			TRY(clEnqueueWriteBuffer(queue, memory[j], CL_FALSE, 0, bytes, data[j], 0,
						 NULL, &there));
			if (!app->repaired)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
			args(advance, "bii", memory[j], 800, items);
			run_with(queue, advance, items, items, 1, &there, NULL);
			if (!app->repaired)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
			free_event(&there);
		}
		finish(queue);
	}
	for (int i = 0; i < tiles; i++)
		DROP(memory[i]);
	DROP(advance);
	DROP(queue);
}

struct lane {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem memory;
	cl_event last; /* of the lane, or in lanes[0] of all of them */
	float *data;
};

/* Three lanes of data with a queue each; what is enqueued waits for what was enqueued last. */
void outside_lane_events(struct app *app)
{
	enum { count = 3, bytes = 64 * KIB, items = 256 };
	struct lane lanes[count];

	for (int i = 0; i < count; i++) {
		lanes[i] = (struct lane){.queue = queue_new(app, 0),
					 .kernel = kernel_new(app->program, "advance"),
					 .memory = buffer_new(app, bytes),
					 .data = calloc(1, bytes)};
		args(lanes[i].kernel, "bii", lanes[i].memory, 800, items);
	}
	for (int i = 0; i < 1200; i++) {
		struct lane *lane = &lanes[i % count], *at = app->repaired ? lane : lanes;
		cl_event there, done;

		if (app->repaired && i >= count)
			TRY(clWaitForEvents(1, &lane->last));
		else if (i >= count && i % count == 0)
			TRY(clWaitForEvents(1, &lanes[0].last));
		lane->data[1] = (float)i;
		TRY(clEnqueueWriteBuffer(lane->queue, lane->memory, CL_FALSE, 0, bytes, lane->data,
					 at->last ? 1 : 0, at->last ? &at->last : NULL, &there));
		done = run_after(lane->queue, lane->kernel, items, items, 1, &there);
		flush(lane->queue);
		free_event(&there);
		free_event(&at->last);
		at->last = done;
	}
	for (int i = 0; i < count; i++) {
		finish(lanes[i].queue);
		free_event(&lanes[i].last);
		DROP(lanes[i].memory);
		DROP(lanes[i].kernel);
		DROP(lanes[i].queue);
		free(lanes[i].data);
	}
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int waiting, written;
	bool inside; /* the callback writes */
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void journal_entry(int number)
{
	static char text[32 * KIB];
	size_t length = 0;

	for (int i = 0; i < 2000; i++) {
		int now = snprintf(text + length, sizeof(text) - length, "%d:%d;", number, i);

		length = length + (size_t)now + 16 < sizeof(text) ? length + (size_t)now : 0;
	}
}

static void CL_CALLBACK journal_callback(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	if (journal.inside)
		journal_entry(1);
	pthread_mutex_lock(&journal.lock);
	if (journal.inside)
		journal.written++;
	else
		journal.waiting++;
	pthread_cond_broadcast(&journal.more);
	pthread_mutex_unlock(&journal.lock);
}

static void *journal_main(void *argument)
{
	int *entries = argument;

	pthread_mutex_lock(&journal.lock);
	while (journal.written < *entries) {
		if (!journal.waiting) {
			pthread_cond_wait(&journal.more, &journal.lock);
			continue;
		}
		journal.waiting--;
		pthread_mutex_unlock(&journal.lock);
		journal_entry(0);
		pthread_mutex_lock(&journal.lock);
		journal.written++;
	}
	pthread_mutex_unlock(&journal.lock);
	return NULL;
}

/* The journal's entry of a step is written by the function that the driver calls at its end, or
 * by a thread of the program's own. */
void outside_log_callback(struct app *app)
{
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, frame_items * sizeof(float));
	int entries = 600;
	pthread_t writer;

	journal.inside = !app->repaired;
	if (pthread_create(&writer, NULL, journal_main, &entries))
		must(-1, "pthread_create");
	args(advance, "bii", field, 6, frame_items);
	for (int i = 0; i < 1200; i++) {
		cl_event event;

		event = run_after(app->queue, advance, frame_items, 64, 0, NULL);
		if (i >= 600)
			TRY(clSetEventCallback(event, CL_COMPLETE, journal_callback, NULL));
		flush(app->queue);
		free_event(&event);
		if (i % 50 == 49)
			finish(app->queue);
	}
	pthread_join(writer, NULL);
	DROP(field);
	DROP(advance);
}

static void *codec_main(void *argument)
{
	struct tenant *tenant = argument;
	struct app *app = tenant->app;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, 16 * KIB);
	float *data = calloc(1, 16 * KIB);
	cpu_set_t cpus, one;

	if (!app->repaired && !sched_getaffinity(0, sizeof(cpus), &cpus)) {
		int first = 0;

		while (!CPU_ISSET(first, &cpus))
			first++;
		CPU_ZERO(&one);
		CPU_SET(first, &one);
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	}
	args(advance, "bii", memory, 2, 4 * KIB);
	for (int i = 0; i < 100; i++) {
		crunch(data, 4 * KIB, 400);
		put(queue, memory, 16 * KIB, data);
		run(queue, advance, 4 * KIB, 64);
		get(queue, memory, 16 * KIB, data);
	}
	free(data);
	DROP(memory);
	DROP(advance);
	DROP(queue);
	return NULL;
}

/* Two threads that both compute, and were both given the first CPU. */
void outside_pinned_pair(struct app *app)
{
	struct tenant tenants[2] = {{app, NULL, 0}, {app, NULL, 1}};

	threads_run(2, codec_main, tenants, sizeof(*tenants));
}

static void preview(struct app *app, int until)
{
	cl_kernel escape = kernel_new(app->program, "escape");
	cl_mem image = buffer_new(app, 256 * 256 * sizeof(float));
	char byte;

	args(escape, "bii", image, 256, 200);
	do {
		for (int i = 0; i < 4; i++)
			run_plane(app->queue, escape, 256, 256, 64, 1);
		finish(app->queue);
	} while (read(until, &byte, 1) < 0);
	DROP(image);
	DROP(escape);
}

/* A second process draws a preview on the same device, as often as it can. */
void outside_preview_beside(struct app *app)
{
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, frame_items * sizeof(float));
	int pipes[2];
	pid_t child = -1;

	if (!strcmp(app->word, "preview")) {
		preview(app, STDIN_FILENO);
	} else if (!app->repaired) {
		if (pipe2(pipes, O_NONBLOCK) || (child = fork()) < 0)
			must(-1, "fork");
		if (!child) {
			dup2(pipes[0], STDIN_FILENO);
			close(pipes[0]);
			close(pipes[1]);
			execl(app->self, app->self, "preview_beside", "preview", (char *)NULL);
			_exit(1);
		}
		close(pipes[0]);
	}
	args(advance, "bii", field, 40, frame_items);
	for (int i = 0; strcmp(app->word, "preview") && i < 250; i++) {
		run(app->queue, advance, frame_items, 64);
		if (i % 25 == 24)
			finish(app->queue);
	}
	if (child > 0) {
		close(pipes[1]);
		waitpid(child, NULL, 0);
	}
	DROP(field);
	DROP(advance);
}
