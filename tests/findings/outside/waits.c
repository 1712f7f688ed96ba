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

	must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			    NULL),
	     "clGetEventInfo");
	return status == CL_COMPLETE;
}

/* Three frames are under way; which of them is over is asked all the time. */
void outside_poll_ring(struct outside *outside)
{
	enum { slots = 3, frames = 120 };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_event slot[slots] = {NULL};
	cl_mem memory[slots];
	int begun = 0, ended = 0;

	for (int i = 0; i < slots; i++)
		memory[i] = memory_of(outside, frame_items * sizeof(float));
	while (ended < frames) {
		int at = ended % slots;

		while (begun < frames && begun - ended < slots) {
			set(advance, "mii", memory[begun % slots], 40, frame_items);
			run(outside->queue, advance, frame_items, 64);
			run_after(outside->queue, advance, frame_items, 64, 0, NULL,
				  &slot[begun++ % slots]);
			flush(outside->queue);
		}
		if (outside->repaired)
			must(clWaitForEvents(1, &slot[at]), "clWaitForEvents");
		if (!is_over(slot[at]))
			continue;
		free_event(&slot[at]);
		ended++;
	}
	for (int i = 0; i < slots; i++)
		free_memory(memory[i]);
	free_kernel(advance);
}

/* A batch is enqueued behind a gate, which opens when the host has its data: the device waits for
 * the host, and then the host for the device. Or the next batch is prepared meanwhile. */
void outside_gate_late(struct outside *outside)
{
	static float data[2][frame_items];
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory[2];
	cl_event done[2] = {NULL};

	for (int i = 0; i < 2; i++)
		memory[i] = memory_of(outside, sizeof(data[i]));
	for (int i = 0; i < 100; i++) {
		cl_event gate = NULL;
		int at = i % 2;
		cl_int status;

		if (done[at])
			must(clWaitForEvents(1, &done[at]), "clWaitForEvents");
		free_event(&done[at]);
		if (outside->repaired) {
			crunch(data[at], frame_items, 12);
		} else {
			gate = clCreateUserEvent(outside->context, &status);
			must(status, "clCreateUserEvent");
		}
		must(clEnqueueWriteBuffer(outside->queue, memory[at], CL_FALSE, 0, sizeof(data[at]),
					  data[at], gate ? 1 : 0, gate ? &gate : NULL, NULL),
		     "clEnqueueWriteBuffer");
		set(advance, "mii", memory[at], 15, frame_items);
		for (int j = 0; j < 6; j++)
			run_after(outside->queue, advance, frame_items, 64, 0, NULL,
				  j == 5 ? &done[at] : NULL);
		flush(outside->queue);
		if (!gate)
			continue;
		crunch(data[at], frame_items, 12);
		must(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
		free_event(&gate);
		must(clWaitForEvents(1, &done[at]), "clWaitForEvents");
	}
	finish(outside->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		free_memory(memory[i]);
	}
	free_kernel(advance);
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
void outside_debug_finish(struct outside *outside)
{
	enum { items = 8 * KIB };
	static float host[frame_items];
	struct library library = {.queue = outside->queue};
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel add = kernel_of(outside->program, "add");
	cl_mem field = memory_of(outside, sizeof(host)), right = memory_of(outside, sizeof(host));

	for (int i = 0; i < 8; i++) { /* load */
		crunch(host, frame_items, 4);
		put(library.queue, i % 2 ? field : right, true, sizeof(host), host);
	}
	set(advance, "mii", field, 30, frame_items);
	for (int i = 0; i < 100; i++)
		library_run(&library, advance, frame_items);
	library.check = !outside->repaired;
	set(advance, "mii", field, 1, items);
	set(add, "mmf", field, right, 0.25);
	for (int i = 0; i < 1800; i++) { /* solve */
		library_run(&library, advance, items);
		library_run(&library, add, items);
	}
	library.check = false;
	get(library.queue, field, true, sizeof(host), host);
	crunch(host, frame_items, 20);
	free_memory(field);
	free_memory(right);
	free_kernel(advance);
	free_kernel(add);
}

struct tenant {
	struct outside *outside;
	pthread_mutex_t *lock;
	int number;
};

static void *tenant_main(void *argument)
{
	enum { bytes = 96 * KIB, items = 256 };
	struct tenant *tenant = argument;
	struct outside *outside = tenant->outside;
	cl_command_queue queue = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, bytes);
	float *data = calloc(1, bytes);

	for (int i = 0; i < 250; i++) {
		data[i] = (float)(i + tenant->number);
		pthread_mutex_lock(tenant->lock);
		put(queue, memory, false, bytes, data);
		set(advance, "mii", memory, 2000, items);
		run(queue, advance, items, items);
		flush(queue);
		if (outside->repaired)
			pthread_mutex_unlock(tenant->lock);
		get(queue, memory, true, bytes, data);
		if (!outside->repaired)
			pthread_mutex_unlock(tenant->lock);
	}
	free(data);
	free_memory(memory);
	free_kernel(advance);
	free_queue(queue);
	return NULL;
}

/* One lock for the device, and a thread keeps it until it has its result. */
void outside_locked_wait(struct outside *outside)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct tenant tenants[3];

	for (int i = 0; i < 3; i++)
		tenants[i] = (struct tenant){outside, &lock, i};
	in_threads(3, tenant_main, tenants, sizeof(*tenants));
}

