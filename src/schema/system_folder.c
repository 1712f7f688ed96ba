/* SPDX-License-Identifier: MIT */
#include "schema/system_folder.h"

#include <string.h>
#include <sys/stat.h>

#include "format/directory.h"
#include "util/system.h"

static char *put_number(char *at, uint32_t number)
{
	char digits[12], *digit = digits + sizeof(digits);

	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	while (digit < digits + sizeof(digits))
		*at++ = *digit++;
	return at;
}

void system_folder_path(char *path, const char *base, uint32_t uid, const char *name)
{
	char *at = put_number(stpcpy(stpcpy(path, base), "/" SYSTEM_FOLDER), uid);

	if (name)
		at = stpcpy(stpcpy(at, "/"), name);
	*at = '\0';
}

/* Nobody else can have put anything there. */
static bool is_alone(const struct stat *status, uint32_t uid)
{
	return status->st_uid == uid && !(status->st_mode & 077);
}

int system_folder_open(const char *base, uint32_t uid, bool make)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char path[SYSTEM_PATH_BYTES];
	struct stat status;
	int fd;

	if (base[0] != '/' || strlen(base) >= SYSTEM_BASE_BYTES)
		return -EINVAL;
	system_folder_path(path, base, uid, NULL);
	fd = system_open(path, flags, 0);
	if (fd == -ENOENT && make) {
		if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700) && errno != EEXIST)
			return -errno;
		fd = system_open(path, flags, 0);
	}
	if (fd >= 0 && (fstat(fd, &status) || !is_alone(&status, uid))) {
		system_close(fd);
		return -EPERM;
	}
	return fd;
}

static int open_below_folder(int folder, const char *name, int flags, unsigned mode)
{
	long fd = syscall(SYS_openat, folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);

	return fd < 0 ? -errno : (int)fd;
}

int system_page_open(int folder, uint32_t uid)
{
	int fd = open_below_folder(folder, SYSTEM_PAGE, O_RDWR | O_NONBLOCK, 0);
	struct stat status;
	int error = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || !is_alone(&status, uid))
		error = -EPERM;
	else if (status.st_size < (off_t)TANDEM_CONTROL_BYTES)
		error = -EPROTO;
	if (!error)
		return fd;
	system_close(fd);
	return error;
}

int system_page_make(int folder, const struct tandem_control *page)
{
	char hidden[32];
	int fd, error;

	*put_number(stpcpy(hidden, "." SYSTEM_PAGE "-"), (uint32_t)syscall(SYS_getpid)) = '\0';
	fd = open_below_folder(folder, hidden, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return fd;
	/* Written, so that its memory is there. */
	error = system_write_all(fd, (const char *)page, TANDEM_CONTROL_BYTES);
	system_close(fd);
	if (!error && syscall(SYS_linkat, folder, hidden, folder, SYSTEM_PAGE, 0))
		error = -errno;
	syscall(SYS_unlinkat, folder, hidden, 0);
	return error;
}
