/* SPDX-License-Identifier: MIT */
/* Processes that still record into a session: those that have its control page
 * mapped, whoever started them.
 */
#ifndef TANDEM_RECORDER_LIVE_PROCESSES_H
#define TANDEM_RECORDER_LIVE_PROCESSES_H

#include <sys/types.h>

/* Calls `found` for each process with this control page (the inode of
 * DIR/control) but the caller and those with lower numbers than `from`; any
 * process may end meanwhile. Processes of other users are seen by root only.
 * Returns how many there are; `found` may be NULL. */
unsigned live_processes_find(const char *directory, pid_t from,
			     void (*found)(pid_t pid, void *data), void *data);

/* How many processes have a stream in DIR mapped: those that `tandem system record` records, which
 * have their user's page in place of DIR/control. Also for a time after it has ended. */
unsigned live_processes_count_streams(const char *directory);

/* Whether this one process has the page mapped. */
int live_processes_has(const char *directory, pid_t pid);

#endif
