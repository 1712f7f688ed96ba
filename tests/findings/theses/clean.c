/* SPDX-License-Identifier: MIT */
/* Programs with nothing wrong, that look as if. */
#include "theses.h"

#include <pthread.h>
#include <stdlib.h>

/* A line search: how far to go next hangs on what the last step came to. */
void thesis_clean_search(struct app *app)
{
	enum { LINE = 192 * 1024, MOST = 400 };
	cl_mem point = blank(app, LINE * sizeof(float));
	cl_kernel move = kernel_of(app, SPIN("move"), "move");
	float residue, length = 1;
	int rounds = 6;

	for (int i = 0; i < MOST && length > 1e-20f; i++) {
		args(move, "bi", point, rounds);
		run(app->queue, move, LINE, 0);
		get(app->queue, point, sizeof(residue), &residue);
		if (residue > 0.5f) {
			length *= 0.9f;
			rounds = 5;
		} else {
			length *= 1.05f;
			rounds = 6;
		}
	}
	answer((double)length);
	DROP(move);
	DROP(point);
}

/* Blocks of a file, each of them new to the device: one is loaded while another is summed. */
void thesis_clean_uploads(struct app *app)
{
	enum { NUMBERS = 96 * 1024, COUNT = 700 };
	cl_program program = program_new(app, BLEND("digest"), "");
	cl_command_queue load = queue_new(app, 0);
	cl_mem key = blank(app, 64 * sizeof(float)), blocks[2], sums[2];
	cl_kernel digest[2];
	cl_event loaded[2], summed[2] = {NULL, NULL};
	float *data[2], *last = memory(NUMBERS * sizeof(float));

	finish(app->queue);
	for (int i = 0; i < 2; i++) {
		blocks[i] = buffer_new(app, NUMBERS * sizeof(float));
		sums[i] = buffer_new(app, NUMBERS * sizeof(float));
		data[i] = memory(NUMBERS * sizeof(float));
		digest[i] = kernel_new(program, "digest");
		args(digest[i], "bbbi", blocks[i], key, sums[i], 8);
	}
	for (int i = 0; i < COUNT; i++) {
		int slot = i % 2;

		if (summed[slot])
			settle(summed[slot]);
		refill(data[slot], NUMBERS, i);
		loaded[slot] =
			put_after(load, blocks[slot], NUMBERS * sizeof(float), data[slot], 0, NULL);
		flush(load);
		summed[slot] = run_after(app->queue, digest[slot], NUMBERS, 0, 1, &loaded[slot]);
		flush(app->queue);
		DROP(loaded[slot]);
	}
	settle(summed[0]);
	settle(summed[1]);
	get(app->queue, sums[(COUNT - 1) % 2], NUMBERS * sizeof(float), last);
	answer(total(last, NUMBERS));
	for (int i = 0; i < 2; i++) {
		DROP(blocks[i]);
		DROP(sums[i]);
		DROP(digest[i]);
		free(data[i]);
	}
	DROP(key);
	DROP(load);
	DROP(program);
	free(last);
}

/* Stars of a catalogue, in a long run of the kernels of one program that is built once. */
void thesis_clean_catalogue(struct app *app)
{
	enum { STARS = 256 * 1024, SWEEPS = 130 };
	static const char source[] = SPIN("precess") SPIN("refract") SPIN("project");
	static const char *const names[] = {"precess", "refract", "project"};
	cl_program program = program_new(app, source, "-cl-fast-relaxed-math");
	cl_mem stars = buffer_new(app, STARS * sizeof(float));
	float *places = floats(STARS, 40);
	cl_kernel kernels[3];

	put(app->queue, stars, STARS * sizeof(float), places);
	for (int i = 0; i < 3; i++) {
		kernels[i] = kernel_new(program, names[i]);
		args(kernels[i], "bi", stars, 4 + i);
	}
	for (int i = 0; i < SWEEPS; i++) {
		for (int j = 0; j < 3; j++)
			run(app->queue, kernels[j], STARS, 0);
		flush(app->queue);
	}
	get(app->queue, stars, STARS * sizeof(float), places);
	answer(total(places, STARS));
	for (int i = 0; i < 3; i++)
		DROP(kernels[i]);
	DROP(stars);
	DROP(program);
	free(places);
}

/* A decoder fills slots as they get free; the device, which is the slower one, empties them. */
enum { PACKETS = 200, PACKET = 8 * 1024, RING = 4 };

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float *slots[RING];
	int filled, emptied;
};

static void *ring_fill(void *argument)
{
	struct ring *ring = argument;

	for (int i = 0; i < PACKETS; i++) {
		pthread_mutex_lock(&ring->lock);
		while (ring->filled - ring->emptied == RING)
			pthread_cond_wait(&ring->changed, &ring->lock);
		pthread_mutex_unlock(&ring->lock);
		refill(ring->slots[i % RING], PACKET, i);
		pthread_mutex_lock(&ring->lock);
		ring->filled++;
		pthread_cond_broadcast(&ring->changed);
		pthread_mutex_unlock(&ring->lock);
	}
	return NULL;
}

static void ring_await(struct ring *ring, int packet)
{
	pthread_mutex_lock(&ring->lock);
	while (ring->filled <= packet)
		pthread_cond_wait(&ring->changed, &ring->lock);
	pthread_mutex_unlock(&ring->lock);
}

static void ring_free(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->emptied++;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
}

