/* SPDX-License-Identifier: MIT */
/* The device waits while the host prepares the next step. Mended: the host does so
 * while the device works. */
#include "common.h"

enum { steps = 40, kernels = 4 };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);

	for (int i = 0; i < steps; i++) {
		if (!setup.mended)
			host_work(2);
		for (int k = 0; k < kernels; k++)
			setup_work(&setup, 5);
		must(clFlush(setup.queue), "clFlush");
		if (setup.mended)
			host_work(2);
		must(clFinish(setup.queue), "clFinish");
	}
	setup_close(&setup);
	return 0;
}
