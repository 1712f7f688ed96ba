/* SPDX-License-Identifier: MIT */
/* Allocations, from the stream of those. With an event: unified shared memory, whose size and
 * address are metadata; without: memory of the runtime below, for a buffer. */
#ifndef TANDEM_DOMAINS_SYCL_MEMORY_H
#define TANDEM_DOMAINS_SYCL_MEMORY_H

#include <stdint.h>

#include "xpti/xpti_trace_framework.h"

void sycl_memory_event(uint16_t type, xpti_event_data_t *event, const void *data);

#endif
