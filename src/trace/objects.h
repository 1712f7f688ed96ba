/* SPDX-License-Identifier: MIT */
/* What the objects of the traced processes are: names of devices and kernels,
 * the device of a queue. Learned from the descriptions in the trace (domain 0,
 * schema/events/core.events) as they come by. A description may come a little later
 * than a use, or stand in another thread's stream: trace_objects_look() then looks
 * ahead until it is found.
 *
 * Memory: some 30 bytes for each kernel and queue object, 100 for a device; none
 * for the others. Numbers of objects count per process, so that a process's
 * index comes with them. One thread.
 *
 *	struct trace_objects objects = {0};
 *	trace_objects_learn(&objects, event);            every event
 *	uint32_t queue = trace_objects_queue(&objects, process, number);
 *	if (queue != TRACE_NONE)
 *		... objects.queues[queue].device
 *	trace_objects_free(&objects);
 */
#ifndef TANDEM_TRACE_OBJECTS_H
#define TANDEM_TRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/tracepoint.h"
#include "util/intern.h"

#define TRACE_NONE UINT32_MAX

struct trace_device {
	uint32_t process, number;
	uint8_t domain, type;
	uint32_t name, platform_name; /* in `names` */
	uint32_t parent;	      /* number; 0: no sub-device */
	uint32_t platform, ordinal;
	uint32_t compute_units;
	uint64_t timer_ns; /* resolution of its clock */
};

struct trace_queue {
	uint32_t process, number;
	uint8_t domain, timing; /* enum tandem_timing */
	uint8_t in_order;	/* enum tandem_in_order */
	uint64_t properties;
	uint32_t context, device; /* numbers */
};

struct trace_context {
	uint32_t process, number;
	uint8_t domain;
	uint32_t device_count;
	uint32_t first_device; /* number */
};

struct trace_objects {
	struct intern names;
	struct map known; /* process, type and number -> index, of a kernel its name */
	struct trace_device *devices;
	size_t device_count, device_capacity;
	struct trace_queue *queues;
	size_t queue_count, queue_capacity;
	struct trace_context *contexts;
	size_t context_count, context_capacity;
	struct map complete;		 /* processes of which everything was read; 1 each */
	struct tracepoints *tracepoints; /* of GPU drivers; NULL: none was described */
};

/* Takes what a description says; other events change nothing. Returns 0 or
 * -ENOMEM. */
int trace_objects_learn(struct trace_objects *objects, const struct trace_event *event);

/* Looks ahead, from `event` on, for the description of an object of its process,
 * unless it is known. What comes before was learned, if the caller learns in the
 * order of time; a look that finds nothing reads the process to its end, and is
 * the last one. Returns 0 (known now, or described nowhere) or -ENOMEM. */
int trace_objects_look(struct trace_objects *objects, const struct trace_event *event,
		       enum tandem_object type, uint32_t number);

/* Index of an object, stable for good, or TRACE_NONE where it is not (yet)
 * described. */
uint32_t trace_objects_device(const struct trace_objects *objects, uint32_t process,
			      uint32_t number);
uint32_t trace_objects_queue(const struct trace_objects *objects, uint32_t process,
			     uint32_t number);
uint32_t trace_objects_context(const struct trace_objects *objects, uint32_t process,
			       uint32_t number);

/* A kernel's name in `names`, or TRACE_NONE. */
uint32_t trace_objects_kernel(const struct trace_objects *objects, uint32_t process,
			      uint32_t number);

void trace_objects_free(struct trace_objects *objects);

#endif
