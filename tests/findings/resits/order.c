/* SPDX-License-Identifier: MIT */
/* Commands that wait for others without need, and a queue that does all in turn. */
#include "resits.h"

#include <stdlib.h>

/* Risk of several books on a queue without order. Each book is a chain of its own: an upload, its
 * kernels, a read. Books are kept apart by barriers, though only a book's own commands depend on
 * each other. */

enum { BOOKS = 8, BOOK_ROUNDS = 16, BOOK_ITEMS = 1 << 17 };

struct book {
	cl_mem positions;
	float *in, *out;
	cl_event read; /* of the round before */
	cl_kernel value;
};

static void book_barrier(cl_command_queue queue)
{
	TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
}

static void book_barred(cl_command_queue queue, struct book *book, int round)
{
	put(queue, book->positions, BOOK_ITEMS * 4, book->in + (size_t)round * 16);
	book_barrier(queue);
	run(queue, book->value, BOOK_ITEMS, 64);
	book_barrier(queue);
	get_part(queue, book->positions, 0, BOOK_ITEMS * 4, book->out);
	book_barrier(queue);
}

static void book_chained(cl_command_queue queue, struct book *book, int round)
{
	cl_event up = put_after(queue, book->positions, BOOK_ITEMS * 4,
				book->in + (size_t)round * 16, book->read ? 1 : 0, &book->read);
	cl_event valued = run_after(queue, book->value, BOOK_ITEMS, 64, 1, &up);

	if (book->read)
		DROP(book->read);
	book->read = get_after(queue, book->positions, BOOK_ITEMS * 4, book->out, 1, &valued);
	DROP(up);
	DROP(valued);
}

void resit_book_barriers(struct app *app)
{
	cl_command_queue queue = unordered_queue(app);
	cl_program program = program_new(app, MIX("value"), "");
	struct book books[BOOKS];
	double sum = 0;

	for (int i = 0; i < BOOKS; i++) {
		books[i] = (struct book){
			buffer_new(app, BOOK_ITEMS * 4), floats(BOOK_ITEMS + BOOK_ROUNDS * 16, 3),
			memory(BOOK_ITEMS * 4), NULL, kernel_new(program, "value")};
		args(books[i].value, "bi", books[i].positions, 8);
	}
	for (int round = 0; round < BOOK_ROUNDS; round++) {
		for (int i = 0; i < BOOKS; i++)
			if (app->repaired)
				book_chained(queue, &books[i], round);
			else
				book_barred(queue, &books[i], round);
		flush(queue);
	}
	finish(queue);
	for (int i = 0; i < BOOKS; i++) {
		sum += total(books[i].out, BOOK_ITEMS);
		if (books[i].read)
			DROP(books[i].read);
		DROP(books[i].value);
		DROP(books[i].positions);
		free(books[i].in);
		free(books[i].out);
	}
	answer(sum);
	DROP(program);
	DROP(queue);
}

/* A filter bank in sub-buffers of one signal, a queue for each band. The layer that enqueues keeps
 * one event, `previous`, so that every band waits for the band before it; the repaired one keeps an
 * event for each band. */

enum { BANDS = 4, BAND_ITEMS = 1 << 16, BAND_PASSES = 100 };

struct bank {
	cl_command_queue queues[BANDS][2]; /* of transfers, of kernels */
	cl_mem signal, bands[BANDS];
	cl_kernel filters[BANDS];
	cl_event previous[BANDS]; /* the planted one only uses the first */
	float *in[BANDS], *out[BANDS];
};

static void band_follow(cl_event *previous, cl_event next)
{
	if (*previous)
		DROP(*previous);
	*previous = next;
}

static void band_pass(struct bank *bank, int band, int pass, cl_event *previous)
{
	cl_command_queue *queues = bank->queues[band];

	band_follow(previous,
		    put_after(queues[0], bank->bands[band], BAND_ITEMS * 4,
			      bank->in[band] + (size_t)pass * 16, *previous ? 1 : 0, previous));
	flush(queues[0]);
	band_follow(previous,
		    run_after(queues[1], bank->filters[band], BAND_ITEMS, 64, 1, previous));
	flush(queues[1]);
	band_follow(previous, get_after(queues[0], bank->bands[band], BAND_ITEMS * 4,
					bank->out[band], 1, previous));
	flush(queues[0]);
}

