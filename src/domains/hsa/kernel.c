/* SPDX-License-Identifier: MIT */
#include "domains/hsa/kernel.h"

#include <string.h>

#include "core/call/kernel_name.h"
#include "core/object.h"
#include "core/pool.h"
#include "domains/hsa/abi.h"
#include "domains/hsa/functions.h"
#include "domains/hsa/gen/ids.h"
#include "domains/hsa/state.h"

#define NAME_BYTES 4096u

static struct tandem_pool names = TANDEM_POOL(NAME_BYTES);

static bool symbol_info(uint64_t symbol, uint32_t what, void *value)
{
	return !HSA_CALL(hsa_executable_symbol_get_info, int32_t,
			 (uint64_t, uint32_t, void *))(symbol, what, value);
}

/* NAME.kd is the descriptor of NAME. */
static void name_shorten(char *name, uint32_t bytes)
{
	name[bytes] = 0;
	if (bytes > 3 && !strcmp(name + bytes - 3, ".kd"))
		name[bytes - 3] = 0;
}

/* The name is kept for good, under the handle: pauses and resumes ask for it again. */
static int32_t symbol_found(uint64_t executable, uint64_t symbol, void *unused)
{
	uint32_t type = 0, bytes = 0;
	uint64_t object = 0;
	char *name;

	(void)executable;
	(void)unused;
	if (!symbol_info(symbol, HSA_SYMBOL_TYPE, &type) || type != HSA_SYMBOL_KERNEL ||
	    !symbol_info(symbol, HSA_SYMBOL_NAME_LENGTH, &bytes) || !bytes || bytes >= NAME_BYTES ||
	    !symbol_info(symbol, HSA_SYMBOL_OBJECT, &object))
		return 0;
	name = tandem_pool_take(&names);
	if (!name)
		return 0;
	if (symbol_info(symbol, HSA_SYMBOL_NAME, name)) {
		name_shorten(name, bytes);
		tandem_handle_set(TANDEM_KIND(hsa, program), (const void *)(uintptr_t)object,
				  (uintptr_t)name);
	} else {
		tandem_pool_give(&names, name);
	}
	return 0;
}

void hsa_kernels_loaded(uint64_t executable)
{
	if (!hsa_has(HSA_ID_hsa_executable_iterate_symbols) ||
	    !hsa_has(HSA_ID_hsa_executable_symbol_get_info))
		return;
	hsa_in_tool++;
	HSA_CALL(hsa_executable_iterate_symbols, int32_t,
		 (uint64_t, int32_t(*)(uint64_t, uint64_t, void *), void *))
	(executable, symbol_found, NULL);
	hsa_in_tool--;
}

uint32_t hsa_kernel(uint64_t kernel_object)
{
	uint64_t name = tandem_handle_get(TANDEM_KIND(hsa, program),
					  (const void *)(uintptr_t)kernel_object);

	return tandem_kernel_named(TANDEM_DOMAIN_hsa, (const char *)(uintptr_t)name);
}
