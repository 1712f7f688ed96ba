/* SPDX-License-Identifier: MIT */
/* Two threads, each with a context of its own, keep the same device busy. Mended:
 * one after the other. */
#include "common.h"

#include <pthread.h>

enum { steps = 40 };

static void *work(void *argument)
{
	struct setup *setup = argument;

	for (int i = 0; i < steps; i++) {
		setup_work(setup, 50);
		must(clFinish(setup->queue), "clFinish");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct setup setups[2] = {setup_open(argc, argv), setup_open(argc, argv)};
	pthread_t other;

	if (setups[0].mended) {
		work(&setups[1]);
	} else if (pthread_create(&other, NULL, work, &setups[1])) {
		return 1;
	}
	work(&setups[0]);
	if (!setups[0].mended)
		pthread_join(other, NULL);
	setup_close(&setups[0]);
	setup_close(&setups[1]);
	return 0;
}
