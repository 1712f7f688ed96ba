/* SPDX-License-Identifier: MIT */
/*
 * Whether the subscribers are loaded, which the first call of most functions does. Any thread.
 */
#ifndef XPTI_FRAMEWORK_H
#define XPTI_FRAMEWORK_H

#include <stdatomic.h>

enum { NOT_LOADED, LOADING, LOADED };

extern _Atomic int framework_loaded __attribute__((visibility("hidden")));

__attribute__((cold, noinline)) void framework_load(void);

static inline void ready(void)
{
	if (__builtin_expect(
		    atomic_load_explicit(&framework_loaded, memory_order_acquire) != LOADED, 0))
		framework_load();
}

#endif
