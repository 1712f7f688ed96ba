/* SPDX-License-Identifier: MIT */
/* Commands on queues without device times. Nothing follows them, so that the call
 * that enqueued them is all that there is: they are counted, by queue where the
 * trace's level of arguments has it. Part of the report's pass. One thread.
 *
 *	untimed_call(&untimed, event);		each enqueue without an operation id
 *	count = untimed_of_queue(&untimed, process, queue);
 *	untimed_free(&untimed);
 */
#ifndef TANDEM_ANALYSIS_REPORT_UNTIMED_H
#define TANDEM_ANALYSIS_REPORT_UNTIMED_H

#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

struct untimed {
	uint64_t operations; /* of all queues */
	struct map queues;   /* process's index and queue's number -> commands */
};

/* Returns 0 or -ENOMEM. */
int untimed_call(struct untimed *untimed, const struct trace_event *event);

uint64_t untimed_of_queue(const struct untimed *untimed, uint32_t process, uint32_t queue);

void untimed_free(struct untimed *untimed);

#endif
