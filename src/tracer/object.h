/* SPDX-License-Identifier: MIT */
/* What sinks are told of objects: which device a queue is of, and kernels' names, by the
 * numbers that records have. In traced calls: no malloc, and no lock but of two words. */
#ifndef TANDEM_TRACER_OBJECT_H
#define TANDEM_TRACER_OBJECT_H

#include <stdint.h>

#define OBJECT_CLOCKS 64u

void object_queue(uint32_t queue, uint32_t device);
uint32_t object_queue_device(uint32_t queue); /* 0: not known */

/* A device that is described again has another number and the same clock: from 1; 0: not
 * known, or there are too many. */
void object_device(uint32_t device, uint32_t domain, uint64_t handle);
uint32_t object_device_clock(uint32_t device);

/* The name is kept once, whatever kernels have it. */
void object_kernel(uint32_t kernel, const char *name, uint32_t bytes);
const char *object_kernel_name(uint32_t kernel); /* "" where it is not known */

/* In the child of a fork. */
void objects_forked(void);

#endif
