/* SPDX-License-Identifier: MIT */
#include "recorder/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/directory.h"
#include "recorder/session/folder.h"
#include "recorder/session/live_processes.h"
#include "util/folder/open_below.h"

/* A regular file without a link on the way; to be written only where it is steered. */
static int open_control(const char *directory, enum target_use use)
{
	int folder = open_folder(directory), fd;

	if (folder < 0)
		return folder;
	/* This finds out what it is before anything is opened for writing. */
	fd = open_below(folder, DIRECTORY_CONTROL);
	if (fd >= 0 && use == TARGET_STEER) {
		close(fd);
		fd = openat(folder, DIRECTORY_CONTROL,
			    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(folder);
	return fd == -EINVAL || fd == -ELOOP ? -ENOMSG : fd;
}

/* A copy, not a mapping: who cuts the file off must not end its reader. */
static int copy_page(int fd, void **page)
{
	*page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*page == MAP_FAILED)
		return -errno;
	if (pread(fd, *page, TANDEM_CONTROL_BYTES, 0) == (ssize_t)TANDEM_CONTROL_BYTES)
		return 0;
	munmap(*page, TANDEM_CONTROL_BYTES);
	return -ENOMSG;
}

static int map_page(int fd, void **page)
{
	*page = mmap(NULL, TANDEM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *page == MAP_FAILED ? -errno : 0;
}

/* The page of DIR/control when it is a control page of this version. -ENOMSG: it is
 * none; -EPROTO: another version's. */
static int map_control(const char *directory, enum target_use use, struct tandem_control **control)
{
	struct stat status;
	void *page = MAP_FAILED;
	int fd = open_control(directory, use), error = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode) || status.st_size != (off_t)TANDEM_CONTROL_BYTES)
		error = -ENOMSG;
	if (!error)
		error = use == TARGET_STEER ? map_page(fd, &page) : copy_page(fd, &page);
	close(fd);
	if (error)
		return error;
	*control = page;
	if ((*control)->magic != TANDEM_CONTROL_MAGIC)
		error = -ENOMSG;
	else if (use == TARGET_STEER ? (*control)->version != TANDEM_CONTROL_VERSION
				     : !tandem_control_readable(*control))
		error = -EPROTO;
	else if (use == TARGET_READ)
		tandem_control_upgrade(*control);
	if (error)
		munmap(page, TANDEM_CONTROL_BYTES);
	return error;
}

/* Takes `directory` when its page is one. With `recorder` only when that is
 * its recorder's number. */
static bool try_directory(struct target *target, const char *directory, pid_t recorder)
{
	struct tandem_control *control;

	if (strlen(directory) >= sizeof(target->directory) ||
	    map_control(directory, target->use, &control))
		return false;
	if (recorder && control->recorder_pid != recorder) {
		munmap(control, TANDEM_CONTROL_BYTES);
		return false;
	}
	strcpy(target->directory, directory);
	target->control = control;
	return true;
}

/* Every DIR/control that the process has mapped. A recorder that is itself
 * recorded has two: its own, and the one that it is recorded into. */
static bool search_maps(struct target *target, pid_t pid, pid_t recorder)
{
	char name[64];
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &capacity, maps) > 0) {
		char *path = strchr(line, '/');
		char *end = path ? strstr(path, "/control\n") : NULL;

		if (!end || end[strlen("/control\n")])
			continue;
		*end = '\0';
		found = try_directory(target, path, recorder);
	}
	free(line);
	fclose(maps);
	return found;
}

/* A process that has made no traced call yet still has the name of the session
 * in its environment. */
static bool search_environment(struct target *target, pid_t pid)
{
	static const char variable[] = TANDEM_ENV_SESSION "=";
	char name[64];
	char *item = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE *environment;

	snprintf(name, sizeof(name), "/proc/%d/environ", (int)pid);
	environment = fopen(name, "re");
	if (!environment)
		return false;
	while (!found && getdelim(&item, &capacity, '\0', environment) > 0)
		if (!strncmp(item, variable, sizeof(variable) - 1))
			found = try_directory(target, item + sizeof(variable) - 1, 0);
	free(item);
	fclose(environment);
	return found;
}

static int open_process(struct target *target, pid_t pid, struct error *error)
{
	if (search_maps(target, pid, pid) || search_maps(target, pid, 0) ||
	    search_environment(target, pid))
		return 0;
	if (kill(pid, 0) && errno == ESRCH)
		return error_add(error, -ESRCH,
				 "there is no process %d, and no directory of that name", (int)pid);
	return error_add(error, -ENOENT,
			 "process %d is not being recorded, or it is another user's", (int)pid);
}

static int open_directory(struct target *target, const char *name, struct error *error)
{
	int status = map_control(name, target->use, &target->control);

	if (!status && !realpath(name, target->directory)) {
		status = -errno;
		munmap(target->control, TANDEM_CONTROL_BYTES);
	}
	switch (status) {
	case 0:
		return 0;
	case -ENOENT:
	case -ENOTDIR:
		return error_add(error, status,
				 access(name, F_OK) ? "%s: there is no such directory"
						    : "%s is not a session: it has no control page",
				 name);
	case -ENOMSG:
		return error_add(error, status, "%s is not a session: its control page is damaged",
				 name);
	case -EPROTO:
		return error_add(error, status, "%s was made by another version of tandem", name);
	default:
		return error_add(error, status, "%s: %s", name, strerror(-status));
	}
}

/* A process number, or 0. */
static pid_t parse_pid(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits < 10 && !text[digits] ? atoi(text) : 0;
}

int target_open(struct target *target, const char *name, enum target_use use, struct error *error)
{
	pid_t pid = parse_pid(name);
	struct stat status;

	*target = (struct target){.use = use};
	if (pid > 0 && stat(name, &status))
		return open_process(target, pid, error);
	return open_directory(target, name, error);
}

void target_close(struct target *target)
{
	if (target->control)
		munmap(target->control, TANDEM_CONTROL_BYTES);
	target->control = NULL;
}

void target_nudge(const struct target *target)
{
	pid_t recorder = target->control->recorder_pid;

	if (recorder > 0 && live_processes_has(target->directory, recorder))
		kill(recorder, TARGET_NUDGE);
}

bool target_is_alive(const struct target *target)
{
	pid_t recorder = target->control->recorder_pid;

	if (folder_is_locked(target->directory) ||
	    (recorder > 0 && live_processes_has(target->directory, recorder)))
		return true;
	return live_processes_find(target->directory, 1, NULL, NULL) > 0;
}