void thesis_clean_decoder(struct app *app)
{
	enum { AREA = 512 * 1024, BEHIND = 2 };
	struct ring ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	cl_mem packet = buffer_new(app, PACKET * sizeof(float)),
	       picture = blank(app, AREA * sizeof(float)),
	       shown = buffer_new(app, AREA * sizeof(float));
	cl_kernel draw = kernel_of(app, BLEND("draw"), "draw");
	float *out = memory(AREA * sizeof(float));
	cl_event moved[RING];
	pthread_t decoder;

	for (int i = 0; i < RING; i++)
		ring.slots[i] = memory(PACKET * sizeof(float));
	args(draw, "bbbi", picture, packet, shown, 6);
	if (pthread_create(&decoder, NULL, ring_fill, &ring))
		must(-1, "pthread_create");
	for (int i = 0; i < PACKETS + BEHIND; i++) {
		if (i < PACKETS) {
			ring_await(&ring, i);
			moved[i % RING] = put_after(app->queue, packet, PACKET * sizeof(float),
						    ring.slots[i % RING], 0, NULL);
			run(app->queue, draw, AREA, 0);
			flush(app->queue);
		}
		if (i >= BEHIND) {
			settle(moved[(i - BEHIND) % RING]);
			ring_free(&ring);
		}
	}
	pthread_join(decoder, NULL);
	get(app->queue, shown, AREA * sizeof(float), out);
	answer(total(out, AREA));
	for (int i = 0; i < RING; i++)
		free(ring.slots[i]);
	DROP(draw);
	DROP(packet);
	DROP(picture);
	DROP(shown);
	free(out);
}

/* Bodies that attract each other: two buffers change places in each step, one is read at the end.
 */
void thesis_clean_orbits(struct app *app)
{
	enum { BODIES = 224 * 1024, STEPS = 500 };
	cl_mem bodies[2] = {blank(app, BODIES * sizeof(float)), blank(app, BODIES * sizeof(float))},
	       mass = blank(app, 64 * sizeof(float));
	cl_program program = program_new(app, BLEND("attract"), "");
	cl_kernel steps[2] = {kernel_new(program, "attract"), kernel_new(program, "attract")};
	float *last = memory(BODIES * sizeof(float));

	args(steps[0], "bbbi", bodies[0], mass, bodies[1], 5);
	args(steps[1], "bbbi", bodies[1], mass, bodies[0], 5);
	for (int i = 0; i < STEPS; i++) {
		run(app->queue, steps[i % 2], BODIES, 0);
		if (i % 50 == 49)
			flush(app->queue);
	}
	get(app->queue, bodies[0], BODIES * sizeof(float), last);
	answer(total(last, BODIES));
	for (int i = 0; i < 2; i++) {
		DROP(steps[i]);
		DROP(bodies[i]);
	}
	DROP(mass);
	DROP(program);
	free(last);
}

/* A climate model, whose state is kept now and then: read by a queue of its own from a copy, while
 * the next steps run. */
void thesis_clean_checkpoint(struct app *app)
{
	enum { GRID = 256 * 1024, STEPS = 400, EVERY = 50 };
	cl_command_queue save = queue_new(app, 0);
	cl_mem grid = blank(app, GRID * sizeof(float)),
	       copy = buffer_new(app, GRID * sizeof(float));
	cl_kernel step = kernel_of(app, SPIN("climate"), "climate");
	float *kept = memory(GRID * sizeof(float));
	cl_event copied = NULL, saved = NULL;
	double sum = 0;

	args(step, "bi", grid, 5);
	for (int i = 0; i < STEPS; i++) {
		run(app->queue, step, GRID, 0);
		flush(app->queue);
		if (i % EVERY != EVERY - 1)
			continue;
		if (saved) {
			settle(saved);
			sum += total(kept, GRID);
		}
		TRY(clEnqueueCopyBuffer(app->queue, grid, copy, 0, 0, GRID * sizeof(float), 0, NULL,
					&copied));
		flush(app->queue);
		saved = get_after(save, copy, GRID * sizeof(float), kept, 1, &copied);
		flush(save);
		DROP(copied);
	}
	settle(saved);
	answer(sum + total(kept, GRID));
	DROP(step);
	DROP(grid);
	DROP(copy);
	DROP(save);
	free(kept);
}

/* Receipts of a till: each has an event, of which the last sixteen are kept and then let go. */
void thesis_clean_receipts(struct app *app)
{
	enum { ITEMS = 128 * 1024, COUNT = 700, KEPT = 16 };
	cl_mem till = blank(app, ITEMS * sizeof(float));
	cl_kernel book = kernel_of(app, SPIN("book"), "book");
	cl_event receipts[KEPT] = {NULL};
	float *sums = memory(ITEMS * sizeof(float));

	args(book, "bi", till, 6);
	for (int i = 0; i < COUNT; i++) {
		if (receipts[i % KEPT])
			settle(receipts[i % KEPT]);
		receipts[i % KEPT] = run_after(app->queue, book, ITEMS, 0, 0, NULL);
		flush(app->queue);
	}
	for (int i = 0; i < KEPT; i++)
		settle(receipts[(COUNT + i) % KEPT]);
	get(app->queue, till, ITEMS * sizeof(float), sums);
	answer(total(sums, ITEMS));
	DROP(book);
	DROP(till);
	free(sums);
}
