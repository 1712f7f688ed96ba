/* SPDX-License-Identifier: MIT */
/* What a driver does for a kernel object when it is used for the first time, as part of the finding
 * `objects`: the device waits for it, with the command at hand. Memory grows with kernel objects and
 * commands in flight. One thread.
 *
 *	first_uses_begin(&uses, session);
 *	first_uses_made(&uses, process, kernel);	a kernel object, one more than before
 *	first_uses_call(&uses, event);			each call that returned
 *	first_uses_event(&uses, event);			in the true order
 *	ns = first_uses_ns(&uses, process);
 *	first_uses_free(&uses);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_FIRST_USES_H
#define TANDEM_ANALYSIS_FINDINGS_FIRST_USES_H

#include "analysis/events/event_sequence.h"
#include "analysis/stats/histogram.h"
#include "trace/session/session.h"
#include "util/map.h"

/* Gaps before commands that were enqueued by then. */
struct first_use_process {
	struct histogram first, others; /* of a kernel object's first command; of others */
};

struct first_use_device {
	unsigned running;
	int64_t idle_ns; /* since when; 0: it has run nothing */
};

struct first_uses {
	struct map fresh;    /* process and number of a kernel object that was not used yet */
	struct map commands; /* operation_key() of such a one's first */
	struct map device_of;
	struct first_use_device *devices;
	size_t count, capacity;
	struct first_use_process *processes;
	size_t process_count;
};

/* Return 0 or -ENOMEM; after an error first_uses_free() is called as well. */
int first_uses_begin(struct first_uses *uses, const struct trace_session *session);
int first_uses_made(struct first_uses *uses, uint32_t process, uint64_t kernel);
int first_uses_call(struct first_uses *uses, const struct trace_event *event);
int first_uses_event(struct first_uses *uses, const struct sequence_event *event);

/* What those gaps took more than others do. */
uint64_t first_uses_ns(const struct first_uses *uses, uint32_t process);
void first_uses_free(struct first_uses *uses);

#endif
