/* SPDX-License-Identifier: MIT */
#include "setup/safe_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int check_owner(const char *path, const struct stat *status, uid_t user, struct error *error)
{
	if (status->st_uid && status->st_uid != user)
		return error_add(error, -EPERM,
				 "%s belongs to another user (%u), who could change it: give it to "
				 "its user or root (chown)",
				 path, (unsigned)status->st_uid);
	/* In a folder like /tmp nobody takes away what is another's. */
	if (status->st_mode & (S_IWGRP | S_IWOTH) &&
	    !(S_ISDIR(status->st_mode) && status->st_mode & S_ISVTX))
		return error_add(error, -EPERM, "others may write to %s: chmod go-w %s", path,
				 path);
	return 0;
}

/* The folder, and those above it, none of which is a link. */
static int check_folders(char *path, uid_t user, const char *root, struct error *error)
{
	size_t above = strlen(root);
	struct stat status;
	int failed;

	for (;;) {
		if (lstat(*path ? path : "/", &status))
			return error_add(error, -errno, "%s: %s", path, strerror(errno));
		failed = check_owner(*path ? path : "/", &status, user, error);
		if (failed || strlen(path) <= above || !*path)
			return failed;
		*strrchr(path, '/') = '\0';
	}
}

int safe_path_check(const char *path, uid_t user, const char *root, struct error *error)
{
	char folder[PATH_MAX], real[PATH_MAX], above[PATH_MAX];
	struct stat status;
	int failed;

	if (strlen(path) >= sizeof(folder))
		return error_add(error, -ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	if (!lstat(path, &status)) {
		if (S_ISLNK(status.st_mode))
			return error_add(error, -EPERM,
					 "%s is a symbolic link: what it leads to is left alone; "
					 "put a file there",
					 path);
		if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
			return error_add(
				error, -EPERM, "%s is %s: put an ordinary file there", path,
				S_ISREG(status.st_mode) ? "a file with a second name" : "no file");
		failed = check_owner(path, &status, user, error);
		if (failed)
			return failed;
	} else if (errno != ENOENT && errno != ENOTDIR) {
		return error_add(error, -errno, "%s: %s", path, strerror(errno));
	}
	strcpy(folder, path);
	/* The nearest that is there. */
	do {
		char *slash = strrchr(folder, '/');

		if (!slash)
			return error_add(error, -EINVAL, "%s is no absolute path", path);
		*slash = '\0';
	} while (!realpath(*folder ? folder : "/", real) && errno == ENOENT);
	if (!strcmp(real, "/"))
		*real = '\0';
	if (!*root || !realpath(root, above))
		*above = '\0';
	return check_folders(real, user, above, error);
}
