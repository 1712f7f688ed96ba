/* SPDX-License-Identifier: MIT */
/* A program of libhsakmt's: `program` is linked to it, `program-late LIBRARY` loads, for itself
 * alone, a library that is. */
#include <dlfcn.h>
#include <stddef.h>

#include "work.h"

int main(int argc, char **argv)
{
#ifdef LATE
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*work)(void) = NULL;

	if (library)
		*(void **)&work = dlsym(library, "kfd_work");
	return work ? work() : 9;
#else
	(void)argc, (void)argv;
	return kfd_work();
#endif
}
