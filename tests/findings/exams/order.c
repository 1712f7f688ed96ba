/* SPDX-License-Identifier: MIT */
/* Work that could go on at the same time does not. */
#include "exams.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* An executor of task graphs goes through a graph level by level, with a barrier in between, in a
 * queue that keeps no order. The graph is three chains, and on each level another one of them has
 * the long task. Repaired, a task waits for the one before it in its chain. */
void exam_graph_levels(struct app *app)
{
	enum { chains = 3, levels = 90, items = 32, bytes = items * sizeof(float) };
	cl_command_queue queue = loose_queue(app);
	cl_program program = program_new(app, STIR("task"), "");
	cl_event last[chains] = {NULL};
	cl_kernel task[chains];
	cl_mem node[chains];
	float *data = floats(items, 11);
	double sum = 0;

	for (int i = 0; i < chains; i++) {
		node[i] = buffer_new(app, bytes);
		task[i] = kernel_new(program, "task");
		put_now(queue, node[i], bytes, data);
	}
	for (int i = 0; i < levels; i++) {
		for (int j = 0; j < chains; j++) {
			cl_event before = last[j];

			args(task[j], "bi", node[j], i % chains == j ? 6000 : 900);
			last[j] = run_after(queue, task[j], items, items,
					    app->repaired && before != NULL, &before);
			if (before)
				DROP(before);
		}
		if (!app->repaired)
			TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		flush(queue);
	}
	finish(queue);
	for (int i = 0; i < chains; i++) {
		DROP(last[i]);
		get(queue, node[i], bytes, data);
		sum += total(data, items);
		DROP(node[i]);
		DROP(task[i]);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
	free(data);
}

/* What is under way, for whoever has to wait for it. */
struct outstanding {
	cl_event events[64];
	cl_uint count;
};

static void outstanding_clear(struct outstanding *all)
{
	for (cl_uint i = 0; i < all->count; i++)
		settle(all->events[i]);
	all->count = 0;
}

/* A client of a remote device in a queue without order. Eight requests are sent together, and each
 * command waits for all that are outstanding; repaired, for the one before of its request. */
void exam_outstanding_list(struct app *app)
{
	enum { requests = 8, items = 32 * KIB, bytes = items * sizeof(float), rounds = 30 };
	cl_command_queue queue = loose_queue(app);
	cl_program program = program_new(app, STIR("answer_request"), "");
	struct outstanding all = {.count = 0};
	cl_kernel kernel[requests];
	cl_mem work[requests];
	float *in[requests], *out[requests];
	double sum = 0;

	for (int i = 0; i < requests; i++) {
		work[i] = buffer_new(app, bytes);
		kernel[i] = kernel_new(program, "answer_request");
		args(kernel[i], "bi", work[i], 8);
		in[i] = memory(bytes);
		out[i] = memory(bytes);
	}
	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < requests; j++) {
			bool own = app->repaired;
			cl_event *next;

			refill(in[j], items / 4, i * requests + j);
			next = &all.events[all.count];
			*next = put_after(queue, work[j], bytes, in[j], own ? 0 : all.count,
					  all.events);
			next = &all.events[++all.count];
			*next = run_after(queue, kernel[j], items, 64, own ? 1 : all.count,
					  own ? next - 1 : all.events);
			next = &all.events[++all.count];
			*next = get_after(queue, work[j], bytes, out[j], own ? 1 : all.count,
					  own ? next - 1 : all.events);
			all.count++;
			flush(queue);
		}
		outstanding_clear(&all);
		for (int j = 0; j < requests; j++)
			sum += total(out[j], KIB);
	}
	answer(sum);
	for (int i = 0; i < requests; i++) {
		DROP(work[i]);
		DROP(kernel[i]);
		free(in[i]);
		free(out[i]);
	}
	DROP(program);
	DROP(queue);
}

/* Slices of a tomography go up, are filtered and come home, three of them under way. All of that
 * goes to one queue; repaired, there are three, and events between them. */