/* After each part of the second phase the program pauses, for the desktop's sake. */
void outside_throttle(struct outside *outside)
{
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, frame_items * sizeof(float));
	float first;

	set(advance, "mii", field, 10, frame_items);
	for (int i = 0; i < 500; i++)
		run(outside->queue, advance, frame_items, 64);
	finish(outside->queue);
	for (int i = 0; i < 60; i++) {
		for (int j = 0; j < 12; j++)
			run(outside->queue, advance, frame_items, 64);
		get(outside->queue, field, true, sizeof(first), &first);
		if (!outside->repaired)
			nap_us(first < 1e9f ? 2500 : 2600);
	}
	free_memory(field);
	free_kernel(advance);
}

static double time_of(cl_event event)
{
	cl_ulong begin, end;

	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin,
				     NULL),
	     "clGetEventProfilingInfo");
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL),
	     "clGetEventProfilingInfo");
	return (double)(end - begin);
}

/* Statistics of each kernel: its time is asked for when it was launched, or when 200 are over. */
void outside_timed_each(struct outside *outside)
{
	enum { most = 200, items = 8 * KIB };
	cl_command_queue queue = queue_of(outside, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernels[2] = {kernel_of(outside->program, "advance"),
				kernel_of(outside->program, "sharpen")};
	cl_mem from = memory_of(outside, items * sizeof(float));
	cl_mem to = memory_of(outside, items * sizeof(float));
	double times[2] = {0};
	cl_event events[most];
	int count = 0;

	set(kernels[0], "mii", from, 20, items);
	set(kernels[1], "mmf", from, to, 0.125);
	for (int i = 0; i < 6000; i++) {
		run_after(queue, kernels[i % 2], items, 64, 0, NULL, &events[count++]);
		if (outside->repaired && count < most)
			continue;
		must(clWaitForEvents(1, &events[count - 1]), "clWaitForEvents");
		for (int j = 0; j < count; j++) {
			times[(i + 1 - count + j) % 2] += time_of(events[j]);
			free_event(&events[j]);
		}
		count = 0;
	}
	if (times[0] < 0 || times[1] < 0)
		must(-1, "time_of");
	free_memory(from);
	free_memory(to);
	free_kernel(kernels[0]);
	free_kernel(kernels[1]);
	free_queue(queue);
}

/* Two queues get a batch each, and the device may begin when the host has built its tree. */
void outside_late_flush(struct outside *outside)
{
	static float tree[16 * KIB];
	cl_command_queue queues[2] = {outside->queue, queue_of(outside, 0)};
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory[2];

	for (int i = 0; i < 2; i++)
		memory[i] = memory_of(outside, frame_items * sizeof(float));
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 2; j++) {
			set(advance, "mii", memory[j], 4, frame_items / 2);
			for (int k = 0; k < 6; k++)
				run(queues[j], advance, frame_items / 2, 64);
			if (outside->repaired)
				flush(queues[j]);
		}
		crunch(tree, sizeof(tree) / sizeof(*tree), 60);
		finish(queues[0]);
		finish(queues[1]);
	}
	for (int i = 0; i < 2; i++)
		free_memory(memory[i]);
	free_kernel(advance);
	free_queue(queues[1]);
}

