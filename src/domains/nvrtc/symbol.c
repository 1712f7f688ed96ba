/* SPDX-License-Identifier: MIT */
#include "domains/nvrtc/symbol.h"

#include <stddef.h>

#include "core/next_symbol.h"
#include "domains/nvrtc/functions.h"
#include "domains/nvrtc/status.h"

void (*_Atomic nvrtc_symbols[NVRTC_SYMBOLS])(void);

static int32_t missing(void)
{
	return NVRTC_ERROR_INTERNAL_ERROR;
}

/* One that is missing is looked for again: its library may be loaded yet. */
void (*nvrtc_symbol_find(uint32_t function))(void)
{
	/* The second is what Python's wheels make of the name, with a hash. */
	static const char *const libraries[] = {"libnvrtc.", "libnvrtc-", NULL};
	void (*symbol)(void) = NULL;

	*(void **)&symbol = tandem_next_symbol(nvrtc_function_names[function], libraries);
	if (!symbol)
		return (void (*)(void))missing;
	/* What is called by its address must not be unloaded. */
	tandem_library_of((const void *)symbol);
	atomic_store(&nvrtc_symbols[function], symbol);
	return symbol;
}
