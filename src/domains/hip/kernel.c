/* SPDX-License-Identifier: MIT */
#include "domains/hip/kernel.h"

#include <stdatomic.h>
#include <stddef.h>

#include "core/call/kernel_name.h"
#include "core/object.h"
#include "core/process.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/calls/thread.h"

#define CACHE_SLOTS 4096u

static struct {
	const void *_Atomic address;
	_Atomic uint64_t number; /* below the statedump in which it was described */
} cache[CACHE_SLOTS];

static _Atomic uint32_t changes;

void hip_kernels_changed(void)
{
	atomic_fetch_add(&changes, 1);
}

static uint32_t now(void)
{
	return (tandem_process_statedump() << 8) +
	       atomic_load_explicit(&changes, memory_order_relaxed);
}

static const char *name_of(const void *address, bool is_symbol)
{
	const char *name = NULL;

	hip_in_tool_begin();
	if (is_symbol && hip_runtime.hipKernelNameRefByPtr)
		name = hip_runtime.hipKernelNameRefByPtr(address, NULL);
	else if (!is_symbol && hip_runtime.hipKernelNameRef)
		name = hip_runtime.hipKernelNameRef(address);
	hip_in_tool_end();
	return name;
}

static uint32_t kernel_of(const void *address, bool is_symbol)
{
	uint32_t slot = (uint32_t)(((uintptr_t)address * 0x9e3779b97f4a7c15u) >> 52) % CACHE_SLOTS;
	uint32_t valid = now(), number;
	uint64_t found;

	if (!address)
		return 0;
	found = atomic_load(&cache[slot].number);
	if (tandem_likely(atomic_load(&cache[slot].address) == address && found >> 32 == valid &&
			  atomic_load(&cache[slot].number) == found))
		return (uint32_t)found;
	number = tandem_kernel_named(TANDEM_DOMAIN_hip, name_of(address, is_symbol));
	atomic_store(&cache[slot].address, NULL);
	atomic_store(&cache[slot].number, (uint64_t)valid << 32 | number);
	atomic_store(&cache[slot].address, address);
	return number;
}

uint32_t hip_kernel_of_symbol(const void *symbol)
{
	return kernel_of(symbol, true);
}

uint32_t hip_kernel_of_function(const void *function)
{
	return kernel_of(function, false);
}