/* Tiles that have nothing to do with each other, and a barrier behind all that is enqueued. */
void outside_groups_apart(struct outside *outside)
{
	enum { tiles = 16, bytes = 64 * KIB, items = 256 };
	static float data[tiles][bytes / sizeof(float)];
	cl_command_queue queue = queue_of(outside, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory[tiles];

	for (int i = 0; i < tiles; i++)
		memory[i] = memory_of(outside, bytes);
	for (int i = 0; i < 80; i++) {
		for (int j = 0; j < tiles; j++) {
			cl_event there;

			data[j][0] = (float)i;
			must(clEnqueueWriteBuffer(queue, memory[j], CL_FALSE, 0, bytes, data[j], 0,
						  NULL, &there),
			     "clEnqueueWriteBuffer");
			if (!outside->repaired)
				must(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL),
				     "clEnqueueBarrierWithWaitList");
			set(advance, "mii", memory[j], 800, items);
			run_after(queue, advance, items, items, 1, &there, NULL);
			if (!outside->repaired)
				must(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL),
				     "clEnqueueBarrierWithWaitList");
			free_event(&there);
		}
		finish(queue);
	}
	for (int i = 0; i < tiles; i++)
		free_memory(memory[i]);
	free_kernel(advance);
	free_queue(queue);
}

struct lane {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem memory;
	cl_event last; /* of the lane, or in lanes[0] of all of them */
	float *data;
};

