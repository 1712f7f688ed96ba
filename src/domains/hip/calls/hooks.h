/* SPDX-License-Identifier: MIT */
/* What calls change that later records need: streams, memory, the current device, captures. */
#ifndef TANDEM_DOMAINS_HIP_HOOKS_H
#define TANDEM_DOMAINS_HIP_HOOKS_H

#include <stdint.h>

/* Before the real call: what it gives back may be another thread's as soon as it has. */
void hip_hook_before(uint32_t function, const void *arguments);

/* After it succeeded. */
void hip_hook_after(uint32_t function, const void *arguments);

#endif
