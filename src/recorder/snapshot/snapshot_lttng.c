/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/snapshot_lttng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/directory.h"
#include "recorder/snapshot/lttng_window.h"
#include "schema/control.h"
#include "util/folder/open_below.h"

#define DESCRIPTION_MOST_BYTES 65536
/* Each snapshot ends a sub-buffer of every ring of LTTng's, also where nothing is in it: after as
 * many as it has, what was described is gone. Half of those (lttng_session.c). Not after each, as
 * an object has another number from then on. */
#define DESCRIBE_AFTER 64u
/* Our own text, a member a line (recorder/session/description.c). */
#define MEMBER "\n  \"lttng_session\": \""

int snapshot_lttng_name(int folder, char name[LTTNG_NAME_BYTES])
{
	int fd = open_below(folder, DIRECTORY_DESCRIPTION);
	char *text = fd < 0 ? NULL : calloc(1, DESCRIPTION_MOST_BYTES);
	const char *at = NULL;
	size_t length = 0;

	if (text && read(fd, text, DESCRIPTION_MOST_BYTES - 1) > 0)
		at = strstr(text, MEMBER);
	if (at) {
		at += strlen(MEMBER);
		length = strcspn(at, "\"\\");
	}
	if (length && length < LTTNG_NAME_BYTES && at[length] == '"')
		snprintf(name, LTTNG_NAME_BYTES, "%.*s", (int)length, at);
	else
		at = NULL;
	free(text);
	if (fd >= 0)
		close(fd);
	return at ? 0 : -ENOENT;
}

/* LTTng counts a session's snapshots, and has the number in what it makes of one:
 * "snapshot-0-20261124-002301-13". */
static unsigned snapshot_number(int to)
{
	int fd = open_folder_below(to, DIRECTORY_LTTNG);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	unsigned number = 0;

	for (struct dirent *entry; list && (entry = readdir(list));) {
		const char *at = strrchr(entry->d_name, '-');

		if (at)
			number = (unsigned)strtoul(at + 1, NULL, 10);
	}
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	return number;
}

static void descriptions_ask(int session)
{
	int fd = openat(session, DIRECTORY_CONTROL, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct tandem_control *control = MAP_FAILED;

	if (fd >= 0)
		control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control != MAP_FAILED) {
		atomic_fetch_add(&control->statedump, 1);
		munmap(control, sizeof(*control));
	}
	if (fd >= 0)
		close(fd);
}

int snapshot_lttng_save(const char *name, int session, int to, struct lttng_window *window,
			struct error *error)
{
	char link[64], folder[PATH_MAX - 16], output[PATH_MAX];
	ssize_t length;
	int status;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", to);
	length = readlink(link, folder, sizeof(folder) - 1);
	if (length < 0)
		return -errno;
	folder[length] = '\0';
	snprintf(output, sizeof(output), "%s/" DIRECTORY_LTTNG, folder);
	status = lttng_session_snapshot(name, output, error);
	/* A daemon does later what it was asked for. */
	if (status == -ETIMEDOUT && error && *error->hint) {
		char fix[ERROR_TEXT_BYTES];

		snprintf(fix, sizeof(fix), "%s", error->hint);
		error_set_hint(error, "%.*s; what it then saves in %.*s can be removed",
			       ERROR_TEXT_BYTES / 3, fix, ERROR_TEXT_BYTES / 3, folder);
	}
	if (!status && snapshot_number(to) % DESCRIBE_AFTER == DESCRIBE_AFTER - 1)
		descriptions_ask(session);
	if (!status)
		*window = lttng_window_find(output);
	return status;
}
