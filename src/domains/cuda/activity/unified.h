/* SPDX-License-Identifier: MIT */
/* Unified memory's activity. Called as operation.h's. */
#ifndef TANDEM_DOMAINS_CUDA_ACTIVITY_UNIFIED_H
#define TANDEM_DOMAINS_CUDA_ACTIVITY_UNIFIED_H

#include "domains/cuda/cupti/cupti.h"

void cuda_unified_write(const struct cupti_unified *unified);

#endif
