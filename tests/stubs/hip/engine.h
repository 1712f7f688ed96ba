/* SPDX-License-Identifier: MIT */
/* The stub's device: streams of operations that a host thread runs one after another, with
 * a clock of its own. What has ended is reported late and out of order. */
#ifndef STUB_HIP_ENGINE_H
#define STUB_HIP_ENGINE_H

#include <stdint.h>

struct operation {
	uint32_t command;   /* kind: OpenCL's command type */
	uint32_t operation; /* 0 dispatch, 1 copy, 2 barrier */
	uint64_t correlation;
	uint64_t bytes;
	const char *kernel;
	uint32_t microseconds;
	int32_t device;
	uint64_t begin_ns, end_ns;
	struct stream *stream;
	struct operation *next;
};

struct stream {
	uint64_t number; /* of the queue of the hardware */
	int32_t device;
	uint64_t enqueued, reported; /* operations */
	int32_t captured;	     /* launches; -1: it is not being captured */
};

void engine_enqueue(struct stream *stream, const struct operation *operation);
void engine_wait(struct stream *stream); /* NULL: for all */

/* What the generation does with an operation that has ended; in the engine's thread. */
void stub_report(const struct operation *operation);

#endif
