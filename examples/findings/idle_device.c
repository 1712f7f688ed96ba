/* SPDX-License-Identifier: MIT */
/* The device waits while the host prepares the next step. Mended: all steps are
 * enqueued first. */
#include "common.h"

enum { steps = 40 };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);

	for (int i = 0; i < steps; i++) {
		if (!setup.mended)
			host_work(2);
		setup_work(&setup, 5);
		must(clFlush(setup.queue), "clFlush");
	}
	for (int i = 0; i < steps && setup.mended; i++)
		host_work(2);
	setup_close(&setup);
	return 0;
}
