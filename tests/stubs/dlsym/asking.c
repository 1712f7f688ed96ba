/* SPDX-License-Identifier: MIT */
/* A library that looks symbols up, for whom RTLD_DEFAULT and RTLD_NEXT mean what they mean for no
 * other: opened for one alone, it finds what it needs, and what stands behind it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "needed.h"

int asking_word(void);

/* needed_word() of the library itself, which stands before the needed one's. */
__attribute__((visibility("default"))) int needed_word(void)
{
	return 1;
}

static int word_of(void *library)
{
	int (*word)(void) = NULL;

	*(void **)&word = dlsym(library, "needed_word");
	return word ? word() : 0;
}

/* Its file's path differs from machine to machine. */
static const char *error_end(void)
{
	const char *error = dlerror(), *end = error;

	for (const char *c = error; c && *c; c++)
		end = *c == ':' ? c : end;
	return end ? end : "none";
}

static void look(void *library, const char *name)
{
	errno = EUCLEAN;
	printf("%s: %d", name, dlsym(library, name) != NULL);
	printf(" %d%s\n", errno == EUCLEAN, error_end());
}

__attribute__((visibility("default"))) int asking_word(void)
{
	void *opened = dlopen("libtandem-needed-nowhere.so", RTLD_LAZY);
	void *program = dlopen(NULL, RTLD_LAZY);

	printf("opened %d\n", opened != NULL);
	printf("default %d, next %d, program %d\n", word_of(RTLD_DEFAULT), word_of(RTLD_NEXT),
	       word_of(program));
	look(RTLD_DEFAULT, "needed_only");
	look(RTLD_NEXT, "needed_only");
	look(program, "needed_only");
	look(RTLD_DEFAULT, "no_such_symbol");
	look(program, "nvrtcNoSuch");
	look(program, "");
	return needed_only() == 3 ? 0 : 9;
}
