/* SPDX-License-Identifier: MIT */
/* For programs that look their runtime's functions up: in the library that LOOKUP_LIBRARY names,
 * which they open for themselves alone. A runtime's header includes it where LOOKUP is defined:
 *
 *	#define hsaKmtOpenKFD LOOKED_UP(hsaKmtOpenKFD)
 */
#ifndef TANDEM_TESTS_STUBS_LOOKUP_H
#define TANDEM_TESTS_STUBS_LOOKUP_H

#include <dlfcn.h>
#include <stdlib.h>

#define LOOKED_UP(name) (*__extension__(__typeof__(&name)) looked_up(#name))

/* Ends the program where there is none. */
static inline void *looked_up(const char *name)
{
	static void *library;
	void *symbol;

	if (!library)
		library = dlopen(getenv("LOOKUP_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
	symbol = library ? dlsym(library, name) : NULL;
	if (!symbol)
		exit(9);
	return symbol;
}

#endif
