/* SPDX-License-Identifier: MIT */
/* The runtime's own functions that a domain's wrappers call, where the program looked one up with
 * dlsym() (struct domain, looked_up): all come from the library that it was looked up in.
 *
 *	static bool looked_up(const char *name, void *function)
 *	{
 *		return tandem_looked_up(nvrtc_function_names, nvrtc_function_count, nvrtc_symbols,
 *					name, function);
 *	}
 */
#ifndef TANDEM_CORE_LOOKED_UP_H
#define TANDEM_CORE_LOOKED_UP_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the wrapper of `name` calls `function`; symbols[i] is what that of names[i] calls, NULL
 * where it has to be found yet. Where none was found, those of the function's library are stored, and
 * it stays loaded. A second library of such names is nobody's. Any thread. */
bool tandem_looked_up(const char *const *names, uint32_t count, void (*_Atomic *symbols)(void),
		      const char *name, void *function);

#endif
