/* Unified memory's activity. Called as operation.h's. */
#ifndef TANDEM_DOMAINS_CUDA_UNIFIED_H
#define TANDEM_DOMAINS_CUDA_UNIFIED_H

#include "domains/cuda/cupti.h"

void cuda_unified_write(const struct cupti_unified *unified);

#endif
