/* SPDX-License-Identifier: MIT */
/* More of a device that has nothing to do: locks, other work, commands not handed over. */
#include "vivas.h"

#include <pthread.h>
#include <stdlib.h>

/* A feed to a remote client: so many batches may be on their way as it has given credits for. */
enum { BATCHES = 160, BATCH = 131072 };
struct feed {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	cl_event sent[BATCHES];
	int produced, credits;
};

static void *ack_main(void *data)
{
	struct feed *feed = data;

	for (int i = 0; i < BATCHES; i++) {
		pthread_mutex_lock(&feed->lock);
		while (feed->produced <= i)
			pthread_cond_wait(&feed->changed, &feed->lock);
		pthread_mutex_unlock(&feed->lock);
		settle(feed->sent[i]);
		nap(1000); /* the way to the client and back */
		pthread_mutex_lock(&feed->lock);
		feed->credits++;
		pthread_cond_broadcast(&feed->changed);
		pthread_mutex_unlock(&feed->lock);
	}
	return NULL;
}

static void credit_take(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	while (!feed->credits)
		pthread_cond_wait(&feed->changed, &feed->lock);
	feed->credits--;
	pthread_mutex_unlock(&feed->lock);
}

void viva_credit_window(struct app *app)
{
	struct feed feed = {.lock = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER,
			    .credits = app->repaired ? 4 : 1};
	cl_kernel kernel = kernel_of(app, FIELD("encode_batch"), "encode_batch");
	cl_mem data = seeded(app, BATCH * 4 * sizeof(float), 9);
	pthread_t thread;

	if (pthread_create(&thread, NULL, ack_main, &feed))
		must(-1, "pthread_create");
	args(kernel, "bi", data, 2);
	for (int i = 0; i < BATCHES; i++) {
		credit_take(&feed);

		cl_event sent = run_after(app->queue, kernel, BATCH * 4, 64, 0, NULL);

		flush(app->queue);
		pthread_mutex_lock(&feed.lock);
		feed.sent[i] = sent;
		feed.produced++;
		pthread_cond_broadcast(&feed.changed);
		pthread_mutex_unlock(&feed.lock);
	}
	pthread_join(thread, NULL);

	float first = 0;

	get(app->queue, data, sizeof(first), &first);
	answer((double)first);
	DROP(data);
	DROP(kernel);
}

/* A recorder that puts a digest under each frame before it has the next one filtered. */
static double frame_digest(float *frame, size_t count)
{
	busy(frame, count, 12);
	return (double)frame[1];
}

void viva_digest_frames(struct app *app)
{
	enum { COUNT = 262144, FRAMES = 120, BYTES = COUNT / 4 * sizeof(float) };
	cl_kernel kernel = kernel_of(app, FIELD("denoise"), "denoise");
	cl_mem frames[2] = {seeded(app, BYTES * 4, 1), seeded(app, BYTES * 4, 2)};
	float *host = memory(BYTES);
	double sum = 0;

	for (int i = 0; i < FRAMES; i++) {
		args(kernel, "bi", frames[i % 2], 3);
		if (!app->repaired || !i)
			run(app->queue, kernel, COUNT, 64);
		get(app->queue, frames[i % 2], BYTES, host);
		if (app->repaired && i + 1 < FRAMES) {
			args(kernel, "bi", frames[(i + 1) % 2], 3);
			run(app->queue, kernel, COUNT, 64);
			flush(app->queue);
		}
		sum += frame_digest(host, COUNT / 4);
	}
	answer(sum);
	free(host);
	DROP(frames[0]);
	DROP(frames[1]);
	DROP(kernel);
}

/* A compositor: a pane's drawing is enqueued, then the text of the next pane is laid out. */
void viva_panes_flush(struct app *app)
{
	enum { COUNT = 65536, PANES = 8 };
	cl_kernel kernel = kernel_of(app, FIELD("draw_pane"), "draw_pane");
	cl_mem panes[PANES];
	float *layout = floats(COUNT, 4), pixel = 0;

	for (int i = 0; i < PANES; i++)
		panes[i] = seeded(app, COUNT * sizeof(float), (unsigned)i);
	for (int frame = 0; frame < 50; frame++) {
		for (int i = 0; i < PANES; i++) {
			args(kernel, "bi", panes[i], 12);
			for (int layer = 0; layer < 3; layer++)
				run(app->queue, kernel, COUNT, 64);
			if (app->repaired)
				flush(app->queue);
			busy(layout, COUNT, 8);
		}
		get(app->queue, panes[PANES - 1], sizeof(pixel), &pixel);
	}
	answer((double)(pixel + layout[0]));
	free(layout);
	for (int i = 0; i < PANES; i++)
		DROP(panes[i]);
	DROP(kernel);
}

/* Islands of bodies have a queue each; most of them are asleep, and all are waited for. */
void viva_island_sync(struct app *app)
{
	enum { ISLANDS = 256, COUNT = 2048, STEPS = 300 };
	cl_command_queue queues[ISLANDS];
	cl_kernel kernel = kernel_of(app, FIELD("solve_island"), "solve_island");
	cl_mem bodies = seeded(app, COUNT * sizeof(float), 7);

	for (int i = 0; i < ISLANDS; i++)
		queues[i] = queue_new(app, 0);
	args(kernel, "bi", bodies, 8);
	for (int step = 0; step < STEPS; step++) {
		int awake = step % ISLANDS;

		for (int part = 0; part < 4; part++) {
			run(queues[awake], kernel, COUNT, 64);
			for (int i = 0; i < ISLANDS; i++)
				if (!app->repaired || i == awake)
					finish(queues[i]);
		}
	}

	float first = 0;

	get(app->queue, bodies, sizeof(first), &first);
	answer((double)first);
	for (int i = 0; i < ISLANDS; i++)
		DROP(queues[i]);
	DROP(bodies);
	DROP(kernel);
}
