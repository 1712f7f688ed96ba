/* SPDX-License-Identifier: MIT */
/* Of earlier versions: ROCTracer's domain of the kernel driver's API (ACTIVITY_DOMAIN_KFD_API)
 * is known, and has no operations. */
#ifndef TANDEM_ROCTRACER_KFD_H
#define TANDEM_ROCTRACER_KFD_H

#include "roctracer.h"

#endif
