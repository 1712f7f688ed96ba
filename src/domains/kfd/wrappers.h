/* SPDX-License-Identifier: MIT */
/* What the wrappers call (gen/wrappers.c), which have the names of libhsakmt's functions: in a
 * preloaded library they stand before it. */
#ifndef TANDEM_DOMAINS_KFD_WRAPPERS_H
#define TANDEM_DOMAINS_KFD_WRAPPERS_H

#include <stdbool.h>

#include "core/capture.h"
#include "core/control.h"
#include "domains/kfd/call.h"
#include "domains/kfd/functions.h"
#include "domains/kfd/symbol.h"

static inline void (*kfd_real(uint32_t function))(void)
{
	return kfd_symbol(function);
}

/* There is no other way in. */
static inline bool kfd_by_symbol(void)
{
	return true;
}

static inline bool kfd_wrapped_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(kfd) && tandem_capture_is_enabled();
}

#endif
