/* SPDX-License-Identifier: MIT */
/* The fourth way in: wrappers that have the names of HIP's functions and, in a preloaded library,
 * stand before them. For a runtime that offers no registration (chipStar's libCHIP.so); what calls
 * of any other pass through. The runtime may be loaded late. Any thread. */
#ifndef TANDEM_DOMAINS_HIP_SYMBOLS_H
#define TANDEM_DOMAINS_HIP_SYMBOLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/stream.h"

#define HIP_SYMBOLS 1024u

enum hip_symbols_way { HIP_SYMBOLS_UNKNOWN, HIP_SYMBOLS_WRAPPED, HIP_SYMBOLS_PASSED };

#pragma GCC visibility push(hidden)
extern void (*_Atomic hip_symbols[HIP_SYMBOLS])(void);
extern _Atomic uint32_t hip_symbols_way;
#pragma GCC visibility pop

/* Finds out which runtime the program's calls come to, once there is one: whether they are
 * recorded here. */
bool hip_symbols_attach(void);

/* Never NULL: where no library has the function, one that returns hipErrorNotSupported, or 0
 * where it returns no status. */
void (*hip_symbol_find(uint32_t function))(void);

/* struct domain, looked_up. */
bool hip_looked_up(const char *name, void *function);

static inline bool hip_by_symbol(void)
{
	uint32_t way = atomic_load_explicit(&hip_symbols_way, memory_order_relaxed);

	return tandem_unlikely(way == HIP_SYMBOLS_UNKNOWN) ? hip_symbols_attach()
							   : way == HIP_SYMBOLS_WRAPPED;
}

/* The runtime's own, by the number of its event. */
static inline void (*hip_symbol(uint32_t function))(void)
{
	void (*symbol)(void) = atomic_load_explicit(&hip_symbols[function], memory_order_relaxed);

	return tandem_likely(symbol) ? symbol : hip_symbol_find(function);
}

#endif
