/* SPDX-License-Identifier: MIT */
/* The record of a program's build (core.events): how long it took, with which options, and what the
 * compiler said if it failed. Any thread. */
#ifndef TANDEM_DOMAINS_NVRTC_BUILD_H
#define TANDEM_DOMAINS_NVRTC_BUILD_H

#include <stdint.h>

#include "domains/nvrtc/gen/args.h"

/* After the call, which took from `begin` to `end` (ticks). */
void nvrtc_build_write(const struct nvrtc_args_nvrtcCompileProgram *built, uint64_t begin,
		       uint64_t end, int32_t status);

#endif
