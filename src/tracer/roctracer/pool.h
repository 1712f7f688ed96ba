/* SPDX-License-Identifier: MIT */
/* ROCTracer's pools: numbers of the tracer's, as pointers. */
#ifndef TANDEM_ROCTRACER_POOL_H
#define TANDEM_ROCTRACER_POOL_H

#include "roctracer/roctracer.h"
#include "tandem/tracer.h"

/* The pool's number, or the default pool's for NULL; 0: there is no default pool. */
tandem_tracer_pool_t pool_number(roctracer_pool_t *pool);

#endif
