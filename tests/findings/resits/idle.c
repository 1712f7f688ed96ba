/* SPDX-License-Identifier: MIT */
/* Threads that spin, and devices that are idle for what the host does. */
#include "resits.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loudness meter beside an audio effect. What the effect made is announced by its event's
 * callback, in a counter that the meter's thread looks at until it changes. */

enum { METER_BLOCKS = 60, METER_ITEMS = 1 << 14 };

struct meter {
	pthread_mutex_t lock;
	pthread_cond_t more;
	atomic_int ready; /* blocks that are done */
	bool sleeps;
	const float *blocks;
	double loudness;
};

static void CL_CALLBACK meter_announce(cl_event event, cl_int status, void *arg)
{
	struct meter *meter = arg;

	(void)event;
	must(status, "effect");
	pthread_mutex_lock(&meter->lock);
	atomic_fetch_add(&meter->ready, 1);
	pthread_cond_signal(&meter->more);
	pthread_mutex_unlock(&meter->lock);
}

static void meter_await(struct meter *meter, int block)
{
	if (!meter->sleeps) {
		while (atomic_load(&meter->ready) <= block) {
		}
		return;
	}
	pthread_mutex_lock(&meter->lock);
	while (atomic_load(&meter->ready) <= block)
		pthread_cond_wait(&meter->more, &meter->lock);
	pthread_mutex_unlock(&meter->lock);
}

static void *meter_main(void *arg)
{
	struct meter *meter = arg;

	for (int block = 0; block < METER_BLOCKS; block++) {
		meter_await(meter, block);
		meter->loudness += (double)meter->blocks[block * 64];
	}
	return NULL;
}

void resit_meter_spin(struct app *app)
{
	float *samples = floats(METER_ITEMS, 4), *blocks = memory(METER_BLOCKS * 256);
	struct meter meter = {.lock = PTHREAD_MUTEX_INITIALIZER,
			      .more = PTHREAD_COND_INITIALIZER,
			      .sleeps = app->repaired,
			      .blocks = blocks};
	cl_mem v = loaded(app, METER_ITEMS * 4, samples);
	cl_kernel reverb = kernel_of(app, MIX("reverb"), "reverb");
	pthread_t thread;

	args(reverb, "bi", v, 400);
	if (pthread_create(&thread, NULL, meter_main, &meter))
		exit(1);
	for (int block = 0; block < METER_BLOCKS; block++) {
		cl_event done;

		run(app->queue, reverb, METER_ITEMS, 64);
		done = get_after(app->queue, v, 256, blocks + (size_t)block * 64, 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, meter_announce, &meter));
		flush(app->queue);
		DROP(done);
	}
	finish(app->queue);
	pthread_join(thread, NULL);
	answer(meter.loudness);
	DROP(reverb);
	DROP(v);
	free(samples);
	free(blocks);
}

/* Radar pulses come as differences of 12 bits. They are unpacked by the thread that drives the
 * device, when the pulse before them is done. */

enum { PULSE = 1 << 15, PULSES = 60 };

static void pulse_unpack(const uint16_t *packed, float *pulse, int number)
{
	for (int pass = 0; pass < 40; pass++) {
		uint32_t level = (uint32_t)(number + pass);

		for (int i = 0; i < PULSE; i++) {
			level = (level + packed[(i + number) % PULSE]) * 69069u;
			pulse[i] = (float)(level >> 12) / 1048576.0f;
		}
	}
}

void resit_pulse_unpack(struct app *app)
{
	uint16_t *packed = memory(PULSE * 2);
	float *pulses[2] = {memory(PULSE * 4), memory(PULSE * 4)}, peaks[64];
	cl_mem v = buffer_new(app, PULSE * 4);
	cl_kernel compress = kernel_of(app, MIX("compress"), "compress");
	double sum = 0;

	for (uint32_t i = 0; i < PULSE; i++)
		packed[i] = (uint16_t)((i * 2654435761u >> 20) & 4095);
	args(compress, "bi", v, 10);
	pulse_unpack(packed, pulses[0], 0);
	for (int number = 0; number < PULSES; number++) {
		cl_event done;

		put(app->queue, v, PULSE * 4, pulses[number % 2]);
		for (int i = 0; i < 30; i++)
			run(app->queue, compress, PULSE, 64);
		done = get_after(app->queue, v, sizeof(peaks), peaks, 0, NULL);
		flush(app->queue);
		if (app->repaired && number + 1 < PULSES)
			pulse_unpack(packed, pulses[(number + 1) % 2], number + 1);
		settle(done);
		if (!app->repaired && number + 1 < PULSES)
			pulse_unpack(packed, pulses[(number + 1) % 2], number + 1);
		sum += (double)peaks[number % 64];
	}
	answer(sum);
	DROP(compress);
	DROP(v);
	free(packed);
	free(pulses[0]);
	free(pulses[1]);
}

/* Market data from a gateway, a process of its own, which hands out the next bucket when it is
 * asked and has gathered it. The repaired program asks for one ahead. */

enum { BUCKET = 4096, BUCKETS = 60 };

void resit_gateway(bool repaired)
{
	float bucket[BUCKET];
	char request;

	(void)repaired;
	for (int i = 0; read(0, &request, 1) == 1; i++) {
		nap(5000);
		refill(bucket, BUCKET, i);
		if (write(1, bucket, sizeof(bucket)) != (ssize_t)sizeof(bucket))
			exit(1);
	}
	exit(0);
}

static void bucket_ask(const struct peer *peer)
{
	if (write(peer->in, "n", 1) != 1)
		exit(1);
}

static void bucket_take(const struct peer *peer, float *bucket)
{
	size_t done = 0;

	while (done < BUCKET * 4) {
		ssize_t part = read(peer->out, (char *)bucket + done, BUCKET * 4 - done);

		if (part <= 0)
			exit(1);
		done += (size_t)part;
	}
}

void resit_bucket_feed(struct app *app)
{
	struct peer peer = peer_start(app, "gateway");
	float *bucket = memory(BUCKET * 4), greeks[16];
	cl_mem v = buffer_new(app, (1 << 15) * 4);
	cl_kernel greek = kernel_of(app, MIX("greek"), "greek");
	double sum = 0;

	args(greek, "bi", v, 12);
	put_now(app->queue, v, BUCKET * 4, bucket);
	bucket_ask(&peer);
	for (int i = 0; i < BUCKETS; i++) {
		bucket_take(&peer, bucket);
		if (app->repaired && i + 1 < BUCKETS)
			bucket_ask(&peer);
		put(app->queue, v, BUCKET * 4, bucket);
		for (int k = 0; k < 30; k++)
			run(app->queue, greek, 1 << 15, 64);
		get(app->queue, v, sizeof(greeks), greeks);
		sum += (double)greeks[i % 16];
		if (!app->repaired && i + 1 < BUCKETS)
			bucket_ask(&peer);
	}
	peer_end(&peer);
	answer(sum);
	DROP(greek);
	DROP(v);
	free(bucket);
}
