/* SPDX-License-Identifier: MIT */
#include "domains/cuda/state.h"

_Atomic uint32_t cuda_capture_enabled = 1;
_Atomic uint32_t cuda_disabled;
_Atomic uint32_t cuda_ended;

void cuda_disable(void)
{
	atomic_store(&cuda_disabled, 1);
	atomic_store(&cuda_capture_enabled, 0);
}
