/* SPDX-License-Identifier: MIT */
#include "recorder/session/ended_processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "recorder/session/folder.h"
#include "util/array.h"
#include "util/counter.h"
#include "util/folder/open_below.h"

#define EVERY_MS 1000
/* A process that has just made its folder has no stream in it yet. */
#define YOUNG_S 2
#define AGAIN_NS UINT64_C(2000000000)

struct folder {
	char name[DIRECTORY_NAME_BYTES];
	struct directory_number number;
	uint64_t bytes;
	struct timespec written;
	bool ended;
};

struct folders {
	struct folder *of;
	size_t count, capacity;
	uint64_t ended_bytes;
};

void ended_processes_init(struct ended_processes *ended, const char *directory, uint64_t most_bytes)
{
	*ended = (struct ended_processes){.directory = directory, .most_bytes = most_bytes};
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* What is in it, and when something was written there last. */
static void folder_measure(int session, struct folder *folder)
{
	int fd = open_folder_below(session, folder->name);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat status;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(status.st_mode))
			folder->bytes += (uint64_t)status.st_blocks * 512;
		if (S_ISREG(status.st_mode) && is_later(&status.st_mtim, &folder->written))
			folder->written = status.st_mtim;
	}
	closedir(list);
}

static int folders_list(struct folders *folders, int session)
{
	int copy = openat(session, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct directory_number number;
	struct dirent *entry;

	if (!list) {
		error = -errno;
		if (copy >= 0)
			close(copy);
		return error;
	}
	while (!error && (entry = readdir(list))) {
		if (!directory_parse(entry->d_name, DIRECTORY_PROCESS, &number))
			continue;
		error = array_reserve(&folders->of, &folders->capacity, folders->count + 1,
				      sizeof(*folders->of));
		if (error)
			break;
		folders->of[folders->count] = (struct folder){.number = number};
		/* It parses, so that it fits. */
		memcpy(folders->of[folders->count].name, entry->d_name,
		       strnlen(entry->d_name, DIRECTORY_NAME_BYTES - 1));
		folder_measure(session, &folders->of[folders->count++]);
	}
	closedir(list);
	return error;
}

/* By pid, then by part. */
static int compare_names(const void *a, const void *b)
{
	const struct folder *left = a, *right = b;

	if (left->number.number != right->number.number)
		return left->number.number < right->number.number ? -1 : 1;
	return left->number.part < right->number.part ? -1 : left->number.part > right->number.part;
}

/* Those that can't have ended aside, the oldest first. */
static int compare_ages(const void *a, const void *b)
{
	const struct folder *left = a, *right = b;

	if (left->ended != right->ended)
		return left->ended ? -1 : 1;
	return is_later(&left->written, &right->written) -
	       is_later(&right->written, &left->written);
}

/* Those whose process is gone, or runs another program now, as far as a number says it: in another
 * pid namespace it says nothing. */
static void find_ended(struct folders *folders)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (folders->count)
		qsort(folders->of, folders->count, sizeof(*folders->of), compare_names);
	for (size_t i = 0; i < folders->count; i++) {
		struct folder *folder = &folders->of[i];
		bool replaced = i + 1 < folders->count &&
				folders->of[i + 1].number.number == folder->number.number;

		folder->ended =
			(replaced || (kill((pid_t)folder->number.number, 0) && errno == ESRCH)) &&
			now.tv_sec - folder->written.tv_sec > YOUNG_S;
		if (folder->ended)
			folders->ended_bytes += folder->bytes;
	}
}

/* A process has its streams mapped as long as it records: "/DIR/process-7/stream-1". */
static void keep_mapped(struct folders *folders, const char *line)
{
	const char *file = strrchr(line, '/'), *name = file;

	while (name && name > line && name[-1] != '/')
		name--;
	for (size_t i = 0; file && i < folders->count; i++) {
		struct folder *folder = &folders->of[i];
		size_t length = strlen(folder->name);

		if (folder->ended && (size_t)(file - name) == length &&
		    !memcmp(name, folder->name, length)) {
			folder->ended = false;
			folders->ended_bytes -= folder->bytes;
		}
	}
}

static void maps_look(struct folders *folders, const char *pid)
{
	char path[64], *line = NULL;
	size_t capacity = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &capacity, maps) > 0)
		if (strstr(line, "/" DIRECTORY_PROCESS "-"))
			keep_mapped(folders, line);
	free(line);
	fclose(maps);
}

/* False: it can't be found out. */
static bool find_mapped(struct folders *folders)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	if (!processes)
		return false;
	while ((entry = readdir(processes)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			maps_look(folders, entry->d_name);
	closedir(processes);
	return true;
}

static void remove_oldest(struct ended_processes *ended, struct folders *folders)
{
	/* Some more, so that the next one that ends is no reason to look again. */
	uint64_t goal = ended->most_bytes / 4 * 3;
	char path[4096];

	qsort(folders->of, folders->count, sizeof(*folders->of), compare_ages);
	for (size_t i = 0;
	     i < folders->count && folders->of[i].ended && folders->ended_bytes > goal; i++) {
		snprintf(path, sizeof(path), "%s/%s", ended->directory, folders->of[i].name);
		if (folder_remove_process(path))
			continue;
		folders->ended_bytes -= folders->of[i].bytes;
		ended->removed++;
	}
}

static int trim(struct ended_processes *ended, int session)
{
	struct folders folders = {.of = NULL};
	uint64_t all = 0;
	int error = folders_list(&folders, session);

	find_ended(&folders);
	if (!error && folders.ended_bytes > ended->most_bytes && find_mapped(&folders))
		remove_oldest(ended, &folders);
	for (size_t i = 0; i < folders.count; i++)
		all += folders.of[i].bytes;
	/* Those that live may have ended by then. */
	ended->again = all > ended->most_bytes;
	free(folders.of);
	return error;
}

int ended_processes_trim(struct ended_processes *ended)
{
	uint64_t now_ns = counter_clock_ns(CLOCK_MONOTONIC);
	struct stat status;
	int session;

	if (!ended->directory)
		return -1;
	if (now_ns < ended->next_ns)
		return (int)((ended->next_ns - now_ns) / 1000000) + 1;
	ended->next_ns = now_ns + EVERY_MS * UINT64_C(1000000);
	session = open_folder(ended->directory);
	if (session < 0)
		return EVERY_MS;
	if (!fstat(session, &status) &&
	    (ended->again || memcmp(&status.st_mtim, &ended->seen, sizeof(ended->seen)) != 0)) {
		ended->seen = status.st_mtim;
		trim(ended, session);
		if (ended->again)
			ended->next_ns = now_ns + AGAIN_NS;
	}
	close(session);
	return EVERY_MS;
}
