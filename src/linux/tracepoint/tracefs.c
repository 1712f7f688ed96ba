/* SPDX-License-Identifier: MIT */
#include "linux/tracepoint/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const mounts[] = {
	"/sys/kernel/tracing/events",
	"/sys/kernel/debug/tracing/events",
};

static int open_unseen_mount(int *mount)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int events = -1;

	if (context < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		*mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	if (*mount >= 0)
		events = openat(*mount, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (events < 0)
		events = -errno;
	close(context);
	return events;
}

int linux_tracefs_open(int *mount)
{
	int error = -ENOENT;

	*mount = -1;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		int events = open(mounts[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (events >= 0)
			return events;
		if (errno != ENOENT)
			error = -errno;
	}
	if (error == -ENOENT)
		error = open_unseen_mount(mount);
	return error;
}

static int open_file(int events, const char *system, const char *name, const char *file)
{
	char path[256];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s/%s", system, name, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(events, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int linux_tracefs_id(int events, const char *system, const char *name)
{
	int fd = open_file(events, system, name, "id");
	char text[16];
	ssize_t length;
	long id;

	if (fd < 0)
		return fd;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return length ? -errno : -ENODATA;
	text[length] = '\0';
	id = strtol(text, NULL, 10);
	return id > 0 && id <= UINT16_MAX ? (int)id : -EINVAL;
}

char *linux_tracefs_format(int events, const char *system, const char *name)
{
	int fd = open_file(events, system, name, "format");
	size_t used = 0, capacity = 4096;
	char *text = NULL, *grown;
	ssize_t length = 0;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	/* A size of 0 is all that tracefs says of it beforehand. */
	do {
		capacity *= 2;
		grown = realloc(text, capacity);
		if (!grown)
			break;
		text = grown;
		while (used + 1 < capacity &&
		       (length = read(fd, text + used, capacity - used - 1)) > 0)
			used += (size_t)length;
	} while (length > 0);
	close(fd);
	if (!grown || length < 0 || !used) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}
