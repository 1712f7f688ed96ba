/* SPDX-License-Identifier: MIT */
/* Values of fields in words: enumerators, flags, objects by number and name,
 * operation ids. What text and JSON share. One thread. */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_VALUE_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_VALUE_H

#include <stdint.h>

#include "trace/event.h"
#include "trace/objects.h"
#include "util/text.h"

/* "kernel", "queue"...: the noun of an object's number. */
const char *event_object_noun(uint8_t object);

/* Name of a kernel or a device that the event calls by its number, looked for
 * ahead if need be; "" where there is none. */
const char *event_object_name(struct trace_objects *objects, const struct trace_event *event,
			      uint8_t object, uint32_t number);

/* "READ_ONLY|COPY|0x100", of the names that the type has; "0". */
void event_flags(struct text *out, const struct tandem_names *names, uint64_t value);

/* "1:42", "none", "unknown" */
void event_op(struct text *out, uint64_t op);

/* Sizes of a kernel launch whose upper parts stand in the field `high` (see
 * domains/opencl/calls/shape.h): element i of a field, with its upper part. */
struct event_launch_size {
	unsigned globals, locals, offsets;
	uint64_t global[3], local[3], offset[3];
};

/* Whether the event has such sizes. */
bool event_launch_size_read(const struct trace_event *event, struct event_launch_size *launch);

#endif