/* Three lanes of data with a queue each; what is enqueued waits for what was enqueued last. */
void outside_lane_events(struct outside *outside)
{
	enum { count = 3, bytes = 64 * KIB, items = 256 };
	struct lane lanes[count];

	for (int i = 0; i < count; i++) {
		lanes[i] = (struct lane){.queue = queue_of(outside, 0),
					 .kernel = kernel_of(outside->program, "advance"),
					 .memory = memory_of(outside, bytes),
					 .data = calloc(1, bytes)};
		set(lanes[i].kernel, "mii", lanes[i].memory, 800, items);
	}
	for (int i = 0; i < 1200; i++) {
		struct lane *lane = &lanes[i % count], *at = outside->repaired ? lane : lanes;
		cl_event there, done;

		if (outside->repaired && i >= count)
			must(clWaitForEvents(1, &lane->last), "clWaitForEvents");
		else if (i >= count && i % count == 0)
			must(clWaitForEvents(1, &lanes[0].last), "clWaitForEvents");
		lane->data[1] = (float)i;
		must(clEnqueueWriteBuffer(lane->queue, lane->memory, CL_FALSE, 0, bytes, lane->data,
					  at->last ? 1 : 0, at->last ? &at->last : NULL, &there),
		     "clEnqueueWriteBuffer");
		run_after(lane->queue, lane->kernel, items, items, 1, &there, &done);
		flush(lane->queue);
		free_event(&there);
		free_event(&at->last);
		at->last = done;
	}
	for (int i = 0; i < count; i++) {
		finish(lanes[i].queue);
		free_event(&lanes[i].last);
		free_memory(lanes[i].memory);
		free_kernel(lanes[i].kernel);
		free_queue(lanes[i].queue);
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
void outside_log_callback(struct outside *outside)
{
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, frame_items * sizeof(float));
	int entries = 600;
	pthread_t writer;

	journal.inside = !outside->repaired;
	if (pthread_create(&writer, NULL, journal_main, &entries))
		must(-1, "pthread_create");
	set(advance, "mii", field, 6, frame_items);
	for (int i = 0; i < 1200; i++) {
		cl_event event;

		run_after(outside->queue, advance, frame_items, 64, 0, NULL, &event);
		if (i >= 600)
			must(clSetEventCallback(event, CL_COMPLETE, journal_callback, NULL),
			     "clSetEventCallback");
		flush(outside->queue);
		free_event(&event);
		if (i % 50 == 49)
			finish(outside->queue);
	}
	pthread_join(writer, NULL);
	free_memory(field);
	free_kernel(advance);
}

static void *codec_main(void *argument)
{
	struct tenant *tenant = argument;
	struct outside *outside = tenant->outside;
	cl_command_queue queue = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, 16 * KIB);
	float *data = calloc(1, 16 * KIB);
	cpu_set_t cpus, one;

	if (!outside->repaired && !sched_getaffinity(0, sizeof(cpus), &cpus)) {
		int first = 0;

		while (!CPU_ISSET(first, &cpus))
			first++;
		CPU_ZERO(&one);
		CPU_SET(first, &one);
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	}
	set(advance, "mii", memory, 2, 4 * KIB);
	for (int i = 0; i < 100; i++) {
		crunch(data, 4 * KIB, 400);
		put(queue, memory, false, 16 * KIB, data);
		run(queue, advance, 4 * KIB, 64);
		get(queue, memory, true, 16 * KIB, data);
	}
	free(data);
	free_memory(memory);
	free_kernel(advance);
	free_queue(queue);
	return NULL;
}

/* Two threads that both compute, and were both given the first CPU. */
void outside_pinned_pair(struct outside *outside)
{
	struct tenant tenants[2] = {{outside, NULL, 0}, {outside, NULL, 1}};

	in_threads(2, codec_main, tenants, sizeof(*tenants));
}

static void preview(struct outside *outside, int until)
{
	cl_kernel escape = kernel_of(outside->program, "escape");
	cl_mem image = memory_of(outside, 256 * 256 * sizeof(float));
	char byte;

	set(escape, "mii", image, 256, 200);
	do {
		for (int i = 0; i < 4; i++)
			run_plane(outside->queue, escape, 256, 256, 64, 1);
		finish(outside->queue);
	} while (read(until, &byte, 1) < 0);
	free_memory(image);
	free_kernel(escape);
}

/* A second process draws a preview on the same device, as often as it can. */
void outside_preview_beside(struct outside *outside)
{
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, frame_items * sizeof(float));
	int pipes[2];
	pid_t child = -1;

	if (!strcmp(outside->word, "preview")) {
		preview(outside, STDIN_FILENO);
	} else if (!outside->repaired) {
		if (pipe2(pipes, O_NONBLOCK) || (child = fork()) < 0)
			must(-1, "fork");
		if (!child) {
			dup2(pipes[0], STDIN_FILENO);
			close(pipes[0]);
			close(pipes[1]);
			execl(outside->self, outside->self, "preview_beside", "preview",
			      (char *)NULL);
			_exit(1);
		}
		close(pipes[0]);
	}
	set(advance, "mii", field, 40, frame_items);
	for (int i = 0; strcmp(outside->word, "preview") && i < 250; i++) {
		run(outside->queue, advance, frame_items, 64);
		if (i % 25 == 24)
			finish(outside->queue);
	}
	if (child > 0) {
		close(pipes[1]);
		waitpid(child, NULL, 0);
	}
	free_memory(field);
	free_kernel(advance);
}
