/* SPDX-License-Identifier: MIT */
/* Whether, and what, of HIP is recorded now. Any thread. */
#ifndef TANDEM_DOMAINS_HIP_STATE_H
#define TANDEM_DOMAINS_HIP_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/capture.h"
#include "core/control.h"
#include "core/local.h"
#include "schema/domain/hip.h"

#pragma GCC visibility push(hidden)
/* In the child of a fork HIP is of no use, and its threads do not exist. */
extern _Atomic uint32_t hip_disabled;
extern _Atomic uint32_t hip_wrapped;
/* Streams that are being captured into a graph: calls on them make no operations. */
extern _Atomic uint32_t hip_captures;
#pragma GCC visibility pop

/* Calls are recorded by wrappers: callbacks have nothing to record of them. */
static inline bool hip_calls_are_wrapped(void)
{
	return atomic_load_explicit(&hip_wrapped, memory_order_relaxed);
}

static inline bool hip_wanted(enum tandem_hip_choice choice)
{
	return tandem_choices(TANDEM_DOMAIN_hip) >> choice & 1;
}

/* Calls too that only ask: a tool in the process chooses by function. */
static inline bool hip_wants_all(void)
{
	return hip_wanted(TANDEM_HIP_all) || tandem_local;
}

static inline bool hip_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(hip) && tandem_capture_is_enabled() &&
	       tandem_likely(!atomic_load_explicit(&hip_disabled, memory_order_relaxed));
}

static inline void hip_notice(enum tandem_hip_notice notice)
{
	tandem_notice(TANDEM_DOMAIN_hip, notice);
}

#endif
