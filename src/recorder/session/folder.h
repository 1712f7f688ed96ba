/* SPDX-License-Identifier: MIT */
/* A session's directory as a thing on disk: whether it is one, and taking it
 * away. Nothing is ever deleted but files that a session consists of.
 */
#ifndef TANDEM_RECORDER_FOLDER_H
#define TANDEM_RECORDER_FOLDER_H

#include <stdbool.h>

/* Empties a session's directory, or accepts an empty one, for a new session.
 * Returns 0, -ENOTEMPTY (it holds something else: nothing was deleted), -EBUSY
 * (its recorder is at work) or another -errno. */
int folder_replace(const char *directory);

/* Marks the session as being recorded: a lock on its control page that is gone with this
 * process, however that ends, and that any other can ask for, in whatever pid namespace.
 * Returns the descriptor that holds it, or -errno. */
int folder_lock(const char *directory);

/* Gives the lock back and closes its descriptor, unless that is negative. */
void folder_unlock(int lock);

/* Whether a recorder holds that lock. False as well where it can't be found out. */
bool folder_is_locked(const char *directory);

/* Takes a session's directory away as far as it is one. */
void folder_remove(const char *directory);

/* The same of the folder of one of its processes. 0 or -errno. */
int folder_remove_process(const char *path);

#endif
