/* SPDX-License-Identifier: MIT */
/* Where processes that nobody in particular records wait for `tandem system record`: a folder
 * for each user, below one that all may write to and that is gone with the machine's run.
 *
 *   BASE/tandem-UID            the user's alone (0700), made by the first process
 *   BASE/tandem-UID/control    the control page (control.h) that all of them have mapped
 *   BASE/tandem-UID/session    while they record: a link to the session's directory
 *
 * BASE is what TANDEM_SYSTEM says in the process. Whoever records holds a lock (flock(2)) on
 * the page. System calls only: also for a traced process. Any thread.
 *
 *	folder = system_folder_open(base, geteuid(), true);
 *	page = system_page_open(folder, geteuid());
 */
#ifndef TANDEM_SCHEMA_SYSTEM_FOLDER_H
#define TANDEM_SCHEMA_SYSTEM_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/control.h"

#define TANDEM_ENV_SYSTEM "TANDEM_SYSTEM"
#define SYSTEM_BASE "/dev/shm"
#define SYSTEM_FOLDER "tandem-" /* UID */
#define SYSTEM_PAGE "control"
#define SYSTEM_SESSION "session"

/* BASE has to be shorter. */
#define SYSTEM_BASE_BYTES 256
#define SYSTEM_PATH_BYTES (SYSTEM_BASE_BYTES + 64)

/* Writes BASE/tandem-UID, and /NAME unless that is NULL, into path[SYSTEM_PATH_BYTES]. */
void system_folder_path(char *path, const char *base, uint32_t uid, const char *name);

/* The folder of that user; `make`: made where there is none. Returns a descriptor for the
 * caller to close, or -errno: -EPERM where it is not the user's alone. */
int system_folder_open(const char *base, uint32_t uid, bool make);

/* Its page, for reading and writing. Returns a descriptor for the caller to close, or -errno:
 * -ENOENT there is none, -EPERM it is not the user's alone, -EPROTO it is none. */
int system_page_open(int folder, uint32_t uid);

/* Makes the page, whole from the first moment. Returns 0, or -errno: -EEXIST there is one. */
int system_page_make(int folder, const struct tandem_control *page);

#endif
