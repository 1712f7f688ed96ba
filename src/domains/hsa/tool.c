/* SPDX-License-Identifier: MIT */
/* libtandem-hsa.so: what HSA's runtime loads when it is initialised, by HSA_TOOLS_LIB, and
 * calls OnLoad() of with its tables. A library of its own: a preloaded one must not export
 * such a name. It needs no libtandem.so to be loaded, and does nothing without it. */
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT bool OnLoad(void *tables, uint64_t version, uint64_t failed_count,
		   const char *const *failed);
EXPORT void OnUnload(void);

static void *tandem_find(const char *name)
{
	char path[PATH_MAX];
	void *function = dlsym(RTLD_DEFAULT, name), *library;
	const char *slash;
	Dl_info self;

	if (function || !dladdr((void *)tandem_find, &self))
		return function;
	slash = strrchr(self.dli_fname, '/');
	if (!slash || snprintf(path, sizeof(path), "%.*s/" TANDEM_LIBRARY_NAME,
			       (int)(slash - self.dli_fname), self.dli_fname) >= (int)sizeof(path))
		return NULL;
	library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	return library ? dlsym(library, name) : NULL;
}

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
