/* SPDX-License-Identifier: MIT */
/* Queues that take turns: a transfer to the device waits for an event of a kernel in another
 * queue, though that queue was given data of its own, elsewhere. What a kernel uses need not be
 * known. Memory grows with queues, events and commands in flight. One thread.
 *
 *	struct turns turns = {.waits_of = &waits};
 *
 *	turns_call(&turns, event, &taken);	each call; what queue_waits_call() said of it
 *	turns_end(&turns, event);		as a command ends, in the true order
 *	turns_add(&turns, findings);
 *	turns_free(&turns);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_TURNS_H
#define TANDEM_ANALYSIS_FINDINGS_TURNS_H

#include "analysis/findings/finding.h"
#include "analysis/operations/queue_waits.h"
#include "util/map.h"

/* Where nothing says that commands ended, no more of them are remembered. */
#define TURNS_GIVEN 65536u

struct turns_queue {
	uint64_t kernel_ns; /* of its kernels, since another one's transfer waited for it */
	uint64_t filled;    /* buffer of its latest transfer that waited for another queue */
	const char *kernel; /* the latest that ended; NULL: none */
	unsigned others;    /* commands since its latest transfer to the device; saturated */
};

struct turns_sum {
	uint64_t count, ns, longest_ns;
	uint64_t one_place; /* of these: into what the kernel uses, as the one before */
	uint32_t stream, device, queue;
	/* Of the longest; what it is, and the kernel that it waited for. NULL: not known. */
	int64_t begin_ns, end_ns;
	const char *transfer, *kernel;
};

struct turns {
	/* Borrowed; tags: buffer of a queue's latest transfer (transfer_ends.h). */
	struct queue_waits *waits_of;
	struct map
		given; /* a command that has not ended -> its queue: of TURNS_GIVEN at the most */
	struct map queue_of;
	struct turns_queue *queues;
	struct turns_sum *sums;
	size_t queue_count, queue_capacity, sum_count, sum_capacity;
	struct map awaited;   /* a kernel -> how long it ran, + 1; 1: not known yet */
	struct map waits;     /* a transfer -> the kernel that it waited for */
	struct map one_place; /* a transfer -> the queue that works on what it brings */
	struct map sum_of;    /* process -> sum */
};

/* Return 0 or -ENOMEM; after an error turns_free() is called as well. */
int turns_call(struct turns *turns, const struct trace_event *event,
	       const struct queue_waits_taken *taken);
int turns_end(struct turns *turns, const struct sequence_event *command);
int turns_add(const struct turns *turns, struct findings *findings);
void turns_free(struct turns *turns);

#endif
