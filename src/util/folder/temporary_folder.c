/* SPDX-License-Identifier: MIT */
#include "util/folder/temporary_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/folder/tree_remove.h"
#include "util/system_calls.h"

/* Until nobody has the other end any more. In a session of its own, where Ctrl-C does not
 * reach it, and without the files that somebody may wait for the end of. */
static _Noreturn void guard(const char *path, int fd)
{
	int nowhere = open("/dev/null", O_RDWR), kept = fcntl(fd, F_DUPFD, 3);
	char byte;

	setsid();
	for (int standard = 0; nowhere >= 0 && standard < 3; standard++)
		dup2(nowhere, standard);
	if (kept > 3)
		system_close_range(3, (unsigned)kept - 1);
	system_close_range((unsigned)kept + 1, ~0u);
	if (chdir("/"))
		_exit(1);
	while (read(kept, &byte, 1) < 0 && errno == EINTR)
		;
	tree_remove(path);
	_exit(0);
}

/* Without one it is removed all the same, but not after a kill. */
static void start_guard(struct temporary_folder *folder)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return;
	fflush(NULL);
	folder->guard = fork();
	if (!folder->guard) {
		close(ends[1]);
		guard(folder->path, ends[0]);
	}
	close(ends[0]);
	folder->end = ends[1];
}

int temporary_folder_make(struct temporary_folder *folder, const char *name, struct error *error)
{
	const char *base = getenv("TMPDIR");
	int status;

	*folder = (struct temporary_folder){.end = -1, .guard = -1};
	if (asprintf(&folder->path, "%s/%s-XXXXXX", base && *base == '/' ? base : "/tmp", name) <
	    0) {
		folder->path = NULL;
		return -ENOMEM;
	}
	if (mkdtemp(folder->path)) {
		start_guard(folder);
		return 0;
	}
	status = error_add(error, -errno, "%s: %s", folder->path, strerror(errno));
	free(folder->path);
	folder->path = NULL;
	return status;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
	if (!folder->path)
		return;
	if (folder->end >= 0)
		close(folder->end);
	while (folder->guard > 0 && waitpid(folder->guard, NULL, 0) < 0 && errno == EINTR)
		;
	/* By now it is not there, unless there was no guard. */
	tree_remove(folder->path);
	free(folder->path);
	*folder = (struct temporary_folder){.end = -1, .guard = -1};
}
