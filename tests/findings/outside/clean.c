/* SPDX-License-Identifier: MIT */
/* Programs without a fault, of the shapes that programs have. */
#include "outside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Two slots: while one is computed the host fills the other. */
void outside_clean_pipelined(struct app *app)
{
	enum { items = 64 * KIB, frames = 120 };
	static float data[2][items];
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_event done[2] = {NULL};
	cl_mem memory[2];

	for (int i = 0; i < 2; i++)
		memory[i] = buffer_new(app, sizeof(data[i]));
	for (int i = 0; i < frames; i++) {
		int at = i % 2;

		if (done[at])
			TRY(clWaitForEvents(1, &done[at]));
		free_event(&done[at]);
		crunch(data[at], items, 2);
		put(app->queue, memory[at], sizeof(data[at]), data[at]);
		args(advance, "bii", memory[at], 15, items);
		for (int j = 0; j < 6; j++)
			run_with(app->queue, advance, items, 64, 0, NULL,
				 j == 5 ? &done[at] : NULL);
		flush(app->queue);
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		DROP(memory[i]);
	}
	DROP(advance);
}

static void *worker_main(void *argument)
{
	enum { items = 64 * KIB };
	struct app *app = *(struct app **)argument;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, items * sizeof(float));
	float *data = calloc(items, sizeof(*data));

	put_now(queue, memory, items * sizeof(float), data);
	args(advance, "bii", memory, 12, items);
	for (int i = 0; i < 600; i++)
		run(queue, advance, items, 64);
	get(queue, memory, items * sizeof(float), data);
	free(data);
	DROP(memory);
	DROP(advance);
	DROP(queue);
	return NULL;
}

/* Three threads, each with its queue, kernel and data. */
void outside_clean_workers(struct app *app)
{
	struct app *each[3] = {app, app, app};

	threads_run(3, worker_main, each, sizeof(*each));
}

/* An out-of-order queue: two branches meet, and the next round needs what they made. */
void outside_clean_graph(struct app *app)
{
	enum { items = 64 * KIB };
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel add = kernel_new(app->program, "add");
	cl_mem left = buffer_new(app, items * sizeof(float));
	cl_mem right = buffer_new(app, items * sizeof(float));
	cl_event joined = NULL;

	for (int i = 0; i < 500; i++) {
		cl_event branch[2];

		for (int j = 0; j < 2; j++) {
			args(advance, "bii", j ? right : left, 12, items);
			branch[j] = run_after(queue, advance, items, 64, joined ? 1 : 0,
					      joined ? &joined : NULL);
		}
		free_event(&joined);
		args(add, "bbf", left, right, 0.5);
		joined = run_after(queue, add, items, 64, 2, branch);
		flush(queue);
		free_event(&branch[0]);
		free_event(&branch[1]);
	}
	finish(queue);
	free_event(&joined);
	DROP(left);
	DROP(right);
	DROP(advance);
	DROP(add);
	DROP(queue);
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
void outside_clean_chained(struct app *app)
{
	enum { items = 64 * KIB };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, items * sizeof(float));

	args(advance, "bii", memory, 12, items);
	for (int i = 0; i < 250; i++) {
		cl_event event;

		for (int j = 0; j < 5; j++)
			run_with(app->queue, advance, items, 64, 0, NULL, j == 4 ? &event : NULL);
		TRY(clSetEventCallback(event, CL_COMPLETE, chain_callback, NULL));
		flush(app->queue);
		free_event(&event);
		pthread_mutex_lock(&chain.lock);
		while (i + 1 - chain.over >= 4)
			pthread_cond_wait(&chain.changed, &chain.lock);
		pthread_mutex_unlock(&chain.lock);
	}
	finish(app->queue);
	DROP(memory);
	DROP(advance);
}

/* One large kernel, and its result. */
void outside_clean_single(struct app *app)
{
	enum { side = 768 };
	cl_kernel escape = kernel_new(app->program, "escape");
	cl_mem image = buffer_new(app, side * side * sizeof(float));
	float *host = malloc(side * side * sizeof(*host));

	args(escape, "bii", image, side, 700);
	run_plane(app->queue, escape, side, side, 64, 1);
	get(app->queue, image, side * side * sizeof(*host), host);
	free(host);
	DROP(image);
	DROP(escape);
}

/* Sweeps, and after 20 of them how far they are. */
void outside_clean_solver(struct app *app)
{
	enum { side = 512, groups = 64, group = 64 };
	cl_kernel smear = kernel_new(app->program, "smear");
	cl_kernel part = kernel_new(app->program, "dot_part");
	cl_mem field[2], device_sums = buffer_new(app, groups * sizeof(float));
	float sums[groups], off = 0;

	for (int i = 0; i < 2; i++)
		field[i] = buffer_new(app, side * side * sizeof(float));
	args(part, "bbbli", field[0], field[1], device_sums, group * sizeof(float),
	     side * side / (groups * group));
	for (int i = 0; i < 500; i++) {
		args(smear, "bbi", field[i % 2], field[!(i % 2)], side);
		run_plane(app->queue, smear, side, side, 64, 4);
		if (i % 20 != 19)
			continue;
		run(app->queue, part, (size_t)groups * group, group);
		get(app->queue, device_sums, sizeof(sums), sums);
		off = 0;
		for (int j = 0; j < groups; j++)
			off += sums[j];
		if (off < -1)
			break;
	}
	for (int i = 0; i < 2; i++)
		DROP(field[i]);
	DROP(device_sums);
	DROP(smear);
	DROP(part);
}

