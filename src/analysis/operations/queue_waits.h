/* SPDX-License-Identifier: MIT */
/* What the commands of a queue wait for where the queue itself waits (CUDA, HIP): an event stands for
 * the latest command of the queue in which it was recorded, and what a queue that waits for it is given
 * next starts after that. Memory grows with queues and events. One thread.
 *
 *	struct queue_waits waits = {0};
 *
 *	queue_waits_call(&waits, event, &taken);	each call that did not fail
 *	queue_waits_free(&waits);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_QUEUE_WAITS_H
#define TANDEM_ANALYSIS_OPERATIONS_QUEUE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define QUEUE_WAITS_MOST 4u

struct trace_event;
struct queue_waits_row;

struct queue_mark { /* a command that is waited for */
	uint64_t op;
	uint64_t tag; /* of its queue, when the event was recorded */
	uint32_t queue;
};

struct queue_waits_taken {
	struct queue_mark marks[QUEUE_WAITS_MOST]; /* the latest last */
	uint32_t count;
	bool more;    /* there were others */
	uint16_t api; /* event id of the latest call that had the queue wait; 0: none */
};

struct queue_waits {
	struct map queue_of, mark_of; /* process and number */
	struct queue_waits_row *queues;
	struct queue_mark *marks;
	size_t queue_count, queue_capacity, mark_count, mark_capacity;
};

/* Of a call that enqueues, `taken` says what its command waits for of other queues; else nothing.
 * Returns 0 or -ENOMEM. */
int queue_waits_call(struct queue_waits *waits, const struct trace_event *event,
		     struct queue_waits_taken *taken);

/* A word of the caller's that goes with what the queue is given from now on. Returns 0 or -ENOMEM. */
int queue_waits_tag(struct queue_waits *waits, uint32_t process, uint32_t queue, uint64_t tag);

/* The latest such word of a queue; 0: none. */
uint64_t queue_waits_tag_of(const struct queue_waits *waits, uint32_t process, uint32_t queue);

void queue_waits_free(struct queue_waits *waits);

#endif
