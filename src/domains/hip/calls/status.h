/* SPDX-License-Identifier: MIT */
/* What a call returned, where a callback does not say it. */
#ifndef TANDEM_DOMAINS_HIP_STATUS_H
#define TANDEM_DOMAINS_HIP_STATUS_H

#include <stdint.h>

/* At the exit of the thread's call of that function: a hipError_t, or
 * TANDEM_RESULT_UNKNOWN. HIP keeps what a thread's latest call returned, and asking for it
 * leaves it there; where there is no device, every call returns hipErrorNoDevice, and
 * asking would change it. */
int32_t hip_status(uint32_t function);

#endif
