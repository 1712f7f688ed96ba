/* SPDX-License-Identifier: MIT */
/* Programs without a fault, of the shapes that programs have. */
#include "outside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Two slots: while one is computed the host fills the other. */
void outside_clean_pipelined(struct outside *outside)
{
	enum { items = 64 * KIB, frames = 120 };
	static float data[2][items];
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_event done[2] = {NULL};
	cl_mem memory[2];

	for (int i = 0; i < 2; i++)
		memory[i] = memory_of(outside, sizeof(data[i]));
	for (int i = 0; i < frames; i++) {
		int at = i % 2;

		if (done[at])
			must(clWaitForEvents(1, &done[at]), "clWaitForEvents");
		free_event(&done[at]);
		crunch(data[at], items, 2);
		put(outside->queue, memory[at], false, sizeof(data[at]), data[at]);
		set(advance, "mii", memory[at], 15, items);
		for (int j = 0; j < 6; j++)
			run_after(outside->queue, advance, items, 64, 0, NULL,
				  j == 5 ? &done[at] : NULL);
		flush(outside->queue);
	}
	finish(outside->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		free_memory(memory[i]);
	}
	free_kernel(advance);
}

static void *worker_main(void *argument)
{
	enum { items = 64 * KIB };
	struct outside *outside = *(struct outside **)argument;
	cl_command_queue queue = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, items * sizeof(float));
	float *data = calloc(items, sizeof(*data));

	put(queue, memory, true, items * sizeof(float), data);
	set(advance, "mii", memory, 12, items);
	for (int i = 0; i < 600; i++)
		run(queue, advance, items, 64);
	get(queue, memory, true, items * sizeof(float), data);
	free(data);
	free_memory(memory);
	free_kernel(advance);
	free_queue(queue);
	return NULL;
}

/* Three threads, each with its queue, kernel and data. */
void outside_clean_workers(struct outside *outside)
{
	struct outside *each[3] = {outside, outside, outside};

	in_threads(3, worker_main, each, sizeof(*each));
}

/* An out-of-order queue: two branches meet, and the next round needs what they made. */
void outside_clean_graph(struct outside *outside)
{
	enum { items = 64 * KIB };
	cl_command_queue queue = queue_of(outside, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel add = kernel_of(outside->program, "add");
	cl_mem left = memory_of(outside, items * sizeof(float));
	cl_mem right = memory_of(outside, items * sizeof(float));
	cl_event joined = NULL;

	for (int i = 0; i < 500; i++) {
		cl_event branch[2];

		for (int j = 0; j < 2; j++) {
			set(advance, "mii", j ? right : left, 12, items);
			run_after(queue, advance, items, 64, joined ? 1 : 0,
				  joined ? &joined : NULL, &branch[j]);
		}
		free_event(&joined);
		set(add, "mmf", left, right, 0.5);
		run_after(queue, add, items, 64, 2, branch, &joined);
		flush(queue);
		free_event(&branch[0]);
		free_event(&branch[1]);
	}
	finish(queue);
	free_event(&joined);
	free_memory(left);
	free_memory(right);
	free_kernel(advance);
	free_kernel(add);
	free_queue(queue);
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int over;
} chain = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK chain_callback(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	pthread_mutex_lock(&chain.lock);
	chain.over++;
	pthread_cond_signal(&chain.changed);
	pthread_mutex_unlock(&chain.lock);
}

/* Callbacks count what is over; the program never has more than four batches under way. */
void outside_clean_chained(struct outside *outside)
{
	enum { items = 64 * KIB };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, items * sizeof(float));

	set(advance, "mii", memory, 12, items);
	for (int i = 0; i < 250; i++) {
		cl_event event;

		for (int j = 0; j < 5; j++)
			run_after(outside->queue, advance, items, 64, 0, NULL,
				  j == 4 ? &event : NULL);
		must(clSetEventCallback(event, CL_COMPLETE, chain_callback, NULL),
		     "clSetEventCallback");
		flush(outside->queue);
		free_event(&event);
		pthread_mutex_lock(&chain.lock);
		while (i + 1 - chain.over >= 4)
			pthread_cond_wait(&chain.changed, &chain.lock);
		pthread_mutex_unlock(&chain.lock);
	}
	finish(outside->queue);
	free_memory(memory);
	free_kernel(advance);
}

