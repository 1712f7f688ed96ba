/* SPDX-License-Identifier: MIT */
/* A thread's tap: what it has for the sinks that are attached while it records. By it records
 * reach their `record` and calls their `end` (sinks/sink.h); core's unusual branches lead here
 * (core/stream/stream.h, core/call/call.h). It outlives the thread: the next one takes it.
 *
 * Here as well is what threads read of the sinks; attach.c alone writes it. Who takes a sink
 * away waits for all that may still use it (tandem_sinks_wait()).
 */
#ifndef TANDEM_SINKS_TAP_H
#define TANDEM_SINKS_TAP_H

#include <stdatomic.h>
#include <stdint.h>

#include "sinks/sink.h"

struct sink_slot {
	struct tandem_sink *_Atomic sink;
	_Atomic uint32_t generation;
	_Atomic uint64_t domains; /* that it wants */
};

extern struct sink_slot sink_slots[TANDEM_SINKS];
extern _Atomic uint32_t sinks_attached; /* 1 << slot */
extern atomic_flag sinks_changing;	/* somebody computes what all of them want */

/* Before the first sink. Any thread; again: nothing. */
void taps_begin(void);

#endif
