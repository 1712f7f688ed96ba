/* SPDX-License-Identifier: MIT */
/* What the devices did: operations by device, kind and name, the waits of each
 * queue, and what was enqueued but never seen to end. Device times are in the
 * device's own clock, and only their differences are used; where not all of the
 * session is counted, they are on the host's. Part of the report's pass. One thread.
 *
 *	operation_stats_enqueued(&stats, event);          each call that enqueues
 *	operation_stats_add(&stats, operation, stream, idle);   each that ended
 *	operation_stats_unfinished(&stats, operation);    each that did not
 *	operation_stats_finish(&stats, report);           after devices_report_finish()
 */
#ifndef TANDEM_ANALYSIS_REPORT_OPERATION_STATS_H
#define TANDEM_ANALYSIS_REPORT_OPERATION_STATS_H

#include "analysis/events/range.h"
#include "analysis/operations/devices.h"
#include "analysis/operations/operation.h"
#include "analysis/report/device/untimed.h"
#include "analysis/report/report.h"
#include "analysis/stats/batches.h"
#include "analysis/stats/histogram.h"
#include "trace/event.h"

struct operation_row {	 /* one device, kind and name */
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

struct operation_latest_row {	     /* what a stream's commands are like, often several times */
	uint64_t queue_key, row_key; /* 0: nothing yet */
	uint32_t queue, row;
};

struct operation_stats {
	struct devices *devices; /* borrowed */
	struct trace_session *session;
	struct range range; /* what is counted */
	struct intern names;
	struct operation_row *rows;
	size_t row_count, row_capacity;
	struct map row_of; /* device, kind, domain and name -> row */
	struct operation_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of;		     /* process and number -> queue */
	struct map kernels;		     /* queue and kernel -> row: a cache */
	struct map others;		     /* queue, kind and API -> row: a cache */
	struct operation_latest_row *latest; /* by stream: before all other caches */
	struct untimed untimed;
	uint64_t count, odd, unfinished;
};

/* Returns 0 or -ENOMEM; it is to be freed either way. */
int operation_stats_init(struct operation_stats *stats, struct devices *devices,
			 struct trace_session *session, const struct range *range);

/* A call that enqueues. Returns 0 or -ENOMEM. */
int operation_stats_enqueued(struct operation_stats *stats, const struct trace_event *event);

/* One that ended, as the record of the stream with this index says. `idle`: no other is
 * in flight. Where not all of the session is counted, operations are placed on the
 * host's clock. Returns 0 or -ENOMEM. */
int operation_stats_add(struct operation_stats *stats, const struct operation *operation,
			uint32_t stream, bool idle);

/* One whose end was not recorded. */
void operation_stats_unfinished(struct operation_stats *stats, const struct operation *operation);

/* Returns 0 or -ENOMEM. */
int operation_stats_finish(struct operation_stats *stats, struct report *report);

void operation_stats_free(struct operation_stats *stats);

#endif
