/* SPDX-License-Identifier: MIT */
/* A process that no recorder has started, where TANDEM_SYSTEM names a folder: it waits for
 * `tandem system record`, with its user's page (schema/system_folder.h) in the place of a
 * session's. As in a session that is paused, nothing is recorded until a store into the page
 * says so; which session it is then, its folder's link says. One after another may come. */
#ifndef TANDEM_CORE_DORMANT_H
#define TANDEM_CORE_DORMANT_H

#include <stdbool.h>

/* Whether this process is one. */
extern bool tandem_dormant __attribute__((visibility("hidden")));

/* Opens the page of this user, after it has made it where there is none yet, and writes into
 * `session` (TANDEM_PATH_BYTES) the name of the link. Returns a descriptor for the caller to
 * close, or -errno: -ENOENT where TANDEM_SYSTEM is not set. */
int tandem_dormant_open(char *session);

#endif
