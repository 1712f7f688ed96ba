/* SPDX-License-Identifier: MIT */
/* The function that a wrapper of the same name stands before: programs bind to ours, because this
 * library is preloaded, and we call the one that they would have got.
 *
 *	static const char *const libraries[] = {"libhsakmt.so", NULL};
 *
 *	real = tandem_next_symbol("hsaKmtOpenKFD", libraries);
 *
 * Any thread; takes the loader's locks: once a function, and never in a signal handler of ours. */
#ifndef TANDEM_CORE_NEXT_SYMBOL_H
#define TANDEM_CORE_NEXT_SYMBOL_H

#include <stdbool.h>

/* The next one in the order of the program's libraries. Where there is none, that of a library
 * that was loaded for somebody alone (a plugin, a Python module), whose file's name begins with
 * one of `libraries` ("": whatever its name is): of the first such that has it, and not from this
 * library itself. It stays loaded. NULL: there is none. errno is left as it is. */
void *tandem_next_symbol(const char *name, const char *const *libraries);

/* Whether there is a library that may have more than the C library's own: without one, to look
 * for a symbol takes 20 us to find nothing. */
bool tandem_libraries_loaded(void);

/* The library in which an address is, to ask for others of its names: NULL where it has none. It
 * stays loaded. */
void *tandem_library_of(const void *address);

#endif
