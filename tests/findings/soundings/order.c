/* SPDX-License-Identifier: MIT */
/* Short ones: what waits for what. */
#include "soundings.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A satellite's swaths are decoded; then each is put on a map, by a table that the host makes from
 * the orbit in the meantime.
 */
void sounding_late_gate(struct app *app)
{
	enum { PIXELS = 262144, TABLE = 16384, SWATHS = 60 };

	size_t bytes = PIXELS * sizeof(float), table_bytes = TABLE * sizeof(float);
	cl_program program = program_new(app, DIGEST("decode") DIGEST("place"), "");
	cl_kernel decode = kernel_new(program, "decode"), place = kernel_new(program, "place");
	cl_mem raw = buffer_new(app, bytes), swath = buffer_new(app, bytes);
	cl_mem table = buffer_new(app, table_bytes), map = buffer_new(app, bytes);
	float *packets = floats(PIXELS, 10), *orbit = floats(TABLE, 11);
	double sum = 0;

	args(decode, "bbi", raw, swath, 8);
	args(place, "bbi", swath, map, 3);
	for (int s = 0; s < SWATHS; s++) {
		cl_int status;
		cl_event ready = clCreateUserEvent(app->context, &status), put_done, table_done;

		must(status, "clCreateUserEvent");
		packets[s] += 1;
		put_done =
			put_after(app->queue, raw, bytes, packets, app->repaired ? 0 : 1, &ready);
		run(app->queue, decode, PIXELS, 64);
		table_done = put_after(app->queue, table, table_bytes, orbit, 1, &ready);
		run(app->queue, place, PIXELS, 64);
		flush(app->queue);
		busy(orbit, TABLE, 50);
		TRY(clSetUserEventStatus(ready, CL_COMPLETE));
		sum += sum_of(app, map, 1024) + (double)orbit[1];
		DROP(ready);
		DROP(put_done);
		DROP(table_done);
	}
	answer(sum);
	free(packets);
	free(orbit);
	DROP(raw);
	DROP(swath);
	DROP(table);
	DROP(map);
	DROP(decode);
	DROP(place);
	DROP(program);
}

/* An archive of sky pictures keeps a checksum of each that the device has calibrated. */
enum { SKY = 65536, SKIES = 80 };

struct sky {
	const float *pixels;
	_Atomic unsigned *sum;
	sem_t *done;
	cl_event got;
};

static unsigned checksum(const float *pixels, size_t count)
{
	unsigned a = 1, b = 0;

	for (int round = 0; round < 4; round++)
		for (size_t i = 0; i < count; i++) {
			unsigned bits;

			memcpy(&bits, &pixels[i], sizeof(bits));
			a = (a + bits) % 65521;
			b = (b + a) % 65521;
		}
	return b << 16 | a;
}

static void CL_CALLBACK sky_ready(cl_event event, cl_int status, void *data)
{
	struct sky *sky = data;

	(void)event;
	must(status, "command");
	*sky->sum += checksum(sky->pixels, SKY) >> 8;
	sem_post(sky->done);
}

void sounding_crc_hook(struct app *app)
{
	size_t bytes = SKY * sizeof(float);
	cl_kernel calibrate = kernel_of(app, DIGEST("calibrate"), "calibrate");
	cl_mem raw = filled(app, SKY, 71), clear = buffer_new(app, bytes);
	float *pixels = memory(SKIES * bytes);
	struct sky *skies = memory(SKIES * sizeof(*skies));
	_Atomic unsigned sum = 0;
	sem_t done;

	sem_init(&done, 0, 0);
	for (int i = 0; i < SKIES; i++) {
		struct sky *sky = &skies[i];

		*sky = (struct sky){pixels + (size_t)i * SKY, &sum, &done, NULL};
		args(calibrate, "bbi", raw, clear, 10 + i % 16);
		run(app->queue, calibrate, SKY, 64);
		sky->got = get_after(app->queue, clear, bytes, pixels + (size_t)i * SKY, 0, NULL);
		if (!app->repaired)
			TRY(clSetEventCallback(sky->got, CL_COMPLETE, sky_ready, sky));
		flush(app->queue);
	}
	for (int i = 0; i < SKIES; i++) {
		if (app->repaired) {
			TRY(clWaitForEvents(1, &skies[i].got));
			sum += checksum(skies[i].pixels, SKY) >> 8;
		}
	}
	finish(app->queue);
	for (int i = 0; i < SKIES; i++) {
		if (!app->repaired)
			sem_wait(&done);
		DROP(skies[i].got);
	}
	answer(sum);
	sem_destroy(&done);
	free(pixels);
	free(skies);
	DROP(raw);
	DROP(clear);
	DROP(calibrate);
}

