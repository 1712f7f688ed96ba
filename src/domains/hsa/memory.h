/* SPDX-License-Identifier: MIT */
/* Allocations, by their addresses. Outside of any record; any thread. */
#ifndef TANDEM_DOMAINS_HSA_MEMORY_H
#define TANDEM_DOMAINS_HSA_MEMORY_H

#include <stdint.h>

/* `pool`: 0 for memory of a region. */
void hsa_memory_allocated(const void *address, uint64_t bytes, uint64_t pool);

/* Before it is. */
void hsa_memory_freed(const void *address);

#endif
