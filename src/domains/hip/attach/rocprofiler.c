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
#include <stdint.h>
#include <stdlib.h>

#include "core/find_library.h"
#include "domains/hip/attach/rocprofiler.h"

#define EXPORT __attribute__((visibility("default")))

typedef int set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			  uint64_t count);

EXPORT set_api_table rocprofiler_set_api_table;

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
