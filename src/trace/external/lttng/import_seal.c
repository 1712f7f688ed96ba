/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/import_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/folder/open_below.h"
#include "util/hash.h"

#define SEAL_FILE "complete"
#define SEAL_BYTES 17 /* 16 digits and a newline */

static struct {
	size_t root; /* length of the folder's path */
	uint64_t sum;
} seen;

/* Files come in any order. */
static int look(const char *path, const struct stat *status, int type, struct FTW *at)
{
	const char *name = path + seen.root;
	uint64_t hash = HASH_START;

	if (at->level == 1 && !strcmp(path + at->base, SEAL_FILE))
		return 0;
	hash_string(&hash, name);
	hash_number(&hash, status->st_mode & S_IFMT);
	if (type == FTW_F) {
		hash_number(&hash, (uint64_t)status->st_size);
		hash_number(&hash, (uint64_t)status->st_mtim.tv_sec);
		hash_number(&hash, (uint64_t)status->st_mtim.tv_nsec);
	}
	seen.sum += hash;
	return 0;
}

static bool seal_make(const char *path, char seal[SEAL_BYTES + 1])
{
	seen.root = strlen(path);
	seen.sum = 0;
	if (nftw(path, look, 16, FTW_PHYS | FTW_MOUNT))
		return false;
	snprintf(seal, SEAL_BYTES + 1, "%016" PRIx64 "\n", seen.sum);
	return true;
}

int import_seal_write(const char *path)
{
	char seal[SEAL_BYTES + 1], *name;
	int fd, status = 0;

	if (!seal_make(path, seal))
		return -EIO;
	if (asprintf(&name, "%s/" SEAL_FILE, path) < 0)
		return -ENOMEM;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, seal, SEAL_BYTES) != SEAL_BYTES)
		status = fd < 0 ? -errno : -ENOSPC;
	if (fd >= 0)
		close(fd);
	free(name);
	return status;
}

bool import_seal_holds(const char *path, int fd)
{
	char seal[SEAL_BYTES + 1], written[SEAL_BYTES + 1];
	int file = open_below(fd, SEAL_FILE);
	ssize_t count = file < 0 ? -1 : read(file, written, sizeof(written));

	if (file >= 0)
		close(file);
	return count == SEAL_BYTES && seal_make(path, seal) && !memcmp(seal, written, SEAL_BYTES);
}
