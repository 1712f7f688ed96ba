/* SPDX-License-Identifier: MIT */
/* One activity of the device as an operation record. Called by the thread that reads a
 * buffer (activity.c). */
#ifndef TANDEM_DOMAINS_CUDA_ACTIVITY_OPERATION_H
#define TANDEM_DOMAINS_CUDA_ACTIVITY_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/cuda/cupti/cupti.h"

void cuda_operation_kernel(const struct cupti_kernel *kernel);
void cuda_operation_copy(const struct cupti_copy *copy);
void cuda_operation_peer_copy(const struct cupti_peer_copy *copy);
void cuda_operation_memset(const struct cupti_memset *fill);
void cuda_operation_graph(const struct cupti_graph *graph);

struct cuda_operation { /* what all kinds have */
	uint32_t correlation;
	uint32_t queue, kernel, config;
	uint8_t kind;
	uint64_t bytes, queued, submitted, start, end;
};

void cuda_operation_write(const struct cuda_operation *operation);

/* Its times are CUPTI's own, in ns, as CUPTI would not take the session's clock. */
extern bool cuda_operation_own_clock;

#endif
