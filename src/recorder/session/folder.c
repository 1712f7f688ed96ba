/* SPDX-License-Identifier: MIT */
#include "recorder/session/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "schema/control.h"
#include "util/folder/open_below.h"

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Of a session's directory (depth 0), of a process's or the cache in it (depth 1). */
static bool is_ours(const char *name, int depth)
{
	return depth ? directory_folder_has(name) : directory_has(name);
}

static int folder_visit(int parent, const char *name, int depth, bool remove)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while (!error && (entry = readdir(dir))) {
		struct stat status;

		if (is_dots(entry->d_name))
			continue;
		if (!is_ours(entry->d_name, depth)) {
			error = -ENOTEMPTY;
		} else if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW)) {
			error = -errno;
		} else if (S_ISDIR(status.st_mode)) {
			error = depth ? -ENOTEMPTY : folder_visit(fd, entry->d_name, 1, remove);
			if (!error && remove && unlinkat(fd, entry->d_name, AT_REMOVEDIR))
				error = -errno;
		} else if (!S_ISREG(status.st_mode)) {
			error = -ENOTEMPTY;
		} else if (remove && unlinkat(fd, entry->d_name, 0)) {
			error = -errno;
		}
	}
	closedir(dir);
	return error;
}

static int check_empty(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int error = 0;

	if (!dir)
		return -errno;
	while (!error && (entry = readdir(dir)))
		if (!is_dots(entry->d_name))
			error = -ENOTEMPTY;
	closedir(dir);
	return error;
}

static int open_control(const char *directory)
{
	int folder = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (folder < 0)
		return -errno;
	fd = open_below(folder, DIRECTORY_CONTROL);
	close(folder);
	return fd;
}

/* The lock is one for reading, as many may have it: so its descriptor can't write, and
 * does not stand in the way of a lease (recover.h). It is asked for as if to write. */
static bool is_locked(int control)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return !fcntl(control, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

int folder_lock(const char *directory)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = open_control(directory), error;

	if (fd < 0 || !fcntl(fd, F_OFD_SETLK, &lock))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

void folder_unlock(int fd)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	if (fd < 0)
		return;
	/* A child may have a copy of the descriptor, and with it the lock. */
	fcntl(fd, F_OFD_SETLK, &lock);
	close(fd);
}

bool folder_is_locked(const char *directory)
{
	int fd = open_control(directory);
	bool locked = fd >= 0 && is_locked(fd);

	if (fd >= 0)
		close(fd);
	return locked;
}

/* 0: a session's; -ENOENT: nothing says so; -EBUSY: it is being recorded. */
static int check_control(const char *directory)
{
	struct tandem_control control = {.magic = 0};
	int fd = open_control(directory);
	int error = 0;

	if (fd < 0)
		return fd == -EINVAL || fd == -ELOOP ? -ENOTEMPTY : fd;
	if (pread(fd, &control, sizeof(control), 0) != (ssize_t)sizeof(control) ||
	    control.magic != TANDEM_CONTROL_MAGIC)
		error = -ENOTEMPTY;
	else if (is_locked(fd))
		error = -EBUSY;
	close(fd);
	return error;
}

int folder_replace(const char *directory)
{
	int error = check_control(directory);

	if (error == -ENOENT)
		error = check_empty(directory);
	else if (!error)
		error = folder_visit(AT_FDCWD, directory, 0, false);
	if (error == -ENOTDIR || error == -ELOOP)
		return -ENOTEMPTY;
	if (!error)
		error = folder_visit(AT_FDCWD, directory, 0, true);
	if (!error && chmod(directory, 0700))
		error = -errno;
	return error;
}

void folder_remove(const char *directory)
{
	if (!folder_visit(AT_FDCWD, directory, 0, false) &&
	    !folder_visit(AT_FDCWD, directory, 0, true))
		rmdir(directory);
}

int folder_remove_process(const char *path)
{
	int error = folder_visit(AT_FDCWD, path, 1, false);

	if (!error)
		error = folder_visit(AT_FDCWD, path, 1, true);
	return !error && rmdir(path) ? -errno : error;
}
