/* SPDX-License-Identifier: MIT */
#include "view/serve/microhttpd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct microhttpd microhttpd;

static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

int microhttpd_load(void)
{
	/* MICROHTTPD_SONAME: of the library that this was built with. */
	void *library = dlopen(MICROHTTPD_SONAME, RTLD_NOW | RTLD_LOCAL);
	bool whole = library;

#define X(name) whole = whole && find(library, "MHD_" #name, &microhttpd.name);
	MICROHTTPD_FUNCTIONS(X)
#undef X
	return whole ? 0 : -ELIBACC;
}
