/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/lttng_import.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/directory.h"
#include "trace/external/lttng/import_seal.h"
#include "trace/session/cache.h"
#include "util/folder/tree_remove.h"
#include "util/hash.h"

/* Of what is made of a trace: older versions made something else. */
#define IMPORT_VERSION 4

/* A folder with more entries is no trace of LTTng's: nobody who asks for a report of his home
 * waits until all of it has been looked at. */
#define ENTRIES_MOST 20000
#define DEPTH_MOST 8

/* What the folder holds: found by nftw(), which has no argument of ours. */
static struct {
	uint64_t stamp;
	unsigned entries;
	bool trace;
} found;

/* The metadata of LTTng says who wrote it. */
static bool is_lttng(const char *path)
{
	char text[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	return count > 0 && memmem(text, (size_t)count, "lttng", strlen("lttng"));
}

static int look(const char *path, const struct stat *status, int type, struct FTW *at)
{
	if (++found.entries > ENTRIES_MOST || at->level > DEPTH_MOST)
		return 1;
	if (type != FTW_F)
		return 0;
	if (!found.trace && !strcmp(path + at->base, DIRECTORY_METADATA))
		found.trace = is_lttng(path);
	hash_string(&found.stamp, path);
	hash_bytes(&found.stamp, &status->st_size, sizeof(status->st_size));
	hash_bytes(&found.stamp, &status->st_mtim, sizeof(status->st_mtim));
	return 0;
}

static bool folder_look(const char *path)
{
	found.stamp = HASH_START;
	hash_number(&found.stamp, IMPORT_VERSION);
	found.entries = 0;
	found.trace = false;
	return !nftw(path, look, 16, FTW_PHYS | FTW_MOUNT) && found.trace;
}

static bool has_file(const char *path, const char *name)
{
	char file[PATH_MAX];
	struct stat status;

	return snprintf(file, sizeof(file), "%s/%s", path, name) < (int)sizeof(file) &&
	       !lstat(file, &status);
}

bool lttng_import_is_live(const char *path)
{
	return !strncmp(path, "net://", 6) || !strncmp(path, "net4://", 7) ||
	       !strncmp(path, "net6://", 7);
}

bool lttng_import_is_trace(const char *path)
{
	struct stat status;

	if (lttng_import_is_live(path))
		return true;
	return !stat(path, &status) && S_ISDIR(status.st_mode) &&
	       !has_file(path, DIRECTORY_CONTROL) && !has_file(path, DIRECTORY_DESCRIPTION) &&
	       !has_file(path, "stream-0") && folder_look(path);
}

int lttng_import_into(const char *session, const char *path, const char *module,
		      struct error *error)
{
	return lttng_convert_into(path, session, module, error);
}

/* The import at `path`, held: who removes imports leaves it. -1: there is none, or it is not
 * as it was made. */
static int import_hold(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	/* Who holds it alone removes it, or has; one without locks is nobody's to remove. */
	if (!(flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) && import_seal_holds(path, fd))
		return fd;
	close(fd);
	return -1;
}

/* One at a time makes folders for imports. Who has it locked may be stopped: after a second it
 * is given up. Returns a descriptor to close, or -1. */
static int cache_lock(const char *cache)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int fd = open(cache, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (unsigned i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++) {
		/* A file system without locks: only its own readers are disturbed. */
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fd;
		if (i == 100) {
			close(fd);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* A folder for a new import, held: others that nobody reads are of no use any more. Nobody
 * removes between its making and its holding, as only one at a time is here. -1: this cache
 * can't have one. */
static int part_make(const char *cache, char *part)
{
	int lock = cache_lock(cache), fd = -1;

	if (lock < 0)
		return -1;
	trace_cache_remove_imports(cache);
	if (mkdtemp(part))
		fd = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		flock(fd, LOCK_SH | LOCK_NB);
	close(lock);
	return fd;
}

/* The part becomes the import when it is whole. Another reader may have been faster; where
 * something else has the name, the part is read as it is, and removed by the next import. */
static int import_make(struct lttng_import *import, char **part, int fd, const char *path,
		       const struct lttng_modules *modules, struct error *error)
{
	int status = lttng_convert(path, *part, modules, error), held = -1;
	char *name = import->session;

	if (!status)
		status = import_seal_write(*part);
	if (!status && rename(*part, name)) {
		held = import_hold(name);
		if (held < 0) {
			import->session = *part;
			*part = name;
		}
	}
	if (!status && held < 0) {
		import->held = fd;
		return 0;
	}
	import->held = held;
	tree_remove(*part);
	close(fd);
	return status;
}

/* CACHE/import-STAMP. */
static int make_cached(struct lttng_import *import, const char *cache, const char *path,
		       const struct lttng_modules *modules, struct error *error)
{
	char *part;
	int status, fd;

	if (asprintf(&import->session, "%s/" TRACE_CACHE_IMPORT "-%016" PRIx64, cache,
		     found.stamp) < 0) {
		import->session = NULL;
		return -ENOMEM;
	}
	import->held = import_hold(import->session);
	if (import->held >= 0)
		return 0;
	if (asprintf(&part, "%s/" TRACE_CACHE_IMPORT ".part-XXXXXX", cache) < 0)
		return -ENOMEM;
	fd = part_make(cache, part);
	status = fd < 0 ? -EACCES : import_make(import, &part, fd, path, modules, error);
	free(part);
	return status;
}

static int make_temporary(struct lttng_import *import, const char *path,
			  const struct lttng_modules *modules, struct error *error)
{
	int status = temporary_folder_make(&import->temporary, "tandem-lttng", error);

	if (status)
		return status;
	import->session = strdup(import->temporary.path);
	status = import->session ? lttng_convert(path, import->session, modules, error) : -ENOMEM;
	if (status)
		temporary_folder_remove(&import->temporary);
	return status;
}

/* Why there can be no cache, rather than no import. */
static bool is_of_the_disk(int status)
{
	return status == -ENOSPC || status == -EDQUOT || status == -EROFS || status == -EACCES ||
	       status == -EIO;
}

static void problem_read(struct lttng_import *import)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/" LTTNG_CONVERT_PROBLEM, import->session) < 0)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (fd < 0)
		return;
	if (read(fd, import->problem, sizeof(import->problem) - 1) < 0)
		import->problem[0] = '\0';
	close(fd);
}

int lttng_import_make(struct lttng_import *import, const char *path,
		      const struct lttng_modules *modules, struct error *error)
{
	char *cache = strstr(path, "://") ? NULL : trace_cache_folder(path);
	struct error first = ERROR_INIT;
	int status = -ENOSPC;

	*import = (struct lttng_import){.held = -1};
	if (cache) {
		folder_look(path);
		status = make_cached(import, cache, path, modules, &first);
		if (status && !is_of_the_disk(status))
			*error = first;
	}
	if (status && (!cache || is_of_the_disk(status))) {
		free(import->session);
		import->session = NULL;
		status = make_temporary(import, path, modules, error);
	}
	free(cache);
	if (status) {
		free(import->session);
		*import = (struct lttng_import){.held = -1};
	} else {
		problem_read(import);
	}
	return status;
}

bool lttng_import_runs(const struct lttng_import *import)
{
	struct pollfd fd = {.fd = import->answer, .events = POLLIN};

	return import->child > 0 && !poll(&fd, 1, 0);
}

int lttng_import_follow(struct lttng_import *import, const char *path, const char *module,
			struct error *error)
{
	struct timespec pause = {.tv_nsec = 50000000};
	int status;

	*import = (struct lttng_import){.held = -1};
	status = temporary_folder_make(&import->temporary, "tandem-lttng", error);
	if (status)
		return status;
	import->session = strdup(import->temporary.path);
	import->child = import->session ? lttng_convert_begin(path, import->session, module,
							      &import->answer, error)
					: -ENOMEM;
	if (import->child < 0) {
		status = import->child;
		import->child = 0;
		lttng_import_close(import);
		return status;
	}
	while (lttng_import_runs(import)) {
		if (has_file(import->session, DIRECTORY_DESCRIPTION))
			return 0;
		nanosleep(&pause, NULL);
	}
	/* It was over before anybody had looked. */
	status = lttng_convert_end(path, import->child, import->answer, error);
	import->child = 0;
	if (status)
		lttng_import_close(import);
	return status;
}

void lttng_import_close(struct lttng_import *import)
{
	if (!import->session)
		return;
	if (import->child > 0) {
		kill(import->child, SIGKILL);
		lttng_convert_end("", import->child, import->answer, NULL);
	}
	temporary_folder_remove(&import->temporary);
	if (import->held >= 0)
		close(import->held);
	free(import->session);
	*import = (struct lttng_import){.held = -1};
}
