/* SPDX-License-Identifier: MIT */
/* What CUPTI would not do, as a record and a notice. */
#ifndef TANDEM_DOMAINS_CUDA_CUPTI_REFUSED_H
#define TANDEM_DOMAINS_CUDA_CUPTI_REFUSED_H

#include <stdint.h>

#include "schema/gen/cuda_records.h"

/* `status`: its CUptiResult. */
void cuda_refused(enum tandem_cuda_activity_kind what, int32_t status);

#endif
