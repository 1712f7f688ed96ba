/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <stdlib.h>

/* Tracks of a song are rendered, each from buffers of its own, by a queue without order: a barrier
 * stands between upload, kernel and download of each. Repaired: the three are ordered by events. */
enum { TRACKS = 8, TRACK = 1 * MIB, BARS = 24 };

static cl_event track_send(const struct app *app, cl_command_queue queue, cl_mem track,
			   cl_kernel mix, const float *in, float *out)
{
	bool events = app->repaired;
	cl_event up = put_after(queue, track, TRACK, in, 0, NULL), mixed, down;

	if (!events)
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	args(mix, "bi", track, 2);
	mixed = run_after(queue, mix, TRACK / sizeof(float), 64, events, &up);
	if (!events)
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	down = get_after(queue, track, TRACK, out, events, &mixed);
	if (!events)
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	flush(queue);
	DROP(up);
	DROP(mixed);
	return down;
}

void essay_track_mix(struct app *app)
{
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel mix = kernel_of(app, SWEEP("mix_track"), "mix_track");
	cl_mem tracks[TRACKS];
	cl_event done[TRACKS];
	float *in[TRACKS], *out[TRACKS];
	double sum = 0;

	for (int i = 0; i < TRACKS; i++) {
		tracks[i] = buffer_new(app, TRACK);
		in[i] = floats(TRACK / sizeof(float), (unsigned)i);
		out[i] = memory(TRACK);
	}
	for (int bar = 0; bar < BARS; bar++) {
		for (int i = 0; i < TRACKS; i++) {
			if (bar) {
				settle(done[i]);
				sum += (double)out[i][bar];
			}
			in[i][bar] += 1;
			done[i] = track_send(app, queue, tracks[i], mix, in[i], out[i]);
		}
	}
	for (int i = 0; i < TRACKS; i++) {
		settle(done[i]);
		DROP(tracks[i]);
		free(in[i]);
		free(out[i]);
	}
	answer(sum);
	DROP(mix);
	DROP(queue);
}
