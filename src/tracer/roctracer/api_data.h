/* SPDX-License-Identifier: MIT */
/* What a callback of ROCTracer's gets of a call: the struct of its domain. */
#ifndef TANDEM_ROCTRACER_API_DATA_H
#define TANDEM_ROCTRACER_API_DATA_H

#include <stdint.h>

#include "roctracer/roctracer.h"
#include "tandem/tracer.h"

/* Calls `function` as its domain's callback: a copy that the callback may write to, as clients
 * do (hipApiArgsInit), of which only the word of phase_data comes back. */
void api_data_call(const struct tandem_tracer_call *call, uint32_t domain, uint32_t op,
		   activity_rtapi_callback_t function, void *arg);

#endif