/* A tomograph: eight detectors, each with a response of its own, then a sum of all. */
void sounding_fence_bins(struct app *app)
{
	enum { DETECTORS = 8, CHANNELS = 64, SHOTS = 120 };

	size_t bytes = CHANNELS * sizeof(float);
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = program_new(app, DIGEST("respond") DIGEST("merge"), "");
	cl_kernel respond = kernel_new(program, "respond"), merge = kernel_new(program, "merge");
	cl_mem counts[DETECTORS], rates[DETECTORS], image = buffer_new(app, bytes);
	double sum = 0;

	for (unsigned d = 0; d < DETECTORS; d++) {
		counts[d] = filled(app, CHANNELS, 200 + d);
		rates[d] = buffer_new(app, bytes);
	}
	for (int shot = 0; shot < SHOTS; shot++) {
		for (int d = 0; d < DETECTORS; d++) {
			args(respond, "bbi", counts[d], rates[d], 3000 + 100 * d);
			run(queue, respond, CHANNELS, CHANNELS);
			if (!app->repaired || d == DETECTORS - 1)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		}
		args(merge, "bbi", rates[shot % DETECTORS], image, 100);
		run(queue, merge, CHANNELS, CHANNELS);
		finish(queue);
	}
	sum = sum_of(app, image, CHANNELS);
	for (int d = 0; d < DETECTORS; d++) {
		sum += sum_of(app, rates[d], CHANNELS);
		DROP(counts[d]);
		DROP(rates[d]);
	}
	answer(sum);
	DROP(image);
	DROP(respond);
	DROP(merge);
	DROP(program);
	DROP(queue);
}

/* A crane's controller: each cycle's plan is made by the device before the next cycle starts. */
struct cycle {
	atomic_int ended;
	sem_t wake;
};

static void CL_CALLBACK plan_ready(cl_event event, cl_int status, void *data)
{
	struct cycle *cycle = data;

	(void)event;
	must(status, "command");
	atomic_store(&cycle->ended, 1);
	sem_post(&cycle->wake);
}

void sounding_spin_flag(struct app *app)
{
	enum { LOADS = 16384, CYCLES = 200 };

	cl_kernel plan = kernel_of(app, DIGEST("plan"), "plan");
	cl_mem loads = filled(app, LOADS, 15), paths = buffer_new(app, LOADS * sizeof(float));
	float first;
	struct cycle cycle;
	double sum = 0;

	sem_init(&cycle.wake, 0, 0);
	for (int c = 0; c < CYCLES; c++) {
		cl_event got;

		atomic_store(&cycle.ended, 0);
		args(plan, "bbi", loads, paths, 80 + c % 16);
		run(app->queue, plan, LOADS, 64);
		got = get_after(app->queue, paths, sizeof(first), &first, 0, NULL);
		TRY(clSetEventCallback(got, CL_COMPLETE, plan_ready, &cycle));
		flush(app->queue);
		if (!app->repaired)
			while (!atomic_load(&cycle.ended))
				;
		sem_wait(&cycle.wake);
		sum += (double)first;
		DROP(got);
	}
	answer(sum);
	finish(app->queue);
	sem_destroy(&cycle.wake);
	DROP(loads);
	DROP(paths);
	DROP(plan);
}
