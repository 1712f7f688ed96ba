/* SPDX-License-Identifier: MIT */
/* Allocations, by the driver's calls that make them. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_MEMORY_H
#define TANDEM_DOMAINS_CUDA_CALLS_MEMORY_H

#include <stdint.h>

#include "domains/cuda/cupti/cupti.h"

/* A driver's call, at its entry and at its exit. */
void cuda_memory_called(uint32_t id, const struct cupti_call *data);

/* The next callback id that matters, or 0. */
uint32_t cuda_memory_next(uint32_t id);

#endif
