/* SPDX-License-Identifier: MIT */
#include "tracer/keep.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void keep_library(const void *function)
{
	Dl_info info;

	/* The program itself is kept anyway; its name is no library's. */
	if (function && dladdr(function, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void keep_exit_handler(void (*handler)(void))
{
	atexit(handler);
}
