/* SPDX-License-Identifier: MIT */
/* Of earlier versions: HCC's operations are HIP's. */
#ifndef TANDEM_ROCTRACER_HCC_H
#define TANDEM_ROCTRACER_HCC_H

#include "roctracer.h"
#include "roctracer_hip.h"

#endif
