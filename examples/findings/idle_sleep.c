/* SPDX-License-Identifier: MIT */
/* The device waits while the host sleeps before each step, as one does that waits for
 * a file or for the network. Mended: all steps are enqueued first.
 */
#include "common.h"

#include <time.h>

enum { steps = 40 };

static void host_sleep(long milliseconds)
{
	struct timespec time = {.tv_nsec = milliseconds * 1000000};

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);

	for (int i = 0; i < steps; i++) {
		if (!setup.mended)
			host_sleep(2);
		setup_work(&setup, 5);
		must(clFlush(setup.queue), "clFlush");
	}
	for (int i = 0; i < steps && setup.mended; i++)
		host_sleep(2);
	setup_close(&setup);
	return 0;
}
