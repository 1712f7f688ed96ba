/* SPDX-License-Identifier: MIT */
#include "recorder/session/live_processes.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/perf/reaper.h"

/* The column INODE of /proc/PID/maps, as it stands there. Not the device: on
 * overlay and btrfs it differs from what stat() says. */
static bool page_column(const char *directory, char *column, size_t bytes)
{
	char path[4096];
	struct stat status;

	if (snprintf(path, sizeof(path), "%s/control", directory) >= (int)sizeof(path) ||
	    stat(path, &status))
		return false;
	snprintf(column, bytes, " %llu ", (unsigned long long)status.st_ino);
	return true;
}

/* The child that closes a recorder's events has the recorder's memory (linux/perf/reaper.h):
 * it is no part of the session. */
static bool is_reaper(pid_t pid)
{
	char path[64], name[32] = "";
	FILE *comm;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	comm = fopen(path, "re");
	if (!comm)
		return false;
	if (!fgets(name, sizeof(name), comm))
		name[0] = '\0';
	fclose(comm);
	return !strcmp(name, LINUX_REAPER_NAME "\n");
}

static bool maps_have(pid_t pid, const char *column)
{
	char path[64];
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &capacity, maps) > 0)
		found = strstr(line, column) && strstr(line, "/control");
	free(line);
	fclose(maps);
	return found && !is_reaper(pid);
}

unsigned live_processes_find(const char *directory, pid_t from,
			     void (*found)(pid_t pid, void *data), void *data)
{
	struct dirent *entry;
	char column[80];
	unsigned count = 0;
	DIR *processes;

	if (!page_column(directory, column, sizeof(column)))
		return 0;
	processes = opendir("/proc");
	if (!processes)
		return 0;
	while ((entry = readdir(processes))) {
		pid_t pid = atoi(entry->d_name);

		if (pid < 1 || pid < from || pid == getpid() || !maps_have(pid, column))
			continue;
		count++;
		if (found)
			found(pid, data);
	}
	closedir(processes);
	return count;
}

int live_processes_has(const char *directory, pid_t pid)
{
	char column[80];

	return page_column(directory, column, sizeof(column)) && maps_have(pid, column);
}
