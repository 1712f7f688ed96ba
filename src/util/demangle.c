/* SPDX-License-Identifier: MIT */
#include "util/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The Itanium C++ ABI, 3.4. */
typedef char *(*cxa_demangle)(const char *name, char *buffer, size_t *bytes, int *status);

static cxa_demangle demangler(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
	static bool looked;
	static union {
		void *object;
		cxa_demangle function;
	} found;

	for (size_t i = 0; !looked && !found.object && i < sizeof(libraries) / sizeof(*libraries);
	     i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY);

		if (library)
			found.object = dlsym(library, "__cxa_demangle");
	}
	looked = true;
	return found.function;
}

char *demangle(const char *name)
{
	int status;

	if (strncmp(name, "_Z", 2) != 0 || !demangler())
		return NULL;
	return demangler()(name, NULL, NULL, &status);
}
