/* SPDX-License-Identifier: MIT */
/* Numbers that the program gave to what it launches. Called as operation.h's. */
#ifndef TANDEM_DOMAINS_CUDA_ACTIVITY_EXTERNAL_H
#define TANDEM_DOMAINS_CUDA_ACTIVITY_EXTERNAL_H

#include "domains/cuda/cupti/cupti.h"

void cuda_external_number(const struct cupti_external *external);
void cuda_external_call(const struct cupti_api *call);

#endif