void exam_ct_slices(struct app *app)
{
	enum { places = 3, items = 48 * KIB, bytes = items * sizeof(float), slices = 150 };
	cl_command_queue up = app->queue, work = app->queue, down = app->queue;
	cl_kernel filter = kernel_of(app, STIR("filter"), "filter");
	cl_event home[places] = {NULL};
	cl_mem slice[places];
	float *in[places], *out[places];
	double sum = 0;

	if (app->repaired) {
		work = queue_new(app, 0);
		down = queue_new(app, 0);
	}
	for (int i = 0; i < places; i++) {
		slice[i] = buffer_new(app, bytes);
		in[i] = floats(items, 12);
		out[i] = memory(bytes);
	}
	for (int i = 0; i < slices + places; i++) {
		int at = i % places;
		cl_event sent, done;

		if (home[at]) {
			settle(home[at]);
			sum += (double)out[at][i % 16];
			home[at] = NULL;
		}
		if (i >= slices)
			continue;
		for (int j = 0; j < items; j += 48)
			in[at][j] = (float)((i + 1) * j % 1009);
		sent = put_after(up, slice[at], bytes, in[at], 0, NULL);
		flush(up);
		args(filter, "bi", slice[at], 10);
		done = run_after(work, filter, items, 64, 1, &sent);
		flush(work);
		home[at] = get_after(down, slice[at], bytes, out[at], 1, &done);
		flush(down);
		DROP(sent);
		DROP(done);
	}
	answer(sum);
	for (int i = 0; i < places; i++) {
		DROP(slice[i]);
		free(in[i]);
		free(out[i]);
	}
	if (app->repaired) {
		DROP(work);
		DROP(down);
	}
	DROP(filter);
}

/* Three desks of a bank have their risks computed, by kernels of one group that share nothing.
 * The queue keeps order; repaired, it need not, and the day's end waits for all. */
void exam_risk_desks(struct app *app)
{
	enum { desks = 3, items = 48, bytes = items * sizeof(float), days = 70 };
	cl_command_queue queue = app->repaired ? loose_queue(app) : queue_new(app, 0);
	cl_program program = program_new(app, STIR("risk"), "");
	cl_event done[desks];
	cl_kernel risk[desks];
	cl_mem book[desks];
	float *data = floats(items, 13);
	double sum = 0;

	for (int i = 0; i < desks; i++) {
		book[i] = buffer_new(app, bytes);
		risk[i] = kernel_new(program, "risk");
		args(risk[i], "bi", book[i], 4000 + 500 * i);
		put_now(queue, book[i], bytes, data);
	}
	for (int i = 0; i < days; i++) {
		for (int j = 0; j < desks; j++)
			done[j] = run_after(queue, risk[j], items, items, 0, NULL);
		flush(queue);
		for (int j = 0; j < desks; j++)
			settle(done[j]);
	}
	for (int i = 0; i < desks; i++) {
		get(queue, book[i], bytes, data);
		sum += total(data, items);
		DROP(book[i]);
		DROP(risk[i]);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
	free(data);
}

/* A modem's two directions, with a queue, a buffer and a kernel each. A block of one waits until
 * the other one's last block is home, as if both had one antenna. Repaired, neither waits. */
void exam_duplex_turns(struct app *app)
{
	enum { ways = 2, items = 32 * KIB, bytes = items * sizeof(float), blocks = 150 };
	cl_program program = program_new(app, STIR("modulate"), "");
	cl_command_queue queue[ways];
	cl_event home[ways] = {NULL};
	cl_kernel kernel[ways];
	cl_mem block[ways];
	float *in[ways], *out[ways];
	double sum = 0;

	for (int i = 0; i < ways; i++) {
		queue[i] = queue_new(app, 0);
		kernel[i] = kernel_new(program, "modulate");
		block[i] = buffer_new(app, bytes);
		in[i] = memory(bytes);
		out[i] = memory(bytes);
		args(kernel[i], "bi", block[i], 10);
	}
	for (int i = 0; i < ways * blocks; i++) {
		int way = i % ways;
		cl_event other = home[1 - way];

		if (home[way]) {
			settle(home[way]);
			sum += (double)out[way][i % 16];
		}
		refill(in[way], items / 8, i);
		DROP(put_after(queue[way], block[way], bytes, in[way],
			       !app->repaired && other != NULL, &other));
		run(queue[way], kernel[way], items, 64);
		home[way] = get_after(queue[way], block[way], bytes, out[way], 0, NULL);
		flush(queue[way]);
	}
	for (int i = 0; i < ways; i++) {
		settle(home[i]);
		sum += (double)out[i][5];
		DROP(queue[i]);
		DROP(kernel[i]);
		DROP(block[i]);
		free(in[i]);
		free(out[i]);
	}
	answer(sum);
	DROP(program);
}

/* An exchange's order book: the host makes eight batches of quotes, each of which is enqueued when
 * it is made, and begun when the last one's read asks for all. Repaired, each is flushed. */
void exam_order_book(struct app *app)
{
	enum { places = 8, items = 12 * KIB, bytes = items * sizeof(float), rounds = 35 };
	cl_kernel match = kernel_of(app, STIR("match"), "match");
	cl_mem quotes[places];
	float *batch[places], best[256];
	double sum = 0;

	for (int i = 0; i < places; i++) {
		quotes[i] = buffer_new(app, bytes);
		batch[i] = memory(bytes);
	}
	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < places; j++) {
			refill(batch[j], items, i * places + j);
			busy(batch[j], items, 9);
			batch[j][0] = (float)j;
			put(app->queue, quotes[j], bytes, batch[j]);
			args(match, "bi", quotes[j], 6);
			run(app->queue, match, items, 64);
			if (app->repaired)
				flush(app->queue);
		}
		for (int j = 0; j < places; j++) {
			get(app->queue, quotes[j], sizeof(best), best);
			sum += total(best, 256);
		}
	}
	answer(sum);
	for (int i = 0; i < places; i++) {
		DROP(quotes[i]);
		free(batch[i]);
	}
	DROP(match);
}

