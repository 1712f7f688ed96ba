/* SPDX-License-Identifier: MIT */
/* What the plain functions of a transfer take to the device, and what they bring to the host
 * (core/call/content.h). */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_CONTENT_H
#define TANDEM_DOMAINS_CUDA_CALLS_CONTENT_H

#include <stdbool.h>

#include "domains/cuda/cupti/cupti.h"

/* At the exit of a function with CUDA_CONTENT (`runtime`: of the runtime's, which says in which
 * direction), in the thread that called it. */
void cuda_content(const struct cupti_call *data, bool runtime);

/* Same, of one with CUDA_CONTENT_READ. */
void cuda_content_read(const struct cupti_call *data, bool runtime);

#endif
