/* SPDX-License-Identifier: MIT */
/* A device's clock, fitted to the host's while the process runs, by what is certain of each
 * operation: that it was queued after its call had begun, and had ended when that was seen.
 * The difference of the clocks is a line above all of the first bounds and below all of the
 * second (the convex-hull method of CLOCKS.md). The one with most room on both sides is
 * taken; how far it can be off, where all lines are that fit, is the error that is stated.
 *
 * Memory is fixed: 128 stretches of time, each with its tightest two bounds, which become
 * longer as time goes on.
 *
 * Numbers are those of object_device_clock(); 0 has no clock.
 *
 *	device_clock_bound(number, queued_ns, begin_ns, ended_ns, seen_ns);
 *	host_ns = device_clock_host(number, start_ns, &error_ns);
 */
#ifndef TANDEM_TRACER_DEVICE_CLOCK_H
#define TANDEM_TRACER_DEVICE_CLOCK_H

#include <stdint.h>

/* Device times `after` and `before`; host times that are not later, and not earlier. 0 for a
 * host time: not known. Any thread, in a traced call: where the clock is in use, nothing. */
void device_clock_bound(uint32_t device, uint64_t after, uint64_t host_after, uint64_t before,
			uint64_t host_before);

/* Not in a traced call. *error_ns UINT32_MAX: nothing is known of the device's clock. */
uint64_t device_clock_host(uint32_t device, uint64_t device_ns, uint32_t *error_ns);

/* In the child of a fork. */
void device_clocks_forked(void);

#endif
