/* SPDX-License-Identifier: MIT */
/* Operation ids, made of CUPTI's correlation ids (schema/record.h, TANDEM_OP_RUNTIME):
 * what the call and the device's record both know. */
#ifndef TANDEM_DOMAINS_CUDA_OPERATION_ID_H
#define TANDEM_DOMAINS_CUDA_OPERATION_ID_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/control.h"
#include "schema/ids.h"
#include "schema/record.h"

/* A correlation id near this one was seen last; ids have 32 bits and wrap. */
extern _Atomic uint64_t cuda_correlation_latest;

static inline uint64_t cuda_operation_id(uint32_t correlation)
{
	uint64_t latest = atomic_load_explicit(&cuda_correlation_latest, memory_order_relaxed);
	int64_t distance = (int32_t)(correlation - (uint32_t)latest);
	uint64_t full = latest + (uint64_t)distance;

	if (!correlation)
		return 0;
	if (tandem_unlikely(!latest)) {
		full = correlation;
		distance = INT32_MAX;
	}
	/* Seldom, so that the word stays shared in every core's cache. */
	if (tandem_unlikely(distance > 1 << 20))
		atomic_store_explicit(&cuda_correlation_latest, full, memory_order_relaxed);
	return TANDEM_OP_RUNTIME(cuda) | (full & TANDEM_OP_COUNT_MASK);
}

#endif
