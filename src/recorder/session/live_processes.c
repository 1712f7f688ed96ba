/* SPDX-License-Identifier: MIT */
#include "recorder/session/live_processes.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "linux/perf/reaper.h"

struct page { /* the control page */
	struct stat status;
	/* INODE of /proc/PID/maps, as it is there. Not the device: on overlay and btrfs it
	 * differs from what stat() says. */
	char column[32];
};

static bool page_find(struct page *page, const char *directory)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/control", directory) >= (int)sizeof(path) ||
	    stat(path, &page->status))
		return false;
	snprintf(page->column, sizeof(page->column), " %llu ",
		 (unsigned long long)page->status.st_ino);
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

/* Two file systems may have files of one number: whether it is that one, as the process sees it.
 * What has no name any more, or can't be asked for, is taken for it. */
static bool is_file(pid_t pid, const char *line, const struct page *page)
{
	const char *name = strchr(line, '/');
	struct stat status;
	char path[4096];

	if (!name || snprintf(path, sizeof(path), "/proc/%d/root%.*s", (int)pid,
			      (int)strcspn(name, "\n"), name) >= (int)sizeof(path))
		return true;
	return stat(path, &status) ||
	       (status.st_dev == page->status.st_dev && status.st_ino == page->status.st_ino);
}

static bool is_page(pid_t pid, const char *line, const void *page)
{
	return strstr(line, ((const struct page *)page)->column) && strstr(line, "/control") &&
	       is_file(pid, line, page);
}

static bool is_stream(pid_t pid, const char *line, const void *prefix)
{
	(void)pid;
	return strstr(line, prefix);
}

static bool maps_have(pid_t pid, bool (*wanted)(pid_t pid, const char *line, const void *what),
		      const void *what)
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
		found = wanted(pid, line, what);
	free(line);
	fclose(maps);
	return found && !is_reaper(pid);
}

static unsigned find(pid_t from, bool (*wanted)(pid_t pid, const char *line, const void *what),
		     const void *what, void (*found)(pid_t pid, void *data), void *data)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	if (!processes)
		return 0;
	while ((entry = readdir(processes))) {
		pid_t pid = atoi(entry->d_name);

		if (pid < 1 || pid < from || pid == getpid() || !maps_have(pid, wanted, what))
			continue;
		count++;
		if (found)
			found(pid, data);
	}
	closedir(processes);
	return count;
}

unsigned live_processes_find(const char *directory, pid_t from,
			     void (*found)(pid_t pid, void *data), void *data)
{
	struct page page;

	return page_find(&page, directory) ? find(from, is_page, &page, found, data) : 0;
}

unsigned live_processes_count_streams(const char *directory)
{
	char *absolute = realpath(directory, NULL), *prefix = NULL;
	unsigned count = 0;

	if (absolute && asprintf(&prefix, " %s/" DIRECTORY_PROCESS "-", absolute) > 0)
		count = find(1, is_stream, prefix, NULL, NULL);
	free(prefix);
	free(absolute);
	return count;
}

int live_processes_has(const char *directory, pid_t pid)
{
	struct page page;

	return page_find(&page, directory) && maps_have(pid, is_page, &page);
}
