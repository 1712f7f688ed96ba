/* SPDX-License-Identifier: MIT */
/* Where the kernel describes its tracepoints: events/SYSTEM/NAME/{id,format} of
 * tracefs. One thread.
 *
 *	int mount, events = linux_tracefs_open(&mount);
 *	int id = linux_tracefs_id(events, "sched", "sched_switch");
 */
#ifndef TANDEM_LINUX_TRACEFS_H
#define TANDEM_LINUX_TRACEFS_H

/* A descriptor of the folder `events`, or -errno. Where tracefs is not mounted
 * and the caller may mount it, it comes from a mount that has no place in the
 * file system and ends with the descriptor: the machine is left as it was. `mount`
 * is then that mount's, which is to be closed at leisure, as it waits for all CPUs;
 * else -1. */
int linux_tracefs_open(int *mount);

/* The number by which perf knows a tracepoint, or -errno: -ENOENT, there is
 * none of this name. */
int linux_tracefs_id(int events, const char *system, const char *name);

/* The text of its `format`, NUL behind, which the caller frees; NULL and errno
 * where it can't be read. */
char *linux_tracefs_format(int events, const char *system, const char *name);

#endif
