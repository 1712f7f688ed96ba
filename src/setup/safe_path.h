/* SPDX-License-Identifier: MIT */
/* Whether nobody else can put something else in the place of a file that all of a user's
 * programs will obey: it, and each folder on the way, belongs to root or that user, and no
 * one else may write there. One thread.
 *
 *	if (safe_path_check("/etc/environment", 0, "", &error))
 *		return cli_fail(&error);
 */
#ifndef TANDEM_SETUP_SAFE_PATH_H
#define TANDEM_SETUP_SAFE_PATH_H

#include <sys/types.h>

#include "util/error.h"

/* A file, which is no link and has no second name, or is not there yet; and the folders above
 * it, as far as they are, below `root` ("": from /). Absolute. Returns 0 or -errno: -EPERM
 * where it is unsafe, and the error has the fix. */
int safe_path_check(const char *path, uid_t user, const char *root, struct error *error);

#endif
