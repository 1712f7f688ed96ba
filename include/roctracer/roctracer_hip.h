/* SPDX-License-Identifier: MIT */
/* ROCTracer's HIP domains. The numbers of HIP's functions and the struct that callbacks get are
 * HIP's (hip_prof_str.h); without HIP's headers there is only how that struct begins. */
#ifndef TANDEM_ROCTRACER_HIP_H
#define TANDEM_ROCTRACER_HIP_H

#include "roctracer.h"

#ifdef __has_include
#if __has_include(<hip/amd_detail/hip_prof_str.h>)
#include <hip/amd_detail/hip_prof_str.h>
#include <hip/hip_runtime.h>
#define TANDEM_ROCTRACER_HAS_HIP
#elif __has_include(<hip/hcc_detail/hip_prof_str.h>)
#include <hip/hcc_detail/hip_prof_str.h>
#include <hip/hip_runtime.h>
#define TANDEM_ROCTRACER_HAS_HIP
#endif
#endif

#ifndef TANDEM_ROCTRACER_HAS_HIP
typedef struct hip_api_data_s {
	uint64_t correlation_id;
	uint32_t phase;
	union {
		uint64_t words[24];
	} args;
} hip_api_data_t;
#endif

typedef enum {
	HIP_OP_ID_DISPATCH = 0,
	HIP_OP_ID_COPY = 1,
	HIP_OP_ID_BARRIER = 2,
	HIP_OP_ID_NUMBER = 3
} hip_op_id_t;

#endif
