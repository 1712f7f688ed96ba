/* SPDX-License-Identifier: MIT */
#include "trace/session/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/folder/open_below.h"
#include "util/folder/tree_remove.h"
#include "util/hash.h"

#define KEY_DIGITS 16u

/* $XDG_CACHE_HOME, or ~/.cache; relative paths don't count. The caller frees it. */
static char *cache_home(void)
{
	const char *home = getenv("XDG_CACHE_HOME");
	char *path;

	if (home && *home == '/')
		return strdup(home);
	home = getenv("HOME");
	if (!home || *home != '/')
		return NULL;
	return asprintf(&path, "%s/.cache", home) < 0 ? NULL : path;
}

/* Makes the folder, unless it is there. *made: it was not. */
static bool make_private(const char *path, bool *made)
{
	struct stat status;

	*made = !mkdir(path, 0700);
	return *made || (errno == EEXIST && !lstat(path, &status) && S_ISDIR(status.st_mode) &&
			 status.st_uid == geteuid() && !(status.st_mode & 022));
}

static void write_path(const char *folder, const char *session)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s/path", folder) < 0)
		return;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Best effort: without it the folder stays when the session is gone. */
	if (fd >= 0 && write(fd, session, strlen(session)) < 0)
		unlink(name);
	if (fd >= 0)
		close(fd);
	free(name);
}

/* Whether the folder is one of a session that is known to be gone. */
static bool is_stale(int folder)
{
	char path[PATH_MAX];
	int fd = open_below(folder, "path");
	ssize_t length = fd < 0 ? -1 : read(fd, path, sizeof(path) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

static bool is_cached_file(const char *name)
{
	static const char *const files[] = {
#define X(name) name,
		TRACE_CACHE_FILES(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(name, files[i], strlen(files[i])))
			return true;
	return false;
}

static bool is_import(const char *name)
{
	return !strncmp(name, TRACE_CACHE_IMPORT, strlen(TRACE_CACHE_IMPORT)) &&
	       (name[strlen(TRACE_CACHE_IMPORT)] == '-' || name[strlen(TRACE_CACHE_IMPORT)] == '.');
}

void trace_cache_remove_imports(const char *folder)
{
	DIR *listing = opendir(folder);
	char *path;

	for (struct dirent *entry; listing && (entry = readdir(listing));) {
		int fd;

		if (!is_import(entry->d_name))
			continue;
		fd = open_folder_below(dirfd(listing), entry->d_name);
		if (fd < 0) {
			/* A link or a file has the name of an import: nobody made it. */
			unlinkat(dirfd(listing), entry->d_name, 0);
			continue;
		}
		/* Whoever makes or reads it has it locked. */
		if (!flock(fd, LOCK_EX | LOCK_NB) &&
		    asprintf(&path, "%s/%s", folder, entry->d_name) >= 0) {
			tree_remove(path);
			free(path);
		}
		close(fd);
	}
	if (listing)
		closedir(listing);
}

static void remove_stale(const char *home_path, int home, const char *name)
{
	char *path;

	int fd = open_folder_below(home, name);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (is_stale(fd)) {
		if (asprintf(&path, "%s/%s", home_path, name) >= 0) {
			trace_cache_remove_imports(path);
			free(path);
		}
		for (struct dirent *entry; (entry = readdir(folder));)
			if (is_cached_file(entry->d_name))
				unlinkat(fd, entry->d_name, 0);
		unlinkat(home, name, AT_REMOVEDIR);
	}
	closedir(folder);
}

static void remove_all_stale(const char *path)
{
	DIR *home = opendir(path);

	for (struct dirent *entry; home && (entry = readdir(home));)
		if (strlen(entry->d_name) == KEY_DIGITS &&
		    strspn(entry->d_name, "0123456789abcdef") == KEY_DIGITS)
			remove_stale(path, dirfd(home), entry->d_name);
	if (home)
		closedir(home);
}

/* HOME/tandem/KEY, all of which is made. */
static char *session_folder(const char *home, const char *session)
{
	char *tandem = NULL, *folder = NULL;
	uint64_t key = HASH_START;
	bool made;

	hash_string(&key, session);
	if (asprintf(&tandem, "%s/tandem", home) < 0)
		return NULL;
	mkdir(home, 0700);
	if (make_private(tandem, &made) && asprintf(&folder, "%s/%016" PRIx64, tandem, key) < 0)
		folder = NULL;
	if (folder && !make_private(folder, &made)) {
		free(folder);
		folder = NULL;
	}
	if (folder && made) {
		write_path(folder, session);
		remove_all_stale(tandem);
	}
	free(tandem);
	return folder;
}

char *trace_cache_folder(const char *session_path)
{
	char *session = realpath(session_path, NULL);
	char *home = session ? cache_home() : NULL;
	char *folder = home ? session_folder(home, session) : NULL;

	free(session);
	free(home);
	return folder;
}
