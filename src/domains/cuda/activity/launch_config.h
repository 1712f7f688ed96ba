/* SPDX-License-Identifier: MIT */
/* What launches of a kernel, and copies, have in common: our number of it, written where
 * it was not known. Called by the thread that reads a buffer (activity.c). */
#ifndef TANDEM_DOMAINS_CUDA_ACTIVITY_LAUNCH_CONFIG_H
#define TANDEM_DOMAINS_CUDA_ACTIVITY_LAUNCH_CONFIG_H

#include <stdint.h>

#include "domains/cuda/cupti/cupti.h"
#include "schema/gen/core_records.h"

/* `number`: of the kernel. */
uint32_t cuda_launch_config(const struct cupti_kernel *kernel, uint32_t number);
uint32_t cuda_transfer_config(const struct tandem_rec_transfer_config *transfer);

#endif
