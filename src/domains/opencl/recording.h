/* SPDX-License-Identifier: MIT */
/* Whether OpenCL is recorded now, and event ids of its functions. Any thread. */
#ifndef TANDEM_OPENCL_RECORDING_H
#define TANDEM_OPENCL_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"
#include "core/local.h"
#include "domains/opencl/gen/next.h"
#include "schema/ids.h"

#define OPENCL_BIT TANDEM_DOMAIN_BIT(opencl)

/* Set once a queue's profiling was switched on behind the program's back: from
 * then on some queries are answered for the program even when not recording. */
extern _Atomic uint32_t opencl_hiding __attribute__((visibility("hidden")));

static inline bool opencl_recording(void)
{
	return tandem_recording() & OPENCL_BIT;
}

static inline bool opencl_recording_or_hiding(void)
{
	return (tandem_recording() & OPENCL_BIT) |
	       atomic_load_explicit(&opencl_hiding, memory_order_relaxed);
}

/* Functions handed out by name are wrapped before the recording is on, and queues made
 * before it have device times. */
static inline bool opencl_in_session(void)
{
	return tandem_control.domains & OPENCL_BIT;
}

#endif
