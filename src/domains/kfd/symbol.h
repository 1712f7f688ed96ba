/* SPDX-License-Identifier: MIT */
/* libhsakmt's own functions, which the wrappers call. Found when they are first called: libhsakmt
 * may be loaded late, with HSA's runtime. Any thread. */
#ifndef TANDEM_DOMAINS_KFD_SYMBOL_H
#define TANDEM_DOMAINS_KFD_SYMBOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/stream.h"

#define KFD_SYMBOLS 512u
extern void (*_Atomic kfd_symbols[KFD_SYMBOLS])(void);

/* Never NULL: where no library has the function, one that returns
 * HSAKMT_STATUS_NOT_IMPLEMENTED. */
void (*kfd_symbol_find(uint32_t function))(void);

/* struct domain, looked_up. */
bool kfd_looked_up(const char *name, void *function);

static inline void (*kfd_symbol(uint32_t function))(void)
{
	void (*symbol)(void) = atomic_load_explicit(&kfd_symbols[function], memory_order_relaxed);

	return tandem_likely(symbol) ? symbol : kfd_symbol_find(function);
}

#endif
