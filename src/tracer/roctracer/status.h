/* SPDX-License-Identifier: MIT */
/* What the thread's last failure was: roctracer_error_string(). */
#ifndef TANDEM_ROCTRACER_STATUS_H
#define TANDEM_ROCTRACER_STATUS_H

#include "roctracer/roctracer.h"

/* Returns `status`. */
roctracer_status_t status_set(roctracer_status_t status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Of what a function of the tracer's returned; 0 is success. */
roctracer_status_t status_of(int error);

#endif
