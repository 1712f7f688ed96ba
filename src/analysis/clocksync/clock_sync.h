/* Where device times lie on the host's clock. A command was queued after the
 * call that enqueued it began, and had ended when its end was seen: what all
 * commands of a device say together gives the line between the two clocks, and
 * how wrong it can be (clockfit.h). One pass over the session. One thread.
 *
 *	clock_sync_make(&clock_sync, &devices, session, NULL);
 *	clock_sync_place(&clock_sync, &operation);        fills operation->times
 *	clock_sync_free(&clock_sync);
 *
 * or, by a pass that has other things to do as well:
 *
 *	clock_sync_init(&clock_sync, session);
 *	clock_sync_operation(&clock_sync, &devices, device, record, &call, seen_ns);
 *	clock_sync_finish(&clock_sync);
 *
 * Each device of the session (a row of devices) has one clock, whatever number
 * of processes use it. Of many commands within a moment only those that say most
 * go into the fit.
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_CLOCK_SYNC_H
#define TANDEM_ANALYSIS_CLOCKSYNC_CLOCK_SYNC_H

#include "analysis/clocksync/clockfit.h"
#include "analysis/clocksync/enqueue_times.h"
#include "analysis/events/progress.h"
#include "analysis/operations/operations.h"
#include "trace/operation.h"

struct clock_sync_moment { /* the tightest constraint of the latest moment */
	int64_t begin_ns; /* of the moment */
	int64_t device_ns, host_ns;
	bool any;
};

struct clock_sync_clock {     /* of a row of devices */
	struct clockfit *fit; /* NULL: nothing is known */
	/* Given besides what holds if the driver keeps to OpenCL's words: that a command
	 * was queued before the call returned that enqueued it, and what the runtime
	 * reads off the clock. Becomes `fit` unless that contradicts the rest. NULL
	 * after the finish. */
	struct clockfit *sharp;
	struct clock_sync_moment lower, upper, returned, read_after, read_before;
	bool on_host; /* its times come on the session's clock: the fit only tells how far off */
};

struct clock_sync {
	struct clock_sync_clock *clocks;
	size_t count, capacity;
	uint64_t host_error_ns; /* of the session's clock */
};

void clock_sync_init(struct clock_sync *clock_sync, const struct trace_session *session);

/* Takes what an ended command of a device tells of its clock; `call` is NULL where
 * the call that enqueued it is not known. Returns 0 or -ENOMEM. */
int clock_sync_operation(struct clock_sync *clock_sync, const struct devices *devices,
			 uint32_t device, const struct tandem_rec_operation *record,
			 const struct call_span *call, int64_t seen_ns);

/* The same of a command whose times are on CLOCK_MONOTONIC already: nothing is moved,
 * but how far off they can be is known then. Returns 0 or -ENOMEM. */
int clock_sync_on_host(struct clock_sync *clock_sync, const struct devices *devices,
		       uint32_t device, const struct trace_operation_times *times,
		       int64_t call_begin_ns, int64_t seen_ns);

/* Takes a record `clock_pair`. Returns 0 or -ENOMEM. */
int clock_sync_pair(struct clock_sync *clock_sync, struct devices *devices,
		    const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int clock_sync_finish(struct clock_sync *clock_sync);

/* All of it, in a pass over the session. Returns 0 or -ENOMEM; on error there is
 * nothing to free. */
int clock_sync_make(struct clock_sync *clock_sync, struct devices *devices,
		    struct trace_session *session, const struct progress *progress);

/* Fills `times` and `placed` of a command that has ended. */
void clock_sync_place(const struct clock_sync *clock_sync, struct operation *operation);

/* Whether a device's times are taken as they come. */
bool clock_sync_is_on_host(const struct clock_sync *clock_sync, uint32_t device);

/* The fit of a device, or NULL where no command told anything. */
const struct clockfit *clock_sync_clock(const struct clock_sync *clock_sync, uint32_t device);

/* How wrong a placed time of this device can be at most; 0 where it has no fit. */
uint64_t clock_sync_bound_ns(const struct clock_sync *clock_sync, uint32_t device);

void clock_sync_free(struct clock_sync *clock_sync);

#endif
