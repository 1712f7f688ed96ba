/* SPDX-License-Identifier: MIT */
#include "domains/nvrtc/symbol.h"

#include <stddef.h>

#include "core/looked_up.h"
#include "core/next_symbol.h"
#include "domains/nvrtc/functions.h"
#include "domains/nvrtc/status.h"

void (*_Atomic nvrtc_symbols[NVRTC_SYMBOLS])(void);

static int32_t missing(void)
{
	return NVRTC_ERROR_INTERNAL_ERROR;
}

/* Programs are linked to libnvrtc, to one that Python's wheels have given a hash in its name, or to a
 * library of another name that has its functions and loads it when they are called (TileLang's
 * libnvrtc_stub). */
static void *symbol_look(const char *name)
{
	static const char *const libraries[] = {"libnvrtc", NULL}, *const any[] = {"", NULL};
	void *symbol = tandem_next_symbol(name, libraries);

	return symbol ? symbol : tandem_next_symbol(name, any);
}

/* One that is missing is looked for again: its library may be loaded yet. */
void (*nvrtc_symbol_find(uint32_t function))(void)
{
	void (*symbol)(void) = NULL;

	*(void **)&symbol = symbol_look(nvrtc_function_names[function]);
	if (!symbol)
		return (void (*)(void))missing;
	/* What is called by its address must not be unloaded. */
	tandem_library_of((const void *)symbol);
	atomic_store(&nvrtc_symbols[function], symbol);
	return symbol;
}

bool nvrtc_looked_up(const char *name, void *function)
{
	return tandem_looked_up(nvrtc_function_names, nvrtc_function_count, nvrtc_symbols, name,
				function);
}