/* One large kernel, and its result. */
void outside_clean_single(struct outside *outside)
{
	enum { side = 768 };
	cl_kernel escape = kernel_of(outside->program, "escape");
	cl_mem image = memory_of(outside, side * side * sizeof(float));
	float *host = malloc(side * side * sizeof(*host));

	set(escape, "mii", image, side, 700);
	run_plane(outside->queue, escape, side, side, 64, 1);
	get(outside->queue, image, true, side * side * sizeof(*host), host);
	free(host);
	free_memory(image);
	free_kernel(escape);
}

/* Sweeps, and after 20 of them how far they are. */
void outside_clean_solver(struct outside *outside)
{
	enum { side = 512, groups = 64, group = 64 };
	cl_kernel smear = kernel_of(outside->program, "smear");
	cl_kernel part = kernel_of(outside->program, "dot_part");
	cl_mem field[2], device_sums = memory_of(outside, groups * sizeof(float));
	float sums[groups], off = 0;

	for (int i = 0; i < 2; i++)
		field[i] = memory_of(outside, side * side * sizeof(float));
	set(part, "mmmli", field[0], field[1], device_sums, group * sizeof(float),
	    side * side / (groups * group));
	for (int i = 0; i < 500; i++) {
		set(smear, "mmi", field[i % 2], field[!(i % 2)], side);
		run_plane(outside->queue, smear, side, side, 64, 4);
		if (i % 20 != 19)
			continue;
		run(outside->queue, part, (size_t)groups * group, group);
		get(outside->queue, device_sums, true, sizeof(sums), sums);
		off = 0;
		for (int j = 0; j < groups; j++)
			off += sums[j];
		if (off < -1)
			break;
	}
	for (int i = 0; i < 2; i++)
		free_memory(field[i]);
	free_memory(device_sums);
	free_kernel(smear);
	free_kernel(part);
}

/* Pictures through five filters, each picture a new one. */
void outside_clean_filters(struct outside *outside)
{
	enum { side = 512, pictures = 50 };
	static float pixels[pictures][side];
	cl_kernel smear = kernel_of(outside->program, "smear");
	cl_kernel sharpen = kernel_of(outside->program, "sharpen");
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem image[2];

	for (int i = 0; i < 2; i++)
		image[i] = memory_of(outside, side * side * sizeof(float));
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < side; j++)
			pixels[i][j] = (float)(i * j % 255);
		put(outside->queue, image[0], false, sizeof(pixels[i]), pixels[i]);
		for (int j = 0; j < 6; j++) {
			set(smear, "mmi", image[0], image[1], side);
			run_plane(outside->queue, smear, side, side, 64, 4);
			set(sharpen, "mmf", image[1], image[0], 0.25);
			run(outside->queue, sharpen, side * side, 64);
			set(advance, "mii", image[0], 12, side * side);
			run(outside->queue, advance, side * side, 64);
		}
	}
	finish(outside->queue);
	for (int i = 0; i < 2; i++)
		free_memory(image[i]);
	free_kernel(smear);
	free_kernel(sharpen);
	free_kernel(advance);
}

/* A stream by mapped memory: of two buffers one is filled while the other is computed. */
void outside_clean_mapped_stream(struct outside *outside)
{
	enum { items = 64 * KIB, pieces = 60 };
	cl_command_queue mapper = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_event done[2] = {NULL};
	cl_mem memory[2];
	cl_int status;

	for (int i = 0; i < 2; i++) {
		memory[i] =
			clCreateBuffer(outside->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
				       items * sizeof(float), NULL, &status);
		must(status, "clCreateBuffer");
	}
	for (int i = 0; i < pieces; i++) {
		int at = i % 2;
		cl_event filled;
		float *data;

		data = clEnqueueMapBuffer(mapper, memory[at], CL_TRUE, CL_MAP_WRITE, 0,
					  items * sizeof(float), done[at] ? 1 : 0,
					  done[at] ? &done[at] : NULL, NULL, &status);
		must(status, "clEnqueueMapBuffer");
		free_event(&done[at]);
		crunch(data, items, 1);
		must(clEnqueueUnmapMemObject(mapper, memory[at], data, 0, NULL, &filled),
		     "clEnqueueUnmapMemObject");
		flush(mapper);
		set(advance, "mii", memory[at], 20, items);
		for (int j = 0; j < 10; j++)
			run_after(outside->queue, advance, items, 64, j ? 0 : 1, j ? NULL : &filled,
				  j == 9 ? &done[at] : NULL);
		flush(outside->queue);
		free_event(&filled);
	}
	finish(outside->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		free_memory(memory[i]);
	}
	free_kernel(advance);
	free_queue(mapper);
}

