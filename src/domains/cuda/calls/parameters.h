/* SPDX-License-Identifier: MIT */
/* What a launched kernel was given that may be addresses of memory (record kernel_memory of
 * schema/events/core.events). Only where all arguments are recorded, and the driver says how large a
 * kernel's parameters are (cuKernelGetParamInfo, CUDA 12.4). */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_PARAMETERS_H
#define TANDEM_DOMAINS_CUDA_CALLS_PARAMETERS_H

#include <stdint.h>

#include "domains/cuda/cupti/cupti.h"

/* At the exit of a call of the driver's that succeeded, in the thread that made it. What launches no
 * kernel is passed by. */
void cuda_parameters_called(uint32_t id, const struct cupti_call *data);

#endif
