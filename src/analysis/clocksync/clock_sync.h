/* SPDX-License-Identifier: MIT */
/* Where device times lie on the host's clock. A command was queued after the
 * call that enqueued it began, and had ended when its end was seen: what all
 * commands of a device say together gives the line between the two clocks, and
 * how wrong it can be (clockfit.h). One thread.
 *
 *	clock_sync_init(&clock_sync, session);
 *	clock_sync_operation(&clock_sync, &devices, &operation);    of each that ended
 *	clock_sync_finish(&clock_sync);
 *	clock_sync_place(&clock_sync, &operation);        fills operation->times
 *	clock_sync_free(&clock_sync);
 *
 * Each device of the session (a row of devices) has one clock, whatever number
 * of processes use it. Of many commands within a moment only those that say most
 * go into the fit.
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_CLOCK_SYNC_H
#define TANDEM_ANALYSIS_CLOCKSYNC_CLOCK_SYNC_H

#include "analysis/clocksync/wait_returns.h"
#include "analysis/operations/devices.h"
#include "analysis/operations/operation.h"
#include "trace/clockfit/clockfit.h"

struct clock_sync_moment { /* the tightest constraint of the latest moment */
	int64_t begin_ns;  /* of the moment */
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
	/* Set by whoever wants to know how far off times are that come on the session's
	 * clock: nothing is moved by that. */
	bool host_bounds;
	struct wait_returns wait_returns; /* for these */
};

void clock_sync_init(struct clock_sync *clock_sync, const struct trace_session *session);

/* Takes what an ended operation tells of its device's clock. Returns 0 or -ENOMEM. */
int clock_sync_operation(struct clock_sync *clock_sync, const struct devices *devices,
			 const struct operation *operation);

/* Takes a call of class WAIT. Returns 0 or -ENOMEM. */
int clock_sync_wait(struct clock_sync *clock_sync, const struct devices *devices,
		    const struct trace_event *event);

/* Takes a record `clock_pair`. Returns 0 or -ENOMEM. */
int clock_sync_pair(struct clock_sync *clock_sync, struct devices *devices,
		    const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int clock_sync_finish(struct clock_sync *clock_sync);

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