/* Sums of all that came before, in three passes over 64 Ki items. */
void outside_clean_prefix_sum(struct outside *outside)
{
	enum { items = 64 * KIB, group = 256, groups = items / group };
	cl_kernel block = kernel_of(outside->program, "scan_block");
	cl_kernel tops = kernel_of(outside->program, "scan_block");
	cl_kernel add = kernel_of(outside->program, "scan_add");
	cl_mem from = memory_of(outside, items * sizeof(float));
	cl_mem to = memory_of(outside, items * sizeof(float));
	cl_mem sums = memory_of(outside, groups * sizeof(float));
	cl_mem last = memory_of(outside, groups * sizeof(float));
	float *host = calloc(items, sizeof(*host));

	put(outside->queue, from, true, items * sizeof(float), host);
	set(block, "mmml", from, to, sums, group * sizeof(float));
	set(tops, "mmml", sums, sums, last, group * sizeof(float));
	set(add, "mm", to, sums);
	for (int i = 0; i < 400; i++) {
		run(outside->queue, block, items, group);
		run(outside->queue, tops, groups, group);
		run(outside->queue, add, items, group);
	}
	get(outside->queue, to, true, items * sizeof(float), host);
	free(host);
	free_memory(from);
	free_memory(to);
	free_memory(sums);
	free_memory(last);
	free_kernel(block);
	free_kernel(tops);
	free_kernel(add);
}

enum { handover_items = 64 * KIB, handover_slots = 4, handover_pieces = 100 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int made, used;
	float data[handover_slots][handover_items];
} handover = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *producer_main(void *argument)
{
	(void)argument;
	for (int i = 0; i < handover_pieces; i++) {
		pthread_mutex_lock(&handover.lock);
		while (handover.made - handover.used >= handover_slots)
			pthread_cond_wait(&handover.changed, &handover.lock);
		pthread_mutex_unlock(&handover.lock);
		crunch(handover.data[i % handover_slots], handover_items, 1);
		pthread_mutex_lock(&handover.lock);
		handover.made++;
		pthread_cond_broadcast(&handover.changed);
		pthread_mutex_unlock(&handover.lock);
	}
	return NULL;
}

/* A thread makes data; this one has it computed, a piece behind. */
void outside_clean_handover(struct outside *outside)
{
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_event written[2] = {NULL};
	cl_mem memory[2];
	pthread_t producer;

	for (int i = 0; i < 2; i++)
		memory[i] = memory_of(outside, sizeof(handover.data[0]));
	if (pthread_create(&producer, NULL, producer_main, NULL))
		must(-1, "pthread_create");
	for (int i = 0; i <= handover_pieces; i++) {
		int slot = i % handover_slots, at = i % 2;

		pthread_mutex_lock(&handover.lock);
		while (i < handover_pieces && handover.made <= i)
			pthread_cond_wait(&handover.changed, &handover.lock);
		pthread_mutex_unlock(&handover.lock);
		if (i < handover_pieces) {
			must(clEnqueueWriteBuffer(outside->queue, memory[at], CL_FALSE, 0,
						  sizeof(handover.data[slot]), handover.data[slot],
						  0, NULL, &written[at]),
			     "clEnqueueWriteBuffer");
			set(advance, "mii", memory[at], 20, handover_items);
			for (int j = 0; j < 6; j++)
				run(outside->queue, advance, handover_items, 64);
			flush(outside->queue);
		}
		if (!i)
			continue;
		must(clWaitForEvents(1, &written[!at]), "clWaitForEvents");
		free_event(&written[!at]);
		pthread_mutex_lock(&handover.lock);
		handover.used++;
		pthread_cond_broadcast(&handover.changed);
		pthread_mutex_unlock(&handover.lock);
	}
	finish(outside->queue);
	pthread_join(producer, NULL);
	for (int i = 0; i < 2; i++)
		free_memory(memory[i]);
	free_kernel(advance);
}
