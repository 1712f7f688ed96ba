/* SPDX-License-Identifier: MIT */
/* System calls of a guest: through syscall(2), because the C library's own
 * wrappers are cancellation points, and a thread cancelled inside the recorder
 * would leave it half-way. Each returns a result or -errno; errno itself is
 * saved by the slow paths that use them. */
#ifndef TANDEM_UTIL_SYSTEM_H
#define TANDEM_UTIL_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TANDEM_PATH_BYTES 3072

/* Clocks of different boots, or machines, have nothing in common. */
#define SYSTEM_BOOT_ID "/proc/sys/kernel/random/boot_id"

static inline int system_open(const char *path, int flags, unsigned mode)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, flags, mode);

	return fd < 0 ? -errno : (int)fd;
}

static inline void system_close(int fd)
{
	syscall(SYS_close, fd);
}

/* A small file of the kernel's, up to bytes - 1, without line feeds at its end. Returns the length,
 * or -errno and then "". */
static inline long system_read_text(const char *path, char *text, size_t bytes)
{
	int fd = system_open(path, O_RDONLY | O_CLOEXEC, 0);
	long length = fd;

	if (fd >= 0) {
		length = syscall(SYS_read, fd, text, bytes - 1);
		length = length < 0 ? -errno : length;
		system_close(fd);
	}
	while (length > 0 && text[length - 1] == '\n')
		length--;
	text[length > 0 ? length : 0] = 0;
	return length;
}

/* From where the file stands. 0 or -errno. */
static inline int system_write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		long done = syscall(SYS_write, fd, text, bytes);

		if (done < 0)
			return -errno;
		text += done;
		bytes -= (size_t)done;
	}
	return 0;
}

/* Writes all or says why not: a short write is -ENOSPC. */
static inline int system_pwritev(int fd, struct iovec *parts, int count, uint64_t offset)
{
	size_t total = 0;
	long done;

	for (int i = 0; i < count; i++)
		total += parts[i].iov_len;
	done = syscall(SYS_pwritev, fd, parts, count, offset, 0);
	if (done < 0)
		return -errno;
	return (size_t)done == total ? 0 : -ENOSPC;
}

#endif
