/* SPDX-License-Identifier: MIT */
/* Whether the program's own marks let the recording be on (`tandem record --capture`):
 * always, unless the session is bounded by them; then only in between. For domains that
 * can be switched while the program runs. Marks come in any thread.
 *
 *	tandem_capture_begin();              // when the domain is set up
 *	...
 *	tandem_capture_set(true);            // the mark that opens the recording
 */
#ifndef TANDEM_CORE_CAPTURE_H
#define TANDEM_CORE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/control.h"

extern _Atomic uint32_t tandem_capture_enabled __attribute__((visibility("hidden")));

static inline bool tandem_capture_is_enabled(void)
{
	return atomic_load_explicit(&tandem_capture_enabled, memory_order_relaxed);
}

/* Whether the session is bounded by marks. */
static inline bool tandem_capture_is_bounded(void)
{
	return tandem_unlikely(tandem_control.capture[0]);
}

/* Closes it when the session is bounded: once, whichever domain comes first. */
void tandem_capture_begin(void);

/* Domains are told by their hook `switched` (core/domain.h), in the thread of the mark. */
void tandem_capture_set(bool enabled);

#endif
