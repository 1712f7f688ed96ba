/* SPDX-License-Identifier: MIT */
#include "util/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The Itanium C++ ABI, 3.4. */
/* How the C++ runtime writes _ZTS. */
#define TYPE_WORDS "typeinfo name for "

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

const char *demangled_type(const char *name)
{
	size_t bytes = strlen(TYPE_WORDS);

	return strncmp(name, TYPE_WORDS, bytes) ? name : name + bytes;
}

char *demangle(const char *name)
{
	char *words, *type;
	int status;

	if (strncmp(name, "_Z", 2) != 0 || !demangler())
		return NULL;
	words = demangler()(name, NULL, NULL, &status);
	if (words && (type = (char *)demangled_type(words)) != words)
		memmove(words, type, strlen(type) + 1);
	return words;
}
