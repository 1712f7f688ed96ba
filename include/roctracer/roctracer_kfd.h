/* SPDX-License-Identifier: MIT */
/* ROCTracer's domain of the kernel driver's API (ACTIVITY_DOMAIN_KFD_API), libhsakmt's: numbers of
 * its functions, and the struct that callbacks get. Calls are traced where they bind by the
 * functions' names: not in an HSA runtime that has libhsakmt in itself (ROCm 6.3 and later). */
#ifndef TANDEM_ROCTRACER_KFD_H
#define TANDEM_ROCTRACER_KFD_H

#include "kfd_prof_str.h"
#include "roctracer.h"

#endif
