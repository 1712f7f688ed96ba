/* SPDX-License-Identifier: MIT */
/* System calls of Linux that not each C library has a function for: `tandem` may be linked
 * with musl (meson.build). Results and errno as syscall(2) has them. */
#ifndef TANDEM_UTIL_SYSTEM_CALLS_H
#define TANDEM_UTIL_SYSTEM_CALLS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* close_range(2): the files from `first` to `last`. */
static inline int system_close_range(unsigned first, unsigned last)
{
	return (int)syscall(SYS_close_range, first, last, 0);
}

/* renameat2(2) with `flags` of <linux/fs.h>; paths as the process sees them. */
static inline int system_rename(const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

#endif
