/* SPDX-License-Identifier: MIT */
/* A queue that all others of its context wait for, and it for them, as CUDA's legacy default stream
 * and HIP's null stream: what it is given between their commands keeps them apart, an event that is
 * recorded in it as well. Memory grows with processes and queues. One thread.
 *
 *	struct default_queues defaults = {0};
 *
 *	default_queue_call(&defaults, findings, event);	each call that did not fail, in its thread's order
 *	default_queue_operation(&defaults, findings, &item->operation, &rooms, room_taken(...));
 *	default_queue_start(&defaults, &rooms, event);	as a command starts, in the true order
 *	default_queue_add(&defaults, findings);
 *	default_queue_free(&defaults);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_DEFAULT_QUEUE_H
#define TANDEM_ANALYSIS_FINDINGS_DEFAULT_QUEUE_H

#include "analysis/findings/finding.h"
#include "analysis/operations/room.h"
#include "util/map.h"

struct default_command {
	uint32_t queue; /* in the process; 0: none */
	uint32_t stream;
	int64_t start_ns, end_ns, given_ns; /* given: enqueued */
	uint8_t kind;
	double room; /* room.h */
};

/* Of a process: CUPTI hands over operations late. */
#define DEFAULT_MARKS 4096u

struct default_marks { /* events that were recorded in its default queue */
	int64_t ns[DEFAULT_MARKS];
	uint64_t count;
	uint32_t queue, stream;
	const char *name;
};

struct default_row { /* a process on a device, or a queue of it */
	uint32_t process, device;
	uint64_t busy_ns; /* of all its commands, each for itself; of a process, without overlap */
	/* Of a process: */
	uint64_t engine_ns[3];		 /* transfers each way, and kernels by what they fill */
	uint64_t longest_ns;		 /* of its queues: the time of all its commands */
	struct default_command latest;	 /* of the default queue */
	struct default_command other[2]; /* the latest of all others, and of those but its queue */
	bool waited;			 /* the default queue's latest, for the latest of those */
	int64_t until_ns;		 /* the device was busy */
	uint64_t count;	 /* commands that waited for it, and with it for another queue */
	uint64_t gap_ns; /* from the end of what they waited for to their start */
	struct default_command first; /* of the default queue */
	const char *name, *mark_name;
	uint64_t marked; /* of `count`: for an event that was recorded in it */
};

struct default_queues {
	bool any;	   /* there is such a queue */
	struct map kinds;  /* process and queue -> what it is (default_queue.c) */
	struct map row_of; /* process, device, and queue or 0 */
	struct default_row *rows;
	size_t count, capacity;
	struct default_marks *marks; /* by process */
};

/* Return 0 or -ENOMEM; after an error default_queue_free() is called as well. Calls and operations: before their
 * events, in any order, as runtimes hand over those of a queue one after another; room: room.h. */
int default_queue_operation(struct default_queues *defaults, const struct findings *findings,
			    const struct operation *operation, struct rooms *rooms, double room);
int default_queue_call(struct default_queues *defaults, const struct findings *findings,
		       const struct trace_event *event);
int default_queue_start(struct default_queues *defaults, struct rooms *rooms,
			const struct sequence_event *event);
int default_queue_add(const struct default_queues *defaults, struct findings *findings);
void default_queue_free(struct default_queues *defaults);

#endif
