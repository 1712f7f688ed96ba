/* SPDX-License-Identifier: MIT */
/* More about transfers: too much of a buffer, and addresses that do not suit the device. */
#include "vivas.h"

#include <stdlib.h>

/* A tomography viewer: after each step all slices are read, and one is shown. */
void viva_shown_slice(struct app *app)
{
	enum { SIDE = 128, SLICES = 32, COUNT = SIDE * SIDE * SLICES };
	cl_kernel kernel = kernel_of(app, FIELD("backproject"), "backproject");
	cl_mem volume = seeded(app, COUNT * sizeof(float), 31);
	float *slices = memory(COUNT * sizeof(float));
	double shown = 0;

	for (int step = 0; step < 120; step++) {
		size_t slice = (size_t)step % SLICES * SIDE * SIDE;

		args(kernel, "bi", volume, 1);
		run(app->queue, kernel, COUNT, 64);
		if (app->repaired)
			get_part(app->queue, volume, slice * sizeof(float),
				 SIDE * SIDE * sizeof(float), slices + slice);
		else
			get_part(app->queue, volume, 0, COUNT * sizeof(float), slices);
		finish(app->queue);
		shown += total(slices + slice, SIDE * SIDE);
	}
	answer(shown);
	free(slices);
	DROP(volume);
	DROP(kernel);
}

/* Payload of video packets is uploaded from where it was received: behind a header of 12 bytes. */
void viva_packet_payload(struct app *app)
{
	enum { COUNT = 65536, HEADER = 12 };
	cl_kernel kernel = kernel_of(app, FIELD("depacketize"), "depacketize");
	cl_mem payload = buffer_new(app, COUNT * sizeof(float));
	char *packet = memory(64 + COUNT * sizeof(float));
	float first = 0;

	args(kernel, "bi", payload, 2);
	for (int i = 0; i < 500; i++) {
		char *at = packet + (app->repaired ? 64 : HEADER);

		refill((float *)(void *)at, COUNT, i);
		put_now(app->queue, payload, COUNT * sizeof(float), at);
		run(app->queue, kernel, COUNT, 64);
	}
	get(app->queue, payload, sizeof(first), &first);
	answer((double)first);
	free(packet);
	DROP(payload);
	DROP(kernel);
}
