/* SPDX-License-Identifier: MIT */
/* Whether, and what, of CUDA is recorded now. Any thread. */
#ifndef TANDEM_DOMAINS_CUDA_STATE_H
#define TANDEM_DOMAINS_CUDA_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"
#include "schema/domain/cuda.h"

#pragma GCC visibility push(hidden)
/* The program's own marks let the recording be on (switch.c), and CUDA is of use. */
extern _Atomic uint32_t cuda_capture_enabled;
extern _Atomic uint32_t cuda_disabled;
extern _Atomic uint32_t cuda_ended;
#pragma GCC visibility pop

static inline bool cuda_wanted(enum tandem_cuda_choice choice)
{
	return tandem_choices(TANDEM_DOMAIN_cuda) >> choice & 1;
}

static inline bool cuda_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(cuda) &&
	       atomic_load_explicit(&cuda_capture_enabled, memory_order_relaxed);
}

/* For good: in the child of a fork and after a fatal error CUDA is of no use, and CUPTI
 * would wait for threads that do not exist. */
void cuda_disable(void);

static inline bool cuda_is_disabled(void)
{
	return atomic_load_explicit(&cuda_disabled, memory_order_relaxed);
}

/* The exit handlers run: CUPTI's own comes next, and from then on nothing of it may be
 * called. What is on stays on. */
static inline bool cuda_has_ended(void)
{
	return atomic_load_explicit(&cuda_ended, memory_order_relaxed);
}

static inline void cuda_notice(enum tandem_cuda_notice notice)
{
	tandem_notice(TANDEM_DOMAIN_cuda, notice);
}

#endif
