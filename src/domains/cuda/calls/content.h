/* SPDX-License-Identifier: MIT */
/* What the plain functions of a transfer take to the device, and what they bring to the host
 * (core/call/content.h, content_later.h). */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_CONTENT_H
#define TANDEM_DOMAINS_CUDA_CALLS_CONTENT_H

#include <stdbool.h>

#include "domains/cuda/api.h"
#include "domains/cuda/cupti/cupti.h"

/* What calls/content.h looks at of a function's flags. */
#define CUDA_CONTENTS                                                                              \
	(CUDA_CONTENT | CUDA_CONTENT_READ | CUDA_CONTENT_LATER | CUDA_CONTENT_ROWS |               \
	 CUDA_CONTENT_ARRAY | CUDA_CONTENT_BOX | CUDA_CONTENT_BOX_LATER | CUDA_CONTENT_DRIVER_2D | \
	 CUDA_CONTENT_DRIVER_3D | CUDA_WAITS_QUEUE | CUDA_WAITS_DEVICE)

/* At the exit of a function with such flags (`runtime`: of the runtime's, which says in which
 * direction), in the thread that called it. */
void cuda_content(const struct cupti_call *data, unsigned flags, bool runtime);

#endif
