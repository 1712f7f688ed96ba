/* SPDX-License-Identifier: MIT */
#include "util/folder/open_below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int open_folder(const char *path)
{
	int fd = open(path, FOLDER_FLAGS);

	return fd < 0 ? -errno : fd;
}

/* One component. Looked at before it is opened: to open a device may be to start it. */
static int open_component(int folder, const char *name, bool is_folder)
{
	struct stat status;
	int fd;

	if (is_folder) {
		fd = openat(folder, name, FOLDER_FLAGS | O_NOFOLLOW);
		return fd < 0 ? -errno : fd;
	}
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISLNK(status.st_mode) ? -ELOOP : -EINVAL;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	/* Somebody may have put something else there in between. */
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static int open_path(int folder, const char *path, bool is_folder)
{
	char name[NAME_MAX + 1];
	int at = folder;

	for (;;) {
		size_t length = strcspn(path, "/");
		bool last = !path[length];
		int next = -ENAMETOOLONG;

		if (length <= NAME_MAX) {
			memcpy(name, path, length);
			name[length] = '\0';
			next = !length || !strcmp(name, "..")
				       ? -EINVAL
				       : open_component(at, name, is_folder || !last);
		}
		if (at != folder)
			close(at);
		if (next < 0 || last)
			return next;
		at = next;
		path += length + 1;
	}
}

int open_below(int folder, const char *path)
{
	return open_path(folder, path, false);
}

int open_folder_below(int folder, const char *path)
{
	return open_path(folder, path, true);
}
