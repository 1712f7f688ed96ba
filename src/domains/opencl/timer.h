/* SPDX-License-Identifier: MIT */
/* A device's clock read beside ours, from time to time. Any thread. */
#ifndef TANDEM_OPENCL_TIMER_H
#define TANDEM_OPENCL_TIMER_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/control.h"

struct opencl_timer {
	void *device;
	_Atomic uint64_t due; /* ticks; ~0: the device's clock can't be read */
};

#define OPENCL_TIMER_NONE UINT64_MAX

/* Whether the device's clock can be read; reads it. */
void opencl_timer_start(struct opencl_timer *timer, void *device);
void opencl_timer_read(struct opencl_timer *timer, uint64_t now);

/* Reads it again when it is time to. */
static inline void opencl_timer_look(struct opencl_timer *timer, uint64_t now)
{
	if (tandem_unlikely(now >= atomic_load_explicit(&timer->due, memory_order_relaxed)))
		opencl_timer_read(timer, now);
}

#endif
