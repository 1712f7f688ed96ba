/* SPDX-License-Identifier: MIT */
#include "domains/hip/state.h"

_Atomic uint32_t hip_disabled;
_Atomic uint32_t hip_wrapped;
_Atomic uint32_t hip_captures;
