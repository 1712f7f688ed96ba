/* SPDX-License-Identifier: MIT */
#include "setup/library.h"

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

/* prefix/bin/tandem -> prefix/lib/NAME, wherever the prefix now is. */
static bool try_moved_prefix(struct library *library, const char *folder, const char *name)
{
	size_t length = strlen(folder);
	size_t bin = strlen(TANDEM_BINDIR);
	char rest[PATH_MAX];

	if (TANDEM_LIBDIR[0] == '/' || length <= bin + 1)
		return false;
	if (folder[length - bin - 1] != '/' || strcmp(folder + length - bin, TANDEM_BINDIR) != 0)
		return false;
	snprintf(rest, sizeof(rest), "%s/%s", TANDEM_LIBDIR, name);
	return try_formatted(library, (int)(length - bin - 1), folder, rest);
}

static bool try_configured(struct library *library, const char *name)
{
	const char *folder =
		TANDEM_LIBDIR[0] == '/' ? TANDEM_LIBDIR : TANDEM_PREFIX "/" TANDEM_LIBDIR;

	return try_formatted(library, (int)strlen(folder), folder, name);
}

/* `near`: seen from the folder of this executable; `name`: from the libraries'. */
static bool find(struct library *library, const char *const near[2], const char *name)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length > 0) {
		self[length] = '\0';
		*strrchr(self, '/') = '\0';
		for (int i = 0; i < 2; i++)
			if (near[i] && try_formatted(library, (int)strlen(self), self, near[i]))
				return true;
		if (try_moved_prefix(library, self, name))
			return true;
	}
	return try_configured(library, name);
}

int library_beside(char *path, const char *library, const char *names)
{
	const char *end = strrchr(library, '/');
	int folder = end ? (int)(end - library) : 0;

	path[0] = '\0';
	for (size_t length; *names; names += length + strspn(names + length, " ")) {
		length = strcspn(names, " ");
		if (snprintf(path, PATH_MAX, "%.*s/%.*s", folder, library, (int)length, names) <
			    PATH_MAX &&
		    !access(path, R_OK))
			return 0;
	}
	return -ENOENT;
}

int library_find(struct library *library)
{
	/* tandem-reader is in a folder of the one that it is in. */
	static const char *const near[] = {TANDEM_LIBRARY_NAME, "../" TANDEM_LIBRARY_NAME};
	const char *named = getenv("TANDEM_LIBRARY");
	bool found;

	library->looked[0] = '\0';
	if (named && *named)
		found = try_path(library, named);
	else
		found = find(library, near, TANDEM_LIBRARY_NAME);
	if (!found)
		return -ENOENT;
	return strpbrk(library->path, " \t\n:") ? -EINVAL : 0;
}

int library_module(char *path, const char *name)
{
	struct library library = {.looked = ""};
	const char *const near[] = {name, NULL};
	char installed[NAME_MAX];

	snprintf(installed, sizeof(installed), "tandem/%s", name);
	if (!find(&library, near, installed))
		return -ENOENT;
	strcpy(path, library.path);
	return 0;
}
