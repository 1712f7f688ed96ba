/* SPDX-License-Identifier: MIT */
/* What the wrappers call (gen/wrappers.c), which have the names of libnvrtc's functions: in a
 * preloaded library they stand before it. */
#ifndef TANDEM_DOMAINS_NVRTC_WRAPPERS_H
#define TANDEM_DOMAINS_NVRTC_WRAPPERS_H

#include <stdbool.h>

#include "core/capture.h"
#include "core/control.h"
#include "domains/nvrtc/call.h"
#include "domains/nvrtc/functions.h"
#include "domains/nvrtc/symbol.h"

static inline void (*nvrtc_real(uint32_t function))(void)
{
	return nvrtc_symbol(function);
}

/* There is no other way in. */
static inline bool nvrtc_by_symbol(void)
{
	return true;
}

static inline bool nvrtc_wrapped_recording(void)
{
	return tandem_recording() & TANDEM_DOMAIN_BIT(nvrtc) && tandem_capture_is_enabled();
}

#endif
