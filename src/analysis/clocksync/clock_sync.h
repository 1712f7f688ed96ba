/* Where device times lie on the host's clock. A command was queued after the
 * call that enqueued it began, and had ended when its end was seen: what all
 * commands of a device say together gives the line between the two clocks, and
 * how wrong it can be (clockfit.h). One pass over the session. One thread.
 *
 *	align_make(&align, &devices, session, NULL);
 *	align_place(&align, &command);        fills command->times
 *	align_free(&align);
 *
 * or, by a pass that has other things to do as well:
 *
 *	align_init(&align, session);
 *	align_operation(&align, &devices, device, record, &call, seen_ns);
 *	align_finish(&align);
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

struct align_moment { /* the tightest constraint of the latest moment */
	int64_t begin_ns; /* of the moment */
	int64_t device_ns, host_ns;
	bool any;
};

struct align_clock { /* of a row of devices */
	struct clockfit *fit; /* NULL: nothing is known */
	/* Given besides what holds if the driver keeps to OpenCL's words: that a command
	 * was queued before the call returned that enqueued it, and what the runtime
	 * reads off the clock. Becomes `fit` unless that contradicts the rest. NULL
	 * after the finish. */
	struct clockfit *sharp;
	struct align_moment lower, upper, returned, read_after, read_before;
	bool on_host; /* its times come on the session's clock: the fit only tells how far off */
};

struct align {
	struct align_clock *clocks;
	size_t count, capacity;
	uint64_t host_error_ns; /* of the session's clock */
};

void align_init(struct align *align, const struct trace_session *session);

/* Takes what an ended command of a device tells of its clock; `call` is NULL where
 * the call that enqueued it is not known. Returns 0 or -ENOMEM. */
int align_operation(struct align *align, const struct devices *devices, uint32_t device,
		    const struct tandem_rec_operation *record, const struct call_span *call,
		    int64_t seen_ns);

/* The same of a command whose times are on CLOCK_MONOTONIC already: nothing is moved,
 * but how far off they can be is known then. Returns 0 or -ENOMEM. */
int align_on_host(struct align *align, const struct devices *devices, uint32_t device,
		  const struct trace_operation_times *times, int64_t call_begin_ns,
		  int64_t seen_ns);

/* Takes a record `clock_pair`. Returns 0 or -ENOMEM. */
int align_pair(struct align *align, struct devices *devices, const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int align_finish(struct align *align);

/* All of it, in a pass over the session. Returns 0 or -ENOMEM; on error there is
 * nothing to free. */
int align_make(struct align *align, struct devices *devices, struct trace_session *session,
	       const struct progress *progress);

/* Fills `times` and `placed` of a command that has ended. */
void align_place(const struct align *align, struct command *command);

/* Whether a device's times are taken as they come. */
bool align_is_on_host(const struct align *align, uint32_t device);

/* The fit of a device, or NULL where no command told anything. */
const struct clockfit *align_clock(const struct align *align, uint32_t device);

/* How wrong a placed time of this device can be at most; 0 where it has no fit. */
uint64_t align_bound_ns(const struct align *align, uint32_t device);

void align_free(struct align *align);

#endif
