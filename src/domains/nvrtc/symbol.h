/* SPDX-License-Identifier: MIT */
/* libnvrtc's own functions, which the wrappers call. Found when they are first called: libnvrtc may
 * be loaded late, by a library of the program's. Any thread. */
#ifndef TANDEM_DOMAINS_NVRTC_SYMBOL_H
#define TANDEM_DOMAINS_NVRTC_SYMBOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/stream.h"

#define NVRTC_SYMBOLS 128u
extern void (*_Atomic nvrtc_symbols[NVRTC_SYMBOLS])(void);

/* Never NULL: where no library has the function, as an older one, it is one that returns
 * NVRTC_ERROR_INTERNAL_ERROR and stores nothing. */
void (*nvrtc_symbol_find(uint32_t function))(void);

/* struct domain, looked_up. */
bool nvrtc_looked_up(const char *name, void *function);

static inline void (*nvrtc_symbol(uint32_t function))(void)
{
	void (*symbol)(void) = atomic_load_explicit(&nvrtc_symbols[function], memory_order_relaxed);

	return tandem_likely(symbol) ? symbol : nvrtc_symbol_find(function);
}

#endif
