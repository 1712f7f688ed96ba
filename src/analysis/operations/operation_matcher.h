/* SPDX-License-Identifier: MIT */
/* Operations from the call that enqueued them to the record of their end: the one
 * place where the two are brought together, by their operation id. A call of class
 * ENQUEUE opens one, the record `operation` with the same id ends it, and what the two
 * say together is handed out then. Where the runtime gives the ids, a call can have
 * many operations (a graph's launch), so that it stays known for a time.
 *
 * Ids of a thread are consecutive numbers: each thread has a ring of slots, in which a
 * number has its place, and one whose place is taken for long moves out of it. Memory:
 * some 100 bytes for each operation in flight. One thread.
 *
 *	operation_matcher_call(&matcher, event, number, 0);     each call with an id
 *	operation_matcher_end(&matcher, event, &operation);     each record `operation`
 *	while (operation_matcher_unfinished(&matcher, &operation) > 0) ...
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_OPERATION_MATCHER_H
#define TANDEM_ANALYSIS_OPERATIONS_OPERATION_MATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/operations/devices.h"
#include "analysis/operations/operation.h"
#include "trace/event.h"

struct operation_ring;
struct operation_open;

struct operation_latest {	     /* what a stream's records were about, often several times */
	struct operation_ring *ring; /* of its thread */
	uint64_t queue_key, kernel_key, name_key; /* 0: nothing yet */
	uint32_t device, queue;
	const char *kernel, *name;
};

struct operation_matcher {
	struct trace_session *session;
	struct devices *devices; /* borrowed */
	bool launch_sizes;	 /* operations have `size`; set by whoever wants it */
	struct operation_ring **rings;
	size_t ring_count, ring_capacity;
	struct map ring_of;		 /* process and thread of the ids -> ring */
	struct operation_latest *latest; /* by stream */
	struct map queue_of;		 /* process and number -> device row, objects' queue */
	uint64_t in_flight;
	struct operation_open *unfinished; /* once asked for: in the order of calls */
	size_t unfinished_count, unfinished_at;
	struct tandem_rec_operation ended; /* the latest, where its times were ticks */
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int operation_matcher_init(struct operation_matcher *matcher, struct devices *devices,
			   struct trace_session *session);

/* Takes an API call; those that enqueue nothing change nothing. `node`: of the task graph,
 * whose task it is made for; 0: none. Returns 0 or -ENOMEM. */
int operation_matcher_call(struct operation_matcher *matcher, const struct trace_event *event,
			   uint64_t number, uint32_t node);

/* Says of an operation that is open whose task it is, unless that is known. */
void operation_matcher_task(struct operation_matcher *matcher, uint32_t process, uint64_t op,
			    uint32_t node);

/* The node whose task a known operation is of, also for a time after its end; 0: none. */
uint32_t operation_matcher_node(const struct operation_matcher *matcher, uint32_t process,
				uint64_t op);

/* Fills *operation from a record `operation` and its call, `times` aside; borrowed
 * until the next event. Returns 0 or -ENOMEM. */
int operation_matcher_end(struct operation_matcher *matcher, const struct trace_event *event,
			  struct operation *operation);

/* After all events: hands out the operations that are still open, in the order of
 * their calls. Returns 1, 0 when there are no more, or -ENOMEM. */
int operation_matcher_unfinished(struct operation_matcher *matcher, struct operation *operation);

/* Calls `each` with the id of each open operation of a process, those of calls that
 * have not returned too, in no order, until it returns an error, which comes back. */
int operation_matcher_open(const struct operation_matcher *matcher, uint32_t process,
			   int (*each)(void *user, uint64_t op), void *user);

void operation_matcher_free(struct operation_matcher *matcher);

#endif