/* Pictures through five filters, each picture a new one. */
void outside_clean_filters(struct app *app)
{
	enum { side = 512, pictures = 50 };
	static float pixels[pictures][side];
	cl_kernel smear = kernel_new(app->program, "smear");
	cl_kernel sharpen = kernel_new(app->program, "sharpen");
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem image[2];

	for (int i = 0; i < 2; i++)
		image[i] = buffer_new(app, side * side * sizeof(float));
	for (int i = 0; i < pictures; i++) {
		for (int j = 0; j < side; j++)
			pixels[i][j] = (float)(i * j % 255);
		put(app->queue, image[0], sizeof(pixels[i]), pixels[i]);
		for (int j = 0; j < 6; j++) {
			args(smear, "bbi", image[0], image[1], side);
			run_plane(app->queue, smear, side, side, 64, 4);
			args(sharpen, "bbf", image[1], image[0], 0.25);
			run(app->queue, sharpen, side * side, 64);
			args(advance, "bii", image[0], 12, side * side);
			run(app->queue, advance, side * side, 64);
		}
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++)
		DROP(image[i]);
	DROP(smear);
	DROP(sharpen);
	DROP(advance);
}

/* A stream by mapped memory: of two buffers one is filled while the other is computed. */
void outside_clean_mapped_stream(struct app *app)
{
	enum { items = 64 * KIB, pieces = 60 };
	cl_command_queue mapper = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_event done[2] = {NULL};
	cl_mem memory[2];
	cl_int status;

	for (int i = 0; i < 2; i++) {
		memory[i] = clCreateBuffer(app->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
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
		TRY(clEnqueueUnmapMemObject(mapper, memory[at], data, 0, NULL, &filled));
		flush(mapper);
		args(advance, "bii", memory[at], 20, items);
		for (int j = 0; j < 10; j++)
			run_with(app->queue, advance, items, 64, j ? 0 : 1, j ? NULL : &filled,
				 j == 9 ? &done[at] : NULL);
		flush(app->queue);
		free_event(&filled);
	}
	finish(app->queue);
	for (int i = 0; i < 2; i++) {
		free_event(&done[i]);
		DROP(memory[i]);
	}
	DROP(advance);
	DROP(mapper);
}

/* Sums of all that came before, in three passes over 64 Ki items. */
void outside_clean_prefix_sum(struct app *app)
{
	enum { items = 64 * KIB, group = 256, groups = items / group };
	cl_kernel block = kernel_new(app->program, "scan_block");
	cl_kernel tops = kernel_new(app->program, "scan_block");
	cl_kernel add = kernel_new(app->program, "scan_add");
	cl_mem from = buffer_new(app, items * sizeof(float));
	cl_mem to = buffer_new(app, items * sizeof(float));
	cl_mem sums = buffer_new(app, groups * sizeof(float));
	cl_mem last = buffer_new(app, groups * sizeof(float));
	float *host = calloc(items, sizeof(*host));

	put_now(app->queue, from, items * sizeof(float), host);
	args(block, "bbbl", from, to, sums, group * sizeof(float));
	args(tops, "bbbl", sums, sums, last, group * sizeof(float));
	args(add, "bb", to, sums);
	for (int i = 0; i < 400; i++) {
		run(app->queue, block, items, group);
		run(app->queue, tops, groups, group);
		run(app->queue, add, items, group);
	}
	get(app->queue, to, items * sizeof(float), host);
	free(host);
	DROP(from);
	DROP(to);
	DROP(sums);
	DROP(last);
	DROP(block);
	DROP(tops);
	DROP(add);
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
void outside_clean_handover(struct app *app)
{
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_event written[2] = {NULL};
	cl_mem memory[2];
	pthread_t producer;

	for (int i = 0; i < 2; i++)
		memory[i] = buffer_new(app, sizeof(handover.data[0]));
	if (pthread_create(&producer, NULL, producer_main, NULL))
		must(-1, "pthread_create");
	for (int i = 0; i <= handover_pieces; i++) {
		int slot = i % handover_slots, at = i % 2;

		pthread_mutex_lock(&handover.lock);
		while (i < handover_pieces && handover.made <= i)
			pthread_cond_wait(&handover.changed, &handover.lock);
		pthread_mutex_unlock(&handover.lock);
		if (i < handover_pieces) {
			TRY(clEnqueueWriteBuffer(app->queue, memory[at], CL_FALSE, 0,
						 sizeof(handover.data[slot]), handover.data[slot],
						 0, NULL, &written[at]));
			args(advance, "bii", memory[at], 20, handover_items);
			for (int j = 0; j < 6; j++)
				run(app->queue, advance, handover_items, 64);
			flush(app->queue);
		}
		if (!i)
			continue;
		TRY(clWaitForEvents(1, &written[!at]));
		free_event(&written[!at]);
		pthread_mutex_lock(&handover.lock);
		handover.used++;
		pthread_cond_broadcast(&handover.changed);
		pthread_mutex_unlock(&handover.lock);
	}
	finish(app->queue);
	pthread_join(producer, NULL);
	for (int i = 0; i < 2; i++)
		DROP(memory[i]);
	DROP(advance);
}
