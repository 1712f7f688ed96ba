/* SPDX-License-Identifier: MIT */
/* libtandem-hsa.so: what HSA's runtime loads when it is initialised, by HSA_TOOLS_LIB, and
 * calls OnLoad() of with its tables. A library of its own: a preloaded one must not export
 * such a name. It needs no libtandem.so to be loaded, and does nothing without it. */
#include <stdbool.h>
#include <stdint.h>

#include "core/find_library.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT bool OnLoad(void *tables, uint64_t version, uint64_t failed_count,
		   const char *const *failed);
EXPORT void OnUnload(void);

/* true: the tool stays loaded. */
bool OnLoad(void *tables, uint64_t version, uint64_t failed_count, const char *const *failed)
{
	void (*loaded)(void *) = NULL;

	(void)version;
	(void)failed_count;
	(void)failed;
	*(void **)&loaded = tandem_find("tandem_hsa_loaded");
	if (loaded)
		loaded(tables);
	return true;
}

void OnUnload(void)
{
}
