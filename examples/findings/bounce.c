/* SPDX-License-Identifier: MIT */
/* The data goes to the host and back between two kernels. Mended: it stays. */
#include "common.h"

#include <stdlib.h>

enum { steps = 60, bytes = setup_items * sizeof(float) };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	float *data = malloc(bytes);

	if (!data)
		return 1;
	for (int i = 0; i < steps; i++) {
		setup_work(&setup, 10);
		if (setup.mended)
			continue;
		must(clEnqueueReadBuffer(setup.queue, setup.buffer, CL_TRUE, 0, bytes, data, 0,
					 NULL, NULL),
		     "clEnqueueReadBuffer");
		must(clEnqueueWriteBuffer(setup.queue, setup.buffer, CL_TRUE, 0, bytes, data, 0,
					  NULL, NULL),
		     "clEnqueueWriteBuffer");
	}
	free(data);
	setup_close(&setup);
	return 0;
}
