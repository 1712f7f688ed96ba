/* SPDX-License-Identifier: MIT */
/* What drivers' tracepoints mean for an engine's queues. One table for all drivers;
 * a new one is some lines in engine_rules.c. Any thread. */
#ifndef TANDEM_ANALYSIS_SCHED_ENGINE_RULES_H
#define TANDEM_ANALYSIS_SCHED_ENGINE_RULES_H

#include "trace/tracepoint.h"

enum engine_step {
	ENGINE_NO_STEP,
	ENGINE_QUEUE, /* a job came into the host-side queue */
	ENGINE_HAND,  /* the driver handed it to the device */
	ENGINE_BACK,  /* unless `flag` is set: the device gave it back unfinished */
	ENGINE_DONE,
};

enum engine_family { ENGINE_SCHEDULER, ENGINE_I915, ENGINE_AMDGPU, ENGINE_VIRTIO, ENGINE_FENCE };

/* A tracepoint's meaning, with the places of what matters; a field is NULL where
 * there is none. */
struct engine_meaning {
	enum engine_step step;
	enum engine_family family;
	const struct tracepoint_field *ring;		 /* its name, or its address */
	const struct tracepoint_field *device;		 /* which of several */
	const struct tracepoint_field *class, *instance; /* of i915: the engine */
	const struct tracepoint_field *context, *number; /* together they name the job ... */
	const struct tracepoint_field *fence;		 /* ... or this alone */
	const struct tracepoint_field *flag;
};

/* ENGINE_NO_STEP: it says nothing of the queues, or not by the fields that we know. */
struct engine_meaning engine_meaning_of(const struct tracepoint *kind);

/* "rcs", "ccs" ... of i915's class numbers; NULL: a new one. */
const char *engine_class_name(uint64_t class);

#endif
