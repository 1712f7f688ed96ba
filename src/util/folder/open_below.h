/* SPDX-License-Identifier: MIT */
/* Opens what lies in a directory of unknown origin, to read it: no symbolic link is
 * followed on the way, nothing but a regular file or a folder is opened (a pipe could
 * hang the reader, a device could act on being opened), and nothing is changed. System
 * calls only. Any thread.
 *
 *	int session = open_folder("tandem-app");            the user's own name: links are fine
 *	int fd = open_below(session, "process-7/stream-1");
 */
#ifndef TANDEM_UTIL_OPEN_BELOW_H
#define TANDEM_UTIL_OPEN_BELOW_H

/* Returns a descriptor for the caller to close, or -errno. */
int open_folder(const char *path);

/* The file or folder at `path`, relative to `folder`, without "..". Returns a descriptor
 * for the caller to close, or -errno: -ELOOP or -ENOTDIR where a link is in the way,
 * -EINVAL where it is no regular file. */
int open_below(int folder, const char *path);
int open_folder_below(int folder, const char *path);

#endif
