/* SPDX-License-Identifier: MIT */
/* Allocations, by their addresses. Outside of any record; any thread. */
#ifndef TANDEM_DOMAINS_HIP_MEMORY_H
#define TANDEM_DOMAINS_HIP_MEMORY_H

#include <stdint.h>

/* `kind`: TANDEM_MEMORY_KIND_*. */
void hip_memory_allocated(uint8_t kind, const void *address, uint64_t bytes);

/* Before it is. */
void hip_memory_freed(const void *address);

#endif