enum { WRITER_PLACES = 2, WRITER_ITEMS = 16 * KIB, WRITER_COUNT = 120 };

struct writer {
	sem_t full, empty;
	cl_event event[WRITER_PLACES];
	float *out[WRITER_PLACES];
	double sum;
};

/* Writes a page for each result, which takes longer for each second one. */
static void *writer_run(void *pointer)
{
	struct writer *writer = pointer;

	for (int i = 0; i < WRITER_COUNT; i++) {
		float *out = writer->out[i % WRITER_PLACES];

		sem_wait(&writer->full);
		settle(writer->event[i % WRITER_PLACES]);
		writer->sum += (double)out[i];
		busy(out, WRITER_ITEMS, 6);
		sem_post(&writer->empty);
	}
	return NULL;
}

/* One thread enqueues, another one waits for the result and writes it down. Nobody flushes, so that
 * a result is begun when the writer asks for it. Repaired, the one that enqueues does. */
void exam_writer_flush(struct app *app)
{
	enum { bytes = WRITER_ITEMS * sizeof(float) };
	cl_kernel page = kernel_of(app, STIR("page"), "page");
	cl_mem store[WRITER_PLACES];
	struct writer writer = {.sum = 0};
	float *data = floats(WRITER_ITEMS, 14);
	pthread_t thread;

	sem_init(&writer.full, 0, 0);
	sem_init(&writer.empty, 0, WRITER_PLACES);
	for (int i = 0; i < WRITER_PLACES; i++) {
		store[i] = buffer_new(app, bytes);
		writer.out[i] = memory(bytes);
		put_now(app->queue, store[i], bytes, data);
	}
	pthread_create(&thread, NULL, writer_run, &writer);
	for (int i = 0; i < WRITER_COUNT; i++) {
		int at = i % WRITER_PLACES;

		sem_wait(&writer.empty);
		args(page, "bi", store[at], 10 + i % 7);
		for (int j = 0; j < 3; j++)
			run(app->queue, page, WRITER_ITEMS, 64);
		writer.event[at] = get_after(app->queue, store[at], bytes, writer.out[at], 0, NULL);
		if (app->repaired)
			flush(app->queue);
		sem_post(&writer.full);
	}
	pthread_join(thread, NULL);
	answer(writer.sum);
	for (int i = 0; i < WRITER_PLACES; i++) {
		DROP(store[i]);
		free(writer.out[i]);
	}
	DROP(page);
	free(data);
}
