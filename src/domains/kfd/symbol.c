/* SPDX-License-Identifier: MIT */
#include "domains/kfd/symbol.h"

#include <stddef.h>

#include "core/looked_up.h"
#include "core/next_symbol.h"
#include "domains/kfd/functions.h"

#define NOT_IMPLEMENTED 10 /* HSAKMT_STATUS_NOT_IMPLEMENTED */

void (*_Atomic kfd_symbols[KFD_SYMBOLS])(void);

static int32_t missing(void)
{
	return NOT_IMPLEMENTED;
}

/* One that is missing is looked for again: its library may be loaded yet. */
void (*kfd_symbol_find(uint32_t function))(void)
{
	static const char *const libraries[] = {"libhsakmt.so", NULL};
	void (*symbol)(void) = NULL;

	*(void **)&symbol = tandem_next_symbol(kfd_function_names[function], libraries);
	if (!symbol)
		return (void (*)(void))missing;
	atomic_store(&kfd_symbols[function], symbol);
	return symbol;
}

bool kfd_looked_up(const char *name, void *function)
{
	return tandem_looked_up(kfd_function_names, kfd_function_count, kfd_symbols, name,
				function);
}
