/* SPDX-License-Identifier: MIT */
#include "core/next_symbol.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

struct search {
	const char *const *libraries;
	const char *path;
	unsigned skip; /* so many that match */
};

static int library_look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	for (const char *const *library = search->libraries; slash && *library; library++) {
		if (strncmp(slash + 1, *library, strlen(*library)))
			continue;
		search->path = info->dlpi_name;
		return !search->skip--;
	}
	return 0;
}

/* The program itself and the vdso have no path. */
static int library_other(struct dl_phdr_info *info, size_t size, void *nothing)
{
	static const char *const own[] = {"ld-linux", "libc.so", "libtandem.so"};
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)nothing;
	for (size_t i = 0; slash && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(slash + 1, own[i], strlen(own[i])))
			return 0;
	return slash != NULL;
}

bool tandem_libraries_loaded(void)
{
	return dl_iterate_phdr(library_other, NULL);
}

static void *opened(const char *path)
{
	return path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* A library that is linked to this one has our functions, too. */
static bool is_own(const void *address)
{
	static const char here;
	Dl_info info, own;

	return dladdr(address, &info) && dladdr(&here, &own) && info.dli_fbase == own.dli_fbase;
}

/* NULL: it has none, and is held no longer. */
static void *symbol_in(const char *path, const char *name)
{
	void *library = opened(path);
	void *symbol = library ? dlsym(library, name) : NULL;

	if (symbol && !is_own(symbol))
		return symbol;
	if (library)
		dlclose(library);
	return NULL;
}

void *tandem_next_symbol(const char *name, const char *const *libraries)
{
	struct search search = {libraries, NULL, 0};
	int saved = errno;
	void *next = dlsym(RTLD_NEXT, name);

	/* What has the beginning of the name may be a helper of the library. */
	for (unsigned skip = 0; !next && dl_iterate_phdr(library_look, &search); skip++) {
		next = symbol_in(search.path, name);
		search.skip = skip + 1;
	}
	errno = saved;
	return next;
}

void *tandem_library_of(const void *address)
{
	int saved = errno;
	Dl_info info;
	void *library = dladdr(address, &info) ? opened(info.dli_fname) : NULL;

	errno = saved;
	return library;
}
