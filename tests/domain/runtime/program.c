/* SPDX-License-Identifier: MIT */
/* A program of the made-up runtime: program [ROUNDS]. Prints what it has computed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acme.h"

#define BYTES 65536u

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	static unsigned char in[BYTES], out[BYTES];
	struct timespec pause = {0, 200000};
	acm_queue_t queues[2];
	void *memory[3];
	unsigned sum = 0;

	memset(in, 3, sizeof(in));
	if (acmInit() || acmQueueCreate(&queues[0]) || acmQueueCreate(&queues[1]))
		return 1;
	for (int i = 0; i < 3; i++)
		if (acmAlloc(BYTES, &memory[i]))
			return 1;
	for (unsigned i = 0; i < rounds; i++) {
		acm_queue_t queue = queues[i % 2];

		acmCopy(queue, memory[0], in, BYTES, 0);
		acmLaunch(queue, "scale", 200000);
		acmLaunch(queue, "sum", 50000 + 1000 * i);
		acmCopy(queue, out, memory[0], BYTES, 1);
		nanosleep(&pause, NULL);
		sum += out[i];
	}
	acmLaunch(queues[0], "last", 400000);
	while (acmQueueQuery(queues[0]) == ACM_BUSY) {
	}
	acmLaunch(queues[1], "last", 400000);
	acmQueueWait(queues[1]);
	printf("%u %s\n", sum, acmErrorName(acmQueueWait(NULL)));
	acmFree(memory[0]);
	acmFree(memory[1]); /* memory[2] is left */
	acmQueueDestroy(queues[0]);
	acmQueueDestroy(queues[1]);
	return 0;
}
