/* SPDX-License-Identifier: MIT */
/* Functions of libtandem.so for a small library next to it that a runtime loads, and that must
 * not need libtandem.so to be loaded itself. */
#ifndef TANDEM_CORE_FIND_LIBRARY_H
#define TANDEM_CORE_FIND_LIBRARY_H

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A function of libtandem.so: it is there already, but where the program has taken it out
 * of LD_PRELOAD. NULL: it can't be loaded now. */
static inline void *tandem_find(const char *name)
{
	static const char here;
	char path[PATH_MAX];
	void *function = dlsym(RTLD_DEFAULT, name), *library;
	const char *slash;
	Dl_info self;

	if (function || !dladdr(&here, &self))
		return function;
	slash = strrchr(self.dli_fname, '/');
	if (!slash || snprintf(path, sizeof(path), "%.*s/" TANDEM_LIBRARY_NAME,
			       (int)(slash - self.dli_fname), self.dli_fname) >= (int)sizeof(path))
		return NULL;
	library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	return library ? dlsym(library, name) : NULL;
}

#endif
