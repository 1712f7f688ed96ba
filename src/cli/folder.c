#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/control.h"

static bool starts_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Of a session's directory (depth 0), of a process's or the cache in it (depth 1). */
static bool is_ours(const char *name, int depth)
{
	if (depth)
		return !strcmp(name, "metadata") || starts_with(name, "stream-") ||
		       starts_with(name, "window-") || starts_with(name, "session.sqlite");
	return !strcmp(name, "control") || starts_with(name, "session.json") ||
	       starts_with(name, "process-") || !strcmp(name, "kernel") ||
	       !strcmp(name, "cache");
}

static int iterator(int parent, const char *name, int depth, bool remove)
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
			error = depth ? -ENOTEMPTY : iterator(fd, entry->d_name, 1, remove);
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

/* 0: a session's; -ENOENT: nothing says so; -EBUSY: its recorder has not
 * written the end yet. */
static int check_control(const char *directory)
{
	struct tandem_control control = {.magic = 0};
	int folder = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd, error = 0;

	if (folder < 0)
		return -errno;
	fd = openat(folder, "control", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	close(folder);
	if (fd < 0)
		return -errno;
	if (pread(fd, &control, sizeof(control), 0) != (ssize_t)sizeof(control) ||
	    control.magic != TANDEM_CONTROL_MAGIC)
		error = -ENOTEMPTY;
	else if (control.recorder_pid > 0 && !kill(control.recorder_pid, 0))
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
		error = iterator(AT_FDCWD, directory, 0, false);
	if (error == -ENOTDIR || error == -ELOOP)
		return -ENOTEMPTY;
	if (!error)
		error = iterator(AT_FDCWD, directory, 0, true);
	if (!error && chmod(directory, 0700))
		error = -errno;
	return error;
}

void folder_remove(const char *directory)
{
	if (!iterator(AT_FDCWD, directory, 0, false) && !iterator(AT_FDCWD, directory, 0, true))
		rmdir(directory);
}
