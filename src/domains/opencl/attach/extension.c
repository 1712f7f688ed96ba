/* SPDX-License-Identifier: MIT */
/* Functions that a driver hands out by name. Each platform may hand out its
 * own, so a wrapper exists in a few variants, each going on at one driver's
 * function; a name with more drivers than that is handed out unwrapped, and
 * its calls are not seen. */
#include <errno.h>
#include <string.h>

#include "core/call/call.h"
#include "domains/opencl/cl.h"
#include "domains/opencl/gen/custom.h"
#include "domains/opencl/gen/records.h"

#include "domains/opencl/recording.h"

static int fn_find(const char *name)
{
	for (int fn = 0; fn < OPENCL_FN_COUNT; fn++)
		if (!strcmp(opencl_fn_names[fn], name))
			return fn;
	return -1;
}

static void *wrap_extension(int fn, void *real)
{
	unsigned index = (unsigned)fn - OPENCL_FN_FIRST_EXTENSION;

	for (int slot = 0; slot < OPENCL_SLOTS; slot++) {
		void *none = NULL;

		if (__atomic_compare_exchange_n(&opencl_ext_real[slot].all[index], &none, real, 0,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
		    none == real)
			return opencl_ext_wrap[slot][index];
	}
	return real;
}

/* What the program gets in place of the driver's `real`. */
static void *wrap_found(const char *name, void *real)
{
	int fn = real && name ? fn_find(name) : -1;

	if (fn < 0)
		return real;
	if (opencl_fn_extension[fn])
		return wrap_extension(fn, real);
	/* A function of the loader's table: its wrapper goes on by the object. */
	return opencl_wraps[fn] ? opencl_wraps[fn] : real;
}

void *opencl_custom_clGetExtensionFunctionAddress(opencl_pfn_clGetExtensionFunctionAddress real,
						  const void *func_name)
{
	struct tandem_call call = {.record = NULL};
	void *found;

	if (opencl_recording())
		opencl_begin_clGetExtensionFunctionAddress(&call, func_name);
	found = real(func_name);
	opencl_end_pointer(&call, 0, tandem_ticks(), (uint64_t)(uintptr_t)found, found);
	return wrap_found(func_name, found);
}

void *opencl_custom_clGetExtensionFunctionAddressForPlatform(
	opencl_pfn_clGetExtensionFunctionAddressForPlatform real, void *platform,
	const void *func_name)
{
	struct tandem_call call = {.record = NULL};
	void *found;

	if (opencl_recording())
		opencl_begin_clGetExtensionFunctionAddressForPlatform(&call, platform, func_name);
	found = real(platform, func_name);
	opencl_end_pointer(&call, 0, tandem_ticks(), (uint64_t)(uintptr_t)found, found);
	return wrap_found(func_name, found);
}
