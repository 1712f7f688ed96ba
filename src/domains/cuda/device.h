/* SPDX-License-Identifier: MIT */
/* Devices: our number of one, with a record where it was not known. */
#ifndef TANDEM_DOMAINS_CUDA_DEVICE_H
#define TANDEM_DOMAINS_CUDA_DEVICE_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/process.h"

/* Of an ordinal; of a context, and its ordinal. */
uint32_t cuda_device(uint32_t device);
uint32_t cuda_device_of(void *context);
uint32_t cuda_device_id(void *context);

/* All devices, once a statedump, in a thread of the program, before CUPTI's own thread
 * needs them: the driver is asked, and who knows what it holds while it delivers. */
extern _Atomic uint64_t cuda_devices_described; /* statedump + 1 */
void cuda_devices_describe_all(void);

static inline void cuda_devices_describe(void)
{
	if (tandem_unlikely(atomic_load_explicit(&cuda_devices_described, memory_order_relaxed) !=
			    (uint64_t)tandem_process_statedump() + 1))
		cuda_devices_describe_all();
}

#endif
