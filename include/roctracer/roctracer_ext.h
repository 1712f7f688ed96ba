/* SPDX-License-Identifier: MIT */
/* ROCTracer's extensions: start and stop, and external correlation ids. */
#ifndef TANDEM_ROCTRACER_EXT_H
#define TANDEM_ROCTRACER_EXT_H

#include "roctracer.h"

typedef void (*roctracer_start_cb_t)(void);
typedef void (*roctracer_stop_cb_t)(void);

/* roctracer_set_properties(ACTIVITY_DOMAIN_EXT_API): called after start and stop. */
typedef struct {
	roctracer_start_cb_t start_cb;
	roctracer_stop_cb_t stop_cb;
} roctracer_ext_properties_t;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

void roctracer_start(void);
void roctracer_stop(void);

/* A record of ACTIVITY_DOMAIN_EXT_API with the innermost id of the thread comes before each
 * record of a call. */
roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id);
roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
