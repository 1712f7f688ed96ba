/* SPDX-License-Identifier: MIT */
/* Whether, and what, of HSA is recorded now. Any thread. */
#ifndef TANDEM_DOMAINS_HSA_STATE_H
#define TANDEM_DOMAINS_HSA_STATE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/capture.h"
#include "core/control.h"
#include "core/local.h"
#include "schema/domain/hsa.h"

#pragma GCC visibility push(hidden)
extern _Atomic uint32_t hsa_disabled; /* in the child of a fork HSA does not work */
extern __thread uint32_t hsa_in_tool __attribute__((tls_model("initial-exec")));
#pragma GCC visibility pop

static inline bool hsa_wanted(enum tandem_hsa_choice choice)
{
	return tandem_choices(TANDEM_DOMAIN_hsa) >> choice & 1;
}

/* Loads and stores too, and what HIP's runtime calls: a tool in the process chooses by
 * function. */
static inline bool hsa_wants_all(void)
{
	return hsa_wanted(TANDEM_HSA_all) || tandem_local;
}

static inline bool hsa_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(hsa) && tandem_capture_is_enabled() &&
	       !hsa_in_tool && !atomic_load_explicit(&hsa_disabled, memory_order_relaxed);
}

/* What HIP's runtime reports, it does by HSA: then HSA has nothing to add, unless all is
 * asked for. */
bool hsa_is_below(void);

#endif
