/* SPDX-License-Identifier: MIT */
/* A program that opens for everybody the library that its argument names, works with it, closes it, and
 * does so again, when it no longer lies where it was. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE 4096u

static uintptr_t work_once(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL), *compile;
	int (*work)(void) = NULL;

	if (!library)
		return 0;
	*(void **)&work = dlsym(library, "nvrtc_work");
	compile = dlsym(library, "nvrtcCompileProgram");
	if (!work || work())
		return 0;
	return dlclose(library) ? 0 : (uintptr_t)compile / PAGE * PAGE;
}

int main(int argc, char **argv)
{
	uintptr_t first = argc > 1 ? work_once(argv[1]) : 0;

	if (!first)
		return 9;
	/* Taken, unless it is there still. */
	mmap((void *)first, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
	     0);
	return work_once(argv[1]) ? 0 : 9;
}