void resit_band_events(struct app *app)
{
	struct bank bank = {.signal = buffer_new(app, (size_t)BANDS * BAND_ITEMS * 4)};
	cl_program program = program_new(app, MIX("filter"), "");
	double sum = 0;
	cl_int status;

	for (int i = 0; i < BANDS; i++) {
		cl_buffer_region region = {(size_t)i * BAND_ITEMS * 4, BAND_ITEMS * 4};

		bank.bands[i] = clCreateSubBuffer(bank.signal, CL_MEM_READ_WRITE,
						  CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
		must(status, "clCreateSubBuffer");
		bank.queues[i][0] = queue_new(app, 0);
		bank.queues[i][1] = queue_new(app, 0);
		bank.filters[i] = kernel_new(program, "filter");
		args(bank.filters[i], "bi", bank.bands[i], 10);
		bank.in[i] = floats(BAND_ITEMS + BAND_PASSES * 16, (unsigned)i);
		bank.out[i] = memory(BAND_ITEMS * 4);
	}
	for (int pass = 0; pass < BAND_PASSES; pass++)
		for (int i = 0; i < BANDS; i++)
			band_pass(&bank, i, pass, &bank.previous[app->repaired ? i : 0]);
	for (int i = 0; i < BANDS; i++) {
		if (bank.previous[i])
			settle(bank.previous[i]);
	}
	for (int i = 0; i < BANDS; i++) {
		sum += total(bank.out[i], BAND_ITEMS);
		DROP(bank.filters[i]);
		DROP(bank.queues[i][0]);
		DROP(bank.queues[i][1]);
		DROP(bank.bands[i]);
		free(bank.in[i]);
		free(bank.out[i]);
	}
	answer(sum);
	DROP(program);
	DROP(bank.signal);
}

/* Slices of a scan into a volume: one queue for what comes and one for what is computed, which take
 * turns since there is one buffer for the slice; the repaired program has two. */

enum { SLICE = 1 << 16, SLICES = 400 };

void resit_slice_turns(struct app *app)
{
	cl_command_queue copies = queue_new(app, 0);
	int count = app->repaired ? 2 : 1;
	cl_kernel project = kernel_of(app, MIX("project"), "project");
	float *slices = floats(SLICE + SLICES * 16, 1), peak[16];
	cl_mem staged[2] = {buffer_new(app, SLICE * 4), buffer_new(app, SLICE * 4)};
	cl_event projected[2] = {NULL, NULL};
	double sum = 0;

	for (int i = 0; i < SLICES; i++) {
		int slot = i % count;
		cl_event up = put_after(copies, staged[slot], SLICE * 4, slices + (size_t)i * 16,
					projected[slot] ? 1 : 0, &projected[slot]);

		flush(copies);
		if (projected[slot])
			DROP(projected[slot]);
		args(project, "bi", staged[slot], 8);
		projected[slot] = run_after(app->queue, project, SLICE, 64, 1, &up);
		flush(app->queue);
		DROP(up);
	}
	finish(app->queue);
	for (int i = 0; i < count; i++)
		DROP(projected[i]);
	get(app->queue, staged[(SLICES - 1) % count], sizeof(peak), peak);
	sum = total(peak, 16);
	answer(sum);
	DROP(project);
	for (int i = 0; i < 2; i++) {
		DROP(staged[i]);
	}
	DROP(copies);
	free(slices);
}

/* Faces of a stream of photographs: each is uploaded, searched and read by one queue in order,
 * though photographs have buffers of their own; the repaired program has a queue for each. */

enum { PHOTO = 1 << 16, PHOTOS = 400, PHOTO_SLOTS = 4 };

void resit_photo_queue(struct app *app)
{
	cl_program program = program_new(app, MIX("search"), "");
	cl_command_queue queues[PHOTO_SLOTS];
	cl_kernel searches[PHOTO_SLOTS];
	cl_mem photos[PHOTO_SLOTS];
	float *in = floats(PHOTO + PHOTOS * 16, 7), *out[PHOTO_SLOTS];
	double sum = 0;

	for (int i = 0; i < PHOTO_SLOTS; i++) {
		queues[i] = app->repaired ? queue_new(app, 0) : app->queue;
		searches[i] = kernel_new(program, "search");
		photos[i] = buffer_new(app, PHOTO * 4);
		out[i] = memory(PHOTO * 4);
		args(searches[i], "bi", photos[i], 6);
	}
	for (int i = 0; i < PHOTOS; i++) {
		int slot = i % PHOTO_SLOTS;

		put(queues[slot], photos[slot], PHOTO * 4, in + (size_t)i * 16);
		run(queues[slot], searches[slot], PHOTO, 64);
		get_part(queues[slot], photos[slot], 0, PHOTO * 4, out[slot]);
		flush(queues[slot]);
	}
	for (int i = 0; i < PHOTO_SLOTS; i++) {
		finish(queues[i]);
		sum += total(out[i], PHOTO);
		if (queues[i] != app->queue)
			DROP(queues[i]);
		DROP(searches[i]);
		DROP(photos[i]);
		free(out[i]);
	}
	answer(sum);
	DROP(program);
	free(in);
}
