/* SPDX-License-Identifier: MIT */
#include "recorder/lttng_version.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOCKET "lttng-ust-sock-"
#define SYSTEM_FOLDER "/run/lttng"
#define USER_FOLDER ".lttng"

/* LTTNG_UST_ABI_MAJOR_VERSION_OLDEST_COMPATIBLE of <lttng/ust-abi.h>; 0: the sink was not built. */
#define OWN_NUMBER TANDEM_LTTNG_UST_NUMBER

struct sockets {
	bool own;
	char other[PATH_MAX]; /* of another number; "": none */
};

static void look(struct sockets *sockets, const char *folder)
{
	DIR *files = opendir(folder);
	const struct dirent *file;

	while (files && (file = readdir(files))) {
		const char *number = file->d_name + strlen(SOCKET);

		if (strncmp(file->d_name, SOCKET, strlen(SOCKET)) != 0)
			continue;
		if (atoi(number) == OWN_NUMBER)
			sockets->own = true;
		else
			snprintf(sockets->other, sizeof(sockets->other), "%.3000s/%s", folder,
				 file->d_name);
	}
	if (files)
		closedir(files);
}

int lttng_version_check(struct error *error)
{
	const char *home = getenv("LTTNG_HOME");
	struct sockets sockets = {.own = false};
	char folder[PATH_MAX];

	if (!OWN_NUMBER)
		return 0;
	look(&sockets, SYSTEM_FOLDER);
	if (!home || !*home)
		home = getenv("HOME");
	if (home && *home && geteuid()) {
		snprintf(folder, sizeof(folder), "%s/" USER_FOLDER, home);
		look(&sockets, folder);
	}
	if (sockets.own || !*sockets.other)
		return 0;
	error_set_hint(error, "restart lttng-sessiond after an update, or install the liblttng-ust "
			      "of its version");
	return error_add(
		error, -EPROTO,
		"LTTng's session daemon waits for programs at %s, liblttng-ust looks for " SOCKET
		"%d: they are of different versions",
		sockets.other, OWN_NUMBER);
}
