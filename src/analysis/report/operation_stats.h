/* What the devices did: operations by device, kind and name, the waits of each
 * queue, and what was enqueued but never seen to end. Device times are in the
 * device's own clock, and only their differences are used; where not all of the
 * session is counted, they are on the host's. Part of the report's pass. One thread.
 *
 *	operation_stats_enqueued(&stats, event);     each call of class ENQUEUE
 *	operation_stats_waited(&stats, event);       each call of class WAIT
 *	operation_stats_add(&stats, event, NULL);    each record `operation`
 *	operation_stats_unfinished(&stats, command); each that never ended, in a range
 *	operation_stats_finish(&stats, report);      after devices_finish()
 */
#ifndef TANDEM_ANALYSIS_REPORT_OPERATION_STATS_H
#define TANDEM_ANALYSIS_REPORT_OPERATION_STATS_H

#include "analysis/clocksync/clock_sync.h"
#include "analysis/clocksync/enqueue_times.h"
#include "analysis/clocksync/wait_returns.h"
#include "analysis/events/range.h"
#include "analysis/operations/devices.h"
#include "analysis/operations/launch_table.h"
#include "analysis/report/report.h"
#include "analysis/report/untimed.h"
#include "analysis/stats/batches.h"
#include "analysis/stats/histogram.h"
#include "trace/event.h"

struct operation_row { /* one device, kind and name */
	uint32_t device; /* row of devices */
	uint8_t domain, kind;
	uint32_t name; /* in `names` */
	uint64_t count, failed, untimed, bytes, timed_bytes;
	uint64_t within_ns; /* inside the range, of all that overlap it */
	struct histogram times;
	struct batches batches;
};

struct operation_queue { /* one queue of one process */
	uint32_t process, number;
	uint32_t device; /* row of devices */
	uint8_t domain, timing;
	bool described;
	uint64_t host_queue_ns, device_queue_ns, executing_ns;
	uint64_t count, untimed;
};

struct operation_latest { /* what a stream's commands are like, often several times */
	uint64_t queue_key, row_key; /* 0: nothing yet */
	uint32_t queue, row;
};

struct operation_stats {
	struct devices *devices; /* borrowed */
	struct trace_session *session;
	struct range range; /* what is counted: all, where the caller sets nothing else */
	struct intern names;
	struct operation_row *rows;
	size_t row_count, row_capacity;
	struct map row_of; /* device, kind, domain and name -> row */
	struct operation_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of;   /* process and number -> queue */
	struct map kernels;    /* queue and kernel -> row: a cache */
	struct map others;     /* queue, kind and API -> row: a cache */
	struct operation_latest *latest; /* by stream: before all other caches */
	/* When the calls began that enqueued what is in flight; where the runtime gave
	 * the number, when they returned. */
	struct enqueue_times enqueue_times;
	struct wait_returns wait_returns;
	struct clock_sync clock_sync; /* of the devices' clocks */
	struct launch_table launch_table;
	struct untimed untimed;
	int64_t *in_flight;    /* by process */
	int64_t in_flight_all;
	uint64_t count, odd, unfinished;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int operation_stats_init(struct operation_stats *stats, struct devices *devices,
			 struct trace_session *session);

/* Returns 0 or -ENOMEM. */
int operation_stats_enqueued(struct operation_stats *stats, const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int operation_stats_waited(struct operation_stats *stats, const struct trace_event *event);

/* `command` is what the event ended, placed on the host's clock, where not all of the
 * session is counted; else NULL. Returns 0 or -ENOMEM. */
int operation_stats_add(struct operation_stats *stats, const struct trace_event *event,
			const struct operation *operation);

/* One whose end was never seen, where not all of the session is counted: of all of it
 * that is known without. */
void operation_stats_unfinished(struct operation_stats *stats, const struct operation *operation);

/* Returns 0 or -ENOMEM. */
int operation_stats_finish(struct operation_stats *stats, struct report *report);

/* What an operation that is no kernel is called: after its call (an event id; 0: none
 * made it), "clEnqueueReadBuffer" -> "ReadBuffer": the runtime's prefix and the word
 * for enqueueing say nothing in a table of operations. */
const char *operation_name(const struct trace_session *session, uint16_t api, uint8_t kind);

/* "kernel", "copy_h2d"... */
const char *operation_kind_name(uint8_t kind);

void operation_stats_free(struct operation_stats *stats);

#endif
