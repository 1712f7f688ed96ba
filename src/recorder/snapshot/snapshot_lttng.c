/* SPDX-License-Identifier: MIT */
#include "recorder/snapshot/snapshot_lttng.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/directory.h"
#include "util/folder/open_below.h"

#define DESCRIPTION_MOST_BYTES 65536
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

int snapshot_lttng_save(const char *name, int to, struct error *error)
{
	char link[64], folder[PATH_MAX - 16], output[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", to);
	length = readlink(link, folder, sizeof(folder) - 1);
	if (length < 0)
		return -errno;
	folder[length] = '\0';
	snprintf(output, sizeof(output), "%s/" DIRECTORY_LTTNG, folder);
	return lttng_session_snapshot(name, output, error);
}
