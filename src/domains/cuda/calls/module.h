/* SPDX-License-Identifier: MIT */
/* Loaded device code. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_MODULE_H
#define TANDEM_DOMAINS_CUDA_CALLS_MODULE_H

#include "domains/cuda/cupti/cupti.h"

void cuda_module_loaded(const struct cupti_module *module);

#endif
