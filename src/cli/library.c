#include "cli/library.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool try_path(struct library *library, const char *path)
{
	size_t length = strlen(library->looked);

	snprintf(library->looked + length, sizeof(library->looked) - length, "%s%s",
		 length ? ", " : "", path);
	return realpath(path, library->path) && !access(library->path, R_OK);
}

static bool try_formatted(struct library *library, int bytes, const char *start, const char *rest)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%.*s/%s", bytes, start, rest) >= (int)sizeof(path))
		return false;
	return try_path(library, path);
}

/* prefix/bin/tandem -> prefix/lib/libtandem.so.0, wherever the prefix now is. */
static bool try_moved_prefix(struct library *library, const char *folder)
{
	size_t length = strlen(folder);
	size_t bin = strlen(TANDEM_BINDIR);

	if (TANDEM_LIBDIR[0] == '/' || length <= bin + 1)
		return false;
	if (folder[length - bin - 1] != '/' || strcmp(folder + length - bin, TANDEM_BINDIR) != 0)
		return false;
	return try_formatted(library, (int)(length - bin - 1), folder,
			     TANDEM_LIBDIR "/" TANDEM_LIBRARY_NAME);
}

static bool try_configured(struct library *library)
{
	if (TANDEM_LIBDIR[0] == '/')
		return try_path(library, TANDEM_LIBDIR "/" TANDEM_LIBRARY_NAME);
	return try_path(library, TANDEM_PREFIX "/" TANDEM_LIBDIR "/" TANDEM_LIBRARY_NAME);
}

static bool find(struct library *library)
{
	const char *named = getenv("TANDEM_LIBRARY");
	char self[PATH_MAX];
	ssize_t length;
	char *slash;

	if (named && *named)
		return try_path(library, named);
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length > 0) {
		self[length] = '\0';
		slash = strrchr(self, '/');
		*slash = '\0';
		if (try_formatted(library, (int)strlen(self), self, TANDEM_LIBRARY_NAME) ||
		    try_moved_prefix(library, self))
			return true;
	}
	return try_configured(library);
}

int library_find(struct library *library)
{
	library->looked[0] = '\0';
	if (!find(library))
		return -ENOENT;
	return strpbrk(library->path, " \t\n:") ? -EINVAL : 0;
}

int library_module(char *path, const char *name)
{
	static const char *const folders[] = { "/tandem", "" };
	struct library library;
	const char *slash;

	if (library_find(&library) == -ENOENT)
		return -ENOENT;
	slash = strrchr(library.path, '/');
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (snprintf(path, PATH_MAX, "%.*s%s/%s", (int)(slash - library.path), library.path,
			     folders[i], name) < PATH_MAX && !access(path, R_OK))
			return 0;
	}
	return -ENOENT;
}
