/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "core/looked_up.h"
#include "core/next_symbol.h"
#include "domains/hip/attach/runtime.h"
#include "domains/hip/functions.h"
#include "schema/gen/hip_records.h"

#define NOT_SUPPORTED 801 /* hipErrorNotSupported */

void (*_Atomic hip_symbols[HIP_SYMBOLS])(void);
_Atomic uint32_t hip_symbols_way;

static const char *const libraries[] = {"libamdhip64.so", "libCHIP.so", NULL};

static int32_t missing(void)
{
	return NOT_SUPPORTED;
}

static uintptr_t missing_value(void)
{
	return 0;
}

/* One that is missing is looked for again: its library may be loaded yet. */
void (*hip_symbol_find(uint32_t function))(void)
{
	void (*symbol)(void) = NULL;

	*(void **)&symbol = tandem_next_symbol(hip_function_names[function], libraries);
	if (!symbol)
		return hip_functions[function].flags & ARGUMENTS_NO_STATUS
			       ? (void (*)(void))missing_value
			       : (void (*)(void))missing;
	atomic_store(&hip_symbols[function], symbol);
	return symbol;
}

/* By callbacks, or by the tables that rocprofiler-register hands out. */
static bool offers_registration(void *library)
{
	static const char *const ways[] = {"hipRegisterTracerCallback", "hipRegisterApiCallback"};

	for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (dlsym(library, ways[i]))
			return true;
	return dlsym(RTLD_DEFAULT, "rocprofiler_register_library_api_table") != NULL;
}

bool hip_symbols_attach(void)
{
	void *known = tandem_next_symbol("hipGetDeviceCount", libraries), *library;
	uint32_t way = HIP_SYMBOLS_UNKNOWN;
	int saved = errno;

	library = known ? tandem_library_of(known) : NULL;
	if (!library)
		return false;
	if (offers_registration(library)) {
		atomic_compare_exchange_strong(&hip_symbols_way, &way, HIP_SYMBOLS_PASSED);
		errno = saved;
		return false;
	}
	hip_runtime_take(known, library);
	hip_runtime_recorded_by(TANDEM_HIP_GENERATION_symbols, false, 0);
	atomic_compare_exchange_strong(&hip_symbols_way, &way, HIP_SYMBOLS_WRAPPED);
	errno = saved;
	return true;
}

bool hip_looked_up(const char *name, void *function)
{
	return hip_by_symbol() && tandem_looked_up(hip_function_names, hip_function_count,
						   hip_symbols, name, function);
}
