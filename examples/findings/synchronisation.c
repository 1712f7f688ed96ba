/* SPDX-License-Identifier: MIT */
/* The host waits for each command before it enqueues the next. Mended: it waits
 * once. */
#include "common.h"

enum { steps = 400 };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);

	for (int i = 0; i < steps; i++) {
		setup_work(&setup, 20);
		if (!setup.mended)
			must(clFinish(setup.queue), "clFinish");
	}
	setup_close(&setup);
	return 0;
}
