/* SPDX-License-Identifier: MIT */
/* The clocks of the stub driver: the device's, as odd as STUB_CLOCK... asks, and
 * the host's (CLOCK_MONOTONIC). Any thread. */
#ifndef STUB_CLOCK_H
#define STUB_CLOCK_H

#include <stdint.h>

uint64_t stub_clock_device_ns(void);
uint64_t stub_clock_host_ns(void);

#endif
