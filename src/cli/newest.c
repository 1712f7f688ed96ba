/* SPDX-License-Identifier: MIT */
#include "cli/newest.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "format/directory.h"
#include "schema/control.h"

/* When its recording started, on CLOCK_REALTIME; 0: it is no session. */
static uint64_t started_at(const char *directory)
{
	struct tandem_control control = {.magic = 0};
	char path[PATH_MAX];
	int fd;
	bool read_all;

	if (snprintf(path, sizeof(path), "%s/%s", directory, DIRECTORY_CONTROL) >=
	    (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	read_all = pread(fd, &control, sizeof(control), 0) == (ssize_t)sizeof(control);
	close(fd);
	return read_all && control.magic == TANDEM_CONTROL_MAGIC ? control.start_realtime_ns : 0;
}

const char *newest_session(void)
{
	static char newest[NAME_MAX + 1];
	uint64_t latest = 0;
	DIR *here = opendir(".");
	struct dirent *entry;

	while (here && (entry = readdir(here))) {
		uint64_t started;

		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		started = started_at(entry->d_name);
		if (started <= latest)
			continue;
		latest = started;
		snprintf(newest, sizeof(newest), "%s", entry->d_name);
	}
	if (here)
		closedir(here);
	if (!latest) {
		cli_error("no session given, and there is none in this directory");
		return NULL;
	}
	cli_note("the newest session here: %s", newest);
	return newest;
}
