/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <pthread.h>
#include <stdlib.h>

/* Frames of a camera, all of them new: three queues, four slots, and a light callback that gives a
 * slot back to the thread that waits for one. */
enum { FRAME_BYTES = 1 * MIB, FRAMES = 240, PLACES = 4 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int back;
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK slot_back(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	must(status, "frame");
	pthread_mutex_lock(&slots.lock);
	slots.back++;
	pthread_cond_signal(&slots.changed);
	pthread_mutex_unlock(&slots.lock);
}

static void slots_await(int least)
{
	pthread_mutex_lock(&slots.lock);
	while (slots.back < least)
		pthread_cond_wait(&slots.changed, &slots.lock);
	pthread_mutex_unlock(&slots.lock);
}

void essay_clean_slots(struct app *app)
{
	cl_kernel denoise = kernel_of(app, SWEEP("denoise_frame"), "denoise_frame");
	cl_command_queue up = queue_new(app, 0), down = queue_new(app, 0);
	cl_mem frames[PLACES];
	float *in[PLACES], *out[PLACES];

	for (int i = 0; i < PLACES; i++) {
		frames[i] = buffer_new(app, FRAME_BYTES);
		in[i] = floats(FRAME_BYTES / sizeof(float), (unsigned)i + 20);
		out[i] = memory(FRAME_BYTES);
	}
	for (int number = 0; number < FRAMES; number++) {
		int at = number % PLACES;

		slots_await(number - PLACES + 1);
		for (int row = 0; row < 256; row++)
			in[at][row * KIB] += (float)(number + 1);

		cl_event sent = put_after(up, frames[at], FRAME_BYTES, in[at], 0, NULL);

		flush(up);
		args(denoise, "bi", frames[at], 6);

		cl_event clear =
			run_after(app->queue, denoise, FRAME_BYTES / sizeof(float), 64, 1, &sent);

		flush(app->queue);

		cl_event here = get_after(down, frames[at], FRAME_BYTES, out[at], 1, &clear);

		TRY(clSetEventCallback(here, CL_COMPLETE, slot_back, NULL));
		flush(down);
		DROP(sent);
		DROP(clear);
		DROP(here);
	}
	slots_await(FRAMES);
	answer((double)out[0][9]);
	DROP(denoise);
	DROP(up);
	DROP(down);
	for (int i = 0; i < PLACES; i++) {
		DROP(frames[i]);
		free(in[i]);
		free(out[i]);
	}
}
