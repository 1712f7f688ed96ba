/* Commands from the call that enqueued them to the record of their end. A call
 * of class ENQUEUE opens one, the record `operation` with the same id closes it;
 * what the two say together is handed out then. Where the runtime gives the ids, a
 * call can have many commands (a graph's launch), so it stays known until 16,384
 * others have ended since. Memory: some 120 bytes for each command in flight, and for
 * each of those. One thread.
 *
 *	operations_call(&operations, event, number);           each API call
 *	operations_end(&operations, event, &operation);        each record `operation`
 *	while (operations_unfinished(&operations, &at, &operation)) ...
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_OPERATIONS_H
#define TANDEM_ANALYSIS_OPERATIONS_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/operations/devices.h"
#include "schema/gen/core_records.h"
#include "trace/event.h"

struct launch_size {	    /* of a kernel's launch */
	uint8_t dimensions; /* 0: not known */
	uint8_t local_dimensions; /* 0: the runtime chose */
	uint64_t global[3], local[3];
};

/* Where the command's four times lie on the host's clock (align.h). */
struct operation_times {
	int64_t queued_ns, submitted_ns, start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t bound_ns; /* each is at most this far off */
	bool causal; /* false: breaks "queued after the call began, ended before seen" */
};

struct operation {
	uint64_t op;
	uint32_t process; /* index in the session */

	/* The call; `call` is 0 where it is not in the trace. */
	uint64_t call;	 /* its number */
	uint32_t stream; /* index of its thread's stream */
	int64_t call_begin_ns, call_end_ns;
	struct launch_size shape;
	uint16_t api; /* event id */

	/* Of the queue. */
	uint8_t domain;
	uint32_t queue_number, queue; /* in the process; in objects.queues or TRACE_NONE */
	uint32_t device;	      /* row of devices */

	/* The end, its times in ns; NULL: it was never seen. */
	const struct tandem_rec_operation *record;
	int64_t seen_ns;
	uint8_t kind;	  /* enum tandem_operation_kind */
	const char *name; /* of the kernel, else of the call without its prefix */
	bool further;	  /* its call had others before */
	bool timed;	  /* the device gave four times, in their order */
	bool on_host;	  /* ... on the session's clock: nothing to fit */
	bool placed;	  /* ... and `times` holds them */
	struct operation_times times;
};

struct operation_in_flight;
struct operation_kept;

struct operations {
	struct trace_session *session;
	struct devices *devices; /* borrowed */
	struct map *known;	 /* by process: op -> flight */
	struct operation_in_flight *flights;
	size_t flight_count, flight_capacity;
	uint32_t free_list; /* + 1 */
	uint64_t in_flight;
	struct operation_kept *kept; /* a ring: calls that may have more commands */
	uint64_t kept_count, ended_count;
	struct map queue_of; /* process and number -> device row, objects' queue */
	struct tandem_rec_operation ended; /* the latest, where its times were ticks */
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int operations_init(struct operations *operations, struct devices *devices,
		    struct trace_session *session);

/* Takes an API call; those that enqueue nothing change nothing. Returns 0 or
 * -ENOMEM. */
int operations_call(struct operations *operations, const struct trace_event *event,
		    uint64_t number);

/* Fills *command from a record `operation` and its call, `times` aside; borrowed
 * until the next event. Returns 0 or -ENOMEM. */
int operations_end(struct operations *operations, const struct trace_event *event,
		   struct operation *operation);

/* Hands out the commands that are still open, in no order; `at` starts at 0.
 * Returns 1, 0 when there are no more, or -ENOMEM. */
int operations_unfinished(struct operations *operations, size_t *at, struct operation *operation);

/* Hands out the ids of a process's commands that are open, those of calls that have
 * not returned too, in no order; `at` starts at 0. Whether there was one more. */
bool operations_open(const struct operations *operations, size_t *at, uint32_t process,
		     uint64_t *op);

/* Where a command is shown, on CLOCK_MONOTONIC: its execution; without device times
 * from its call to when its end was seen, or, where it never was, to `end_ns`. */
void operation_span(const struct operation *operation, int64_t end_ns, int64_t *from_ns,
		    int64_t *to_ns);

void operations_free(struct operations *operations);

#endif
