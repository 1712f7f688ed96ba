/* SPDX-License-Identifier: MIT */
/* A program whose work is in a library: it is linked to it, or, with LATE, loads the library that
 * its argument names, for itself alone. WORK is the function. */
#include <dlfcn.h>
#include <stddef.h>

#define TEXT_(word) #word
#define TEXT(word) TEXT_(word)

int WORK(void);

int main(int argc, char **argv)
{
#ifdef LATE
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*work)(void) = NULL;

	if (library)
		*(void **)&work = dlsym(library, TEXT(WORK));
	return work ? work() : 9;
#else
	(void)argc, (void)argv;
	return WORK();
#endif
}
