/* SPDX-License-Identifier: MIT */
/* libtandem-rocprofiler.so: what rocprofiler-register loads, which ROCm's runtimes hand
 * their dispatch tables to, and which looks for this one function (its public headers and
 * those of rocprofiler-sdk). A library of its own, named in ROCPROFILER_REGISTER_LIBRARY:
 * it is loaded for everybody to see, and a program that looks for rocprofiler-sdk's
 * functions must not find libtandem.so's.
 *
 * What was to be loaded instead gets the tables after us, with our functions in them.
 *
 * It needs no libtandem.so to be loaded: where rocprofiler-register can't load the library
 * that the variable names, it ends the program. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/hip/attach/rocprofiler.h"

#define EXPORT __attribute__((visibility("default")))

typedef int set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			  uint64_t count);

EXPORT set_api_table rocprofiler_set_api_table;

/* A function of libtandem.so: it is there already, but where the program has taken it out
 * of LD_PRELOAD. NULL: it can't be loaded now. */
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

static set_api_table *other_find(void)
{
	void (*failed)(void) = NULL;
	const char *path = getenv(TANDEM_ENV_ROCPROFILER), *tools = getenv("ROCP_TOOL_LIBRARIES");
	set_api_table *other = NULL;
	void *library;

	if (!path || !*path) {
		if ((!tools || !*tools) && !dlsym(RTLD_DEFAULT, "rocprofiler_configure"))
			return NULL;
		path = "librocprofiler-sdk.so";
	}
	library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	if (library)
		*(void **)&other = dlsym(library, "rocprofiler_set_api_table");
	if (!other)
		*(void **)&failed = tandem_find("tandem_rocprofiler_chain_failed");
	if (failed)
		failed();
	return other;
}

/* 0: done. Anything else would be an error that rocprofiler-register reports. */
int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count)
{
	static set_api_table *other;
	static void (*take)(const char *name, void *table);
	static int looked;

	if (!name || !tables || !count)
		return 0;
	if (!looked) {
		looked = 1;
		*(void **)&take = tandem_find("tandem_rocprofiler_table");
		other = other_find();
	}
	if (take && !instance)
		take(name, tables[0]);
	return other && other != rocprofiler_set_api_table
		       ? other(name, version, instance, tables, count)
		       : 0;
}
