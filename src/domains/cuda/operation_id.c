/* SPDX-License-Identifier: MIT */
#include "domains/cuda/operation_id.h"

_Atomic uint64_t cuda_correlation_latest;
